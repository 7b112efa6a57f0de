import { type Canvas, type SKRSContext2D as Context, createCanvas } from '@napi-rs/canvas';
import { fillBox } from '../brush/light';

/** How a shadow falls: moved by so many pixels, so soft, so dark (0 to 1). */
export interface SoftShadow {
  readonly right: number;
  readonly down: number;
  readonly softness: number;
  readonly depth: number;
}

/**
 * Paints the shadow of an item on what is behind it: its own shape, blurred by drawing it small and then large again,
 * which costs a fraction of a true blur.
 */
export function paintSoftShadow(context: Context, item: Canvas, shadow: SoftShadow): void {
  const side = Math.max(8, Math.round(item.width / Math.max(1, shadow.softness)));
  const small = shrunk(item, side);
  const pen = small.getContext('2d');
  pen.globalCompositeOperation = 'source-in';
  fillBox(pen, 'rgb(12,12,18)', 0, 0, side, side);
  context.save();
  context.globalAlpha = shadow.depth;
  context.imageSmoothingQuality = 'high';
  context.drawImage(small, shadow.right, shadow.down, item.width, item.height);
  context.restore();
}

/** Halves a picture until it is small enough: no pixel of it goes unseen. */
function shrunk(picture: Canvas, side: number): Canvas {
  const next = Math.max(side, Math.ceil(picture.width / 2));
  const smaller = createCanvas(next, next);
  smaller.getContext('2d').drawImage(picture, 0, 0, next, next);
  return next === side ? smaller : shrunk(smaller, side);
}
