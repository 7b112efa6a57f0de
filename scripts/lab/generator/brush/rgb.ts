/** A colour, red, green and blue from 0 to 255. */
export type Rgb = readonly [number, number, number];

/** The colour as a CSS value, with an opacity from 0 to 1. */
export function css([red, green, blue]: Rgb, opacity = 1): string {
  return `rgba(${Math.round(red)},${Math.round(green)},${Math.round(blue)},${opacity})`;
}

/** The colour a share of the way (0 to 1) from one to another. */
export function mixed(from: Rgb, to: Rgb, share: number): Rgb {
  const part = (a: number, b: number) => a + (b - a) * share;
  return [part(from[0], to[0]), part(from[1], to[1]), part(from[2], to[2])];
}

/** The colour in more light (amount above 0, towards white) or less (below 0, towards black). */
export function lit(colour: Rgb, amount: number): Rgb {
  return amount >= 0 ? mixed(colour, [255, 255, 255], amount) : mixed(colour, [0, 0, 0], -amount);
}

/** How bright the eye finds the colour, 0 to 1. */
export function brightness([red, green, blue]: Rgb): number {
  return (0.299 * red + 0.587 * green + 0.114 * blue) / 255;
}

/** A colour from its `#rrggbb` form; anything else throws. */
export function rgb(hex: string): Rgb {
  const digits = /^#([0-9a-f]{6})$/i.exec(hex)?.[1];
  if (digits === undefined) throw new RangeError(`not a colour of the form #rrggbb: ${hex}`);
  const value = Number.parseInt(digits, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}
