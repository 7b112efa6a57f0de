import type { Shape } from './case-shape';
import { lettering, ROMAN } from './lettering';
import type { WatchLook } from './looks';
import { against, around, brightness, type Defs, emblem, mixed, n, times, tone } from './svg';

/** The hours that a complication takes the place of. */
const TAKEN: Partial<Readonly<Record<WatchLook['complication'], readonly number[]>>> = {
  'small seconds': [6],
  moonphase: [6],
  bicompax: [3, 9],
  chronograph: [3, 6, 9],
  calendar: [3, 6, 9],
};

/** A dial with its hands, around the origin. */
export class Dial {
  private readonly outline: string;
  /** Of what is printed or applied, and of what shines at night. */
  private readonly ink: string;
  private readonly lume: string;
  private readonly hasDate: boolean;

  /**
   * @param radius of the dial, in a case of the given shape
   * @param texture light and shade of a grained dial, as a data URI
   */
  constructor(
    private readonly look: WatchLook,
    private readonly shape: Shape,
    private readonly radius: number,
    private readonly defs: Defs,
    private readonly texture: string,
  ) {
    const colour = look.colour.value;
    const isDark = brightness(colour) < 0.5;
    this.outline = shape.outline(radius);
    this.ink = look.isInkMetal ? against(look.metal.value, colour) : isDark ? '#f1f1ea' : '#1c1d22';
    this.lume = isDark ? '#f3f3e4' : tone(this.ink, 0.1);
    this.hasDate = look.hasDate && !TAKEN[look.complication]?.includes(3);
  }

  face(): string {
    const { look, defs, outline, ink, shape, radius } = this;
    const colour = look.colour.value;
    const [light, dark] = look.finish === 'fume' ? [0.35, -0.85] : [0.14, -0.32];
    const base = defs.radial(
      `0 ${tone(colour, light)}, .55 ${colour}, 1 ${tone(colour, dark)}`,
      'cx=".5" cy=".46" r=".62"',
    );
    const width = radius * shape.across;
    const y = -radius * (look.indices === 'roman' || look.indices === 'arabic' ? 0.46 : 0.5);
    const name = {
      y: y + 42,
      height: Math.min(24, width / look.wordmark.length),
      colour: ink,
      weight: 0.12,
      spacing: 1.15,
    };
    const x = width * 0.56;
    const date = `<rect x="${n(x)}" y="-24" width="58" height="48" rx="5" fill="#f6f5ef" stroke="${ink}" stroke-width="3"/>
      ${lettering(`${8 + (look.wordmark.length % 20)}`, { x: x + 29, y: 0, height: 26, colour: '#16171a', weight: 0.16, spacing: 0.9 })}`;
    return `${defs.clipped(outline, `<path d="${outline}" fill="${base}"/>${this.finish()}`)}
      ${this.track()}${this.indices()}${this.complication()}
      ${emblem(look.emblem, 0, y, 21, ink)}${lettering(look.wordmark, name)}${this.hasDate ? date : ''}
      <path d="${shape.outline(radius - 3)}" fill="none" stroke="#000" stroke-opacity=".22" stroke-width="10"/>`;
  }

  private finish(): string {
    const { look, defs, radius } = this;
    const colour = look.colour.value;
    const [light, dark] = [tone(colour, 0.3), tone(colour, -0.35)];
    const repeated = (size: number, drawn: string, opacity: number, turn = 0) =>
      `<circle r="${n(radius * 1.5)}" fill="${defs.pattern(size, drawn, `rotate(${turn})`)}" fill-opacity="${opacity}"/>`;
    switch (look.finish) {
      case 'plain':
      case 'fume':
        return '';
      case 'sunburst':
        return around(72, (at) => {
          const glow = Math.cos((at * Math.PI) / 18 - 0.9) + 0.25 * Math.cos(at * 7.3);
          return `<path d="M0 0L-14 ${n(-radius * 1.15)}H14Z" fill="${glow > 0 ? '#fff' : '#000'}" fill-opacity="${n(Math.abs(glow) * 0.2)}"/>`;
        });
      case 'clous':
        return repeated(
          16,
          `<path d="M0 0H16L8 8Z" fill="${light}"/><path d="M0 16H16L8 8Z" fill="${dark}"/>`,
          0.75,
          45,
        );
      case 'waves': {
        const d = 'M-2 11Q9 0 22 11T46 11M-2 33Q9 22 22 33T46 33';
        return repeated(
          44,
          `<g fill="none" stroke-width="5"><path d="${d}" stroke="${light}"/><path d="${d}" stroke="${dark}" transform="translate(0 6)"/></g>`,
          0.65,
        );
      }
      case 'tapisserie':
        return repeated(
          24,
          `<rect width="24" height="24" fill="${dark}"/><rect x="2" y="2" width="20" height="20" rx="2" fill="${colour}"/><path d="M3 21V3H21" fill="none" stroke="${light}" stroke-width="2.5"/>`,
          0.85,
        );
      case 'grained':
        return repeated(380, `<image href="${this.texture}" width="380" height="380"/>`, 0.6);
      case 'pearl':
        return times(26, (at) => {
          const glow = defs.radial(`0 ${['#f6d8ea', '#d4ecf6', '#e4f4dc', '#fbf3d9'][at % 4]} .75, 1 #fff 0`);
          const away = radius * 0.16 * Math.sqrt(at);
          return `<ellipse cx="${n(Math.cos(at * 2.4) * away)}" cy="${n(Math.sin(at * 2.4) * away)}" rx="${n(radius * 0.34)}" ry="${n(radius * 0.15)}" fill="${glow}" transform="rotate(${at * 13})"/>`;
        });
      case 'meteorite': {
        const bands = `<path d="M8 0V90" stroke="${light}" stroke-width="9"/><path d="M22 0V90" stroke="${dark}" stroke-width="4"/><path d="M40 0V90" stroke="${mixed(light, dark, 0.5)}" stroke-width="12"/>`;
        return [12, 75, 131].map((turn, at) => repeated(52 + at * 17, bands, 0.3, turn)).join('');
      }
    }
  }

  private track(): string {
    const { look, shape, radius, ink } = this;
    if (look.track === 'none') return '';
    const mark = (at: number) => {
      const isHour = at % 5 === 0;
      const y = -radius * shape.reach((at * Math.PI) / 30 - Math.PI / 2);
      if (look.track === 'dots') return `<circle cy="${n(y + 12)}" r="${isHour ? 4.5 : 2.5}" fill="${ink}"/>`;
      return `<path d="M0 ${n(y + 6)}v${isHour ? 15 : 11}" stroke="${ink}" stroke-width="${isHour ? 3.6 : 2}"/>`;
    };
    const rails = `<path d="${shape.outline(radius - 6)}${shape.outline(radius - 19)}" fill="none" stroke="${ink}" stroke-width="1.6"/>`;
    return `${around(60, mark)}${look.track === 'railway' ? rails : ''}`;
  }

  private indices(): string {
    const { look, defs, shape, radius, ink, lume } = this;
    const gem = defs.radial('0 #fff, .6 #d9e4ec, 1 #8296a6', 'cx=".4" cy=".35" r=".7"');
    const facet = defs.linear(
      0,
      `0 ${tone(ink, 0.35)}, .5 ${tone(ink, 0.1)}, .5 ${tone(ink, -0.25)}, 1 ${tone(ink, -0.05)}`,
    );
    const edge = 'stroke="#000" stroke-opacity=".35" stroke-width="1.5"';
    const lit = `fill="${lume}" stroke="${ink}" stroke-width="3.5"`;
    const size = radius * 0.2;
    return around(12, (hour) => {
      if (TAKEN[look.complication]?.includes(hour) || (hour === 3 && this.hasDate)) return '';
      const y = -radius * shape.reach((hour * Math.PI) / 6 - Math.PI / 2) + (look.track === 'none' ? 16 : 30);
      switch (look.indices) {
        case 'batons':
          return (hour === 0 ? [-15, 3] : [-6])
            .map(
              (x) =>
                `<rect x="${x}" y="${n(y)}" width="12" height="${n(size)}" rx="2" fill="${facet}" ${edge}/>`,
            )
            .join('');
        case 'wedges':
          return `<path d="M-11 ${n(y)}H11L0 ${n(y + size * 1.1)}Z" fill="${facet}" ${edge}/>`;
        case 'dots':
          if (hour === 0) return `<path d="M-19 ${n(y)}H19L0 ${n(y + 38)}Z" ${lit}/>`;
          return hour % 3 === 0
            ? `<rect x="-7" y="${n(y)}" width="14" height="${n(size)}" rx="3" ${lit}/>`
            : `<circle cy="${n(y + 16)}" r="15" ${lit}/>`;
        case 'gems':
          return `<circle cy="${n(y + 14)}" r="13" fill="${gem}" stroke="${tone(ink, -0.2)}" stroke-width="2"/>`;
        case 'roman':
          return lettering(ROMAN[hour] ?? '', {
            y: y + size / 2,
            height: size * 0.95,
            colour: ink,
            weight: 0.13,
            spacing: 0.9,
          });
        case 'arabic': {
          const upright = lettering(`${hour || 12}`, {
            height: size,
            colour: ink,
            weight: 0.15,
            spacing: 0.92,
          });
          return `<g transform="translate(0 ${n(y + size * 0.6)}) rotate(${-hour * 30})">${upright}</g>`;
        }
      }
    });
  }

  private complication(): string {
    const { look, radius: r } = this;
    switch (look.complication) {
      case 'none':
        return '';
      case 'small seconds':
        return this.subdial(0, 0.47, 210);
      case 'chronograph':
        return `${this.subdial(0.46, 0, 40)}${this.subdial(-0.46, 0, 300)}${this.subdial(0, 0.46, 150)}`;
      case 'bicompax':
        return `${this.subdial(0.46, 0, 70)}${this.subdial(-0.46, 0, 250)}`;
      case 'calendar':
        return `${this.subdial(0.46, 0, 20)}${this.subdial(-0.46, 0, 130)}${this.moon()}`;
      case 'moonphase':
        return this.moon();
      case 'gmt':
        return `<path d="M-3 ${n(r * 0.1)}V${n(-r * 0.66)}H-17L0 ${n(-r * 0.8)} 17 ${n(-r * 0.66)}H3V${n(r * 0.1)}Z" fill="${look.accent}" transform="rotate(128)"/>`;
      case 'power reserve':
        return `<path d="M${n(-r * 0.42)} ${n(r * 0.5)}A${n(r * 0.34)} ${n(r * 0.34)} 0 0 1 ${n(-r * 0.1)} ${n(r * 0.26)}" fill="none" stroke="${this.ink}" stroke-width="6" stroke-dasharray="5 5"/>
          <path d="M${n(-r * 0.14)} ${n(r * 0.56)}L${n(-r * 0.28)} ${n(r * 0.34)}" stroke="${look.accent}" stroke-width="6" stroke-linecap="round"/>`;
    }
  }

  private subdial(x: number, y: number, turn: number): string {
    const { look, radius, ink, defs } = this;
    const r = radius * 0.27;
    const shades = [-0.12, -0.3, -0.5].map((amount) => tone(look.colour.value, amount));
    const ground = defs.radial(`0 ${shades[0]}, .9 ${shades[1]}, 1 ${shades[2]}`);
    const mark = (at: number) =>
      `<path d="M0 ${n(5 - r)}v${n(r * (at % 3 === 0 ? 0.28 : 0.14))}" stroke="${ink}" stroke-width="2.4"/>`;
    return `<g transform="translate(${n(x * radius)} ${n(y * radius)})">
      <circle r="${n(r)}" fill="${ground}" stroke="${ink}" stroke-opacity=".7" stroke-width="2"/>${around(12, mark)}
      <path d="M-3 ${n(r * 0.2)}L0 ${n(-r * 0.82)} 3 ${n(r * 0.2)}Z" fill="${ink}" transform="rotate(${turn})"/><circle r="5" fill="${ink}"/></g>`;
  }

  private moon(): string {
    const { look, radius, ink, defs } = this;
    const r = radius * 0.26;
    const sky = `M${n(-r)} 0A${n(r)} ${n(r)} 0 0 1 ${n(r)} 0Q${n(r / 2)} ${n(-r * 0.3)} 0 ${n(r * 0.2)}Q${n(-r / 2)} ${n(-r * 0.3)} ${n(-r)} 0Z`;
    const stars = times(
      12,
      (at) =>
        `<circle cx="${n(Math.cos(at * 2.4) * r * 0.8)}" cy="${n(-Math.abs(Math.sin(at * 1.7)) * r * 0.85)}" r="2" fill="#f4e7b8"/>`,
    );
    const night = `<path d="${sky}" fill="#14224f"/>${stars}<circle cx="${n(r * 0.12)}" cy="${n(-r * 0.42)}" r="${n(r * 0.4)}" fill="#f0d68c"/>`;
    return `<g transform="translate(0 ${n(radius * 0.47)})"><circle r="${n(r)}" fill="${tone(look.colour.value, -0.2)}" stroke="${ink}" stroke-width="3"/>
      ${defs.clipped(sky, night)}<path d="${sky}" fill="none" stroke="${ink}" stroke-width="2"/></g>`;
  }

  /** Hands at a time, in minutes after twelve. */
  hands(minutes: number): string {
    const { look, shape, radius } = this;
    const length = radius * Math.min(shape.across, shape.down);
    const second = `<g transform="rotate(214)" fill="${look.accent}"><circle cy="${n(length * 0.16)}" r="8"/>
      <path d="M-2 ${n(length * 0.22)}L-1 ${n(-length * 0.88)}H1L2 ${n(length * 0.22)}Z"/></g>`;
    return `${this.hand(length * 0.55, 11, minutes / 2, look.hands === 'mercedes')}${this.hand(length * 0.84, 9, minutes * 6, false)}
      ${TAKEN[look.complication]?.includes(6) ? '' : second}
      <circle r="14" fill="${this.defs.metal(look.metal.value)}" stroke="${tone(look.metal.value, -0.6)}" stroke-width="2"/><circle r="5"/>`;
  }

  private hand(length: number, w: number, degrees: number, hasCircle: boolean): string {
    const { look, ink, lume } = this;
    // The left half; the right one mirrors it.
    const half = {
      baton: `M0 ${n(-length)}L${n(-w * 0.8)} ${n(12 - length)}V26H0Z`,
      mercedes: `M0 ${n(-length)}L${n(-w * 0.8)} ${n(12 - length)}V26H0Z`,
      dauphine: `M0 ${n(-length)}L${n(-w * 1.5)}-12 0 34Z`,
      sword: `M0 ${n(-length)}L${n(-w * 1.3)} ${n(-length * 0.78)} ${n(-w * 0.55)} 0V24H0Z`,
      leaf: `M0 ${n(-length)}Q${n(-w * 2)} ${n(-length * 0.5)} ${n(-w * 0.35)}-8V24H0Z`,
    }[look.hands];
    const both = (left: string, right: string) =>
      `<path d="${half}" fill="${left}"/><path d="${half}" fill="${right}" transform="scale(-1 1)"/>`;
    const filled = `<path d="M0 ${n(20 - length)}L${n(-w * 0.42)} ${n(-length * 0.82)}V${n(-length * 0.34)}H${n(w * 0.42)}V${n(-length * 0.82)}Z" fill="${lume}"/>`;
    const ring = `<g transform="translate(0 ${n(-length * 0.62)})"><circle r="23" fill="${ink}"/><circle r="16" fill="${lume}"/><path d="M0-16V0L13 9M0 0L-13 9" fill="none" stroke="${ink}" stroke-width="4"/></g>`;
    const turn = `rotate(${n(degrees % 360)})`;
    return `<g transform="translate(5 9) ${turn}" fill-opacity=".28">${both('#000', '#000')}</g>
      <g transform="${turn}">${both(tone(ink, 0.28), tone(ink, -0.3))}${look.isSport && look.hands !== 'dauphine' ? filled : ''}${hasCircle ? ring : ''}</g>`;
  }

  /** Light on the crystal. */
  glass(): string {
    const r = this.radius * 1.1;
    const light = this.defs.linear(50, '0 #fff .34, .42 #fff .05, .43 #fff 0, 1 #fff 0');
    const d = `M${n(-r)} ${n(-r)}H${n(r * 0.7)}Q${n(-r * 0.1)} ${n(-r * 0.2)} ${n(-r * 0.45)} ${n(r)}H${n(-r)}Z`;
    return this.defs.clipped(this.outline, `<path d="${d}" fill="${light}"/>`);
  }
}
