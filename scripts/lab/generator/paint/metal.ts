import type { SKRSContext2D as Context } from '@napi-rs/canvas';
import { stops } from '../brush/light';
import { css, lit, type Rgb } from '../brush/rgb';

/** The reflections of polished metal between two points: a sky, a dark horizon, a floor. */
export function polished(
  context: Context,
  metal: Rgb,
  from: { readonly x: number; readonly y: number },
  to: { readonly x: number; readonly y: number },
) {
  const gradient = context.createLinearGradient(from.x, from.y, to.x, to.y);
  stops(
    gradient,
    [0, css(lit(metal, 0.62))],
    [0.3, css(lit(metal, 0.12))],
    [0.48, css(lit(metal, -0.42))],
    [0.56, css(lit(metal, -0.12))],
    [0.78, css(lit(metal, 0.5))],
    [1, css(lit(metal, -0.28))],
  );
  return gradient;
}

/** Reflections that run round a centre, as on a turned ring. */
export function turned(context: Context, metal: Rgb, x: number, y: number, waves = 4, angle = 0.6) {
  const gradient = context.createConicGradient(angle, x, y);
  for (let step = 0; step <= waves * 4; step++) {
    const light = [0.5, 0.02, -0.34, 0.04][step % 4] ?? 0;
    gradient.addColorStop(step / (waves * 4), css(lit(metal, light)));
  }
  return gradient;
}
