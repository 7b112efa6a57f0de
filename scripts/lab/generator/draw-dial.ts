import { lettering, ROMAN } from './lettering';
import {
  against,
  around,
  brightness,
  type Defs,
  disc,
  emblem,
  filled,
  moved,
  stroked,
  svg,
  times,
  tone,
} from './svg';
import type { WatchLook } from './watches';

/** Half the width and half the height of a case of radius 1, and the power of its superellipse: 2 is round, 11 a rectangle. */
const SHAPES: Readonly<Record<WatchLook['shape'], readonly [across: number, down: number, power: number]>> = {
  round: [1, 1, 2],
  cushion: [0.98, 0.98, 3.6],
  octagon: [1, 1, 0],
  tonneau: [0.84, 1.06, 2.9],
  square: [0.88, 0.88, 9],
  tank: [0.72, 1, 11],
};

export type Shape = ReturnType<typeof shapeOf>;

export function shapeOf(name: WatchLook['shape']) {
  const [across, down, power] = SHAPES[name];
  /** How far the outline of a case of radius 1 is from its middle; the angle is from three o'clock on, in radians. */
  const reach = (angle: number): number => {
    if (power === 0) {
      const part = (angle + 9 * Math.PI) % (Math.PI / 4);
      return Math.cos(Math.PI / 8) / Math.cos(part - Math.PI / 8) + 0.04;
    }
    const [x, y] = [Math.abs(Math.cos(angle)) / across, Math.abs(Math.sin(angle)) / down];
    return (x ** power + y ** power) ** (-1 / power);
  };
  const point = (angle: number, radius: number): string =>
    svg`${Math.cos(angle) * radius * reach(angle)} ${Math.sin(angle) * radius * reach(angle)}`;
  /** A closed path; `radius` is that of the whole case. */
  const outline = (radius: number): string =>
    `M${times(144, (at) => `${at === 0 ? '' : 'L'}${point((at * Math.PI) / 72, radius)}`)}Z`;
  return { across, down, reach, point, outline };
}

/** The places of subdials, by the hour that each takes the place of, and where their hands point. */
const SUBDIALS: Readonly<Record<WatchLook['complication'], Readonly<Record<number, number>>>> = {
  none: {},
  'small seconds': { 6: 210 },
  chronograph: { 3: 40, 6: 150, 9: 300 },
  bicompax: { 3: 70, 9: 250 },
};

type Dial = ReturnType<typeof dialOf>;

/** @param radius of the dial, in a case of the given shape @param texture light and shade of a grained dial, as a data URI */
export const dialOf = (look: WatchLook, shape: Shape, radius: number, defs: Defs, texture: string) => {
  const colour = look.colour.value;
  const isDark = brightness(colour) < 0.5;
  const ink = look.isInkMetal ? against(look.metal.value, colour) : isDark ? '#f1f1ea' : '#1c1d22';
  const subdials = SUBDIALS[look.complication];
  return {
    ...{ look, shape, radius, defs, texture, colour, ink, subdials },
    outline: shape.outline(radius),
    /** Of what shines at night. */
    lume: isDark ? '#f3f3e4' : tone(ink, 0.1),
    hasDate: look.hasDate && subdials[3] === undefined,
  };
};

export function face(dial: Dial): string {
  const { look, defs, outline, ink, shape, radius, colour } = dial;
  const [light, dark] = look.finish === 'fume' ? [0.35, -0.85] : [0.14, -0.32];
  const stops = `0 ${tone(colour, light)}, .55 ${colour}, 1 ${tone(colour, dark)}`;
  const base = filled(outline, defs.radial(stops, 'cx=".5" cy=".46" r=".62"'));
  const width = radius * shape.across;
  const y = -radius * (look.indices === 'roman' || look.indices === 'arabic' ? 0.46 : 0.5);
  const height = Math.min(24, width / look.wordmark.length);
  const name = moved(0, y + 42, lettering(look.wordmark, height, ink, 0.12, 1.15));
  const day = moved(29, 0, lettering(`${8 + (look.wordmark.length % 20)}`, 26, '#16171a', 0.16, 0.9));
  const box = `<rect y="-24" width="58" height="48" rx="5" fill="#f6f5ef" stroke="${ink}" stroke-width="3"/>`;
  const subdials = Object.entries(dial.subdials).map(([hour, turn]) => subdial(dial, Number(hour), turn));
  const edge = stroked(shape.outline(radius - 3), '#000', 10, 'stroke-opacity=".22"');
  return `${defs.clipped(outline, base + finish(dial))}${track(dial)}${indices(dial)}${subdials.join('')}
    ${emblem(look.emblem, 0, y, 21, ink)}${name}${dial.hasDate ? moved(width * 0.56, 0, box + day) : ''}${edge}`;
}

function finish(dial: Dial): string {
  const { look, defs, radius, colour } = dial;
  const [light, dark] = [tone(colour, 0.3), tone(colour, -0.35)];
  const repeated = (size: number, drawn: string, opacity: number, turn = 0) =>
    disc(0, 0, radius * 1.5, defs.pattern(size, drawn, `rotate(${turn})`), `fill-opacity="${opacity}"`);
  switch (look.finish) {
    case 'plain':
    case 'fume':
      return '';
    case 'sunburst':
      return around(72, (at) => {
        const glow = Math.cos((at * Math.PI) / 18 - 0.9) + 0.25 * Math.cos(at * 7.3);
        const opacity = svg`fill-opacity="${Math.abs(glow) * 0.2}"`;
        return filled(svg`M0 0L-14 ${-radius * 1.15}H14Z`, glow > 0 ? '#fff' : '#000', opacity);
      });
    case 'clous':
      return repeated(16, filled('M0 0H16L8 8Z', light) + filled('M0 16H16L8 8Z', dark), 0.75, 45);
    case 'grained':
      return repeated(380, `<image href="${dial.texture}" width="380" height="380"/>`, 0.6);
  }
}

function track({ look, shape, radius, ink }: Dial): string {
  if (look.track === 'none') return '';
  const mark = (at: number) => {
    const isHour = at % 5 === 0;
    const y = -radius * shape.reach((at * Math.PI) / 30 - Math.PI / 2);
    if (look.track === 'dots') return disc(0, y + 12, isHour ? 4.5 : 2.5, ink);
    return stroked(svg`M0 ${y + 6}v${isHour ? 15 : 11}`, ink, isHour ? 3.6 : 2);
  };
  return around(60, mark);
}

function indices(dial: Dial): string {
  const { look, shape, radius } = dial;
  const index = indexOf(dial);
  return around(12, (hour) => {
    if (dial.subdials[hour] !== undefined || (hour === 3 && dial.hasDate)) return '';
    const edge = -radius * shape.reach((hour * Math.PI) / 6 - Math.PI / 2);
    return index(hour, edge + (look.track === 'none' ? 16 : 30));
  });
}

/** Draws the index of an hour, as at twelve, from `y` downwards. */
function indexOf(dial: Dial): (hour: number, y: number) => string {
  const { look, defs, ink, lume } = dial;
  const size = dial.radius * 0.2;
  const shades = `0 ${tone(ink, 0.35)}, .5 ${tone(ink, 0.1)}, .5 ${tone(ink, -0.25)}, 1 ${tone(ink, -0.05)}`;
  const facet = `fill="${defs.linear(0, shades)}" stroke="#000" stroke-opacity=".35" stroke-width="1.5"`;
  const lit = `stroke="${ink}" stroke-width="3.5"`;
  const bar = (x: number, y: number, width: number, style: string) =>
    svg`<rect x="${x}" y="${y}" width="${width}" height="${size}" rx="2" ${style}/>`;
  const gem = defs.radial('0 #fff, .6 #d9e4ec, 1 #8296a6', 'cx=".4" cy=".35" r=".7"');
  return {
    batons: (hour: number, y: number) =>
      (hour === 0 ? [-15, 3] : [-6]).map((x) => bar(x, y, 12, facet)).join(''),
    wedges: (_: number, y: number) => svg`<path d="M-11 ${y}H11L0 ${y + size * 1.1}Z" ${facet}/>`,
    dots(hour: number, y: number) {
      if (hour === 0) return filled(svg`M-19 ${y}H19L0 ${y + 38}Z`, lume, lit);
      return hour % 3 === 0 ? bar(-7, y, 14, `fill="${lume}" ${lit}`) : disc(0, y + 16, 15, lume, lit);
    },
    gems: (_: number, y: number) => disc(0, y + 14, 13, gem, `stroke="${tone(ink, -0.2)}" stroke-width="2"`),
    roman: (hour: number, y: number) =>
      moved(0, y + size / 2, lettering(ROMAN[hour] ?? '', size * 0.95, ink, 0.13, 0.9)),
    arabic(hour: number, y: number) {
      const upright = lettering(`${hour || 12}`, size, ink, 0.15, 0.92);
      return moved(0, y + size * 0.6, upright, `rotate(${-hour * 30})`);
    },
  }[look.indices];
}

function subdial({ radius, ink, defs, colour }: Dial, hour: number, turn: number): string {
  const r = radius * 0.27;
  const shades = [-0.12, -0.3, -0.5].map((amount) => tone(colour, amount));
  const ground = defs.radial(`0 ${shades[0]}, .9 ${shades[1]}, 1 ${shades[2]}`);
  const mark = (at: number) => stroked(svg`M0 ${5 - r}v${r * (at % 3 === 0 ? 0.28 : 0.14)}`, ink, 2.4);
  const hand = filled(svg`M-3 ${r * 0.2}L0 ${-r * 0.82} 3 ${r * 0.2}Z`, ink, `transform="rotate(${turn})"`);
  const angle = (hour * Math.PI) / 6;
  const plate = disc(0, 0, r, ground, `stroke="${ink}" stroke-opacity=".7" stroke-width="2"`);
  return moved(
    Math.sin(angle) * radius * 0.46,
    -Math.cos(angle) * radius * 0.46,
    plate + around(12, mark) + hand + disc(0, 0, 5, ink),
  );
}

/** Hands at a time, in minutes after twelve. */
export function hands(dial: Dial, minutes: number): string {
  const { look, shape, radius } = dial;
  const length = radius * Math.min(shape.across, shape.down);
  const pointer = svg`M-2 ${length * 0.22}L-1 ${-length * 0.88}H1L2 ${length * 0.22}Z`;
  const second = `<g transform="rotate(214)">${disc(0, length * 0.16, 8, look.accent)}${filled(pointer, look.accent)}</g>`;
  const pin = disc(0, 0, 14, dial.defs.metal(look.metal.value), `stroke="${tone(look.metal.value, -0.6)}"`);
  return `${hand(dial, length * 0.55, 11, minutes / 2)}${hand(dial, length * 0.84, 9, minutes * 6)}
    ${dial.subdials[6] === undefined ? second : ''}${pin}<circle r="5"/>`;
}

function hand({ look, ink, lume }: Dial, length: number, w: number, degrees: number): string {
  // The left half; the right one mirrors it.
  const half = {
    baton: svg`M0 ${-length}L${-w * 0.8} ${12 - length}V26H0Z`,
    dauphine: svg`M0 ${-length}L${-w * 1.5}-12 0 34Z`,
    sword: svg`M0 ${-length}L${-w * 1.3} ${-length * 0.78} ${-w * 0.55} 0V24H0Z`,
    leaf: svg`M0 ${-length}Q${-w * 2} ${-length * 0.5} ${-w * 0.35}-8V24H0Z`,
  }[look.hands];
  const both = (left: string, right: string) =>
    filled(half, left) + filled(half, right, 'transform="scale(-1 1)"');
  const slot = svg`M0 ${20 - length}L${-w * 0.42} ${-length * 0.82}V${-length * 0.34}H${w * 0.42}V${-length * 0.82}Z`;
  const turn = svg`rotate(${degrees % 360})`;
  return `<g transform="translate(5 9) ${turn}" fill-opacity=".28">${both('#000', '#000')}</g>
    <g transform="${turn}">${both(tone(ink, 0.28), tone(ink, -0.3))}${look.isSport && look.hands !== 'dauphine' ? filled(slot, lume) : ''}</g>`;
}

export function glass(dial: Dial): string {
  const r = dial.radius * 1.1;
  const light = dial.defs.linear(50, '0 #fff .34, .42 #fff .05, .43 #fff 0, 1 #fff 0');
  const d = svg`M${-r} ${-r}H${r * 0.7}Q${-r * 0.1} ${-r * 0.2} ${-r * 0.45} ${r}H${-r}Z`;
  return dial.defs.clipped(dial.outline, filled(d, light));
}
