import type { SKRSContext2D as Context } from '@napi-rs/canvas';
import type { WatchLook } from '../look/look';
import { type Camera, facing } from '../paint/camera';

/** What the drawing of one watch is done with. */
export interface WatchEasel {
  readonly context: Context;
  readonly look: WatchLook;
  readonly camera: Camera;
  /** The time its hands show, in minutes after twelve. */
  readonly minutes: number;
  /** How far round its strap is seen, in radians of its bend. */
  readonly strapReach: number;
}

/** Draws on the plane that faces the viewer at a height above the middle of the case; x right, y down, origin at the hands' axis. */
export function onLayer(easel: WatchEasel, z: number, draw: (context: Context) => void): void {
  easel.context.save();
  easel.context.transform(...easel.camera.onto(facing({ x: 0, y: 0, z })));
  draw(easel.context);
  easel.context.restore();
}

/** Heights of a watch's layers above the middle of its case. */
export const LAYERS = {
  strap: -16,
  caseBack: -34,
  caseTop: 16,
  bezel: 24,
  dial: 12,
  indices: 14,
  hands: 20,
  glass: 26,
} as const;

/** Half of the dial opening's width and height. */
export function dialHalves(look: WatchLook): { readonly halfWidth: number; readonly halfHeight: number } {
  const share = 1 - look.bezelWidth;
  return { halfWidth: look.radius * share, halfHeight: look.radius * look.aspect * share };
}
