import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { bagExtent, bagParts, drawBag } from './bag/draw-bag';
import type { BagPose } from './bag/parts';
import type { Look, Studio } from './look/look';
import { Camera, type Point } from './paint/camera';
import { css, mixed, type Rgb } from './paint/rgb';
import { paintSoftShadow } from './paint/soft-shadow';
import { drawWatch } from './watch/draw-watch';

/** From where, and in which state, an item is seen. */
export interface View {
  /** Radians about the upright axis, and from above. */
  readonly yaw: number;
  readonly pitch: number;
  readonly pose: BagPose;
  /** The time on a watch, in minutes after twelve. */
  readonly minutes: number;
  /** How far round a watch's strap is seen, in radians of its bend: less when it is on a wrist. */
  readonly strapReach: number;
}

/** An item drawn on a transparent canvas, and where it stands on it. */
export interface Cutout {
  readonly canvas: Canvas;
  /** The box of the item without what may leave the picture, in pixels. */
  readonly box: {
    readonly left: number;
    readonly top: number;
    readonly right: number;
    readonly bottom: number;
  };
}

/** How the picture of a product is made. */
export interface RenderOptions {
  /** Side of the square picture in pixels. */
  readonly size?: number;
  /** JPEG quality, 1 to 100. */
  readonly quality?: number;
}

/** A watch's strap leaves the catalog picture: at this fill one unit is a thousandth of the side. */
const WATCH_FILL = 0.58;

/** A strap laid out: seen to where it turns from the viewer. */
const OPEN_STRAP = 1.3;

const DEFAULTS = { size: 640, quality: 88 } as const;

/** The view of the catalog picture. */
export function studioView(look: Look): View {
  return {
    yaw: look.kind === 'bag' ? look.studioYaw : 0,
    pitch: look.kind === 'bag' ? 0.16 : 0,
    pose: { lift: 1, lean: 0.3 },
    minutes: look.kind === 'watch' ? look.minutes : 0,
    strapReach: OPEN_STRAP,
  };
}

/** The catalog picture of a product on a light studio ground: a square JPEG, the same bytes for the same look. */
export function renderProduct(look: Look, options: RenderOptions = {}): Promise<Buffer> {
  const { size, quality } = { ...DEFAULTS, ...options };
  const canvas = createCanvas(size, size);
  const context = canvas.getContext('2d');
  paintStudio(context, look.studio, size);
  const view = studioView(look);
  const { box, canvas: item } = drawCutout(look, view, size);
  if (look.kind === 'bag') paintGroundShadow(context, box);
  else
    paintSoftShadow(context, item, {
      right: size * 0.018,
      down: 0,
      softness: size * 0.02,
      depth: 0.42,
    });
  context.drawImage(item, 0, 0);
  return canvas.encode('jpeg', quality);
}

/** Draws an item alone, fitted into a square canvas; `fill` is the share of the side that its box takes at most. */
export function drawCutout(look: Look, view: View, size: number, fill = 0.8): Cutout {
  const canvas = createCanvas(size, size);
  const context = canvas.getContext('2d');
  if (look.kind === 'watch') {
    const camera = new Camera(view.yaw, view.pitch, { x: 0, y: 0, z: 0 });
    const scale = (size / 1000) * (fill / WATCH_FILL);
    context.translate(size / 2, size / 2);
    context.scale(scale, scale);
    drawWatch({ context, look, camera, minutes: view.minutes, strapReach: view.strapReach });
    const reach = look.radius * 1.2 * scale;
    return {
      canvas,
      box: {
        left: size / 2 - reach,
        top: size / 2 - reach,
        right: size / 2 + reach,
        bottom: size / 2 + reach,
      },
    };
  }
  // A bucket is as round from every side: its front is drawn towards the viewer.
  const camera = new Camera(look.shape === 'bucket' ? 0 : view.yaw, view.pitch);
  const parts = bagParts(look, view.pose);
  const bounds = boundsOf(bagExtent(parts, camera));
  const scale = Math.min(
    (size * fill) / (bounds.right - bounds.left),
    (size * fill) / (bounds.bottom - bounds.top),
  );
  const left = size / 2 - (scale * (bounds.left + bounds.right)) / 2;
  const top = size / 2 - (scale * (bounds.top + bounds.bottom)) / 2;
  context.translate(left, top);
  context.scale(scale, scale);
  drawBag({ context, look, camera }, parts);
  return {
    canvas,
    box: {
      left: left + bounds.left * scale,
      top: top + bounds.top * scale,
      right: left + bounds.right * scale,
      bottom: top + bounds.bottom * scale,
    },
  };
}

function boundsOf(points: readonly Point[]): Cutout['box'] {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y } of points) {
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return { left, top, right, bottom };
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

function paintStudio(context: SKRSContext2D, studio: Studio, size: number): void {
  const [top, line, front] = STUDIO_TONES[studio];
  const wall = context.createLinearGradient(0, 0, 0, size);
  wall.addColorStop(0, css(top));
  wall.addColorStop(0.72, css(mixed(top, line, 0.5)));
  wall.addColorStop(0.8, css(line));
  wall.addColorStop(1, css(front));
  context.fillStyle = wall;
  context.fillRect(0, 0, size, size);
}

function paintGroundShadow(context: SKRSContext2D, { left, right, bottom }: Cutout['box']): void {
  const half = (right - left) * 0.52;
  context.save();
  context.translate((left + right) / 2, bottom - half * 0.05);
  context.scale(1, 0.13);
  const shadow = context.createRadialGradient(0, 0, half * 0.2, 0, 0, half);
  shadow.addColorStop(0, 'rgba(20,18,24,0.5)');
  shadow.addColorStop(0.7, 'rgba(20,18,24,0.26)');
  shadow.addColorStop(1, 'rgba(20,18,24,0)');
  context.fillStyle = shadow;
  context.fillRect(-half, -half, half * 2, half * 2);
  context.restore();
}
