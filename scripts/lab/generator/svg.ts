/* Short forms of what the drawings need of SVG. */

/** A number as short as a picture needs it. */
export const n = (value: number): string => String(Math.round(value * 100) / 100);

/** `count` drawings, one after the other. */
export const times = (count: number, draw: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => draw(at)).join('');

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

/** The colour, or one that stands out against another where it does not. */
export const against = (hex: string, ground: string): string =>
  Math.abs(brightness(hex) - brightness(ground)) > 0.2
    ? hex
    : tone(hex, brightness(ground) > 0.5 ? -0.55 : 0.6);

type Stop = readonly [offset: number, colour: string, opacity?: number];

/** Definitions of a drawing; each returns a reference to use as a fill. */
export class Defs {
  private readonly list: string[] = [];

  /** Adds a definition that `make` writes for an id. */
  add(make: (id: string) => string): string {
    const id = `d${this.list.length}`;
    this.list.push(make(id));
    return `url(#${id})`;
  }

  /** A gradient over the box of what it fills, from left to right turned by so many degrees. */
  linear(degrees: number, ...stops: readonly Stop[]): string {
    return this.add(
      (id) =>
        `<linearGradient id="${id}" gradientTransform="rotate(${degrees} .5 .5)">${stopsOf(stops)}</linearGradient>`,
    );
  }

  /** From the middle of the box, or another place in it, to its edges. */
  radial([x, y, radius]: readonly [number, number, number], ...stops: readonly Stop[]): string {
    return this.add(
      (id) =>
        `<radialGradient id="${id}" cx="${x}" cy="${y}" r="${radius}">${stopsOf(stops)}</radialGradient>`,
    );
  }

  /** A polished metal. */
  metal(hex: string, degrees = 55): string {
    const shades = [-0.4, 0.35, -0.1, 0.75, 0.15, -0.3, 0.3, -0.25];
    return this.linear(
      degrees,
      ...shades.map((shade, at): Stop => [at / (shades.length - 1), tone(hex, shade)]),
    );
  }

  /** A square that repeats. */
  pattern(size: number, drawn: string, transform = ''): string {
    return this.add(
      (id) =>
        `<pattern id="${id}" width="${n(size)}" height="${n(size)}" patternUnits="userSpaceOnUse" patternTransform="${transform}">${drawn}</pattern>`,
    );
  }

  /** What is drawn inside of a path alone. */
  clipped(path: string, drawn: string): string {
    const clip = this.add((id) => `<clipPath id="${id}"><path d="${path}"/></clipPath>`);
    return `<g clip-path="${clip}">${drawn}</g>`;
  }

  toString(): string {
    return `<defs>${this.list.join('')}</defs>`;
  }
}

const stopsOf = (stops: readonly Stop[]): string =>
  stops
    .map(
      ([at, colour, opacity = 1]) =>
        `<stop offset="${n(at)}" stop-color="${colour}" stop-opacity="${n(opacity)}"/>`,
    )
    .join('');

export const path = (d: string, fill: string, more = ''): string => `<path d="${d}" fill="${fill}" ${more}/>`;
export const line = (d: string, stroke: string, width: number, more = ''): string =>
  `<path d="${d}" fill="none" stroke="${stroke}" stroke-width="${n(width)}" ${more}/>`;
export const circle = (x: number, y: number, radius: number, fill: string, more = ''): string =>
  `<circle cx="${n(x)}" cy="${n(y)}" r="${n(radius)}" fill="${fill}" ${more}/>`;
export const rect = (
  x: number,
  y: number,
  width: number,
  height: number,
  round: number,
  fill: string,
  more = '',
): string =>
  `<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" rx="${n(round)}" fill="${fill}" ${more}/>`;
export const group = (transform: string, ...drawn: readonly string[]): string =>
  `<g transform="${transform}">${drawn.join('')}</g>`;

/** A maison's emblem in a circle of radius 1 around the origin. */
export const EMBLEM_PATHS = {
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
