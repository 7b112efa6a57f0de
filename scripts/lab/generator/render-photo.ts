import { type SKRSContext2D as Context, createCanvas } from '@napi-rs/canvas';
import type { PhotoLevel } from '../../../models/ports';
import { Random } from '../../../models/random';
import { paintBackground } from './brush/background';
import { type Development, develop } from './brush/develop';
import { blur, paintLight, smear } from './brush/lens';
import { LIMITS, type Limits } from './brush/levels';
import { paintOcclusion } from './brush/occlude';
import { canvasOf } from './brush/pixels';
import type { Look } from './look/look';
import { paintSoftShadow } from './paint/soft-shadow';
import { photoView, placedItem, placeItem } from './photo/placement';
import { paintWrist, WORN_STRAP } from './photo/wrist';

/** How a photo-like view of an item is made. */
export interface PhotoOptions {
  /** Everything that chance decides about the photo (not about the item) comes from here. */
  readonly seed: number;
  readonly level?: PhotoLevel;
  /** Side of the square picture in pixels. */
  readonly size?: number;
}

/**
 * A photo-like view of a product that is no catalog picture of it: another angle and time, another place and light,
 * something in front of it, and a camera's faults. A square JPEG; the same bytes for the same look and options.
 */
export function renderPhoto(look: Look, options: PhotoOptions): Promise<Buffer> {
  const { seed, level = 2, size = 640 } = options;
  const limits = LIMITS[level];
  const random = new Random(look.seed, 'photo', seed, level);
  const canvas = createCanvas(size, size);
  const context = canvas.getContext('2d');
  paintScene(context, look, size, limits, random);
  if (random.chance(limits.occlusion)) {
    paintOcclusion(context, size, random, random.between(0.15, 0.3 + limits.occlusion * 0.35));
  }
  paintLight(context, size, limits.light, random);
  if (random.chance(limits.blur)) paintBlur(context, size, limits.blur, random);
  const picture = context.getImageData(0, 0, size, size);
  develop(picture, development(limits, random), random);
  context.putImageData(picture, 0, 0);
  return canvas.encode('jpeg', random.integer(...limits.quality));
}

/** The place, the item's shadow on it, and the item; a watch is as often worn as not. */
function paintScene(context: Context, look: Look, size: number, limits: Limits, random: Random): void {
  const placement = placeItem(look, size, limits, random);
  const worn = look.kind === 'watch' && random.chance(0.4);
  const view = photoView(look, limits, random);
  const item = canvasOf(
    placedItem(look, worn ? { ...view, strapReach: WORN_STRAP } : view, placement, size, limits, random),
  );
  paintBackground(context, size, random);
  if (random.chance(0.5)) blur(context, size, random.between(0.002, 0.02) * size);
  if (worn) paintWrist(context, look, placement, random);
  paintSoftShadow(context, item, {
    right: random.bell() * size * (worn ? 0.008 : 0.035),
    down: random.between(0.005, worn ? 0.015 : 0.05) * size,
    softness: size * random.between(0.008, 0.04),
    depth: random.between(0.25, 0.65),
  });
  context.drawImage(item, 0, 0);
}

function paintBlur(context: Context, size: number, strength: number, random: Random): void {
  if (random.chance(0.3))
    smear(context, size, size * random.between(0.006, 0.02 * strength + 0.006), random.between(0, 6.3));
  else blur(context, size, size * random.between(0.0015, 0.006 * strength + 0.0015));
}

function development({ light, noise }: Limits, random: Random): Development {
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
