import { CUTS, type Cut, outline } from './bag-cuts';
import { lettering } from './lettering';
import type { BagLook } from './looks';
import { against, brightness, type Defs, emblem, mixed, n, times, tone } from './svg';

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

/** Of the depth, how much is seen from above. */
const PITCH = 0.16;

/** Draws a bag that stands on y = 0, upwards. `texture` is the light and shade of its surface, as a data URI. */
export const drawBag = (look: BagLook, pose: BagPose, defs: Defs, texture: string): Drawn =>
  new Bag(look, pose, defs, texture).draw();

class Bag {
  private readonly cut: Cut;
  private readonly metal: string;
  private readonly dark: string;
  private readonly body: string;
  /** Half the width of the top. */
  private readonly half: number;
  private readonly height: number;
  /** Where the back of the bag is, against its front. */
  private readonly back: { readonly x: number; readonly y: number };
  /** How far handles rise. */
  private readonly rise: number;

  constructor(
    private readonly look: BagLook,
    private readonly pose: BagPose,
    private readonly defs: Defs,
    private readonly texture: string,
  ) {
    this.cut = CUTS[look.cut];
    this.metal = defs.metal(look.metal.value);
    this.dark = tone(look.metal.value, -0.6);
    this.body = outline(look.width, look.height, this.cut);
    this.half = (look.width / 2) * this.cut.flare;
    this.height = look.height;
    this.back = { x: look.depth * Math.sin(pose.yaw), y: -look.depth * PITCH };
    this.rise = look.drop * (0.45 + 0.55 * pose.lift);
  }

  draw(): Drawn {
    const { look, cut, back, height } = this;
    const squeeze = Math.cos(this.pose.yaw);
    const svg = `${this.shadow(squeeze)}
      <g transform="translate(${n(back.x)} ${n(back.y)}) scale(${n(squeeze)} 1)">${this.carry(false)}</g>
      <g transform="scale(${n(squeeze)} 1)">
        ${this.side(squeeze)}
        ${this.panel(this.body, height)}
        ${this.closing()}
        ${this.extra()}
        ${this.stamp()}
        ${this.carry(true)}
        ${this.charm()}
      </g>`;
    const carried = { none: 0, loop: 0.5, one: 0.9, two: 1, strap: 1.5 }[cut.carry] * this.rise;
    const half = Math.max(this.half, look.width / 2) * squeeze + 14;
    const [left, right] = [-half + Math.min(0, back.x), half + Math.max(0, back.x)];
    return { svg, left, right, top: -height - carried + back.y, bottom: 24 };
  }

  private shadow(squeeze: number): string {
    const fill = this.defs.radial('0 #14121a .6, .55 #14121a .3, 1 #14121a 0');
    const half = this.look.width * 0.58 * squeeze + Math.abs(this.back.x) / 2;
    return `<ellipse cx="${n(this.back.x / 2)}" cy="${n(this.back.y / 3)}" rx="${n(half)}" ry="34" fill="${fill}"/>`;
  }

  /** The side of the bag: its outline drawn again and again from the back to the front; of an open bag the lining too. */
  private side(squeeze: number): string {
    const { look, back, cut } = this;
    const layer = (share: number, fill: string) =>
      `<path d="${this.body}" fill="${fill}" transform="translate(${n((back.x * share) / squeeze)} ${n(back.y * share)})"/>`;
    const lining = tone(mixed(look.second.value, '#8a6a50', 0.5), -0.55);
    return `${times(24, (at) => layer(1 - at / 24, tone(look.colour.value, (at / 24) * 0.3 - 0.62)))}
      ${cut.closing === 'open' ? layer(0.55, lining) : ''}`;
  }

  /** A piece of leather: colour, pattern, surface, volume, edge and seam. */
  private panel(d: string, height: number, hasSeam = true): string {
    const { look, defs } = this;
    const colour = look.colour.value;
    const isLight = brightness(colour) > 0.5;
    const fall = defs.linear(90, `0 ${tone(colour, 0.16)}, .45 ${colour}, 1 ${tone(colour, -0.3)}`);
    const image = `<image href="${this.texture}" width="640" height="640"/>`;
    const grain = defs.pattern(640, image, `translate(-320 ${n(-height)})`);
    const volume = defs.linear(
      0,
      '0 #000 .42, .1 #000 .12, .28 #fff .2, .5 #fff 0, .88 #000 .14, 1 #000 .46',
    );
    const gloss = look.surface === 'patent' ? 0.42 : look.surface === 'smooth' ? 0.1 : 0.04;
    const shine = defs.linear(64, `.18 #fff 0, .3 #fff ${gloss}, .42 #fff 0`);
    const layers = `<path d="${d}" fill="${fall}"/>${this.pattern()}
      <path d="${d}" fill="${grain}" fill-opacity="${brightness(colour) < 0.16 ? 0.4 : 0.62}"/>
      <path d="${d}" fill="${volume}"/><path d="${d}" fill="${shine}"/>`;
    const piping = `<path d="${d}" fill="none" stroke="${look.trim}" stroke-width="9"/>
      <path d="${d}" fill="none" stroke="${tone(look.trim, 0.4)}" stroke-width="2.5"/>`;
    const thread = `stroke="${tone(colour, isLight ? -0.4 : 0.35)}" stroke-opacity=".8" stroke-width="2" stroke-dasharray="9 5"`;
    const seam = `<path d="${d}" fill="none" ${thread} transform="translate(0 ${n(-height * 0.022)}) scale(.955)"/>`;
    return `${defs.clipped(d, layers)}
      <path d="${d}" fill="none" stroke="${tone(colour, -0.6)}" stroke-width="3" stroke-linejoin="round"/>
      ${look.hasPiping ? piping : ''}${hasSeam ? seam : ''}`;
  }

  private pattern(): string {
    const { look, defs, height } = this;
    const [size, form] = [look.patternSize, look.emblem];
    const second = against(look.second.value, look.colour.value);
    const accent = against(look.charmColour, look.colour.value);
    const cover = (fill: string, x = -500, width = 1000, y = -height - 60) =>
      `<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height + 120)}" fill="${fill}"/>`;
    const repeated = (side: number, drawn: string, turn = 0) =>
      cover(defs.pattern(side, drawn, `rotate(${turn}) scale(${n(size)})`));
    switch (look.pattern) {
      case 'plain':
        return '';
      case 'monogram':
        return repeated(
          96,
          `${emblem(form, 24, 24, 15, second)}${emblem(form, 72, 72, 15, second)}
          <path d="M72 12L84 24 72 36 60 24zM24 60L36 72 24 84 12 72z" fill="${second}"/>`,
        );
      case 'check':
        return repeated(
          120,
          `<path d="M0 0H120V44H0zM0 0H44V120H0z" fill="${second}" fill-opacity=".55"/>
          <path d="M0 80H120M80 0V120" stroke="${look.trim}" stroke-width="5"/>`,
        );
      case 'web':
        return `${cover(second, -60 * size, 120 * size)}${cover(against('#8f1f24', second), -20 * size, 40 * size)}`;
      case 'block':
        return cover(second, -500, 1000, -height * 0.46);
      case 'studs': {
        const colours = `0 ${tone(look.metal.value, 0.8)}, .5 ${look.metal.value}, 1 ${this.dark}`;
        const stud = defs.radial(colours, 'cx=".35" cy=".3" r=".75"');
        return repeated(
          56,
          `<g fill="${stud}"><circle cx="14" cy="14" r="8"/><circle cx="42" cy="42" r="8"/></g>`,
        );
      }
      case 'print': {
        const petals = times(5, (at) => `<circle cy="-15" r="11" transform="rotate(${at * 72})"/>`);
        const flower = (x: number, y: number, scale: number, fill: string, heart: string) =>
          `<g transform="translate(${x} ${y}) scale(${scale})" fill="${fill}">${petals}<circle r="8" fill="${heart}"/></g>`;
        return repeated(
          136,
          `${flower(38, 40, 1, second, accent)}${flower(100, 96, 1.25, accent, second)}
          ${flower(104, 28, 0.6, accent, second)}${flower(34, 104, 0.7, second, accent)}`,
          8,
        );
      }
    }
  }

  private closing(): string {
    const { look, cut, half, height } = this;
    switch (cut.closing) {
      case 'open':
        return `<path d="M${n(-half)} ${n(-height)}Q0 ${n(-height + 2 * cut.dip * height)} ${n(half)} ${n(-height)}" fill="none" stroke="${look.trim}" stroke-width="12"/>
          ${this.clasp(-height + 70)}`;
      case 'zip':
        return this.zip();
      case 'gathered':
        return this.drawstring();
      case 'envelope': {
        const tip = -height + height * look.flap;
        const d = `M${n(-half - 4)} ${n(-height - 4)}H${n(half + 4)}L40 ${n(tip - 18)}Q0 ${n(tip + 12)} -40 ${n(tip - 18)}Z`;
        return `${this.underside(d)}${this.panel(d, height, false)}${this.clasp(tip - 30)}`;
      }
      case 'flap': {
        const deep = height * (look.cut === 'top handle' ? look.flap * 0.62 : look.flap);
        const across = look.width * (cut.flare + (1 - cut.flare) * (deep / height)) + 10;
        const shape = {
          flare: (half * 2 + 10) / across,
          top: cut.top,
          base: Math.max(0.06, look.round),
          dip: 0,
        };
        const d = outline(across, deep + 6, shape, -height + deep);
        return `${this.underside(d)}${this.panel(d, height)}${this.clasp(-height + deep - 44)}`;
      }
    }
  }

  /** The shadow of a flap on the body. */
  private underside(d: string): string {
    const shade = (width: number) =>
      `<path d="${d}" fill="none" stroke="#000" stroke-opacity=".13" stroke-width="${width}" transform="translate(0 7)"/>`;
    return this.defs.clipped(this.body, shade(30) + shade(20) + shade(11));
  }

  private zip(): string {
    const { look, cut, half, height } = this;
    const isDipped = cut.dip > 0.1;
    const y = -height * (isDipped ? 0.86 - cut.dip : 0.88);
    const reach = half * (cut.top > 0.2 ? 0.78 : 0.86);
    const d = `M${n(-reach)} ${n(y)}Q0 ${n(y + (isDipped ? 40 : -height * 0.09))} ${n(reach)} ${n(y)}`;
    return `<g fill="none"><path d="${d}" stroke="${tone(look.trim, -0.3)}" stroke-width="20"/>
      <path d="${d}" stroke="${this.dark}" stroke-width="8"/>
      <path d="${d}" stroke="${tone(look.metal.value, 0.3)}" stroke-width="6" stroke-dasharray="4 3"/></g>
      <g transform="translate(${n(reach * 0.9)} ${n(y + 8)}) rotate(14)"><rect x="-5" width="10" height="46" rx="4" fill="${this.metal}"/>
      <rect x="-7" y="40" width="14" height="34" rx="5" fill="${look.trim}"/></g>`;
  }

  private drawstring(): string {
    const { look, half, height } = this;
    const folds = times(13, (at) => {
      const x = (at - 6) * (half / 6.6);
      return `M${n(x)} ${n(-height)}Q${n(x * 0.92)} ${n(60 - height)} ${n(x * 0.97)} ${n(120 - height)}`;
    });
    const cord = `M${n(-half * 0.98)} ${n(62 - height)}Q0 ${n(84 - height)} ${n(half * 0.98)} ${n(62 - height)}`;
    const end = (
      x: number,
      turn: number,
    ) => `<g transform="translate(${x} ${n(74 - height)}) rotate(${turn})">
      <path d="M0 0V120" stroke="${look.trim}" stroke-width="9"/><rect x="-8" y="112" width="16" height="26" rx="5" fill="${this.metal}"/></g>`;
    return `<path d="${folds}" fill="none" stroke="#000" stroke-opacity=".28" stroke-width="5"/>
      <path d="${cord}" fill="none" stroke="${tone(look.trim, -0.35)}" stroke-width="13"/>
      <path d="${cord}" fill="none" stroke="${look.trim}" stroke-width="9"/>
      ${end(-14, 10)}${end(14, -12)}${this.clasp(-height * 0.42)}`;
  }

  private extra(): string {
    const { look, cut, height } = this;
    if (cut.extra === 'pocket') {
      const shape = { flare: 1, top: 0.05, base: 0.12, dip: 0 };
      const d = outline(look.width * 0.66, height * 0.4, shape, -height * 0.07);
      return `${this.underside(d)}${this.panel(d, height * 0.4)}`;
    }
    if (cut.extra !== 'belts') return '';
    const thread = `stroke="${tone(look.trim, brightness(look.trim) > 0.5 ? -0.3 : 0.4)}" stroke-width="1.6" stroke-dasharray="7 4"`;
    const belt = (x: number) => `<g transform="translate(${n(x)} ${n(8 - height)})">
      <rect x="-18" width="36" height="${n(height * 0.9)}" rx="12" fill="${look.trim}" stroke="${tone(look.trim, -0.4)}" stroke-width="3"/>
      <path d="M-11 4v${n(height * 0.84)}M11 4v${n(height * 0.84)}" ${thread}/>
      <rect x="-25" y="${n(height * 0.64)}" width="50" height="42" rx="8" fill="none" stroke="${this.metal}" stroke-width="9"/></g>`;
    return `${belt(-look.width * 0.27)}${belt(look.width * 0.27)}`;
  }

  private clasp(y: number): string {
    const { look, metal, dark, defs } = this;
    const drawn = {
      'turn-lock': `<rect x="-44" y="-24" width="88" height="48" rx="22"/>
        <rect x="-12" y="-30" width="24" height="60" rx="11" fill="${defs.metal(look.metal.value, 0)}"/>`,
      'push-lock': `<rect x="-34" y="-36" width="68" height="72" rx="12"/>
        <circle r="20" fill="${defs.metal(look.metal.value, 125)}"/><circle r="9" fill="${dark}" fill-opacity=".5"/>`,
      emblem: `<g stroke="none">${emblem(look.emblem, 2, 3, 46, dark)}${emblem(look.emblem, 0, 0, 45, metal)}</g>`,
      ring: `<circle r="36" fill="none" stroke-width="17"/><circle r="36" fill="none" stroke="${metal}" stroke-width="13"/>`,
      bar: `<rect x="-62" y="-13" width="124" height="26" rx="13"/>${emblem(look.emblem, 0, 0, 10, dark)}`,
      padlock: `<path d="M-19-16v-22a19 19 0 0 1 38 0v22" fill="none" stroke-width="13"/>
        <path d="M-19-16v-22a19 19 0 0 1 38 0v22" fill="none" stroke="${look.metal.value}" stroke-width="9"/>
        <rect x="-32" y="-18" width="64" height="58" rx="9"/><path d="M-7 6a7 7 0 1 1 10 6v12h-6v-12z" fill="${dark}"/>`,
    }[look.clasp];
    return `<g transform="translate(0 ${n(y)})"><ellipse cx="4" cy="8" rx="42" ry="34" fill="#000" fill-opacity=".22"/>
      <g fill="${metal}" stroke="${dark}" stroke-width="2">${drawn}</g></g>`;
  }

  private stamp(): string {
    const { look, cut, height } = this;
    if (look.pattern === 'monogram' || look.pattern === 'check' || look.pattern === 'print') return '';
    const y = -height * (cut.closing === 'flap' || cut.closing === 'envelope' ? 0.12 : 0.24);
    const colour = against(look.metal.value, look.colour.value);
    return lettering(look.wordmark, { y, height: 20, colour, weight: 0.11, spacing: 1.25 });
  }

  /** Handles and straps: those before the bag, or those behind it. */
  private carry(isFront: boolean): string {
    const { look, cut, half, height, rise } = this;
    const arch = (reach: number, y: number, up: number) =>
      `M${n(-reach)} ${n(y)}C${n(-reach * 1.02)} ${n(y - up * 1.3)} ${n(reach * 1.02)} ${n(y - up * 1.3)} ${n(reach)} ${n(y)}`;
    const ring = `r="15" fill="none" stroke="${this.metal}" stroke-width="7"`;
    const ends = (reach: number, y: number, hasTab = true) =>
      [-reach, reach]
        .map(
          (x) => `<g transform="translate(${n(x)} ${n(y)})">
        ${hasTab ? `<rect x="-15" y="-8" width="30" height="58" rx="11" fill="${look.trim}" stroke="${tone(look.trim, -0.5)}" stroke-width="2"/>` : ''}
        <circle ${ring}/></g>`,
        )
        .join('');
    // A bamboo handle does not bend far.
    const soft = look.handle === 'bamboo' ? 'rolled' : look.handle;
    switch (cut.carry) {
      case 'none':
        return '';
      case 'strap':
        if (isFront) return ends(half * 0.95, 26 - height, false);
        return this.strand(arch(half * 0.95, 26 - height, rise * 1.5 + 26), soft, 17);
      case 'loop': {
        if (isFront) return '';
        const strap = (side: number) =>
          `M${n(side * half * 0.6)} ${n(40 - height)}C${n(side * half * 1.7)} ${n(-height * 0.7)} ${n(side * half * 1.55)} ${n(-height * 0.3)} ${n(side * half * 0.9)} -20`;
        return `${this.strand(arch(46, 30 - height, rise * 0.5), 'rolled', 20)}${this.strand(strap(-1) + strap(1), 'leather', 26)}`;
      }
      case 'one': {
        const isHobo = look.cut === 'hobo';
        const [reach, y] = isHobo ? [half * 0.86, 30 - height] : [half * 0.42, 6 - height];
        return isFront
          ? ends(reach, y)
          : this.strand(arch(reach, y, rise * (isHobo ? 1 : 0.8)), isHobo ? soft : look.handle, 26);
      }
      case 'two': {
        const y = -height * (cut.closing === 'open' ? 0.84 : 0.78);
        const handle = this.strand(arch(half * 0.5, y, rise + y + height), look.handle, 22);
        return `${isFront ? ends(half * 0.5, y) : ''}${handle}`;
      }
    }
  }

  private strand(d: string, kind: BagLook['handle'], width: number): string {
    const { trim, metal } = this.look;
    const stroke = (colour: string, share: number, dash = '', cap = 'round') =>
      `<path d="${d}" fill="none" stroke="${colour}" stroke-width="${n(width * share)}" stroke-linecap="${cap}" stroke-dasharray="${dash}"/>`;
    const leather = (share: number) => stroke(tone(trim, -0.5), share) + stroke(trim, share * 0.86);
    const links = `${n(width * 0.86)} ${n(width)}`;
    const chain = `${stroke(tone(metal.value, -0.55), 0.95, links)}${stroke(metal.value, 0.7, links)}
      ${stroke(tone(metal.value, 0.7), 0.23, links)}${stroke(tone(metal.value, -0.15), 0.28, `0 ${n(width * 1.1)} ${n(width * 0.5)} ${n(width * 0.26)}`, 'butt')}`;
    switch (kind) {
      case 'leather':
        return `${leather(1)}${stroke(tone(trim, brightness(trim) > 0.5 ? -0.3 : 0.4), 0.08, '8 5', 'butt')}`;
      case 'rolled':
        return `${leather(1)}${stroke(tone(trim, 0.22), 0.4)}${stroke(tone(trim, 0.5), 0.12)}`;
      case 'chain':
        return chain;
      case 'woven chain':
        return `${leather(0.5)}${chain}`;
      case 'bamboo':
        return `${stroke('#5d3a14', 1.1)}${stroke('#b58546', 0.95)}${stroke('#e2bf83', 0.3)}${stroke('#5d3a14', 1.15, '4 52', 'butt')}`;
    }
  }

  private charm(): string {
    const { look, half, metal } = this;
    const fill = look.charmColour;
    const threads = [-14, -9, -4, 1, 6, 11].map((x) => `M${x / 2} 86Q${x} 130 ${n(x * 1.4)} 184`).join('');
    const drawn = {
      none: '',
      tassel: `<rect x="-13" y="58" width="26" height="30" rx="8" fill="${metal}"/>
        <path d="${threads}" fill="none" stroke="${tone(fill, -0.25)}" stroke-width="8"/>
        <path d="${threads}" fill="none" stroke="${fill}" stroke-width="4"/>`,
      tag: `<path d="M-26 64Q0 50 26 64V140Q0 158 -26 140Z" fill="${fill}" stroke="${tone(fill, -0.5)}" stroke-width="2"/>
        ${emblem(look.emblem, 0, 104, 13, metal)}`,
      scarf: `<path d="M0 40C-60 90-44 170-70 220L-20 232C-8 170 6 110 0 40Z" fill="${fill}"/>
        <path d="M0 40C40 90 30 150 56 200L14 214C4 160-6 100 0 40Z" fill="${tone(fill, -0.18)}"/>
        <circle cy="52" r="18" fill="${tone(fill, 0.1)}"/><path d="M-58 196L-16 208M26 190L48 182" stroke="#f2e6d0" stroke-width="6"/>`,
    }[look.charm];
    if (drawn === '') return '';
    return `<g transform="translate(${n(half * 0.6)} ${n(40 - look.height)}) rotate(-7)">
      <path d="M0 0V60" stroke="${look.metal.value}" stroke-width="5"/>${drawn}</g>`;
  }
}
