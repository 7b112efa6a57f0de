import type { SKRSContext2D } from '@napi-rs/canvas';

type Style = SKRSContext2D['fillStyle'];
type Gradient = ReturnType<SKRSContext2D['createLinearGradient']>;

export const white = (opacity: number): string => `rgba(255,255,255,${opacity})`;
export const black = (opacity: number): string => `rgba(0,0,0,${opacity})`;

/** Gives a gradient its colours: each with the share of the way at which it stands. */
export function stops(
  gradient: Gradient,
  ...colours: readonly (readonly [share: number, colour: string])[]
): void {
  for (const [share, colour] of colours) gradient.addColorStop(share, colour);
}

/** A filled rectangle. */
export function fillBox(
  context: SKRSContext2D,
  style: Style,
  x: number,
  y: number,
  width: number,
  height: number,
): void {
  context.fillStyle = style;
  context.fillRect(x, y, width, height);
}
