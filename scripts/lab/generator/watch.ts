import type { Drawn } from './bag';
import { Shape } from './case-shape';
import { Dial } from './dial';
import { lettering } from './lettering';
import type { WatchLook } from './looks';
import { against, around, brightness, type Defs, n, times, tone } from './svg';
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

/** The surfaces of straps. */
export const STRAP_SURFACES: Partial<Readonly<Record<Strap, Surface>>> = {
  leather: 'grained',
  alligator: 'crocodile',
  nato: 'denim',
};

/** Half of what is drawn of the strap's length. */
const REACH = 620;

/** Draws a watch around the origin, twelve up. */
export function drawWatch(look: WatchLook, pose: WatchPose, defs: Defs, textures: WatchTextures): Drawn {
  const watch = new Watch(look, defs, textures).draw(pose.minutes);
  // Seen from the side it is narrower, and a little sheared.
  const view = `skewY(${n(pose.tilt * 9)}) scale(${n(Math.cos(pose.tilt * 0.9))} 1)`;
  return { svg: `<g transform="${view}">${watch}</g>`, left: -400, right: 400, top: -400, bottom: 400 };
}

class Watch {
  private readonly shape: Shape;
  /** Radius of the case, and radius inside of the bezel. */
  private readonly radius: number;
  private readonly inner: number;
  /** The edge of the case on its vertical axis. */
  private readonly edge: number;
  private readonly metal: string;
  private readonly dark: string;
  /** Of metal parts. */
  private readonly stroke: string;

  constructor(
    private readonly look: WatchLook,
    private readonly defs: Defs,
    private readonly textures: WatchTextures,
  ) {
    this.shape = new Shape(look.shape);
    this.radius = 268 + (look.millimetres - 38) * 4;
    this.inner = this.radius * (0.93 - look.bezelWidth);
    this.edge = this.radius * this.shape.reach(Math.PI / 2);
    this.metal = defs.metal(look.metal.value);
    this.dark = tone(look.metal.value, -0.62);
    this.stroke = `stroke="${this.dark}" stroke-width="2"`;
  }

  draw(minutes: number): string {
    const { radius, defs, shape, look, inner } = this;
    const below = defs.radial('.72 #000 .5, 1 #000 0');
    const beside = defs.linear(0, '.1 #000 0, .3 #000 .32, .7 #000 .32, .95 #000 0');
    const dial = new Dial(look, shape, inner, defs, this.textures.dial);
    return `<rect x="${n(-radius * 0.7)}" y="${-REACH}" width="${n(radius * 1.44)}" height="${REACH * 2}" fill="${beside}"/>
      <circle cx="14" cy="20" r="${n(radius * 1.2)}" fill="${below}"/>
      ${this.strap()}${this.crown()}${look.shape === 'octagon' ? '' : this.lugs()}
      <path d="${shape.outline(radius)}" fill="${this.metal}" stroke="${this.dark}" stroke-width="3"/>
      <path d="${shape.outline(radius * 0.965)}" fill="none" stroke="${tone(look.metal.value, 0.75)}" stroke-width="2.5" stroke-opacity=".8"/>
      ${this.bezel()}
      <path d="${shape.outline(inner + 5)}" fill="none" stroke="${this.dark}" stroke-width="7" stroke-opacity=".75"/>
      ${dial.face()}${dial.hands(minutes)}${dial.glass()}`;
  }

  private strap(): string {
    const { look, defs, radius, edge } = this;
    const half = radius * (look.shape === 'octagon' || look.shape === 'tank' ? 0.6 : 0.5);
    const [narrow, start] = [half * 0.86, edge * 0.8];
    const d = `M${n(-half)} ${n(-start)}L${n(-narrow)} ${-REACH}H${n(narrow)}L${n(half)} ${n(-start)}V${n(start)}L${n(narrow)} ${REACH}H${n(-narrow)}L${n(-half)} ${n(start)}Z`;
    // It bends away from the viewer towards its ends, and is in the shadow of the case.
    const bend = defs.linear(
      90,
      '0 #000 .6, .2 #000 .06, .26 #fff .14, .33 #000 .3, .67 #000 .3, .74 #fff .14, .8 #000 .06, 1 #000 .6',
    );
    const drawn = BRACELETS.includes(look.strap) ? this.bracelet(half) : this.softStrap(half, d);
    return `${defs.clipped(d, `${drawn}<path d="${d}" fill="${bend}"/>`)}
      <path d="${d}" fill="none" stroke="#000" stroke-opacity=".4" stroke-width="2"/>`;
  }

  private bracelet(half: number): string {
    const { look, defs } = this;
    const metal = look.metal.value;
    if (look.strap === 'mesh') {
      const wires = 'M-1 4Q3-1 6.500 4T14 4M-1 10.500Q3 6 6.500 10.500T14 10.500';
      const mesh = `<rect width="13" height="13" fill="${tone(metal, -0.45)}"/><path d="${wires}" fill="none" stroke="${metal}" stroke-width="4"/>
        <path d="${wires}" fill="none" stroke="${tone(metal, 0.55)}" stroke-width="1.2" transform="translate(0 -1)"/>`;
      return `<rect x="${n(-half)}" y="${-REACH}" width="${n(half * 2)}" height="${REACH * 2}" fill="${defs.pattern(13, mesh)}"/>`;
    }
    const isOyster = look.strap === 'oyster';
    const shares = isOyster ? [0.31, 0.38, 0.31] : [0.25, 0.16, 0.18, 0.16, 0.25];
    const link = (hex: string) =>
      defs.linear(
        90,
        `0 ${tone(hex, -0.45)}, .16 ${tone(hex, 0.5)}, .34 ${tone(hex, 0.12)}, .8 ${tone(hex, -0.12)}, 1 ${tone(hex, -0.5)}`,
      );
    const [outer, middle] = [link(metal), link(look.secondMetal.value)];
    const height = isOyster ? 74 : 50;
    return times(Math.ceil((REACH * 2) / height), (row) => {
      let x = -half;
      return times(shares.length, (column) => {
        const width = (shares[column] ?? 0) * half * 2;
        const isOuter = column === 0 || column === shares.length - 1;
        const y = row * height - REACH + (column % 2) * (height / 2);
        x += width;
        return `<rect x="${n(x - width + 1)}" y="${n(y + 1)}" width="${n(width - 2)}" height="${height - 2}" rx="${isOuter ? 7 : height * 0.3}" fill="${isOuter ? outer : middle}" ${this.stroke}/>`;
      });
    });
  }

  private softStrap(half: number, d: string): string {
    const { look, defs, edge } = this;
    const colour = look.strapColour.value;
    const round = defs.linear(
      0,
      `0 ${tone(colour, -0.5)}, .18 ${tone(colour, 0.06)}, .42 ${tone(colour, 0.2)}, .8 ${tone(colour, -0.06)}, 1 ${tone(colour, -0.55)}`,
    );
    const image = `<image href="${this.textures.strap}" width="420" height="420"/>`;
    const grain = `<path d="${d}" fill="${defs.pattern(420, image, `translate(${n(-half)} -90)`)}" fill-opacity=".7"/>`;
    const along = (x: number, stroke: string) => `<path d="M${n(x)} ${-REACH}V${REACH}" ${stroke}/>`;
    const [thread, inset] = [brightness(colour) > 0.55 ? tone(colour, -0.45) : '#e9dfc8', half * 0.82];
    const stitches = `<path d="M${n(-inset * 0.9)} ${-REACH}L${n(-inset)} ${n(-edge)}M${n(inset * 0.9)} ${-REACH}L${n(inset)} ${n(-edge)}M${n(-inset)} ${n(edge)}L${n(-inset * 0.9)} ${REACH}M${n(inset)} ${n(edge)}L${n(inset * 0.9)} ${REACH}" stroke="${thread}" stroke-width="4" stroke-dasharray="15 8"/>`;
    const base = `<path d="${d}" fill="${round}"/>`;
    switch (look.strap) {
      case 'nato': {
        const stripe = `stroke="${against(look.accent, colour)}" stroke-width="${n(half * 0.26)}"`;
        return `${base}${along(-half * 0.29, stripe)}${along(half * 0.29, stripe)}${grain}`;
      }
      case 'rubber':
        return `${base}${[-0.5, 0, 0.5].map((at) => along(at * half, 'stroke="#000" stroke-opacity=".35" stroke-width="12"')).join('')}`;
      case 'satin':
        return `${base}${stitches}`;
      default:
        return `${base}${grain}${stitches}`;
    }
  }

  private lugs(): string {
    const { radius, look, edge } = this;
    const out = radius * (look.shape === 'tank' ? 0.6 : 0.5);
    const d = `M${n(out - 4)} ${n(edge * 0.6)}L${n(out - 4)} ${n(edge * 1.16)}Q${n(out + 12)} ${n(edge * 1.22)} ${n(out + 32)} ${n(edge * 1.12)}L${n(out + 78)} ${n(edge * 0.6)}Z`;
    const lug = (x: number, y: number) =>
      `<path d="${d}" fill="${this.metal}" ${this.stroke} transform="scale(${x} ${y})"/>`;
    return lug(1, 1) + lug(-1, 1) + lug(1, -1) + lug(-1, -1);
  }

  private crown(): string {
    const { radius, look, stroke } = this;
    const x = radius * this.shape.reach(0);
    const metal = look.metal.value;
    const fill = this.defs.linear(90, `0 ${this.dark}, .3 ${tone(metal, 0.6)}, .6 ${metal}, 1 ${this.dark}`);
    const pusher = (turn: number) =>
      `<rect x="${n(x - 10)}" y="-19" width="40" height="38" rx="8" fill="${fill}" ${stroke} transform="rotate(${turn})"/>`;
    const guard = `M${n(x - 30)}-74Q${n(x + 22)}-60 ${n(x + 18)}-34H${n(x - 30)}ZM${n(x - 30)} 74Q${n(x + 22)} 60 ${n(x + 18)} 34H${n(x - 30)}Z`;
    const ridges = times(7, (at) => `M${n(x + 4)} ${n(at * 7.75 - 23.25)}h28`);
    return `${look.complication === 'chronograph' || look.complication === 'bicompax' ? pusher(-32) + pusher(32) : ''}
      ${look.isSport ? `<path d="${guard}" fill="${this.metal}" ${stroke}/>` : ''}
      <rect x="${n(x - 14)}" y="-31" width="50" height="62" rx="9" fill="${fill}" ${stroke}/>
      <path d="${ridges}" stroke="#000" stroke-opacity=".4" stroke-width="2"/>`;
  }

  private bezel(): string {
    const { look, defs, radius, inner, dark, shape, stroke } = this;
    const outer = radius * 0.94;
    const [middle, wide] = [(outer + inner) / 2, outer - inner];
    const second = look.secondMetal.value;
    const base = `<path d="${shape.outline(outer)}" fill="${defs.metal(second, 200)}" ${stroke}/>`;
    const turned = `<path d="${shape.outline(middle)}" fill="${defs.metal(look.metal.value, 235)}" ${stroke}/>`;
    const gloss = defs.linear(
      60,
      `0 ${tone(look.bezelColour, 0.3)}, .5 ${look.bezelColour}, 1 ${tone(look.bezelColour, -0.4)}`,
    );
    const insert = `<path d="${shape.outline(outer - 5)}" fill="${gloss}"/>`;
    const mark = brightness(look.bezelColour) > 0.55 ? '#16171a' : '#f0efe8';
    const tick = (width: number, length: number) =>
      `<rect x="${-width / 2}" y="${n(-outer + 10)}" width="${width}" height="${n(length)}" fill="${mark}"/>`;
    const flutes = (count: number, to: number) => {
      const half = n((outer * 3.1) / count);
      return around(
        count,
        () => `<path d="M-${half} ${n(-outer)}L0 ${n(-to)}V${n(-outer)}Z" fill="${tone(second, 0.7)}" fill-opacity=".75"/>
        <path d="M${half} ${n(-outer)}L0 ${n(-to)}V${n(-outer)}Z" fill="${tone(second, -0.55)}" fill-opacity=".75"/>`,
      );
    };
    switch (look.hasGems ? 'gems' : look.bezel) {
      case 'plain':
        return base;
      case 'step':
        return base + turned;
      case 'fluted':
        return base + flutes(72, inner + 6);
      case 'coin':
        return base + flutes(150, middle) + turned;
      case 'diver':
        return `${base}${around(90, () => `<rect x="-2" y="${n(-outer - 1)}" width="4" height="9" fill-opacity=".55"/>`)}${insert}
          ${around(12, (at) => (at % 2 === 0 && at > 0 ? lettering(`${at * 5}`, { y: -middle, height: wide * 0.5, colour: mark, weight: 0.15 }) : tick(8, at === 0 ? 0 : wide * 0.6)))}
          ${around(60, (at) => (at % 5 === 0 ? '' : tick(3, wide * 0.26)))}
          <path d="M-19 ${n(8 - outer)}H19L0 ${n(-inner - 9)}Z" fill="#eef3e2" stroke="${dark}"/>`;
      case 'tachymeter': {
        const speeds = ['400', '300', '200', '150', '120', '100', '90', '80', '70', '65', '60', '500'];
        const speed = (at: number) =>
          lettering(speeds[at] ?? '', { y: -middle, height: wide * 0.36, colour: mark, weight: 0.14 });
        return `${base}${insert}${around(12, speed)}${around(60, (at) => (at % 5 === 0 ? '' : tick(2.4, wide * 0.2)))}`;
      }
      case 'gems': {
        const gem = defs.radial('0 #fff, .45 #e4edf4, .75 #a9bccb, 1 #6d7f8e', 'cx=".38" cy=".32" r=".75"');
        const size = (Math.PI * middle) / 44 / 1.08;
        const stone = `<circle r="${n(size)}" fill="${gem}" stroke="${dark}" stroke-width="1.2"/><path d="M${n(-size / 2)} 0L0 ${n(-size / 2)} ${n(size / 2)} 0 0 ${n(size / 2)}Z" fill="#fff" fill-opacity=".7"/>`;
        return `${base}${times(44, (at) => `<g transform="translate(${shape.point((at * Math.PI) / 22, middle)})">${stone}</g>`)}`;
      }
      case 'screws': {
        const head = defs.radial(
          `0 ${tone(second, 0.7)}, 1 ${tone(second, -0.35)}`,
          'cx=".4" cy=".35" r=".7"',
        );
        const screw = (at: number) => `<g transform="translate(0 ${n(-middle * 0.985)}) rotate(${at * 47})">
          <circle r="${n(wide * 0.28)}" fill="${head}" ${stroke}/><path d="M${n(-wide * 0.24)} 0H${n(wide * 0.24)}" stroke="${dark}" stroke-width="5"/></g>`;
        return `${base}<g transform="rotate(22.5)">${around(8, screw)}</g>`;
      }
    }
  }
}
