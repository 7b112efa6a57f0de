import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { bagExtent, bagParts, drawBag } from './bag/draw-bag';
import type { BagPose } from './bag/parts';
import type { BagLook, Look, WatchLook } from './look/look';
import { Camera, type Point } from './paint/camera';
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

/** A box in pixels. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** An item drawn on a transparent canvas, and where it stands on it (without what may leave the picture). */
export interface Cutout {
  readonly canvas: Canvas;
  readonly box: Box;
}

/** A strap laid out: seen to where it turns from the viewer. */
const OPEN_STRAP = 1.3;

/** At this fill a unit of a watch's drawing is a thousandth of the side. */
export const WATCH_FILL = 0.58;

/** The catalog picture comes closer: the strap leaves it. */
const WATCH_CLOSE = 0.7;

/** The view of the catalog picture. */
export function studioView(look: Look): View {
  const bag = look.kind === 'bag';
  return {
    yaw: bag ? look.studioYaw : 0,
    pitch: bag ? 0.16 : 0,
    pose: { lift: 1, lean: 0.3 },
    minutes: bag ? 0 : look.minutes,
    strapReach: OPEN_STRAP,
  };
}

/**
 * Draws an item alone on a transparent square canvas: the opacity is its mask. `fill` is the share of the side that a
 * bag takes at most; a watch is scaled with it, so that its strap may run out of the picture.
 */
export function drawCutout(look: Look, view: View, size: number, fill?: number): Cutout {
  return look.kind === 'watch'
    ? watchCutout(look, view, size, fill ?? WATCH_CLOSE)
    : bagCutout(look, view, size, fill ?? 0.8);
}

function watchCutout(look: WatchLook, view: View, size: number, fill: number): Cutout {
  const canvas = createCanvas(size, size);
  const context = canvas.getContext('2d');
  const camera = new Camera(view.yaw, view.pitch, { x: 0, y: 0, z: 0 });
  const scale = (size / 1000) * (fill / WATCH_FILL);
  context.translate(size / 2, size / 2);
  context.scale(scale, scale);
  drawWatch({ context, look, camera, minutes: view.minutes, strapReach: view.strapReach });
  const near = size / 2 - look.radius * 1.2 * scale;
  return { canvas, box: { left: near, top: near, right: size - near, bottom: size - near } };
}

function bagCutout(look: BagLook, view: View, size: number, fill: number): Cutout {
  const canvas = createCanvas(size, size);
  const context = canvas.getContext('2d');
  // A bucket is as round from every side: its front is drawn towards the viewer.
  const camera = new Camera(look.shape === 'bucket' ? 0 : view.yaw, view.pitch);
  const parts = bagParts(look, view.pose);
  const bounds = boundsOf(bagExtent(parts, camera));
  const scale = (size * fill) / Math.max(bounds.right - bounds.left, bounds.bottom - bounds.top);
  const x = size / 2 - (scale * (bounds.left + bounds.right)) / 2;
  const y = size / 2 - (scale * (bounds.top + bounds.bottom)) / 2;
  context.translate(x, y);
  context.scale(scale, scale);
  drawBag({ context, look, camera }, parts);
  return {
    canvas,
    box: {
      left: x + bounds.left * scale,
      top: y + bounds.top * scale,
      right: x + bounds.right * scale,
      bottom: y + bounds.bottom * scale,
    },
  };
}

function boundsOf(points: readonly Point[]): Box {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y } of points) {
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return { left, top, right, bottom };
}
