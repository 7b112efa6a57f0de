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

/** Points along a cubic Bézier curve, both ends included. */
export function bezier(from: Point, leave: Point, arrive: Point, to: Point, steps = 24): Point[] {
  return Array.from({ length: steps + 1 }, (_, step) => {
    const t = step / steps;
    const s = 1 - t;
    const part = (axis: 'x' | 'y') =>
      s * s * s * from[axis] +
      3 * s * s * t * leave[axis] +
      3 * s * t * t * arrive[axis] +
      t * t * t * to[axis];
    return { x: part('x'), y: part('y') };
  });
}

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
export function rounded(corners: readonly (Point & { readonly radius: number })[], steps = 7): Point[] {
  return corners.flatMap((corner, index) => {
    const before = at(corners, index - 1);
    const after = at(corners, index + 1);
    const reach = Math.min(corner.radius, distance(corner, before) / 2, distance(corner, after) / 2);
    if (reach < 0.5) return [{ x: corner.x, y: corner.y }];
    const enter = towards(corner, before, reach);
    const leave = towards(corner, after, reach);
    return bezier(
      enter,
      towards(enter, corner, reach * 0.6),
      towards(leave, corner, reach * 0.6),
      leave,
      steps,
    );
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
