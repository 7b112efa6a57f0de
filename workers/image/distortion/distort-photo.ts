import sharp from 'sharp';
import type { PhotoDistorter, PhotoLevel } from '../../../models/ports';
import { Random } from '../../../models/random';
import { type Cutout, cutOut } from './cut-out';
import { type Colour, occluder, plainBackground, randomBackground, unevenLight } from './scene';

/** How far a level goes from the catalog picture. Each is a deviation unless it says otherwise. */
interface Limits {
  /** Turn in the plane of the picture, in radians. */
  readonly turn: number;
  /** Shear and foreshortening of width and height, as a share. */
  readonly slant: number;
  /** Least and greatest size of the item. */
  readonly scale: readonly [number, number];
  /** Distance from the middle, as a share of the side. */
  readonly shift: number;
  /** Probability of another place for an item that stands alone; of something in front of it; of blur. */
  readonly elsewhere: number;
  readonly occluder: number;
  readonly blur: number;
  /** How uneven, tinted and wrongly exposed the light is, 0 to 1. */
  readonly light: number;
  /** Greatest deviation of the sensor's noise, in steps of 255. */
  readonly noise: number;
  /** Range of the JPEG quality. */
  readonly quality: readonly [number, number];
}

// biome-ignore format: a table
const LIMITS: Readonly<Record<PhotoLevel, Limits>> = {
  1: { turn: 0.09, slant: 0.03, scale: [0.85, 1.15], shift: 0.03, elsewhere: 0, occluder: 0, blur: 0.15, light: 0.12, noise: 3, quality: [80, 92] },
  2: { turn: 0.25, slant: 0.05, scale: [0.7, 1.3], shift: 0.06, elsewhere: 0.5, occluder: 0.3, blur: 0.45, light: 0.26, noise: 8, quality: [58, 88] },
  3: { turn: 0.6, slant: 0.08, scale: [0.5, 1.5], shift: 0.09, elsewhere: 0.85, occluder: 0.65, blur: 0.9, light: 0.42, noise: 15, quality: [32, 78] },
};

/** Side of a distorted photo in pixels. */
const SIDE = 448;

export const PHOTO_DISTORTER: PhotoDistorter = { distort: distortPhoto };

/** The same bytes for the same picture and keys. @param keys fix everything that is random */
export async function distortPhoto(
  picture: Buffer,
  level: PhotoLevel,
  ...keys: readonly (string | number)[]
): Promise<Buffer> {
  return renderPhoto(await cutOut(picture, SIDE), level, new Random('distorted', level, ...keys), SIDE);
}

/** A square JPEG of the given side. @param elsewhere probability of another place for an item that stands alone */
export async function renderPhoto(
  item: Cutout,
  level: PhotoLevel,
  random: Random,
  side: number,
  elsewhere = LIMITS[level].elsewhere,
): Promise<Buffer> {
  const limits = LIMITS[level];
  const ground =
    item.isAlone && random.chance(elsewhere)
      ? randomBackground(random)
      : plainBackground(250, level === 1 ? 248 : 190, random);
  const sample = sampler(item, limits, side, random);
  const amount = random.between(0.15, 0.3 + limits.occluder * 0.35);
  const cover = random.chance(limits.occluder) ? occluder(amount, random) : () => null;
  const light = unevenLight(limits.light, random);
  const develop = developer(limits, random);
  const pixels = Buffer.alloc(side * side * 3);
  for (let row = 0, at = 0; row < side; row += 1) {
    for (let column = 0; column < side; column += 1, at += 3) {
      const [x, y] = [column / side, row / side];
      const colour = cover(x, y) ?? sample(column, row, () => ground(x, y));
      develop(pixels, at, colour, light(x, y));
    }
  }
  const photo = sharp(pixels, { raw: { width: side, height: side, channels: 3 } });
  // As a share of the side, so that photos of any size are as blurred.
  const blur = side * random.between(0.0015, 0.0015 + 0.005 * limits.blur);
  if (random.chance(limits.blur)) photo.blur(Math.max(0.3, blur));
  return photo.jpeg({ quality: random.integer(...limits.quality) }).toBuffer();
}

/** Less than a step of 255 shines through. */
const OPAQUE = 1 / 255;

/** The item in its pose: the colour at a pixel of the photo, over what is behind it where the item is not. */
function sampler({ data, width, height }: Cutout, limits: Limits, side: number, random: Random) {
  const scale = (side / Math.max(width, height)) * random.between(...limits.scale);
  const [middleX, middleY] = [0.5, 0.5].map((half) => side * (half + random.bell() * limits.shift));
  const angle = random.bell() * limits.turn;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const [across, down] = [1, 1].map((whole) => scale * (whole + random.bell() * limits.slant));
  const [shearX, shearY] = [random.bell() * limits.slant, random.bell() * limits.slant];
  // From the item to the photo; then the way back.
  const [a, b] = [(cos - sin * shearY) * (across ?? 1), (cos * shearX - sin) * (down ?? 1)];
  const [c, d] = [(sin + cos * shearY) * (across ?? 1), (sin * shearX + cos) * (down ?? 1)];
  const determinant = a * d - b * c;
  return (column: number, row: number, behind: () => Colour): Colour => {
    const [x, y] = [column - (middleX ?? 0), row - (middleY ?? 0)];
    const u = (d * x - b * y) / determinant + width / 2;
    const v = (a * y - c * x) / determinant + height / 2;
    if (u < 0 || v < 0 || u >= width - 1 || v >= height - 1) return behind();
    const [left, top] = [Math.floor(u), Math.floor(v)];
    const [right, low] = [u - left, v - top];
    let [red, green, blue, opacity] = [0, 0, 0, 0];
    for (let corner = 0; corner < 4; corner += 1) {
      const [dx, dy] = [corner & 1, corner >> 1];
      const at = ((top + dy) * width + left + dx) * 4;
      const weight = ((dx ? right : 1 - right) * (dy ? low : 1 - low) * (data[at + 3] ?? 0)) / 255;
      red += (data[at] ?? 0) * weight;
      green += (data[at + 1] ?? 0) * weight;
      blue += (data[at + 2] ?? 0) * weight;
      opacity += weight;
    }
    const rest = 1 - opacity;
    if (rest < OPAQUE) return [red, green, blue];
    const [behindRed, behindGreen, behindBlue] = behind();
    return [red + behindRed * rest, green + behindGreen * rest, blue + behindBlue * rest];
  };
}

/** A sensor's noise of deviation 1; each photo starts somewhere else in it. */
const grainOf = (() => {
  let table: Float32Array | undefined;
  const draw = (random = new Random('grain')) => Float32Array.from({ length: 65_536 }, () => random.bell());
  return (at: number): number => {
    table ??= draw();
    return table[at & 65_535] ?? 0;
  };
})();

/** Writes a pixel as a camera might see it: exposure, contrast, colour and noise of its own. */
function developer({ light, noise }: Limits, random: Random) {
  const around = (deviation: number) => 1 + random.bell() * light * deviation;
  const [contrast, exposure, saturation] = [around(0.4), around(0.4), around(0.4)];
  const [warmth, tint] = [random.bell() * light * 0.25, random.bell() * light * 0.12];
  const gains = [1 + warmth, 1 + tint, 1 - warmth].map((gain) => gain * exposure * contrast);
  const [strength, start] = [random.between(0, noise), random.integer(0, 65_535)];
  return (pixels: Buffer, at: number, colour: Colour, bright: number): void => {
    const grey = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2];
    const speck = 0.8 * strength * grainOf(start + at * 2647) + 128 * (1 - contrast);
    for (let channel = 0; channel < 3; channel += 1) {
      const coloured = (grey + ((colour[channel] ?? 0) - grey) * saturation) * bright;
      const own = 0.6 * strength * grainOf(start + at + channel);
      const value = coloured * (gains[channel] ?? 1) + speck + own;
      pixels[at + channel] = Math.max(0, Math.min(255, value));
    }
  };
}
