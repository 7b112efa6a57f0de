import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { PhotoDistorter, PhotoLevel } from '../../../models/ports';
import { Random } from '../../../models/random';
import { paintBackground } from './background';
import { cutOut } from './cut-out';
import { develop } from './develop';
import { blur, paintLight, smear } from './lens';
import { LIMITS, type Limits } from './levels';
import { fillBox } from './light';
import { paintOcclusion } from './occlude';
import { backToSquare, type Corner, type Corners, type Pixels, warped } from './pixels';

/** Side of a distorted photo in pixels. */
const SIDE = 448;

/** How often an item that stands free is laid into another place, by level; else it stays on something plain. */
const ELSEWHERE: Readonly<Record<PhotoLevel, number>> = { 1: 0, 2: 0.5, 3: 0.85 };

/** Distorts as `distortPhoto` does. */
export const PHOTO_DISTORTER: PhotoDistorter = { distort: distortPhoto };

/**
 * A catalog picture as somebody might photograph the item: turned, nearer or farther, partly out of the picture, in
 * perspective, before another background, in other light, covered in part, blurred, noisy, compressed. The same bytes
 * for the same picture and keys.
 *
 * @param keys fix everything that chance decides
 */
export async function distortPhoto(
  picture: Buffer,
  level: PhotoLevel,
  ...keys: readonly (string | number)[]
): Promise<Buffer> {
  const limits = LIMITS[level];
  const random = new Random('distorted', level, ...keys);
  const { pixels, isFree } = await cutOut(picture, SIDE);
  const canvas = createCanvas(SIDE, SIDE);
  const context = canvas.getContext('2d');
  paintPlace(context, isFree && random.chance(ELSEWHERE[level]), level, random);
  context.drawImage(
    canvasOf(warped(pixels, backToSquare(cornersOf(limits, random), SIDE), SIDE, SIDE)),
    0,
    0,
  );
  if (random.chance(limits.occlusion)) {
    paintOcclusion(context, SIDE, random, random.between(0.15, 0.3 + limits.occlusion * 0.35));
  }
  paintLight(context, SIDE, limits.light, random);
  if (random.chance(limits.blur)) paintBlur(context, limits.blur, random);
  const developed = context.getImageData(0, 0, SIDE, SIDE);
  develop(developed, developmentOf(limits, random), random);
  context.putImageData(developed, 0, 0);
  return canvas.encode('jpeg', random.integer(...limits.quality));
}

function paintPlace(context: SKRSContext2D, elsewhere: boolean, level: PhotoLevel, random: Random): void {
  if (elsewhere) {
    paintBackground(context, SIDE, random);
    return;
  }
  const light = () => Math.round(level === 1 ? 250 : random.between(190, 250));
  fillBox(context, `rgb(${light()},${light()},${light()})`, 0, 0, SIDE, SIDE);
}

function cornersOf({ scale, shift, turn, perspective }: Limits, random: Random): Corners {
  const half = (SIDE / 2) * random.between(...scale);
  const angle = random.bell() * turn;
  const x = SIDE / 2 + random.bell() * shift * SIDE;
  const y = SIDE / 2 + random.bell() * shift * SIDE;
  const corner = (right: number, down: number): Corner => {
    const dx = right * half + random.bell() * perspective * half * 0.5;
    const dy = down * half + random.bell() * perspective * half * 0.5;
    return [x + dx * Math.cos(angle) - dy * Math.sin(angle), y + dx * Math.sin(angle) + dy * Math.cos(angle)];
  };
  return [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
}

function paintBlur(context: SKRSContext2D, strength: number, random: Random): void {
  if (random.chance(0.3)) {
    smear(context, SIDE, SIDE * random.between(0.004, 0.015 * strength + 0.004), random.between(0, Math.PI));
  } else blur(context, SIDE, SIDE * random.between(0.0015, 0.005 * strength + 0.0015));
}

const developmentOf = ({ light, noise }: Limits, random: Random) => ({
  exposure: 1 + random.bell() * light * 0.4,
  contrast: 1 + random.bell() * light * 0.4,
  warmth: random.bell() * light * 0.25,
  tint: random.bell() * light * 0.12,
  saturation: 1 + random.bell() * light * 0.4,
  noise: random.between(0, noise),
  vignette: random.between(0, light),
});

/** A canvas that holds the picture. */
export function canvasOf({ width, height, data }: Pixels): Canvas {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const image = context.createImageData(width, height);
  image.data.set(data);
  context.putImageData(image, 0, 0);
  return canvas;
}
