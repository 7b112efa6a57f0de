import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Look } from './look/look';
import { paintBackground } from './photo/background';
import { develop } from './photo/develop';
import { paintOcclusion } from './photo/occlude';
import { backToSquare, type Corner, type Corners, type Pixels, softMask, warped } from './photo/pixels';
import { Random } from './random';
import { drawCutout, studioView, type View } from './render-product';

/** How hard a photo is to recognise: 1 = a careful photo, 2 = an ordinary one, 3 = a bad one. */
export type PhotoLevel = 1 | 2 | 3;

/** How a photo-like view of an item is made. */
export interface PhotoOptions {
  /** Everything that chance decides about the photo (not about the item) comes from here. */
  readonly seed: number;
  readonly level?: PhotoLevel;
  /** Side of the square picture in pixels. */
  readonly size?: number;
}

/** How far a level goes from the catalog picture. */
interface Limits {
  readonly yaw: number;
  readonly turn: number;
  readonly perspective: number;
  readonly scale: readonly [number, number];
  readonly shift: number;
  readonly occlusion: number;
  readonly light: number;
  readonly blur: number;
  readonly noise: number;
  readonly quality: readonly [number, number];
}

const LIMITS: Readonly<Record<PhotoLevel, Limits>> = {
  1: {
    yaw: 0.22,
    turn: 0.09,
    perspective: 0.05,
    scale: [1, 1.25],
    shift: 0.04,
    occlusion: 0,
    light: 0.12,
    blur: 0.15,
    noise: 3,
    quality: [80, 92],
  },
  2: {
    yaw: 0.42,
    turn: 0.25,
    perspective: 0.12,
    scale: [0.8, 1.45],
    shift: 0.07,
    occlusion: 0.3,
    light: 0.26,
    blur: 0.45,
    noise: 8,
    quality: [58, 88],
  },
  3: {
    yaw: 0.62,
    turn: 0.6,
    perspective: 0.2,
    scale: [0.6, 1.7],
    shift: 0.1,
    occlusion: 0.65,
    light: 0.42,
    blur: 1,
    noise: 15,
    quality: [32, 78],
  },
};

/**
 * A photo-like view of a product that is no catalog picture of it: another angle and time, another place and light,
 * something in front of it, and a camera's faults. A square JPEG; the same bytes for the same look and options.
 */
export function renderPhoto(look: Look, options: PhotoOptions): Promise<Buffer> {
  const { seed, level = 2, size = 640 } = options;
  const limits = LIMITS[level];
  const random = new Random(look.seed, 'photo', seed, level);
  const item = placedItem(look, size, limits, random);
  const canvas = createCanvas(size, size);
  const context = canvas.getContext('2d');
  paintBackground(context, size, random);
  if (random.chance(0.5)) blur(context, size, random.between(0.002, 0.02) * size);
  paintShadow(context, item, random);
  paintPixels(context, item);
  if (random.chance(limits.occlusion))
    paintOcclusion(context, size, random, random.between(0.15, 0.3 + limits.occlusion * 0.35));
  paintLight(context, size, limits.light, random);
  if (random.chance(limits.blur))
    blur(context, size, random.between(0.0015, 0.006 * limits.blur + 0.0015) * size);
  const picture = context.getImageData(0, 0, size, size);
  develop(picture, exposure(limits, random), random);
  context.putImageData(picture, 0, 0);
  return canvas.encode('jpeg', random.integer(...limits.quality));
}

/** The item drawn from another angle and laid into the picture: turned, moved, scaled, in perspective. */
function placedItem(look: Look, size: number, limits: Limits, random: Random): Pixels {
  const side = Math.round(size * 1.2);
  const cutout = drawCutout(look, photoView(look, limits, random), side, look.kind === 'watch' ? 0.54 : 0.84);
  const source = cutout.canvas.getContext('2d').getImageData(0, 0, side, side);
  return warped(source, backToSquare(corners(size, limits, random), side), size, size);
}

function photoView(look: Look, limits: Limits, random: Random): View {
  const studio = studioView(look);
  const flat = look.kind === 'watch';
  return {
    yaw: flat ? random.bell() * limits.yaw * 0.6 : studio.yaw + random.bell() * limits.yaw,
    pitch: flat
      ? random.bell() * limits.yaw * 0.6
      : Math.max(0.02, studio.pitch + random.bell() * limits.yaw * 0.4),
    pose: { lift: random.chance(0.5) ? 1 : random.between(0.3, 1), lean: random.between(-1, 1) },
    minutes: random.integer(0, 719),
  };
}

function corners(size: number, limits: Limits, random: Random): Corners {
  const half = (size / 2) * random.between(...limits.scale);
  const angle = random.bell() * limits.turn;
  const x = size / 2 + random.bell() * limits.shift * size;
  const y = size / 2 + random.bell() * limits.shift * size;
  const place = (right: number, down: number): Corner => {
    const jitter = () => random.bell() * limits.perspective * half * 0.6;
    const dx = right * half + jitter();
    const dy = down * half + jitter();
    return [x + dx * Math.cos(angle) - dy * Math.sin(angle), y + dx * Math.sin(angle) + dy * Math.cos(angle)];
  };
  return [place(-1, -1), place(1, -1), place(1, 1), place(-1, 1)];
}

/** The shadow of the item on what is behind it: its own shape, moved and softened. */
function paintShadow(context: SKRSContext2D, item: Pixels, random: Random): void {
  const { width, height } = item;
  const mask = softMask(item, width * random.between(0.008, 0.04));
  const right = Math.round(random.bell() * width * 0.035);
  const down = Math.round(random.between(0.005, 0.05) * height);
  const depth = random.between(0.25, 0.65);
  const picture = context.getImageData(0, 0, width, height);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      const sx = x - right;
      const sy = y - down;
      if (sx < 0 || sy < 0 || sx >= width || sy >= height) continue;
      const light = 1 - depth * ((mask[sy * width + sx] ?? 0) / 255);
      for (let channel = 0; channel < 3; channel++) {
        picture.data[at + channel] = (picture.data[at + channel] ?? 0) * light;
      }
    }
  }
  context.putImageData(picture, 0, 0);
}

function paintPixels(context: SKRSContext2D, { width, height, data }: Pixels): void {
  const layer = createCanvas(width, height);
  const image = layer.getContext('2d').createImageData(width, height);
  image.data.set(data);
  layer.getContext('2d').putImageData(image, 0, 0);
  context.drawImage(layer, 0, 0);
}

/** Light from one side, and now and then a glare. */
function paintLight(context: SKRSContext2D, size: number, strength: number, random: Random): void {
  const angle = random.between(0, Math.PI * 2);
  const x = Math.cos(angle) * size * 0.6;
  const y = Math.sin(angle) * size * 0.6;
  const light = context.createLinearGradient(size / 2 - x, size / 2 - y, size / 2 + x, size / 2 + y);
  light.addColorStop(0, `rgba(255,248,232,${random.between(0, strength)})`);
  light.addColorStop(0.5, 'rgba(128,124,116,0)');
  light.addColorStop(1, `rgba(0,0,10,${random.between(0, strength * 1.3)})`);
  context.fillStyle = light;
  context.fillRect(0, 0, size, size);
  if (!random.chance(strength)) return;
  const glareX = random.between(0.2, 0.8) * size;
  const glareY = random.between(0.2, 0.8) * size;
  const radius = random.between(0.08, 0.3) * size;
  const glare = context.createRadialGradient(glareX, glareY, 0, glareX, glareY, radius);
  glare.addColorStop(0, `rgba(255,255,255,${random.between(0.2, 0.7)})`);
  glare.addColorStop(1, 'rgba(255,255,255,0)');
  context.fillStyle = glare;
  context.fillRect(0, 0, size, size);
}

function exposure(limits: Limits, random: Random) {
  const { light, noise } = limits;
  return {
    exposure: 1 + random.bell() * light * 0.5,
    contrast: 1 + random.bell() * light * 0.4,
    warmth: random.bell() * light * 0.28,
    tint: random.bell() * light * 0.12,
    saturation: 1 + random.bell() * light * 0.5,
    noise: random.between(0, noise),
    vignette: random.between(0, light),
  };
}

/** Blurs all of a picture, drawing it onto itself. */
function blur(context: SKRSContext2D, size: number, radius: number): void {
  const copy = createCanvas(size, size);
  copy.getContext('2d').drawImage(context.canvas, 0, 0);
  context.save();
  context.filter = `blur(${radius.toFixed(2)}px)`;
  context.drawImage(copy, 0, 0);
  context.restore();
}
