import { Path2D } from '@napi-rs/canvas';
import type { Emblem } from '../look/look';

/** Adds the outline of an emblem of a form to a path. */
type Outline = (path: Path2D, radius: number, emblem: Emblem) => void;

const OUTLINES: Readonly<Record<Emblem['form'], Outline>> = {
  rings: (path, radius) => {
    ring(path, -radius * 0.32, 0, radius * 0.66);
    ring(path, radius * 0.32, 0, radius * 0.66);
  },
  lozenge: (path, radius, { turn }) => {
    polygon(path, 4, radius, turn);
    polygon(path, 4, radius * 0.55, turn);
  },
  star: (path, radius, { points, turn }) => star(path, points, radius, turn),
  petals,
  crescent: (path, radius, { turn }) => {
    ring(path, 0, 0, radius);
    path.moveTo(radius * 0.62, 0);
    path.arc(0, 0, radius * 0.62, 0, Math.PI * (0.9 + turn));
    path.closePath();
  },
  cross,
  hexagon: (path, radius, { turn }) => {
    polygon(path, 6, radius, turn);
    star(path, 3, radius * 0.7, turn);
  },
  arch: (path, radius) => {
    arch(path, radius, 1);
    arch(path, radius, 0.55);
  },
  arrow,
  shield: (path, radius, { points, turn }) => {
    shield(path, radius);
    star(path, points, radius * 0.5, turn);
  },
};

/** The outline of a maison's emblem about the origin, within a circle of the given radius; fill it by `evenodd`. */
export function emblemPath(emblem: Emblem, radius: number): Path2D {
  const path = new Path2D();
  OUTLINES[emblem.form](path, radius, emblem);
  return path;
}

function ring(path: Path2D, x: number, y: number, radius: number): void {
  path.moveTo(x + radius, y);
  path.arc(x, y, radius, 0, Math.PI * 2);
  path.moveTo(x + radius * 0.7, y);
  path.arc(x, y, radius * 0.7, 0, Math.PI * 2);
}

function polygon(path: Path2D, sides: number, radius: number, turn: number): void {
  for (let side = 0; side < sides; side++) {
    const angle = (side / sides + turn * 0.25) * Math.PI * 2 - Math.PI / 2;
    const x = Math.cos(angle) * radius * (sides === 4 ? 0.8 : 1);
    if (side === 0) path.moveTo(x, Math.sin(angle) * radius);
    else path.lineTo(x, Math.sin(angle) * radius);
  }
  path.closePath();
}

function star(path: Path2D, points: number, radius: number, turn: number): void {
  const tips = Math.max(4, points);
  for (let corner = 0; corner < tips * 2; corner++) {
    const angle = (corner / (tips * 2) + turn * 0.1) * Math.PI * 2 - Math.PI / 2;
    const reach = corner % 2 === 0 ? radius : radius * 0.42;
    if (corner === 0) path.moveTo(Math.cos(angle) * reach, Math.sin(angle) * reach);
    else path.lineTo(Math.cos(angle) * reach, Math.sin(angle) * reach);
  }
  path.closePath();
}

function petals(path: Path2D, radius: number, { points, turn }: Emblem): void {
  const count = Math.max(3, Math.min(6, points));
  for (let petal = 0; petal < count; petal++) {
    const angle = (petal / count + turn * 0.5) * Math.PI * 2;
    const x = Math.cos(angle) * radius * 0.6;
    const y = Math.sin(angle) * radius * 0.6;
    path.moveTo(x + radius * 0.38, y);
    path.arc(x, y, radius * 0.38, 0, Math.PI * 2);
  }
}

function cross(path: Path2D, radius: number): void {
  const thin = radius * 0.24;
  path.rect(-thin, -radius, thin * 2, radius * 2);
  path.rect(-radius, -thin, radius - thin, thin * 2);
  path.rect(thin, -thin, radius - thin, thin * 2);
}

function arch(path: Path2D, radius: number, share: number): void {
  const half = radius * 0.75 * share;
  path.moveTo(-half, radius * 0.8);
  path.lineTo(-half, -radius * 0.1);
  path.arc(0, -radius * 0.1, half, Math.PI, 0);
  path.lineTo(half, radius * 0.8);
  path.closePath();
}

function arrow(path: Path2D, radius: number): void {
  path.moveTo(0, -radius);
  path.lineTo(radius * 0.8, radius * 0.9);
  path.lineTo(0, radius * 0.35);
  path.lineTo(-radius * 0.8, radius * 0.9);
  path.closePath();
}

function shield(path: Path2D, r: number): void {
  path.moveTo(-r * 0.8, -r * 0.9);
  path.lineTo(r * 0.8, -r * 0.9);
  path.bezierCurveTo(r * 0.85, r * 0.3, r * 0.4, r * 0.75, 0, r);
  path.bezierCurveTo(-r * 0.4, r * 0.75, -r * 0.85, r * 0.3, -r * 0.8, -r * 0.9);
  path.closePath();
}
