import sharp from 'sharp';
import type { PhotoDistorter, PhotoLevel } from '../../../models/ports';
import { Random } from '../../../models/random';
import { type Cutout, cutOut } from './cut-out';
import { anyPlace, obstacle, plainGround, unevenLight } from './scene';

/** How far a level goes from the catalog picture. Each is a deviation unless it says otherwise. */
interface Limits {
  /** Turn in the plane of the picture, in degrees. */
  readonly turn: number;
  /** Shear in degrees, and foreshortening of width and height as a share. */
  readonly slant: number;
  readonly foreshortening: number;
  /** Least and greatest size of the item. */
  readonly scale: readonly [number, number];
  /** Distance from the middle, in hundredths of the side. */
  readonly shift: number;
  /** Probability of another place for an item that stands alone; of something in front of it; of blur. */
  readonly elsewhere: number;
  readonly obstacle: number;
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
  1: { turn: 5, slant: 2, foreshortening: 0.03, scale: [0.85, 1.15], shift: 3, elsewhere: 0, obstacle: 0, blur: 0.15, light: 0.12, noise: 3, quality: [80, 92] },
  2: { turn: 14, slant: 3, foreshortening: 0.05, scale: [0.7, 1.3], shift: 6, elsewhere: 0.5, obstacle: 0.3, blur: 0.45, light: 0.26, noise: 8, quality: [58, 88] },
  3: { turn: 34, slant: 5, foreshortening: 0.08, scale: [0.5, 1.5], shift: 9, elsewhere: 0.85, obstacle: 0.65, blur: 0.9, light: 0.42, noise: 15, quality: [32, 78] },
};

/** Side of a distorted photo in pixels. */
const SIDE = 448;

/** Distorts as `distortPhoto` does. */
export const PHOTO_DISTORTER: PhotoDistorter = { distort: distortPhoto };

/**
 * A catalog picture as somebody might photograph the item: turned, nearer or farther, partly outside, in another place and
 * light, partly covered, blurred, noisy, compressed. The same bytes for the same picture and keys.
 *
 * @param keys fix everything that is random
 */
export async function distortPhoto(
  picture: Buffer,
  level: PhotoLevel,
  ...keys: readonly (string | number)[]
): Promise<Buffer> {
  return photograph(await cutOut(picture, SIDE), level, new Random('distorted', level, ...keys), SIDE);
}

/**
 * A photo of an item, as `distortPhoto` makes it; a square JPEG of the given side.
 *
 * @param elsewhere probability of another place for an item that stands alone
 */
export async function photograph(
  item: Cutout,
  level: PhotoLevel,
  random: Random,
  side: number,
  elsewhere = LIMITS[level].elsewhere,
): Promise<Buffer> {
  const limits = { ...LIMITS[level], elsewhere };
  const scene = sharp(Buffer.from(sceneOf(item, limits, side, random))).flatten({ background: 'white' });
  if (random.chance(limits.blur))
    scene.blur(Math.max(0.3, (side * random.between(0.15, 0.15 + 0.5 * limits.blur)) / 100));
  const { data, info } = await scene.raw().toBuffer({ resolveWithObject: true });
  develop(data, limits, random);
  return sharp(data, { raw: { width: info.width, height: info.height, channels: 3 } })
    .jpeg({ quality: random.integer(...limits.quality) })
    .toBuffer();
}

function sceneOf(
  { png, width, height, isAlone }: Cutout,
  limits: Limits,
  side: number,
  random: Random,
): string {
  const ground =
    isAlone && random.chance(limits.elsewhere)
      ? anyPlace(random)
      : plainGround(limits.elsewhere === 0 ? 98 : random.between(75, 98));
  const scale = (100 / Math.max(width, height)) * random.between(...limits.scale);
  const [x, y] = [50 + random.bell() * limits.shift, 50 + random.bell() * limits.shift];
  const [across, down] = [1, 1].map((whole) => scale * (whole + random.bell() * limits.foreshortening));
  const pose = `translate(${x} ${y}) rotate(${random.bell() * limits.turn}) skewX(${random.bell() * limits.slant}) skewY(${random.bell() * limits.slant}) scale(${across} ${down})`;
  const image = `<image href="data:image/png;base64,${png.toString('base64')}" x="${-width / 2}" y="${-height / 2}" width="${width}" height="${height}" transform="${pose}"/>`;
  const covered = random.chance(limits.obstacle)
    ? obstacle(random.between(0.15, 0.3 + limits.obstacle * 0.35), random)
    : '';
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}" viewBox="0 0 100 100">${ground}${image}${covered}${unevenLight(limits.light, random)}</svg>`;
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

/** Changes exposure, contrast, colour and noise in place, as a camera might. Three bytes a pixel. */
function develop(pixels: Buffer, { light, noise }: Limits, random: Random): void {
  const around = (deviation: number) => 1 + random.bell() * light * deviation;
  const [contrast, exposure, saturation] = [around(0.4), around(0.4), around(0.4)];
  const [warmth, tint] = [random.bell() * light * 0.25, random.bell() * light * 0.12];
  const gains = [1 + warmth, 1 + tint, 1 - warmth].map((gain) => gain * exposure * contrast);
  const [strength, start] = [random.between(0, noise), random.integer(0, 65_535)];
  const grain = (at: number) => grainOf(start + at) * strength;
  for (let at = 0; at < pixels.length; at += 3) {
    const [red = 0, green = 0, blue = 0] = [pixels[at], pixels[at + 1], pixels[at + 2]];
    const grey = 0.299 * red + 0.587 * green + 0.114 * blue;
    const speck = 0.8 * grain(at * 2647) + 128 * (1 - contrast);
    for (let channel = 0; channel < 3; channel += 1) {
      const coloured = grey + ((pixels[at + channel] ?? 0) - grey) * saturation;
      const value = coloured * (gains[channel] ?? 1) + speck + 0.6 * grain(at + channel);
      pixels[at + channel] = Math.max(0, Math.min(255, value));
    }
  }
}
