import { type SKRSContext2D as Context, createCanvas } from '@napi-rs/canvas';
import { fillBox, stops } from './brush/light';
import { css, mixed, type Rgb } from './brush/rgb';
import { type Box, drawCutout, studioView } from './cutout';
import type { Look, Studio } from './look/look';
import { paintSoftShadow } from './paint/soft-shadow';

/** How the picture of a product is made. */
export interface RenderOptions {
  /** Side of the square picture in pixels. */
  readonly size?: number;
  /** JPEG quality, 1 to 100. */
  readonly quality?: number;
}

/** The catalog picture of a product on a light studio ground: a square JPEG, the same bytes for the same look. */
export function renderProduct(look: Look, { size = 640, quality = 88 }: RenderOptions = {}): Promise<Buffer> {
  const canvas = createCanvas(size, size);
  const context = canvas.getContext('2d');
  paintStudio(context, look.studio, size);
  const { box, canvas: item } = drawCutout(look, studioView(look), size);
  if (look.kind === 'bag') paintGroundShadow(context, box);
  else paintSoftShadow(context, item, { right: size * 0.018, down: 0, softness: size * 0.02, depth: 0.42 });
  context.drawImage(item, 0, 0);
  return canvas.encode('jpeg', quality);
}

/** Brightness of the wall's top, of the line where it meets the floor, and of the floor's front. */
const STUDIO_TONES: Readonly<Record<Studio, readonly [Rgb, Rgb, Rgb]>> = {
  white: [
    [255, 255, 255],
    [252, 252, 252],
    [255, 255, 255],
  ],
  grey: [
    [240, 240, 241],
    [226, 226, 228],
    [238, 238, 239],
  ],
  warm: [
    [248, 243, 235],
    [234, 226, 214],
    [244, 238, 228],
  ],
  cool: [
    [234, 240, 246],
    [216, 225, 234],
    [232, 238, 244],
  ],
};

function paintStudio(context: Context, studio: Studio, size: number): void {
  const [top, line, front] = STUDIO_TONES[studio];
  const wall = context.createLinearGradient(0, 0, 0, size);
  stops(wall, [0, css(top)], [0.72, css(mixed(top, line, 0.5))], [0.8, css(line)], [1, css(front)]);
  fillBox(context, wall, 0, 0, size, size);
}

function paintGroundShadow(context: Context, { left, right, bottom }: Box): void {
  const half = (right - left) * 0.52;
  context.save();
  context.translate((left + right) / 2, bottom - half * 0.05);
  context.scale(1, 0.13);
  const shadow = context.createRadialGradient(0, 0, half * 0.2, 0, 0, half);
  stops(shadow, [0, 'rgba(20,18,24,0.5)'], [0.7, 'rgba(20,18,24,0.26)'], [1, 'rgba(20,18,24,0)']);
  fillBox(context, shadow, -half, -half, half * 2, half * 2);
  context.restore();
}
