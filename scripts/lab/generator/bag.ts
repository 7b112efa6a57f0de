import { lettering } from './lettering';
import type { BagLook } from './looks';
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
import type { BagCut } from './vocabulary';

/** From where a bag is seen, in radians about the upright axis, and how its handles fall (0 flat, 1 upright). */
export interface BagPose {
  readonly yaw: number;
  readonly lift: number;
}

/** A drawing in units of its own, and the box that it fills. */
export interface Drawn {
  readonly svg: string;
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
  readonly closing: 'open' | 'zip' | 'flap' | 'envelope' | 'gathered';
  readonly carry: 'two' | 'one' | 'strap' | 'loop' | 'none';
  readonly extra?: 'belts' | 'pocket';
}

// biome-ignore format: a table
const CUTS: Readonly<Record<BagCut, Cut>> = {
  tote: { flare: 1.14, top: 0.02, base: 0.07, dip: 0.03, closing: 'open', carry: 'two' },
  flap: { flare: 0.97, top: 0.07, base: 0.1, dip: 0, closing: 'flap', carry: 'strap' },
  hobo: { flare: 0.92, top: 0.07, base: 0.36, dip: 0.2, closing: 'zip', carry: 'one' },
  bucket: { flare: 1.1, top: 0.04, base: 0.1, dip: -0.03, closing: 'gathered', carry: 'strap' },
  satchel: { flare: 0.98, top: 0.05, base: 0.06, dip: 0, closing: 'flap', carry: 'one', extra: 'belts' },
  clutch: { flare: 1, top: 0.02, base: 0.04, dip: 0, closing: 'envelope', carry: 'none' },
  'top handle': { flare: 0.84, top: 0.04, base: 0.07, dip: 0, closing: 'flap', carry: 'one' },
  backpack: { flare: 0.84, top: 0.3, base: 0.14, dip: -0.02, closing: 'flap', carry: 'loop', extra: 'pocket' },
  bowling: { flare: 0.86, top: 0.26, base: 0.12, dip: -0.02, closing: 'zip', carry: 'two' },
  camera: { flare: 1, top: 0.14, base: 0.14, dip: 0, closing: 'zip', carry: 'strap', extra: 'pocket' },
  saddle: { flare: 0.94, top: 0.1, base: 0.42, dip: 0, closing: 'flap', carry: 'strap' },
};

/** Of the depth, how much is seen from above. */
const PITCH = 0.16;

/** Draws a bag that stands on y = 0, upwards. `texture` is the light and shade of its surface, as a data URI. */
export function drawBag(look: BagLook, pose: BagPose, defs: Defs, texture: string): Drawn {
  const bag = new Bag(look, pose, defs, texture);
  return bag.draw();
}

class Bag {
  private readonly cut: Cut;
  private readonly metal: string;
  private readonly dark: string;
  private readonly body: string;
  private readonly half: number;
  /** Where the back of the bag is, against its front. */
  private readonly back: { readonly x: number; readonly y: number };
  private readonly drop: number;

  constructor(
    private readonly look: BagLook,
    private readonly pose: BagPose,
    private readonly defs: Defs,
    private readonly texture: string,
  ) {
    const { cut, width, height, depth, metal } = look;
    this.cut = CUTS[cut];
    this.metal = defs.metal(metal.value);
    this.dark = tone(metal.value, -0.6);
    this.body = outline(width, height, this.cut);
    this.half = (width / 2) * this.cut.flare;
    this.back = { x: depth * Math.sin(pose.yaw), y: -depth * PITCH };
    this.drop = look.drop * (0.45 + 0.55 * pose.lift);
  }

  draw(): Drawn {
    const { look, cut, half, back } = this;
    const { width, height } = look;
    const squeeze = Math.cos(this.pose.yaw);
    const front = [
      this.panel(this.body, look.colour.value, height),
      this.closing(),
      this.extra(),
      this.stamp(),
      this.carry(true),
      this.charm(),
    ];
    const svg = [
      this.shadow(squeeze),
      group(`translate(${n(back.x)} ${n(back.y)}) scale(${n(squeeze)} 1)`, this.carry(false)),
      group(`scale(${n(squeeze)} 1)`, this.side(squeeze), ...front),
    ].join('');
    const carried = cut.carry === 'none' ? 0 : cut.carry === 'strap' ? this.drop * 1.5 : this.drop;
    const wide = Math.max(half, width / 2) * squeeze + 14;
    return {
      svg,
      left: -wide + Math.min(0, back.x),
      right: wide + Math.max(0, back.x),
      top: -height - carried + back.y,
      bottom: 24,
    };
  }

  private shadow(squeeze: number): string {
    const fill = this.defs.radial(
      [0.5, 0.5, 0.5],
      [0, '#14121a', 0.6],
      [0.55, '#14121a', 0.3],
      [1, '#14121a', 0],
    );
    const half = (this.look.width / 2) * squeeze * 1.16;
    return `<ellipse cx="${n(this.back.x / 2)}" cy="${n(this.back.y / 3)}" rx="${n(half + Math.abs(this.back.x) / 2)}" ry="34" fill="${fill}"/>`;
  }

  /** The side of the bag: its outline drawn again and again from the back to the front. */
  private side(squeeze: number): string {
    const { look, back, cut } = this;
    const steps = 24;
    const colour = look.hasPiping ? mixed(look.trim, look.colour.value, 0.5) : look.colour.value;
    const layers = times(steps, (at) => {
      const share = 1 - at / steps;
      const shade = tone(colour, -0.62 + 0.3 * (1 - share));
      return `<path d="${this.body}" fill="${shade}" transform="translate(${n((back.x * share) / squeeze)} ${n(back.y * share)})"/>`;
    });
    // Looking into an open bag, its lining shows.
    const lining =
      cut.closing === 'open'
        ? `<path d="${this.body}" fill="${tone(mixed(look.second.value, '#8a6a50', 0.5), -0.55)}" transform="translate(${n((back.x * 0.5) / squeeze)} ${n(back.y * 0.6)})"/>`
        : '';
    return layers + lining;
  }

  /** A piece of leather: colour, pattern, surface, volume, edge and seam. */
  private panel(d: string, colour: string, height: number, seam = true): string {
    const { look, defs } = this;
    const cover = (fill: string, more = '') => rect(-500, -height - 60, 1000, height + 120, 0, fill, more);
    const light = brightness(colour);
    const down = defs.linear(90, [0, tone(colour, 0.16)], [0.45, colour], [1, tone(colour, -0.3)]);
    const grain = defs.pattern(
      640,
      `<image href="${this.texture}" width="640" height="640"/>`,
      `translate(-320 ${n(-height)})`,
    );
    const volume = defs.linear(
      0,
      [0, '#000000', 0.42],
      [0.1, '#000000', 0.12],
      [0.28, '#ffffff', 0.2],
      [0.5, '#ffffff', 0],
      [0.88, '#000000', 0.14],
      [1, '#000000', 0.46],
    );
    const gloss = look.surface === 'patent' ? 0.42 : look.surface === 'smooth' ? 0.1 : 0.04;
    const shine = defs.linear(64, [0.18, '#ffffff', 0], [0.3, '#ffffff', gloss], [0.42, '#ffffff', 0]);
    return [
      defs.clipped(
        d,
        path(d, down) +
          this.pattern(height) +
          cover(grain, `fill-opacity="${light < 0.16 ? 0.4 : 0.62}"`) +
          path(d, volume) +
          path(d, shine),
      ),
      line(d, tone(colour, -0.6), 3, 'stroke-linejoin="round"'),
      look.hasPiping ? line(d, look.trim, 9) + line(d, tone(look.trim, 0.4), 2.5) : '',
      seam
        ? group(
            `translate(0 ${n(-height * 0.022)}) scale(.955)`,
            line(
              d,
              tone(colour, light > 0.5 ? -0.4 : 0.35),
              2,
              'stroke-dasharray="9 5" stroke-opacity="0.8"',
            ),
          )
        : '',
    ].join('');
  }

  private pattern(height: number): string {
    const { look, defs } = this;
    const size = look.patternSize;
    const second = against(look.second.value, look.colour.value);
    const cover = (fill: string, more = '') => rect(-500, -height - 60, 1000, height + 120, 0, fill, more);
    const emblem = (x: number, y: number, scale: number, fill: string) =>
      group(
        `translate(${x} ${y}) scale(${n(scale)})`,
        path(EMBLEM_PATHS[look.emblem], fill, 'fill-rule="evenodd"'),
      );
    switch (look.pattern) {
      case 'plain':
        return '';
      case 'monogram': {
        const drawn =
          emblem(28, 28, 17, second) +
          emblem(84, 84, 17, second) +
          path('M84 14L98 28 84 42 70 28z', second) +
          path('M28 70L42 84 28 98 14 84z', second);
        return cover(
          defs.pattern(112, drawn, `translate(8 -20) scale(${n(size * 0.85)})`),
          'fill-opacity="0.85"',
        );
      }
      case 'check': {
        const drawn = `${rect(0, 0, 120, 44, 0, second, 'fill-opacity="0.5"')}${rect(0, 0, 44, 120, 0, second, 'fill-opacity="0.5"')}${rect(0, 78, 120, 5, 0, look.trim)}${rect(78, 0, 5, 120, 0, look.trim)}`;
        return cover(defs.pattern(120, drawn, `translate(-22 0) scale(${n(size)})`));
      }
      case 'web': {
        const band = (x: number, width: number, fill: string) =>
          rect(x, -height - 60, width, height + 120, 0, fill);
        const third = tone(against('#8f1f24', look.second.value), 0.02);
        return band(-60 * size, 120 * size, second) + band(-20 * size, 40 * size, third);
      }
      case 'block':
        return (
          rect(-500, -height * 0.46, 1000, height, 0, second) +
          rect(-500, -height * 0.46 - 3, 1000, 4, 0, tone(second, -0.5))
        );
      case 'studs': {
        const stud = defs.radial(
          [0.35, 0.3, 0.75],
          [0, tone(look.metal.value, 0.8)],
          [0.5, look.metal.value],
          [1, this.dark],
        );
        const drawn = circle(14, 14, 8, stud) + circle(42, 42, 8, stud);
        return cover(defs.pattern(56, drawn, `scale(${n(size)})`));
      }
      case 'print': {
        const flower = (x: number, y: number, scale: number, fill: string, heart: string) =>
          times(5, (at) => {
            const angle = (at * Math.PI * 2) / 5 + x;
            return circle(
              x + Math.cos(angle) * 15 * scale,
              y + Math.sin(angle) * 15 * scale,
              11 * scale,
              fill,
            );
          }) + circle(x, y, 8 * scale, heart);
        const accent = against(look.charmColour, look.colour.value);
        const drawn =
          flower(38, 40, 1, second, accent) +
          flower(100, 96, 1.25, accent, second) +
          flower(104, 28, 0.6, accent, second) +
          flower(34, 104, 0.7, second, accent);
        return cover(defs.pattern(136, drawn, `rotate(8) scale(${n(size)})`));
      }
    }
  }

  private closing(): string {
    const { look, cut, half } = this;
    const { width, height } = look;
    if (cut.closing === 'open') {
      const y = -height + 2 * cut.dip * height;
      return (
        line(`M${n(-half)} ${n(-height)}Q0 ${n(y)} ${n(half)} ${n(-height)}`, look.trim, 12) +
        this.clasp(0, -height + 70)
      );
    }
    if (cut.closing === 'zip') {
      const lift = height * (cut.dip > 0.1 ? 0.86 - cut.dip : 0.88);
      const bend = cut.dip > 0.1 ? 40 : -height * 0.09;
      const reach = half * (cut.top > 0.2 ? 0.78 : 0.86);
      const zip = `M${n(-reach)} ${n(-lift)}Q0 ${n(-lift + bend)} ${n(reach)} ${n(-lift)}`;
      const pull = group(
        `translate(${n(reach * 0.9)} ${n(-lift + 8)}) rotate(14)`,
        rect(-5, 0, 10, 46, 4, this.metal),
        rect(-7, 40, 14, 34, 5, look.trim),
      );
      return (
        line(zip, tone(look.trim, -0.3), 20) +
        line(zip, this.dark, 8) +
        line(zip, tone(look.metal.value, 0.3), 6, 'stroke-dasharray="4 3"') +
        pull
      );
    }
    if (cut.closing === 'gathered') {
      const folds = times(13, (at) => {
        const x = (at - 6) * (half / 6.6);
        return line(
          `M${n(x)} ${n(-height)}Q${n(x * 0.92)} ${n(-height + 60)} ${n(x * 0.97)} ${n(-height + 120)}`,
          '#000000',
          5,
          'stroke-opacity="0.28"',
        );
      });
      const cord = `M${n(-half * 0.98)} ${n(-height + 62)}Q0 ${n(-height + 84)} ${n(half * 0.98)} ${n(-height + 62)}`;
      const end = (x: number, turn: number) =>
        group(
          `translate(${x} ${n(-height + 74)}) rotate(${turn})`,
          line('M0 0V120', look.trim, 9),
          rect(-8, 112, 16, 26, 5, this.metal),
        );
      return (
        folds +
        line(cord, tone(look.trim, -0.35), 13) +
        line(cord, look.trim, 9) +
        end(-14, 10) +
        end(14, -12) +
        this.clasp(0, -height * 0.42)
      );
    }
    const deep = height * (look.cut === 'top handle' ? look.flap * 0.62 : look.flap);
    const across = width * (cut.flare + (1 - cut.flare) * (deep / height)) + 10;
    const flap =
      cut.closing === 'envelope'
        ? `M${n(-half - 4)} ${n(-height - 4)}H${n(half + 4)}L40 ${n(-height + deep - 18)}Q0 ${n(-height + deep + 12)} -40 ${n(-height + deep - 18)}Z`
        : outline(
            across,
            deep + 6,
            { ...cut, flare: (half * 2 + 10) / across, base: Math.max(0.06, look.round), dip: 0 },
            -height + deep,
          );
    const shade = [30, 20, 11]
      .map((wide) => line(flap, '#000000', wide, 'stroke-opacity="0.13" transform="translate(0 7)"'))
      .join('');
    return (
      this.defs.clipped(this.body, shade) +
      this.panel(flap, look.colour.value, height, cut.closing !== 'envelope') +
      this.clasp(0, -height + deep - (cut.closing === 'envelope' ? 30 : 44))
    );
  }

  private extra(): string {
    const { look, cut } = this;
    const { width, height } = look;
    if (cut.extra === 'belts') {
      const belt = (x: number) =>
        rect(x - 19, -height + 8, 38, height * 0.9, 12, tone(look.trim, -0.3)) +
        rect(x - 17, -height + 8, 34, height * 0.9 - 4, 11, look.trim) +
        line(
          `M${n(x - 11)} ${n(-height + 12)}v${n(height * 0.84)}M${n(x + 11)} ${n(-height + 12)}v${n(height * 0.84)}`,
          tone(look.trim, brightness(look.trim) > 0.5 ? -0.3 : 0.4),
          1.6,
          'stroke-dasharray="7 4"',
        ) +
        rect(x - 25, -height * 0.34, 50, 42, 8, 'none', `stroke="${this.metal}" stroke-width="9"`);
      return belt(-width * 0.27) + belt(width * 0.27);
    }
    if (cut.extra === 'pocket') {
      const pocket = outline(
        width * 0.66,
        height * 0.4,
        { ...cut, flare: 1, top: 0.05, base: 0.12, dip: 0 },
        -height * 0.07,
      );
      const shade = line(pocket, '#000000', 12, 'stroke-opacity="0.25"');
      return shade + this.panel(pocket, look.colour.value, height * 0.4);
    }
    return '';
  }

  private clasp(x: number, y: number): string {
    const { look, metal, dark } = this;
    const edge = `stroke="${dark}" stroke-width="2"`;
    const shadow = `<ellipse cx="4" cy="8" rx="42" ry="34" fill="#000" fill-opacity="0.22"/>`;
    const emblem = (scale: number, fill: string) =>
      group(`scale(${scale})`, path(EMBLEM_PATHS[look.emblem], fill, 'fill-rule="evenodd"'));
    const drawn = {
      'turn-lock':
        rect(-44, -24, 88, 48, 22, metal, edge) +
        rect(-12, -30, 24, 60, 11, this.defs.metal(look.metal.value, 0), edge),
      'push-lock':
        rect(-34, -36, 68, 72, 12, metal, edge) +
        circle(0, 0, 20, this.defs.metal(look.metal.value, 125), edge) +
        circle(0, 0, 9, dark, 'fill-opacity="0.5"'),
      emblem: `<g stroke="${dark}" stroke-width="0.05">${emblem(46, metal)}</g>`,
      ring:
        circle(0, 0, 36, 'none', `stroke="${dark}" stroke-width="17"`) +
        circle(0, 0, 36, 'none', `stroke="${metal}" stroke-width="13"`),
      bar: rect(-62, -13, 124, 26, 13, metal, edge) + emblem(10, dark),
      padlock:
        line('M-19 -16v-22a19 19 0 0 1 38 0v22', dark, 13) +
        line('M-19 -16v-22a19 19 0 0 1 38 0v22', look.metal.value, 9) +
        rect(-32, -18, 64, 58, 9, metal, edge) +
        circle(0, 6, 7, dark) +
        rect(-3, 8, 6, 16, 2, dark),
    }[look.clasp];
    return group(`translate(${n(x)} ${n(y)})`, shadow, drawn);
  }

  private stamp(): string {
    const { look, cut } = this;
    if (look.pattern === 'monogram' || look.pattern === 'check' || look.pattern === 'print') return '';
    const foil = against(look.metal.value, look.colour.value);
    const y =
      cut.closing === 'flap' || cut.closing === 'envelope' ? -look.height * 0.12 : -look.height * 0.24;
    return lettering(look.wordmark, { x: 0, y, height: 20, colour: foil, weight: 0.11, spacing: 1.25 });
  }

  /** Handles and straps: those before the bag, or those behind it. */
  private carry(isFront: boolean): string {
    const { look, cut, half, drop } = this;
    const top = -look.height;
    const arch = (reach: number, y: number, rise: number) =>
      `M${n(-reach)} ${n(y)}C${n(-reach * 1.02)} ${n(y - rise * 1.3)} ${n(reach * 1.02)} ${n(y - rise * 1.3)} ${n(reach)} ${n(y)}`;
    const strap = () =>
      this.strand(
        arch(half * 0.95, top + 26, drop * 1.5 + 26),
        look.handle === 'bamboo' ? 'leather' : look.handle,
        17,
      );
    const anchors = (reach: number, y: number) =>
      [-reach, reach]
        .map(
          (x) =>
            rect(x - 15, y - 8, 30, 58, 11, look.trim, `stroke="${tone(look.trim, -0.5)}" stroke-width="2"`) +
            circle(x, y, 15, 'none', `stroke="${this.metal}" stroke-width="7"`),
        )
        .join('');
    switch (cut.carry) {
      case 'none':
        return '';
      case 'strap':
        return isFront
          ? [-1, 1]
              .map((side) =>
                circle(side * half * 0.95, top + 26, 14, 'none', `stroke="${this.metal}" stroke-width="7"`),
              )
              .join('')
          : strap();
      case 'loop':
        return isFront
          ? ''
          : this.strand(arch(46, top + 30, drop * 0.5), 'rolled', 20) +
              this.strand(
                `M${n(-half * 0.6)} ${n(top + 40)}C${n(-half * 1.7)} ${n(top * 0.7)} ${n(-half * 1.55)} ${n(top * 0.3)} ${n(-half * 0.9)} -20`,
                'leather',
                26,
              ) +
              this.strand(
                `M${n(half * 0.6)} ${n(top + 40)}C${n(half * 1.7)} ${n(top * 0.7)} ${n(half * 1.55)} ${n(top * 0.3)} ${n(half * 0.9)} -20`,
                'leather',
                26,
              );
      case 'one': {
        const isHobo = look.cut === 'hobo';
        const handle = this.strand(
          isHobo ? arch(half * 0.86, top + 30, drop) : arch(half * 0.42, top + 6, drop * 0.8),
          isHobo && look.handle === 'bamboo' ? 'rolled' : look.handle,
          26,
        );
        return isFront ? anchors(isHobo ? half * 0.86 : half * 0.42, top + (isHobo ? 30 : 6)) : handle;
      }
      case 'two': {
        const reach = half * 0.5;
        const y = top + look.height * (cut.closing === 'open' ? 0.16 : 0.22);
        const handle = this.strand(arch(reach, y, drop + y - top), look.handle, 22);
        return isFront ? anchors(reach, y) + handle : handle;
      }
    }
  }

  private strand(d: string, kind: BagLook['handle'], width: number): string {
    const { trim, metal } = this.look;
    const cap = 'stroke-linecap="round"';
    const leather = (wide: number) => line(d, tone(trim, -0.5), wide, cap) + line(d, trim, wide * 0.86, cap);
    const links = (wide: number) => {
      const dash = `${cap} stroke-dasharray="${n(wide * 0.9)} ${n(wide * 1.05)}"`;
      return (
        line(d, tone(metal.value, -0.55), wide, dash) +
        line(d, metal.value, wide * 0.74, dash) +
        line(d, tone(metal.value, 0.7), wide * 0.24, dash) +
        line(
          d,
          tone(metal.value, -0.15),
          wide * 0.3,
          `stroke-dasharray="${n(wide * 0.5)} ${n(wide * 1.45)}" stroke-dashoffset="${n(-wide * 1.15)}"`,
        )
      );
    };
    switch (kind) {
      case 'leather':
        return (
          leather(width) +
          line(d, tone(trim, brightness(trim) > 0.5 ? -0.3 : 0.4), 1.8, 'stroke-dasharray="8 5"')
        );
      case 'rolled':
        return (
          leather(width) +
          line(d, tone(trim, 0.22), width * 0.4, cap) +
          line(d, tone(trim, 0.5), width * 0.12, cap)
        );
      case 'chain':
        return links(width * 0.95);
      case 'woven chain':
        return leather(width * 0.5) + links(width * 0.95);
      case 'bamboo':
        return (
          line(d, '#5d3a14', width * 1.1, cap) +
          line(d, '#b58546', width * 0.95, cap) +
          line(d, '#e2bf83', width * 0.3, cap) +
          line(d, '#5d3a14', width * 1.15, 'stroke-dasharray="4 52"')
        );
    }
  }

  private charm(): string {
    const { look, half } = this;
    const fill = look.charmColour;
    const hung = (...drawn: string[]) =>
      group(
        `translate(${n(half * 0.6)} ${n(-look.height + 40)}) rotate(-7)`,
        line('M0 0V60', look.metal.value, 5),
        ...drawn,
      );
    switch (look.charm) {
      case 'none':
        return '';
      case 'tassel':
        return hung(
          rect(-13, 58, 26, 30, 8, this.metal),
          ...[-14, -9, -4, 1, 6, 11].map((x) =>
            line(`M${x / 2} 86Q${x} 130 ${x * 1.4} 184`, tone(fill, -0.02 * x), 7),
          ),
        );
      case 'tag':
        return hung(
          path(
            'M-26 64Q0 50 26 64V140Q0 158 -26 140Z',
            fill,
            `stroke="${tone(fill, -0.5)}" stroke-width="2"`,
          ),
          group(
            'translate(0 104) scale(13)',
            path(EMBLEM_PATHS[look.emblem], this.metal, 'fill-rule="evenodd"'),
          ),
        );
      case 'pompon': {
        const fur = this.defs.radial(
          [0.4, 0.35, 0.7],
          [0, tone(fill, 0.35)],
          [0.7, fill],
          [1, tone(fill, -0.45)],
        );
        return hung(
          circle(0, 100, 46, fur),
          times(40, (at) =>
            line(
              `M${n(Math.cos(at) * 38)} ${n(100 + Math.sin(at) * 38)}l${n(Math.cos(at) * 16)} ${n(Math.sin(at) * 16)}`,
              tone(fill, (at % 5) * 0.12 - 0.3),
              4,
            ),
          ),
        );
      }
      case 'scarf':
        return hung(
          path('M0 40C-60 90 -44 170 -70 220L-20 232C-8 170 6 110 0 40Z', fill),
          path('M0 40C40 90 30 150 56 200L14 214C4 160 -6 100 0 40Z', tone(fill, -0.18)),
          circle(0, 52, 18, tone(fill, 0.1)),
          line('M-58 196L-16 208M26 190L48 182', against('#f2e6d0', fill), 6),
        );
    }
  }
}

/** A closed shape on y = `base`, about as wide as given there: straight sides, round corners, a top edge that may dip. */
function outline(
  width: number,
  height: number,
  cut: Pick<Cut, 'flare' | 'top' | 'base' | 'dip'>,
  base = 0,
): string {
  const [b, t] = [width / 2, (width / 2) * cut.flare];
  const length = Math.hypot(t - b, height);
  const [rb, rt] = [Math.min(cut.base * width, height * 0.55), Math.min(cut.top * width, height * 0.45)];
  const side = (radius: number) => ({ x: ((t - b) / length) * radius, y: (height / length) * radius });
  const [low, high] = [side(rb), side(rt)];
  const y = (up: number) => n(base - up);
  const dip = height - 2 * cut.dip * height;
  return `M${n(-b + rb)} ${y(0)}Q${n(-b)} ${y(0)} ${n(-b - low.x)} ${y(low.y)}L${n(-t + high.x)} ${y(height - high.y)}Q${n(-t)} ${y(height)} ${n(-t + rt)} ${y(height)}Q0 ${y(dip)} ${n(t - rt)} ${y(height)}Q${n(t)} ${y(height)} ${n(t - high.x)} ${y(height - high.y)}L${n(b + low.x)} ${y(low.y)}Q${n(b)} ${y(0)} ${n(b - rb)} ${y(0)}Z`;
}
