import type { BagCut, BagLook } from './bags';
import { lettering } from './lettering';
import {
  against,
  brightness,
  type Defs,
  emblem,
  filled,
  mixed,
  moved,
  stroked,
  svg,
  times,
  tone,
} from './svg';

/** From where a bag is seen, in radians about the upright axis, and how its handles fall (0 flat, 1 upright). */
export interface BagPose {
  readonly yaw: number;
  readonly lift: number;
}

/** A drawing in units of its own, and the box that it fills. */
export interface Drawn {
  readonly drawing: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface Cut {
  /** Width of the top against that of the base; radii of corners against the width; dip of the top edge against the height. */
  readonly flare: number;
  readonly top: number;
  readonly base: number;
  readonly dip: number;
  readonly closing: 'open' | 'zip' | 'flap';
  readonly carry: 'two' | 'one' | 'strap' | 'none';
}

// biome-ignore format: a table
const CUTS: Readonly<Record<BagCut, Cut>> = {
  tote: { flare: 1.14, top: 0.02, base: 0.07, dip: 0.03, closing: 'open', carry: 'two' },
  flap: { flare: 0.97, top: 0.07, base: 0.1, dip: 0, closing: 'flap', carry: 'strap' },
  hobo: { flare: 0.92, top: 0.07, base: 0.36, dip: 0.2, closing: 'zip', carry: 'one' },
  bucket: { flare: 1.1, top: 0.04, base: 0.1, dip: 0.04, closing: 'open', carry: 'strap' },
  satchel: { flare: 0.98, top: 0.05, base: 0.06, dip: 0, closing: 'flap', carry: 'one' },
  clutch: { flare: 1, top: 0.02, base: 0.04, dip: 0, closing: 'flap', carry: 'none' },
  'top handle': { flare: 0.84, top: 0.04, base: 0.07, dip: 0, closing: 'flap', carry: 'one' },
  bowling: { flare: 0.86, top: 0.26, base: 0.12, dip: -0.02, closing: 'zip', carry: 'two' },
  camera: { flare: 1, top: 0.14, base: 0.14, dip: 0, closing: 'zip', carry: 'strap' },
  saddle: { flare: 0.94, top: 0.1, base: 0.42, dip: 0, closing: 'flap', carry: 'strap' },
};
/** This much of the drop of handles rises above the bag. */
const RISES = { none: 0, one: 0.9, two: 1, strap: 1.5 } as const;
/** This much of the depth is seen from above. */
const PITCH = 0.16;

/** A closed shape on y = `base`, as wide as given there: straight sides, round corners, a top edge that may dip. */
function outline(
  width: number,
  height: number,
  cut: Pick<Cut, 'flare' | 'top' | 'base' | 'dip'>,
  base = 0,
): string {
  const [b, t] = [width / 2, (width / 2) * cut.flare];
  const length = Math.hypot(t - b, height);
  const [rb, rt] = [Math.min(cut.base * width, height * 0.55), Math.min(cut.top * width, height * 0.45)];
  const x = (radius: number) => ((t - b) / length) * radius;
  const [top, low, high] = [
    base - height,
    base - (height / length) * rb,
    base - height + (height / length) * rt,
  ];
  return svg`M${rb - b} ${base}Q${-b} ${base} ${-b - x(rb)} ${low}L${x(rt) - t} ${high}Q${-t} ${top} ${rt - t} ${top}
    Q0 ${top + 2 * cut.dip * height} ${t - rt} ${top}Q${t} ${top} ${t - x(rt)} ${high}L${b + x(rb)} ${low}Q${b} ${base} ${b - rb} ${base}Z`;
}

type Bag = ReturnType<typeof bagOf>;

const bagOf = (look: BagLook, pose: BagPose, defs: Defs, texture: string) => {
  const cut = CUTS[look.cut];
  return {
    ...{ look, pose, defs, texture, cut },
    metal: defs.metal(look.metal.value),
    dark: tone(look.metal.value, -0.6),
    body: outline(look.width, look.height, cut),
    /** Half the width of the top, and the top itself. */
    half: (look.width / 2) * cut.flare,
    top: -look.height,
    back: { x: look.depth * Math.sin(pose.yaw), y: -look.depth * PITCH },
    rise: look.drop * (0.45 + 0.55 * pose.lift),
  };
};

/** Draws a bag that stands on y = 0, upwards. `texture` is the light and shade of its surface, as a data URI. */
export function drawBag(look: BagLook, pose: BagPose, defs: Defs, texture: string): Drawn {
  const bag = bagOf(look, pose, defs, texture);
  const { cut, back, top } = bag;
  const squeeze = Math.cos(pose.yaw);
  const shade = defs.radial('0 #14121a .6, .55 #14121a .3, 1 #14121a 0');
  const spread = look.width * 0.58 * squeeze + Math.abs(back.x) / 2;
  const shadow = svg`<ellipse cx="${back.x / 2}" cy="${back.y / 3}" rx="${spread}" ry="34" fill="${shade}"/>`;
  const front = [
    ...[side(bag, squeeze), panel(bag, bag.body, look.height), closing(bag)],
    ...[stamp(bag), carry(bag, true)],
  ];
  const drawing = svg`${shadow}${moved(back.x, back.y, carry(bag, false), `scale(${squeeze} 1)`)}
    <g transform="scale(${squeeze} 1)">${front.join('')}</g>`;
  const half = Math.max(bag.half, look.width / 2) * squeeze + 14;
  const [left, right] = [-half + Math.min(0, back.x), half + Math.max(0, back.x)];
  return { drawing, left, right, top: top - RISES[cut.carry] * bag.rise + back.y, bottom: 24 };
}

/** The side of the bag: its outline drawn again and again from the back to the front; of an open bag the lining too. */
function side(bag: Bag, squeeze: number): string {
  const { look, back, cut } = bag;
  const layer = (share: number, fill: string) =>
    moved((back.x * share) / squeeze, back.y * share, filled(bag.body, fill));
  const lining = tone(mixed(look.second.value, '#8a6a50', 0.5), -0.55);
  return `${times(24, (at) => layer(1 - at / 24, tone(look.colour.value, (at / 24) * 0.3 - 0.62)))}
    ${cut.closing === 'open' ? layer(0.55, lining) : ''}`;
}

function panel(bag: Bag, d: string, height: number): string {
  const { look, defs } = bag;
  const colour = look.colour.value;
  const fall = defs.linear(90, `0 ${tone(colour, 0.16)}, .45 ${colour}, 1 ${tone(colour, -0.3)}`);
  const image = `<image href="${bag.texture}" width="640" height="640"/>`;
  const grain = defs.pattern(640, image, `translate(-320 ${-height})`);
  const depth = brightness(colour) < 0.16 ? 0.4 : 0.62;
  const volume = defs.linear(0, '0 #000 .42, .1 #000 .12, .28 #fff .2, .5 #fff 0, .88 #000 .14, 1 #000 .46');
  const gloss = look.surface === 'patent' ? 0.42 : look.surface === 'smooth' ? 0.1 : 0.04;
  const shine = defs.linear(64, `.18 #fff 0, .3 #fff ${gloss}, .42 #fff 0`);
  const layers = `${filled(d, fall)}${pattern(bag)}${filled(d, grain, `fill-opacity="${depth}"`)}
    ${filled(d, volume)}${filled(d, shine)}`;
  const thread = tone(colour, brightness(colour) > 0.5 ? -0.4 : 0.35);
  const seam = stroked(d, thread, 2, 'stroke-opacity=".8" stroke-dasharray="9 5"');
  const edge = stroked(d, tone(colour, -0.6), 3, 'stroke-linejoin="round"');
  return defs.clipped(d, layers) + edge + moved(0, -height * 0.022, seam, 'scale(.955)');
}

function pattern({ look, defs, top }: Bag): string {
  const size = look.patternSize;
  const second = against(look.second.value, look.colour.value);
  const cover = (fill: string, x = -500, width = 1000, y = top - 60) =>
    svg`<rect x="${x}" y="${y}" width="${width}" height="${120 - top}" fill="${fill}"/>`;
  const repeated = (side: number, drawn: string) => cover(defs.pattern(side, drawn, `scale(${size})`));
  switch (look.pattern) {
    case 'plain':
      return '';
    case 'monogram':
      return repeated(
        96,
        `${emblem(look.emblem, 24, 24, 15, second)}${emblem(look.emblem, 72, 72, 15, second)}
        ${filled('M72 12L84 24 72 36 60 24zM24 60L36 72 24 84 12 72z', second)}`,
      );
    case 'check':
      return repeated(
        120,
        `${filled('M0 0H120V44H0zM0 0H44V120H0z', second, 'fill-opacity=".55"')}${stroked('M0 80H120M80 0V120', look.trim, 5)}`,
      );
    case 'web':
      return cover(second, -60 * size, 120 * size) + cover(against('#8f1f24', second), -20 * size, 40 * size);
    case 'block':
      return cover(second, -500, 1000, top * 0.46);
  }
}

function closing(bag: Bag): string {
  const { look, cut, half, top } = bag;
  switch (cut.closing) {
    case 'open': {
      const edge = svg`M${-half} ${top}Q0 ${top * (1 - 2 * cut.dip)} ${half} ${top}`;
      return stroked(edge, look.trim, 12) + clasp(bag, top + 70);
    }
    case 'zip':
      return zip(bag);
    case 'flap': {
      const deep = look.height * (look.cut === 'top handle' ? look.flap * 0.62 : look.flap);
      const across = look.width * (cut.flare + (1 - cut.flare) * (deep / look.height)) + 10;
      const shape = {
        flare: (half * 2 + 10) / across,
        top: cut.top,
        base: Math.max(0.06, look.round),
        dip: 0,
      };
      const d = outline(across, deep + 6, shape, top + deep);
      return underside(bag, d) + panel(bag, d, look.height) + clasp(bag, top + deep - 44);
    }
  }
}

function underside(bag: Bag, d: string): string {
  const shade = [30, 20, 11].map((width) => stroked(d, '#000', width, 'stroke-opacity=".13"')).join('');
  return bag.defs.clipped(bag.body, moved(0, 7, shade));
}

function zip(bag: Bag): string {
  const { look, cut, half, top } = bag;
  const isDipped = cut.dip > 0.1;
  const y = top * (isDipped ? 0.86 - cut.dip : 0.88);
  const reach = half * (cut.top > 0.2 ? 0.78 : 0.86);
  const d = svg`M${-reach} ${y}Q0 ${y + (isDipped ? 40 : top * 0.09)} ${reach} ${y}`;
  const pull = `<rect x="-5" width="10" height="46" rx="4" fill="${bag.metal}"/>
    <rect x="-7" y="40" width="14" height="34" rx="5" fill="${look.trim}"/>`;
  return `${stroked(d, tone(look.trim, -0.3), 20)}${stroked(d, bag.dark, 8)}
    ${stroked(d, tone(look.metal.value, 0.3), 6, 'stroke-dasharray="4 3"')}${moved(reach * 0.9, y + 8, pull, 'rotate(14)')}`;
}

function clasp({ look, metal, dark, defs }: Bag, y: number): string {
  const shackle = 'M-19-16v-22a19 19 0 0 1 38 0v22';
  const drawn = {
    'turn-lock': `<rect x="-44" y="-24" width="88" height="48" rx="22"/>
      <rect x="-12" y="-30" width="24" height="60" rx="11" fill="${defs.metal(look.metal.value, 0)}"/>`,
    emblem: `<g stroke="none">${emblem(look.emblem, 2, 3, 46, dark)}${emblem(look.emblem, 0, 0, 45, metal)}</g>`,
    ring: `<circle r="36" fill="none" stroke-width="17"/><circle r="36" fill="none" stroke="${metal}" stroke-width="13"/>`,
    padlock: `${stroked(shackle, dark, 13)}${stroked(shackle, look.metal.value, 9)}
      <rect x="-32" y="-18" width="64" height="58" rx="9"/>${filled('M-7 6a7 7 0 1 1 10 6v12h-6v-12z', dark)}`,
  }[look.clasp];
  const shadow = '<ellipse cx="4" cy="8" rx="42" ry="34" fill="#000" fill-opacity=".22"/>';
  return moved(0, y, `${shadow}<g fill="${metal}" stroke="${dark}" stroke-width="2">${drawn}</g>`);
}

function stamp({ look, cut, top }: Bag): string {
  if (look.pattern === 'monogram' || look.pattern === 'check') return '';
  const y = top * (cut.closing === 'flap' ? 0.12 : 0.24);
  const colour = against(look.metal.value, look.colour.value);
  return moved(0, y, lettering(look.wordmark, 20, colour, 0.11, 1.25));
}

function carry(bag: Bag, isFront: boolean): string {
  const { look, cut, half, top, rise } = bag;
  const arch = (reach: number, y: number, up: number) =>
    svg`M${-reach} ${y}C${-reach * 1.02} ${y - up * 1.3} ${reach * 1.02} ${y - up * 1.3} ${reach} ${y}`;
  const tab = `<rect x="-15" y="-8" width="30" height="58" rx="11" fill="${look.trim}" stroke="${tone(look.trim, -0.5)}" stroke-width="2"/>`;
  const ring = `<circle r="15" fill="none" stroke="${bag.metal}" stroke-width="7"/>`;
  const ends = (reach: number, y: number, end = tab) =>
    moved(-reach, y, end + ring) + moved(reach, y, end + ring);
  // A bamboo handle does not bend far.
  const soft = look.handle === 'bamboo' ? 'rolled' : look.handle;
  switch (cut.carry) {
    case 'none':
      return '';
    case 'strap':
      if (isFront) return ends(half * 0.95, 26 + top, '');
      return strand(bag, arch(half * 0.95, 26 + top, rise * 1.5 + 26), soft, 17);
    case 'one': {
      const isHobo = look.cut === 'hobo';
      const [reach, y] = isHobo ? [half * 0.86, 30 + top] : [half * 0.42, 6 + top];
      if (isFront) return ends(reach, y);
      return strand(bag, arch(reach, y, rise * (isHobo ? 1 : 0.8)), isHobo ? soft : look.handle, 26);
    }
    case 'two': {
      const y = top * (cut.closing === 'open' ? 0.84 : 0.78);
      const handle = strand(bag, arch(half * 0.5, y, rise + y - top), look.handle, 22);
      return `${isFront ? ends(half * 0.5, y) : ''}${handle}`;
    }
  }
}

function strand(bag: Bag, d: string, kind: BagLook['handle'], width: number): string {
  const { trim, metal } = bag.look;
  const line = (colour: string, share: number, dash = '', cap = 'round') =>
    stroked(d, colour, width * share, `stroke-linecap="${cap}" stroke-dasharray="${dash}"`);
  const leather = line(tone(trim, -0.5), 1) + line(trim, 0.86);
  const links = svg`${width * 0.86} ${width}`;
  const sides = svg`0 ${width * 1.1} ${width * 0.5} ${width * 0.26}`;
  return {
    leather: `${leather}${line(tone(trim, brightness(trim) > 0.5 ? -0.3 : 0.4), 0.08, '8 5', 'butt')}`,
    rolled: `${leather}${line(tone(trim, 0.22), 0.4)}${line(tone(trim, 0.5), 0.12)}`,
    chain: `${line(tone(metal.value, -0.55), 0.95, links)}${line(metal.value, 0.7, links)}
      ${line(tone(metal.value, 0.7), 0.23, links)}${line(tone(metal.value, -0.15), 0.28, sides, 'butt')}`,
    bamboo: `${line('#5d3a14', 1.1)}${line('#b58546', 0.95)}${line('#e2bf83', 0.3)}${line('#5d3a14', 1.15, '4 52', 'butt')}`,
  }[kind];
}
