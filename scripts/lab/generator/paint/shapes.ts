import type { SKRSContext2D as Context, Path2D } from '@napi-rs/canvas';
import type { Point } from './camera';

/** Begins the path of a circle. */
export function circle(context: Context, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, Math.PI * 2);
}

/** A circle filled in the current style. */
export function disc(context: Context, x: number, y: number, radius: number): void {
  circle(context, x, y, radius);
  context.fill();
}

/** A circle drawn in the current line. */
export function ring(context: Context, x: number, y: number, radius: number): void {
  circle(context, x, y, radius);
  context.stroke();
}

/** Draws a path, or the current one, as a line. */
export function stroke(context: Context, style: Context['strokeStyle'], width: number, path?: Path2D): void {
  context.lineWidth = width;
  context.strokeStyle = style;
  if (path) context.stroke(path);
  else context.stroke();
}

/** A straight line. */
export function segment(context: Context, from: Point, to: Point, width: number): void {
  context.lineWidth = width;
  context.beginPath();
  context.moveTo(from.x, from.y);
  context.lineTo(to.x, to.y);
  context.stroke();
}

/** Adds a polygon to the current path: x and y of each corner. */
export function polygon(context: Context, ...corners: readonly (readonly [number, number])[]): void {
  for (const [x, y] of corners) context.lineTo(x, y);
  context.closePath();
}

/** Begins the path of a box about a place, its corners rounded. */
export function roundBox(context: Context, at: Point, width: number, height: number, radius: number): void {
  context.beginPath();
  context.roundRect(at.x - width / 2, at.y - height / 2, width, height, radius);
}
