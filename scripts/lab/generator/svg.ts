import sharp, { type Sharp } from 'sharp';

/** A drawing as pixels. The service forbids its process to decode SVG; one that draws pictures has to. */
export function decodeSvg(drawing: string): Sharp {
  sharp.unblock({ operation: ['VipsForeignLoadSvgBuffer'] });
  return sharp(Buffer.from(drawing));
}

export const svg = (parts: TemplateStringsArray, ...values: readonly (string | number)[]): string =>
  parts.reduce((text, part, at) => {
    const value = values[at - 1] ?? '';
    return `${text}${typeof value === 'number' ? Math.round(value * 100) / 100 : value}${part}`;
  });

export const filled = (d: string, fill: string, more = ''): string =>
  `<path d="${d}" fill="${fill}" ${more}/>`;
export const stroked = (d: string, colour: string, width: number, more = ''): string =>
  svg`<path d="${d}" fill="none" stroke="${colour}" stroke-width="${width}" ${more}/>`;
export const disc = (x: number, y: number, radius: number, fill: string, more = ''): string =>
  svg`<circle cx="${x}" cy="${y}" r="${radius}" fill="${fill}" ${more}/>`;
export const moved = (x: number, y: number, drawn: string, more = ''): string =>
  svg`<g transform="translate(${x} ${y}) ${more}">${drawn}</g>`;

export const times = (count: number, draw: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => draw(at)).join('');

export const around = (count: number, draw: (at: number) => string): string =>
  times(count, (at) => svg`<g transform="rotate(${(at * 360) / count})">${draw(at)}</g>`);

/** Red, green and blue of a `#rrggbb` colour, 0 to 255. */
const channels = (hex: string): number[] => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));

/** A colour nearer to another: 0 is itself, 1 the other one. */
export function mixed(hex: string, other: string, share: number): string {
  const to = channels(other);
  const mix = channels(hex).map((value, at) => Math.round(value + ((to[at] ?? 0) - value) * share));
  return `#${mix.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** A lighter (above 0, 1 is white) or darker (below 0, -1 is black) colour. */
export const tone = (hex: string, amount: number): string =>
  mixed(hex, amount > 0 ? '#ffffff' : '#000000', Math.abs(amount));

/** How bright a colour is to the eye, 0 to 1. */
export const brightness = (hex: string): number => {
  const [red = 0, green = 0, blue = 0] = channels(hex);
  return (0.299 * red + 0.587 * green + 0.114 * blue) / 255;
};

export function against(hex: string, ground: string): string {
  if (Math.abs(brightness(hex) - brightness(ground)) > 0.2) return hex;
  return tone(hex, brightness(ground) > 0.5 ? -0.55 : 0.6);
}

/** Definitions of a drawing. Each returns a reference to use as a fill. */
export class Defs {
  private readonly list: string[] = [];

  /** A gradient from left to right, turned by so many degrees. Stops are offset, colour and opacity: `0 #000 .4, 1 #fff`. */
  linear(degrees: number, stops: string): string {
    return this.add(`linearGradient gradientTransform="rotate(${degrees} .5 .5)"`, stopsOf(stops));
  }

  /** From a place in the box of what it fills, the middle where none is given, outwards. */
  radial(stops: string, at = 'cx=".5" cy=".5" r=".5"'): string {
    return this.add(`radialGradient ${at}`, stopsOf(stops));
  }

  metal(hex: string, degrees = 55): string {
    const shades = [-0.4, 0.35, -0.1, 0.75, 0.15, -0.3, 0.3, -0.25];
    return this.linear(degrees, shades.map((shade, at) => svg`${at / 7} ${tone(hex, shade)}`).join(', '));
  }

  pattern(size: number, drawn: string, transform = ''): string {
    const units = `patternUnits="userSpaceOnUse" patternTransform="${transform}"`;
    return this.add(`pattern width="${size}" height="${size}" ${units}`, drawn);
  }

  clipped(d: string, drawn: string): string {
    return `<g clip-path="${this.add('clipPath', `<path d="${d}"/>`)}">${drawn}</g>`;
  }

  toString(): string {
    return `<defs>${this.list.join('')}</defs>`;
  }

  private add(start: string, content: string): string {
    const id = `d${this.list.length}`;
    const [name] = start.split(' ');
    this.list.push(`<${start} id="${id}">${content}</${name}>`);
    return `url(#${id})`;
  }
}

const stopsOf = (stops: string): string =>
  stops
    .split(', ')
    .map((stop) => stop.split(' '))
    .map(([at, hex, opacity = 1]) => `<stop offset="${at}" stop-color="${hex}" stop-opacity="${opacity}"/>`)
    .join('');

/** Maisons' emblems, in a circle of radius 1 around the origin. */
const EMBLEM_PATHS = {
  rings: 'M-.35-.5a.5.5 0 1 0 .01 0zm0 .2a.3.3 0 1 1-.01 0zM.35-.5a.5.5 0 1 1-.01 0zm0 .2a.3.3 0 1 0 .01 0z',
  lozenge: 'M0-1L.7 0 0 1-.7 0zM0-.55L-.38 0 0 .55.38 0z',
  star: 'M0-1L.22-.31.95-.31.36.12.59.81 0 .38-.59.81-.36.12-.95-.31-.22-.31z',
  petals:
    'M0 0C-.6-.5-.3-1 0-1 .3-1 .6-.5 0 0 .5-.6 1-.3 1 0 1 .3.5.6 0 0 .6.5.3 1 0 1-.3 1-.6.5 0 0-.5.6-1 .3-1 0-1-.3-.5-.6 0 0z',
  crescent: 'M.35-.93A1 1 0 1 0 .35.93.8.8 0 1 1 .35-.93z',
  cross: 'M-.2-1h.4v.8h.8v.4h-.8v.8h-.4v-.8h-.8v-.4h.8z',
  hexagon: 'M-.5-.87h1L1 0 .5.87h-1L-1 0zM-.28-.48L-.55 0-.28.48h.56L.55 0 .28-.48z',
  arch: 'M-.8.9V-.1a.8.8 0 0 1 1.6 0v1H.4V0a.4.4 0 0 0-.8 0v.9z',
} as const;
export type Emblem = keyof typeof EMBLEM_PATHS;
export const EMBLEMS = Object.keys(EMBLEM_PATHS) as readonly Emblem[];

/** An emblem around a point, `size` from its middle to its edge. */
export const emblem = (form: Emblem, x: number, y: number, size: number, fill: string): string =>
  moved(x, y, filled(EMBLEM_PATHS[form], fill, 'fill-rule="evenodd"'), `scale(${size})`);
