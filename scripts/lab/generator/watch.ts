import type { Drawn } from './bag';
import { lettering, ROMAN } from './lettering';
import type { WatchLook } from './looks';
import {
  against,
  brightness,
  circle,
  type Defs,
  EMBLEM_PATHS,
  group,
  line,
  mixed,
  n,
  path,
  rect,
  times,
  tone,
} from './svg';
import { BRACELETS, type Strap, type Surface } from './vocabulary';

/** The angle from which a watch is seen, in radians, and the time on it in minutes after twelve. */
export interface WatchPose {
  readonly tilt: number;
  readonly minutes: number;
}

/** Light and shade of a watch's surfaces, as data URIs. */
interface WatchTextures {
  readonly strap: string;
  readonly dial: string;
}

/** The surfaces of straps that have one. */
export const STRAP_SURFACES: Partial<Readonly<Record<Strap, Surface>>> = {
  leather: 'grained',
  alligator: 'crocodile',
  nato: 'denim',
  satin: 'saffiano',
  rubber: 'smooth',
};

/** Half the width and half the height of a case of radius 1, and the power of its superellipse: 2 is round, 12 a rectangle. */
// biome-ignore format: a table
const SHAPES: Readonly<Record<WatchLook['shape'], readonly [number, number, number]>> = {
  round: [1, 1, 2],
  cushion: [0.98, 0.98, 3.6],
  octagon: [1, 1, 0],
  tonneau: [0.84, 1.06, 2.9],
  square: [0.88, 0.88, 9],
  tank: [0.72, 1, 11],
};

const TURN = Math.PI * 2;
/** Half the length of what is drawn of the strap. */
const REACH = 620;

/** Draws a watch around the origin, twelve up. */
export function drawWatch(look: WatchLook, pose: WatchPose, defs: Defs, textures: WatchTextures): Drawn {
  const watch = new Watch(look, defs, textures);
  // Seen from the side it is narrower, and a little sheared.
  const svg = group(
    `skewY(${n(pose.tilt * 9)}) scale(${n(Math.cos(pose.tilt * 0.9))} 1)`,
    watch.draw(pose.minutes),
  );
  return { svg, left: -400, right: 400, top: -400, bottom: 400 };
}

class Watch {
  /** Radius of the case, and the radius inside of the bezel. */
  private readonly radius: number;
  private readonly dial: number;
  private readonly metal: string;
  private readonly reversed: string;
  private readonly dark: string;
  private readonly ink: string;
  private readonly lume: string;

  constructor(
    private readonly look: WatchLook,
    private readonly defs: Defs,
    private readonly textures: WatchTextures,
  ) {
    this.radius = 268 + (look.millimetres - 38) * 4;
    this.dial = this.radius * (0.93 - look.bezelWidth);
    this.metal = defs.metal(look.metal.value);
    this.reversed = defs.metal(look.metal.value, 235);
    this.dark = tone(look.metal.value, -0.62);
    const colour = look.colour.value;
    this.ink = look.isInkMetal
      ? against(look.metal.value, colour)
      : brightness(colour) < 0.5
        ? '#f1f1ea'
        : '#1c1d22';
    this.lume = brightness(colour) < 0.5 ? '#f3f3e4' : tone(this.ink, 0.1);
  }

  draw(minutes: number): string {
    const { radius } = this;
    const shade = this.defs.radial([0.5, 0.5, 0.5], [0.72, '#000000', 0.5], [1, '#000000', 0]);
    const beside = this.defs.linear(
      0,
      [0.1, '#000000', 0],
      [0.3, '#000000', 0.32],
      [0.7, '#000000', 0.32],
      [0.95, '#000000', 0],
    );
    return [
      rect(-radius * 0.7, -REACH, radius * 1.44, REACH * 2, 0, beside),
      circle(14, 20, radius * 1.2, shade),
      this.strap(),
      this.crown(),
      this.lugs(),
      this.case(),
      this.bezel(),
      this.face(),
      this.hands(minutes),
      this.glass(),
    ].join('');
  }

  /** A closed outline of the case's shape: `radius` is that of the whole case. */
  private outline(radius: number): string {
    if (this.look.shape === 'round')
      return `M${n(radius)} 0A${n(radius)} ${n(radius)} 0 1 1 ${n(-radius)} 0A${n(radius)} ${n(radius)} 0 1 1 ${n(radius)} 0Z`;
    return `M${times(144, (at) => {
      const angle = (at * TURN) / 144;
      const reach = radius * this.reach(angle);
      return `${at === 0 ? '' : 'L'}${n(Math.cos(angle) * reach)} ${n(Math.sin(angle) * reach)}`;
    })}Z`;
  }

  /** How far the outline of a case of radius 1 is from its middle, in a direction. */
  private reach(angle: number): number {
    const [across, down, power] = SHAPES[this.look.shape];
    if (power === 0) {
      const part = (((angle + TURN / 16) % (TURN / 8)) + TURN / 8) % (TURN / 8);
      return Math.cos(TURN / 16) / Math.cos(part - TURN / 16) + 0.04;
    }
    const [x, y] = [Math.abs(Math.cos(angle)) / across, Math.abs(Math.sin(angle)) / down];
    return (x ** power + y ** power) ** (-1 / power);
  }

  /** The edge of the case on its vertical axis. */
  private get edge(): number {
    return this.radius * this.reach(TURN / 4);
  }

  private strap(): string {
    const { look, defs, radius, edge } = this;
    const half = radius * (look.shape === 'octagon' ? 0.62 : look.shape === 'tank' ? 0.6 : 0.5);
    const bend = defs.add(
      (id) =>
        `<linearGradient id="${id}" x1="0" x2="0" y1="${-REACH}" y2="${REACH}" gradientUnits="userSpaceOnUse"><stop stop-color="#000" stop-opacity=".6"/><stop offset=".2" stop-color="#000" stop-opacity=".06"/><stop offset=".26" stop-color="#fff" stop-opacity=".14"/><stop offset=".33" stop-color="#000" stop-opacity=".3"/><stop offset=".67" stop-color="#000" stop-opacity=".3"/><stop offset=".74" stop-color="#fff" stop-opacity=".14"/><stop offset=".8" stop-color="#000" stop-opacity=".06"/><stop offset="1" stop-color="#000" stop-opacity=".6"/></linearGradient>`,
    );
    const narrow = half * 0.86;
    const d = `M${n(-half)} ${n(-edge * 0.8)}L${n(-narrow)} ${-REACH}H${n(narrow)}L${n(half)} ${n(-edge * 0.8)}V${n(edge * 0.8)}L${n(narrow)} ${REACH}H${n(-narrow)}L${n(-half)} ${n(edge * 0.8)}Z`;
    const drawn = BRACELETS.includes(look.strap) ? this.bracelet(half) : this.softStrap(half, d);
    return defs.clipped(d, drawn + path(d, bend)) + line(d, '#000000', 2, 'stroke-opacity="0.4"');
  }

  private bracelet(half: number): string {
    const { look, defs } = this;
    if (look.strap === 'mesh') {
      const wire = tone(look.metal.value, 0.55);
      const mesh = defs.pattern(
        13,
        `${rect(0, 0, 13, 13, 0, tone(look.metal.value, -0.45))}<path d="M-1 4Q3 -1 6.5 4T14 4M-1 10.500Q3 6 6.500 10.500T14 10.500" fill="none" stroke="${look.metal.value}" stroke-width="4"/><path d="M-1 3Q3 -2 6.500 3T14 3M-1 9.500Q3 5 6.500 9.500T14 9.500" fill="none" stroke="${wire}" stroke-width="1.200"/>`,
      );
      return rect(-half, -REACH, half * 2, REACH * 2, 0, mesh);
    }
    const shares = look.strap === 'oyster' ? [0.31, 0.38, 0.31] : [0.25, 0.16, 0.18, 0.16, 0.25];
    const fills = [look.metal, look.secondMetal].map(({ value }) =>
      defs.linear(
        90,
        [0, tone(value, -0.45)],
        [0.16, tone(value, 0.5)],
        [0.34, tone(value, 0.12)],
        [0.8, tone(value, -0.12)],
        [1, tone(value, -0.5)],
      ),
    );
    const height = look.strap === 'oyster' ? 74 : 50;
    return times(Math.ceil((REACH * 2) / height), (row) => {
      let x = -half;
      return shares
        .map((share, column) => {
          const width = share * half * 2;
          const isMiddle = column > 0 && column < shares.length - 1;
          const y = -REACH + row * height + (column % 2 === 0 ? 0 : height / 2);
          const link = rect(
            x + 1,
            y + 1,
            width - 2,
            height - 2,
            isMiddle ? height * 0.3 : 7,
            fills[isMiddle ? 1 : 0] ?? '',
            `stroke="${this.dark}" stroke-width="1.500"`,
          );
          x += width;
          return link;
        })
        .join('');
    });
  }

  private softStrap(half: number, d: string): string {
    const { look, defs } = this;
    const colour = look.strapColour.value;
    const round = defs.linear(
      0,
      [0, tone(colour, -0.5)],
      [0.18, tone(colour, 0.06)],
      [0.42, tone(colour, 0.2)],
      [0.8, tone(colour, -0.06)],
      [1, tone(colour, -0.55)],
    );
    const grain = defs.pattern(
      420,
      `<image href="${this.textures.strap}" width="420" height="420"/>`,
      `translate(${n(-half)} -90)`,
    );
    const texture = rect(-half, -REACH, half * 2, REACH * 2, 0, grain, 'fill-opacity="0.7"');
    if (look.strap === 'nato') {
      const stripe = against(look.accent, colour);
      return (
        path(d, round) +
        rect(-half * 0.42, -REACH, half * 0.26, REACH * 2, 0, stripe) +
        rect(half * 0.16, -REACH, half * 0.26, REACH * 2, 0, stripe) +
        texture
      );
    }
    const thread = brightness(colour) > 0.55 ? tone(colour, -0.45) : '#e9dfc8';
    const inset = half * 0.82;
    const seams =
      look.strap === 'rubber'
        ? [-0.5, 0, 0.5]
            .map((at) => line(`M${n(at * half)} ${-REACH}V${REACH}`, '#000000', 12, 'stroke-opacity="0.35"'))
            .join('')
        : line(
            `M${n(-inset * 0.9)} ${-REACH}L${n(-inset)} ${n(-this.edge)}M${n(inset * 0.9)} ${-REACH}L${n(inset)} ${n(-this.edge)}M${n(-inset)} ${n(this.edge)}L${n(-inset * 0.9)} ${REACH}M${n(inset)} ${n(this.edge)}L${n(inset * 0.9)} ${REACH}`,
            thread,
            4,
            'stroke-dasharray="15 8"',
          );
    return path(d, round) + (look.strap === 'satin' ? '' : texture) + seams;
  }

  private lugs(): string {
    const { radius, look, edge } = this;
    if (look.shape === 'octagon') return '';
    const out = radius * (look.shape === 'tank' ? 0.6 : 0.5);
    return [
      [1, 1],
      [-1, 1],
      [1, -1],
      [-1, -1],
    ]
      .map(([x, y]) =>
        group(
          `scale(${x} ${y})`,
          path(
            `M${n(out - 4)} ${n(edge * 0.6)}L${n(out - 4)} ${n(edge * 1.16)}Q${n(out + 12)} ${n(edge * 1.22)} ${n(out + 32)} ${n(edge * 1.12)}L${n(out + 78)} ${n(edge * 0.6)}Z`,
            this.metal,
            `stroke="${this.dark}" stroke-width="2.500"`,
          ),
        ),
      )
      .join('');
  }

  private crown(): string {
    const { radius, look } = this;
    const x = radius * this.reach(0);
    const fill = this.defs.linear(
      90,
      [0, this.dark],
      [0.3, tone(look.metal.value, 0.6)],
      [0.6, look.metal.value],
      [1, this.dark],
    );
    const knob = (width: number, height: number) =>
      rect(x - 14, -height / 2, width + 14, height, 9, fill, `stroke="${this.dark}" stroke-width="2"`) +
      times(7, (at) =>
        line(
          `M${n(x + 4)} ${n(-height / 2 + ((at + 1) * height) / 8)}h${n(width - 8)}`,
          '#000000',
          2,
          'stroke-opacity="0.4"',
        ),
      );
    const isChrono = look.complication === 'chronograph' || look.complication === 'bicompax';
    const pushers = isChrono
      ? [-32, 32]
          .map((angle) =>
            group(
              `rotate(${angle})`,
              rect(x - 10, -19, 40, 38, 8, fill, `stroke="${this.dark}" stroke-width="2"`),
            ),
          )
          .join('')
      : '';
    const guards = look.isSport
      ? path(
          `M${n(x - 30)} -74Q${n(x + 22)} -60 ${n(x + 18)} -34H${n(x - 30)}ZM${n(x - 30)} 74Q${n(x + 22)} 60 ${n(x + 18)} 34H${n(x - 30)}Z`,
          this.metal,
          `stroke="${this.dark}" stroke-width="2"`,
        )
      : '';
    return pushers + guards + knob(36, 62);
  }

  private case(): string {
    const { radius } = this;
    return (
      path(this.outline(radius), this.metal, `stroke="${this.dark}" stroke-width="3"`) +
      line(this.outline(radius * 0.965), tone(this.look.metal.value, 0.75), 2.5, 'stroke-opacity="0.8"')
    );
  }

  /** Drawn `count` times around the middle; the drawing points up, from `radius` inwards. */
  private around(count: number, draw: (at: number) => string): string {
    return times(count, (at) => group(`rotate(${n((at * 360) / count)})`, draw(at)));
  }

  private bezel(): string {
    const { look, defs, radius, dial, dark } = this;
    const outer = radius * 0.94;
    const bezel = look.hasGems ? 'gems' : look.bezel;
    const second = defs.metal(look.secondMetal.value, 200);
    const ring = path(this.outline(outer), second, `stroke="${dark}" stroke-width="2"`);
    const middle = (outer + dial) / 2;
    const wide = outer - dial;
    const inner = line(this.outline(dial + 5), dark, 7, 'stroke-opacity="0.75"');
    const insert = () =>
      path(
        this.outline(outer - 5),
        defs.linear(
          60,
          [0, tone(look.bezelColour, 0.3)],
          [0.5, look.bezelColour],
          [1, tone(look.bezelColour, -0.4)],
        ),
      );
    const mark = brightness(look.bezelColour) > 0.55 ? '#16171a' : '#f0efe8';
    switch (bezel) {
      case 'plain':
        return ring + inner;
      case 'step':
        return ring + path(this.outline(middle), this.reversed, `stroke="${dark}" stroke-width="2"`) + inner;
      case 'fluted':
      case 'coin': {
        const [count, from] = bezel === 'fluted' ? [72, dial + 6] : [150, middle];
        const flutes = this.around(
          count,
          () =>
            path(
              `M${n((-outer * 3.1) / count)} ${n(-outer)}L0 ${n(-from)}L0 ${n(-outer)}Z`,
              tone(look.secondMetal.value, 0.7),
              'fill-opacity="0.75"',
            ) +
            path(
              `M${n((outer * 3.1) / count)} ${n(-outer)}L0 ${n(-from)}L0 ${n(-outer)}Z`,
              tone(look.secondMetal.value, -0.55),
              'fill-opacity="0.75"',
            ),
        );
        return ring + flutes + (bezel === 'coin' ? path(this.outline(middle), this.reversed) : '') + inner;
      }
      case 'diver': {
        const marks = this.around(60, (at) =>
          at === 0
            ? path(`M-19 ${n(-outer + 8)}H19L0 ${n(-dial - 9)}Z`, '#eef3e2', `stroke="${dark}"`)
            : at % 10 === 0
              ? lettering(`${at}`, { x: 0, y: -middle, height: wide * 0.5, colour: mark, weight: 0.15 })
              : rect(
                  at % 5 === 0 ? -4 : -1.5,
                  -outer + 10,
                  at % 5 === 0 ? 8 : 3,
                  wide * (at % 5 === 0 ? 0.62 : 0.26),
                  1,
                  mark,
                ),
        );
        const grip = this.around(90, () => rect(-2, -outer - 1, 4, 9, 1, '#000000', 'fill-opacity="0.55"'));
        return ring + grip + insert() + marks + inner;
      }
      case 'tachymeter': {
        const speeds = ['400', '300', '200', '150', '120', '100', '90', '80', '70', '65', '60', '500'];
        const marks = this.around(12, (at) =>
          lettering(speeds[at] ?? '', { x: 0, y: -middle, height: wide * 0.36, colour: mark, weight: 0.14 }),
        );
        return (
          ring +
          insert() +
          marks +
          this.around(60, (at) => (at % 5 === 0 ? '' : rect(-1.2, -dial - 18, 2.4, 10, 0, mark))) +
          inner
        );
      }
      case 'gems': {
        const gem = defs.radial(
          [0.38, 0.32, 0.75],
          [0, '#ffffff'],
          [0.45, '#e4edf4'],
          [0.75, '#a9bccb'],
          [1, '#6d7f8e'],
        );
        const count = 44;
        const size = (TURN * middle) / count / 2.15;
        const stones = times(count, (at) => {
          const angle = (at * TURN) / count;
          const reach = middle * this.reach(angle);
          const [x, y] = [Math.cos(angle) * reach, Math.sin(angle) * reach];
          return (
            circle(x, y, size, gem, `stroke="${this.dark}" stroke-width="1.200"`) +
            path(
              `M${n(x - size * 0.5)} ${n(y)}L${n(x)} ${n(y - size * 0.5)}L${n(x + size * 0.5)} ${n(y)}L${n(x)} ${n(y + size * 0.5)}Z`,
              '#ffffff',
              'fill-opacity="0.7"',
            )
          );
        });
        return ring + stones + inner;
      }
      case 'screws': {
        const head = this.defs.radial(
          [0.4, 0.35, 0.7],
          [0, tone(look.secondMetal.value, 0.7)],
          [1, tone(look.secondMetal.value, -0.35)],
        );
        const screws = this.around(8, (at) =>
          group(
            `translate(0 ${n(-middle * 0.985)})`,
            circle(0, 0, wide * 0.28, head, `stroke="${dark}" stroke-width="2"`),
            group(`rotate(${at * 47})`, rect(-wide * 0.24, -2.5, wide * 0.48, 5, 1, dark)),
          ),
        );
        return ring + group('rotate(22.500)', screws) + inner;
      }
    }
  }

  private face(): string {
    const { look, defs, dial } = this;
    const colour = look.colour.value;
    const isSmoked = look.finish === 'fume';
    const base = defs.radial(
      [0.5, 0.46, 0.62],
      [0, tone(colour, isSmoked ? 0.35 : 0.14)],
      [0.55, colour],
      [1, tone(colour, isSmoked ? -0.85 : -0.32)],
    );
    const d = this.outline(dial);
    return (
      defs.clipped(d, path(d, base) + this.finish()) +
      this.track() +
      this.indices() +
      this.complication() +
      this.signature() +
      line(this.outline(dial - 3), '#000000', 10, 'stroke-opacity="0.22"')
    );
  }

  private finish(): string {
    const { look, defs, dial } = this;
    const cover = (fill: string, more = '') =>
      rect(-dial * 1.1, -dial * 1.1, dial * 2.2, dial * 2.2, 0, fill, more);
    const colour = look.colour.value;
    const [light, shade] = [tone(colour, 0.3), tone(colour, -0.35)];
    switch (look.finish) {
      case 'plain':
      case 'fume':
        return '';
      case 'sunburst':
        return this.around(72, (at) => {
          const glow = Math.cos((at * TURN * 2) / 72 - 0.9) + 0.25 * Math.cos(at * 7.3);
          return path(
            `M0 0L-14 ${n(-dial * 1.15)}H14Z`,
            glow > 0 ? '#ffffff' : '#000000',
            `fill-opacity="${n(Math.abs(glow) * 0.2)}"`,
          );
        });
      case 'clous':
        return cover(
          defs.pattern(16, `${path('M0 0H16L8 8Z', light)}${path('M0 16H16L8 8Z', shade)}`, 'rotate(45)'),
          'fill-opacity="0.75"',
        );
      case 'waves':
        return cover(
          defs.pattern(
            44,
            `${line('M-2 11Q9 0 22 11T46 11M-2 33Q9 22 22 33T46 33', light, 5)}${line('M-2 17Q9 6 22 17T46 17M-2 39Q9 28 22 39T46 39', shade, 4)}`,
          ),
          'stroke-opacity="0.65"',
        );
      case 'tapisserie':
        return cover(
          defs.pattern(
            24,
            `${rect(0, 0, 24, 24, 0, shade)}${rect(2, 2, 20, 20, 2, colour)}${line('M3 21V3H21', light, 2.5)}`,
          ),
          'stroke-opacity="0.85"',
        );
      case 'grained':
        return cover(
          defs.pattern(380, `<image href="${this.textures.dial}" width="380" height="380"/>`),
          'fill-opacity="0.6"',
        );
      case 'pearl':
        return times(26, (at) => {
          const tint = ['#f6d8ea', '#d4ecf6', '#e4f4dc', '#fbf3d9'][at % 4] ?? '';
          const glow = defs.radial([0.5, 0.5, 0.5], [0, tint, 0.75], [1, tint, 0]);
          return `<ellipse cx="${n(Math.cos(at * 2.4) * dial * 0.16 * Math.sqrt(at))}" cy="${n(Math.sin(at * 2.4) * dial * 0.16 * Math.sqrt(at))}" rx="${n(dial * 0.34)}" ry="${n(dial * 0.15)}" fill="${glow}" transform="rotate(${at * 13})"/>`;
        });
      case 'meteorite':
        return [12, 75, 131]
          .map((turn, at) =>
            cover(
              defs.pattern(
                52 + at * 17,
                `${rect(4, 0, 9, 90, 0, light)}${rect(20, 0, 4, 90, 0, shade)}${rect(34, 0, 12, 90, 0, mixed(light, shade, 0.5))}`,
                `rotate(${turn})`,
              ),
              'fill-opacity="0.3"',
            ),
          )
          .join('');
    }
  }

  private track(): string {
    const { look, dial, ink } = this;
    if (look.track === 'none') return '';
    const mark = (at: number, reach: number) => {
      const isHour = at % 5 === 0;
      if (look.track === 'dots') return circle(0, -reach + 12, isHour ? 4.5 : 2.5, ink);
      return rect(isHour ? -1.8 : -1, -reach + 6, isHour ? 3.6 : 2, isHour ? 15 : 11, 0, ink);
    };
    const marks = times(60, (at) =>
      group(`rotate(${at * 6})`, mark(at, dial * this.reach((at * TURN) / 60 - TURN / 4))),
    );
    return look.track === 'railway'
      ? marks + line(this.outline(dial - 6), ink, 1.6) + line(this.outline(dial - 19), ink, 1.6)
      : marks;
  }

  /** The hours that a subdial or the date takes the place of. */
  private get taken(): ReadonlySet<number> {
    const byComplication: Partial<Record<WatchLook['complication'], readonly number[]>> = {
      'small seconds': [6],
      chronograph: [3, 6, 9],
      bicompax: [3, 9],
      moonphase: [6],
      calendar: [3, 6, 9],
    };
    return new Set([...(byComplication[this.look.complication] ?? []), ...(this.hasDate ? [3] : [])]);
  }

  private get hasDate(): boolean {
    const { hasDate, complication } = this.look;
    return hasDate && !['chronograph', 'bicompax', 'calendar'].includes(complication);
  }

  private indices(): string {
    const { look, defs, dial, ink, lume, taken } = this;
    const gem = defs.radial([0.4, 0.35, 0.7], [0, '#ffffff'], [0.6, '#d9e4ec'], [1, '#8296a6']);
    const facet = defs.linear(
      0,
      [0, tone(ink, 0.35)],
      [0.5, tone(ink, 0.1)],
      [0.5, tone(ink, -0.25)],
      [1, tone(ink, -0.05)],
    );
    const margin = look.track === 'none' ? 16 : 30;
    return times(12, (hour) => {
      if (taken.has(hour)) return '';
      const angle = (hour * TURN) / 12;
      const reach = dial * this.reach(angle - TURN / 4) - margin;
      const size = dial * 0.2;
      const upright = (text: string, height: number, weight: number) =>
        lettering(text, {
          x: Math.sin(angle) * (reach - height * 0.62),
          y: -Math.cos(angle) * (reach - height * 0.62),
          height,
          colour: ink,
          weight,
          spacing: 0.92,
        });
      const turned = (drawn: string) => group(`rotate(${hour * 30})`, drawn);
      switch (look.indices) {
        case 'batons': {
          const bar = (x: number) =>
            rect(
              x - 6,
              -reach,
              12,
              size,
              2,
              facet,
              'stroke="#000" stroke-opacity="0.35" stroke-width="1.500"',
            );
          return turned(hour === 0 ? bar(-9) + bar(9) : bar(0));
        }
        case 'wedges':
          return turned(
            path(
              `M${hour === 0 ? -15 : -10} ${n(-reach)}H${hour === 0 ? 15 : 10}L0 ${n(-reach + size * 1.1)}Z`,
              facet,
              'stroke="#000" stroke-opacity="0.3"',
            ),
          );
        case 'dots':
          return turned(
            hour === 0
              ? path(
                  `M-19 ${n(-reach)}H19L0 ${n(-reach + 38)}Z`,
                  lume,
                  `stroke="${ink}" stroke-width="3.500"`,
                )
              : hour % 3 === 0
                ? rect(-7, -reach, 14, size * 0.95, 3, lume, `stroke="${ink}" stroke-width="3.500"`)
                : circle(0, -reach + 16, 15, lume, `stroke="${ink}" stroke-width="3.500"`),
          );
        case 'gems':
          return turned(circle(0, -reach + 14, 13, gem, `stroke="${tone(ink, -0.2)}" stroke-width="2"`));
        case 'roman':
          return turned(
            lettering(ROMAN[hour] ?? '', {
              x: 0,
              y: -reach + size * 0.5,
              height: size * 0.95,
              colour: ink,
              weight: 0.13,
              spacing: 0.9,
            }),
          );
        case 'arabic':
          return upright(`${hour === 0 ? 12 : hour}`, size * 0.98, 0.15);
      }
    });
  }

  private complication(): string {
    const { look, dial, ink, defs } = this;
    const sub = (x: number, y: number, turn: number, radius = 0.27) => {
      const r = dial * radius;
      const ground = defs.radial(
        [0.5, 0.5, 0.5],
        [0, tone(look.colour.value, -0.12)],
        [0.9, tone(look.colour.value, -0.3)],
        [1, tone(look.colour.value, -0.5)],
      );
      return group(
        `translate(${n(x * dial)} ${n(y * dial)})`,
        circle(0, 0, r, ground, `stroke="${ink}" stroke-width="2" stroke-opacity="0.7"`),
        [0.4, 0.6, 0.8]
          .map((share) => circle(0, 0, r * share, 'none', `stroke="${ink}" stroke-opacity="0.1"`))
          .join(''),
        this.around(12, (at) => rect(-1.2, -r + 5, 2.4, at % 3 === 0 ? r * 0.28 : r * 0.14, 0, ink)),
        group(`rotate(${turn})`, path(`M-3 ${n(r * 0.2)}L0 ${n(-r * 0.82)}L3 ${n(r * 0.2)}Z`, ink)),
        circle(0, 0, 5, ink),
      );
    };
    switch (look.complication) {
      case 'small seconds':
        return sub(0, 0.47, 210);
      case 'chronograph':
        return sub(0.46, 0, 40) + sub(-0.46, 0, 300) + sub(0, 0.46, 150);
      case 'bicompax':
        return sub(0.46, 0, 70) + sub(-0.46, 0, 250);
      case 'calendar':
        return sub(0.46, 0, 20) + sub(-0.46, 0, 130) + this.moon(0.46);
      case 'moonphase':
        return this.moon(0.47);
      case 'gmt': {
        const hand = path(
          `M-3 ${n(dial * 0.1)}V${n(-dial * 0.66)}H3V${n(dial * 0.1)}ZM-17 ${n(-dial * 0.66)}H17L0 ${n(-dial * 0.8)}Z`,
          look.accent,
          'stroke="#000" stroke-opacity="0.3"',
        );
        return group('rotate(128)', hand);
      }
      case 'power reserve':
        return (
          line(
            `M${n(-dial * 0.42)} ${n(dial * 0.5)}A${n(dial * 0.34)} ${n(dial * 0.34)} 0 0 1 ${n(-dial * 0.1)} ${n(dial * 0.26)}`,
            ink,
            6,
            'stroke-dasharray="5 5"',
          ) +
          line(
            `M${n(-dial * 0.14)} ${n(dial * 0.56)}L${n(-dial * 0.28)} ${n(dial * 0.34)}`,
            look.accent,
            6,
            'stroke-linecap="round"',
          )
        );
      case 'none':
        return '';
    }
  }

  private moon(y: number): string {
    const r = this.dial * 0.26;
    const clip = `M${n(-r)} 0A${n(r)} ${n(r)} 0 0 1 ${n(r)} 0Q${n(r * 0.5)} ${n(-r * 0.3)} 0 ${n(r * 0.2)}Q${n(-r * 0.5)} ${n(-r * 0.3)} ${n(-r)} 0Z`;
    const sky =
      path(clip, '#14224f') +
      times(12, (at) =>
        circle(Math.cos(at * 2.4) * r * 0.8, -Math.abs(Math.sin(at * 1.7)) * r * 0.85, 2, '#f4e7b8'),
      ) +
      circle(r * 0.12, -r * 0.42, r * 0.4, '#f0d68c');
    return group(
      `translate(0 ${n(y * this.dial)})`,
      circle(0, 0, r, tone(this.look.colour.value, -0.2)),
      this.defs.clipped(clip, sky),
      line(clip, this.ink, 2),
      circle(0, 0, r, 'none', `stroke="${this.ink}" stroke-width="3"`),
    );
  }

  private signature(): string {
    const { look, dial, ink } = this;
    const narrow = SHAPES[look.shape][0];
    const date = this.hasDate
      ? rect(dial * narrow * 0.56, -24, 58, 48, 5, '#f6f5ef', `stroke="${ink}" stroke-width="3"`) +
        lettering(`${8 + (look.wordmark.length % 20)}`, {
          x: dial * narrow * 0.56 + 29,
          y: 0,
          height: 26,
          colour: '#16171a',
          weight: 0.16,
          spacing: 0.9,
        })
      : '';
    const y = look.indices === 'roman' || look.indices === 'arabic' ? -0.46 : -0.5;
    const height = Math.min(24, (dial * narrow * 0.95) / look.wordmark.length);
    return (
      group(
        `translate(0 ${n(y * dial)}) scale(21)`,
        path(EMBLEM_PATHS[look.emblem], ink, 'fill-rule="evenodd"'),
      ) +
      lettering(look.wordmark, { x: 0, y: y * dial + 42, height, colour: ink, weight: 0.12, spacing: 1.15 }) +
      date
    );
  }

  private hands(minutes: number): string {
    const { look, dial } = this;
    const short = dial * Math.min(...SHAPES[look.shape].slice(0, 2));
    const hour = this.hand(short * 0.55, 1.25, look.hands === 'mercedes', (minutes / 720) * 360);
    const minute = this.hand(short * 0.84, 1, false, (minutes % 60) * 6);
    const second =
      path(`M-2 ${n(short * 0.22)}L-1.200 ${n(-short * 0.88)}H1.200L2 ${n(short * 0.22)}Z`, look.accent) +
      circle(0, short * 0.16, 8, look.accent);
    const seconds = ['small seconds', 'calendar', 'moonphase'].includes(look.complication)
      ? ''
      : group('rotate(214)', second);
    return (
      hour +
      minute +
      seconds +
      circle(0, 0, 14, this.metal, `stroke="${this.dark}" stroke-width="2"`) +
      circle(0, 0, 5, this.dark)
    );
  }

  private hand(length: number, wide: number, hasCircle: boolean, degrees: number): string {
    const { look, ink, lume } = this;
    const w = 9 * wide;
    const kind = look.hands === 'mercedes' ? 'baton' : look.hands;
    // The left half of each; the right half is its mirror image.
    const half = {
      baton: `M0 ${n(-length)}L${n(-w * 0.8)} ${n(-length + 12)}V26H0Z`,
      dauphine: `M0 ${n(-length)}L${n(-w * 1.5)} -12L0 34Z`,
      sword: `M0 ${n(-length)}L${n(-w * 1.3)} ${n(-length * 0.78)}L${n(-w * 0.55)} 0V24H0Z`,
      leaf: `M0 ${n(-length)}Q${n(-w * 2)} ${n(-length * 0.5)} ${n(-w * 0.35)} -8V24H0Z`,
    }[kind];
    const lumed =
      look.isSport && kind !== 'dauphine'
        ? path(
            `M0 ${n(-length + 20)}L${n(-w * 0.42)} ${n(-length * 0.82)}V${n(-length * 0.34)}H${n(w * 0.42)}V${n(-length * 0.82)}Z`,
            lume,
          )
        : '';
    const ring = hasCircle
      ? circle(0, -length * 0.62, 23, ink, 'stroke="#000" stroke-opacity="0.3"') +
        circle(0, -length * 0.62, 16, lume) +
        line(`M0 ${n(-length * 0.62)}v-16m0 16l13 9m-13-9l-13 9`, ink, 4)
      : '';
    const mirrored = (fill: string, shadeFill: string) =>
      path(half, fill) + group('scale(-1 1)', path(half, shadeFill));
    return (
      group(
        'translate(5 9)',
        group(`rotate(${n(degrees)})`, `<g opacity="0.28">${mirrored('#000000', '#000000')}</g>`),
      ) + group(`rotate(${n(degrees)})`, mirrored(tone(ink, 0.28), tone(ink, -0.3)), lumed, ring)
    );
  }

  /** Light on the crystal. */
  private glass(): string {
    const { dial, defs } = this;
    const d = this.outline(dial);
    const light = defs.linear(
      50,
      [0, '#ffffff', 0.34],
      [0.42, '#ffffff', 0.05],
      [0.43, '#ffffff', 0],
      [1, '#ffffff', 0],
    );
    return defs.clipped(
      d,
      path(
        `M${n(-dial * 1.1)} ${n(-dial * 1.1)}H${n(dial * 0.75)}Q${n(-dial * 0.1)} ${n(-dial * 0.2)} ${n(-dial * 0.5)} ${n(dial * 1.1)}H${n(-dial * 1.1)}Z`,
        light,
      ),
    );
  }
}
