import type { CaseShape } from '../look/look';
import type { Point } from '../paint/camera';

/** The exponent of the superellipse that a case's outline is: 2 is an ellipse, larger is squarer. */
const SQUARENESS: Readonly<Record<CaseShape, number>> = {
  round: 2,
  tonneau: 3,
  square: 7,
  tank: 11,
  cushion: 3.6,
  octagon: 2,
};

/** How many points an outline has: enough for the corners of a tank. */
export const STEPS = 216;

/** The shape of the opening over the dial: cushion and octagon cases frame a round one. */
export function dialShape(shape: CaseShape): CaseShape {
  return shape === 'cushion' || shape === 'octagon' ? 'round' : shape;
}

/** The point of an outline in a direction (0 = twelve o'clock, clockwise, radians); y runs down. */
export function rim(shape: CaseShape, halfWidth: number, halfHeight: number, angle: number): Point {
  const across = Math.sin(angle);
  const up = Math.cos(angle);
  const reach =
    shape === 'octagon' ? octagon(angle) : superellipse(across, up, SQUARENESS[shape], halfWidth, halfHeight);
  const [x, y] =
    shape === 'octagon'
      ? [across * halfWidth * reach, -up * halfHeight * reach]
      : [across * reach, -up * reach];
  return { x, y };
}

/** The whole outline, clockwise from twelve o'clock. */
export function outline(shape: CaseShape, halfWidth: number, halfHeight: number, steps = STEPS): Point[] {
  return Array.from({ length: steps }, (_, step) =>
    rim(shape, halfWidth, halfHeight, (step / steps) * Math.PI * 2),
  );
}

function superellipse(
  across: number,
  up: number,
  exponent: number,
  halfWidth: number,
  halfHeight: number,
): number {
  const sum = Math.abs(across / halfWidth) ** exponent + Math.abs(up / halfHeight) ** exponent;
  return sum ** (-1 / exponent);
}

function octagon(angle: number): number {
  const eighth = Math.PI / 4;
  const within = (((angle + Math.PI / 8) % eighth) + eighth) % eighth;
  return (Math.cos(Math.PI / 8) / Math.cos(within - Math.PI / 8)) * 1.04;
}
