import { Path2D } from '@napi-rs/canvas';
import { at } from '../../../../models/random';
import type { Point } from './camera';

/** A closed outline as a path. */
export function closedPath(points: readonly Point[]): Path2D {
  const path = openPath(points);
  path.closePath();
  return path;
}

/** A line through points as a path. */
export function openPath(points: readonly Point[]): Path2D {
  const path = new Path2D();
  points.forEach((point, index) => {
    if (index === 0) path.moveTo(point.x, point.y);
    else path.lineTo(point.x, point.y);
  });
  return path;
}

/** A point as drawings write it. */
type Pair = readonly [x: number, y: number];

/**
 * Points along cubic Bézier curves, each of which begins where the one before ends, both ends included.
 *
 * @param places where the first begins; then of each its two control points and its end
 */
export function curveOf(steps: number, ...places: readonly Pair[]): Point[] {
  const points: Point[] = [];
  for (let begin = 0; begin + 3 < places.length; begin += 3) {
    const from = at(places, begin);
    const leave = at(places, begin + 1);
    const arrive = at(places, begin + 2);
    const to = at(places, begin + 3);
    for (let step = begin === 0 ? 0 : 1; step <= steps; step++) {
      const t = step / steps;
      const s = 1 - t;
      const part = (axis: 0 | 1) =>
        s * s * s * from[axis] +
        3 * s * s * t * leave[axis] +
        3 * s * t * t * arrive[axis] +
        t * t * t * to[axis];
      points.push({ x: part(0), y: part(1) });
    }
  }
  return points;
}

/** As `curveOf`, as smooth as most are drawn. */
export const curve = (...places: readonly Pair[]): Point[] => curveOf(24, ...places);

/** An arch over the middle, from `-half` to `half`, that leaves its feet towards `shoulder` and `top`. */
export const arch = (half: number, y: number, shoulder: number, top: number): Point[] =>
  curve([-half, y], [-shoulder, top], [shoulder, top], [half, y]);

/** Points along an arc of an ellipse, angles in radians. */
export function arc(
  centre: Point,
  radiusX: number,
  radiusY: number,
  from: number,
  to: number,
  steps = 24,
): Point[] {
  return Array.from({ length: steps + 1 }, (_, step) => {
    const angle = from + ((to - from) * step) / steps;
    return { x: centre.x + radiusX * Math.cos(angle), y: centre.y + radiusY * Math.sin(angle) };
  });
}

/** A polygon with each corner rounded by its radius (less where its sides are too short for it). */
export function rounded(
  corners: readonly (readonly [x: number, y: number, radius: number])[],
  steps = 7,
): Point[] {
  const points = corners.map(([x, y]) => ({ x, y }));
  return points.flatMap((corner, index) => {
    const [, , radius] = at(corners, index);
    const before = at(points, index - 1);
    const after = at(points, index + 1);
    const reach = Math.min(radius, distance(corner, before) / 2, distance(corner, after) / 2);
    if (reach < 0.5) return [corner];
    const enter = towards(corner, before, reach);
    const leave = towards(corner, after, reach);
    const bend = [enter, towards(enter, corner, reach * 0.6), towards(leave, corner, reach * 0.6), leave];
    return curveOf(steps, ...bend.map(({ x, y }) => [x, y] as const));
  });
}

/** The point at a distance from one point in the direction of another. */
function towards(from: Point, to: Point, by: number): Point {
  const length = distance(from, to) || 1;
  return { x: from.x + ((to.x - from.x) * by) / length, y: from.y + ((to.y - from.y) * by) / length };
}

/** How far two points are apart. */
function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

/** A place on a line: where, and in which direction the line runs there (radians). */
export interface Station extends Point {
  readonly angle: number;
}

/** Places at even spacing along a line: for links, stitches and teeth. */
export function stations(line: readonly Point[], spacing: number): Station[] {
  const found: Station[] = [];
  let travelled = 0;
  let next = spacing / 2;
  for (let index = 1; index < line.length; index++) {
    const from = at(line, index - 1);
    const to = at(line, index);
    const length = distance(from, to);
    while (length > 0 && next <= travelled + length) {
      const place = towards(from, to, next - travelled);
      found.push({ ...place, angle: Math.atan2(to.y - from.y, to.x - from.x) });
      next += spacing;
    }
    travelled += length;
  }
  return found;
}

/** An outline moved inwards by a distance, for seams that follow an edge; corners keep their distance from both sides. */
export function inset(outline: readonly Point[], by: number): Point[] {
  const inwards = Math.sign(area(outline)) || 1;
  return outline.map((point, index) => {
    const before = inwardNormal(distinct(outline, index, -1), point, inwards);
    const after = inwardNormal(point, distinct(outline, index, 1), inwards);
    const share = by / Math.max(0.6, 1 + before.x * after.x + before.y * after.y);
    return { x: point.x + (before.x + after.x) * share, y: point.y + (before.y + after.y) * share };
  });
}

function inwardNormal(from: Point, to: Point, inwards: number): Point {
  const length = distance(from, to) || 1;
  return { x: (-inwards * (to.y - from.y)) / length, y: (inwards * (to.x - from.x)) / length };
}

function distinct(outline: readonly Point[], index: number, step: 1 | -1): Point {
  const point = at(outline, index);
  for (let offset = step; Math.abs(offset) < outline.length; offset += step) {
    const other = at(outline, index + offset);
    if (distance(point, other) > 0.5) return other;
  }
  return point;
}

function area(outline: readonly Point[]): number {
  return outline.reduce((sum, point, index) => {
    const next = at(outline, index + 1);
    return sum + point.x * next.y - next.x * point.y;
  }, 0);
}
