import type { Region } from '../../../client/schema';

export const EDGES = ['left', 'right', 'top', 'bottom'] as const;
export type Edge = (typeof EDGES)[number];

/** The part of a picture to look at, by its edges: fractions of the picture, from its left and its top. */
export type Frame = Readonly<Record<Edge, number>>;

/** A point or a distance in the same fractions. */
export type Point = Readonly<Record<'x' | 'y', number>>;

export const WHOLE: Frame = { left: 0, top: 0, right: 1, bottom: 1 };

/** The form in which a frame is sent (contract 7.15). */
export const regionOf = ({ left, top, right, bottom }: Frame): Region => ({
  x: left,
  y: top,
  width: rounded(right - left),
  height: rounded(bottom - top),
});

/** Null for a frame around the whole picture, which counts as no frame. */
export const unlessWhole = (frame: Frame): Frame | null =>
  EDGES.every((edge) => frame[edge] === WHOLE[edge]) ? null : frame;

/** Minimum of each side: what the service accepts (contract 7.15), and what a finger can grab. */
const PIXELS_MIN = 16;
const PART_MIN = 0.02;

export const leastFrame = (width: number, height: number): Point => ({
  x: Math.min(1, Math.max(PART_MIN, PIXELS_MIN / width)),
  y: Math.min(1, Math.max(PART_MIN, PIXELS_MIN / height)),
});

/** The frame with one edge moved; it stops at the picture's edge, and before the opposite one. */
export function withEdge(frame: Frame, edge: Edge, at: number, least: Point): Frame {
  const limits = {
    left: [0, frame.right - least.x],
    top: [0, frame.bottom - least.y],
    right: [frame.left + least.x, 1],
    bottom: [frame.top + least.y, 1],
  } as const;
  const [from, to] = limits[edge];
  return { ...frame, [edge]: rounded(Math.min(to, Math.max(from, at))) };
}

/** The edges moved by a drag from a place: those within reach, all from the inside, none from the outside. */
export function gripAt(frame: Frame, { x, y }: Point, reach: Point): readonly Edge[] {
  const { left, top, right, bottom } = frame;
  const outside = x < left - reach.x || x > right + reach.x || y < top - reach.y || y > bottom + reach.y;
  if (outside) return [];
  const grip = (edges: readonly Edge[], at: number, within: number) =>
    edges
      .filter((edge) => Math.abs(frame[edge] - at) <= within)
      .sort((a, b) => Math.abs(frame[a] - at) - Math.abs(frame[b] - at))
      .slice(0, 1);
  const near = [...grip(['left', 'right'], x, reach.x), ...grip(['top', 'bottom'], y, reach.y)];
  return near.length > 0 ? near : EDGES;
}

/** A frame after a drag; without a grip a new one is drawn from corner to corner. */
export function dragged(frame: Frame, grip: readonly Edge[], from: Point, to: Point): Frame {
  if (grip.length === 0) return upright({ left: from.x, top: from.y, right: to.x, bottom: to.y });
  if (grip.length < EDGES.length) {
    const moved = { ...frame };
    for (const edge of grip) moved[edge] = edge === 'left' || edge === 'right' ? to.x : to.y;
    return upright(moved);
  }
  const x = Math.min(1 - frame.right, Math.max(-frame.left, to.x - from.x));
  const y = Math.min(1 - frame.bottom, Math.max(-frame.top, to.y - from.y));
  return upright({
    left: frame.left + x,
    top: frame.top + y,
    right: frame.right + x,
    bottom: frame.bottom + y,
  });
}

export const isAtLeast = ({ left, top, right, bottom }: Frame, least: Point): boolean =>
  right - left >= least.x && bottom - top >= least.y;

/** Edges in their order, whichever way they were dragged. */
const upright = ({ left, top, right, bottom }: Frame): Frame => ({
  left: rounded(Math.min(left, right)),
  top: rounded(Math.min(top, bottom)),
  right: rounded(Math.max(left, right)),
  bottom: rounded(Math.max(top, bottom)),
});

/** A thousandth of a picture is finer than any hand. */
const rounded = (fraction: number): number => Math.round(fraction * 1000) / 1000;
