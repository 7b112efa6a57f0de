import type { BagLook, BagShape } from '../look/look';
import type { Camera, Point } from '../paint/camera';
import { bucket } from './bucket';
import { camera, clutch, flap, saddle } from './closed-bags';
import { frontOf } from './cuts';
import { drawFitting } from './draw-fitting';
import { drawPanel, drawSheet, drawSolid } from './draw-panel';
import { drawSeam, drawStrap, drawZip } from './draw-strap';
import type { BagEasel } from './easel';
import { hobo, tote } from './open-bags';
import { type BagPose, extent, type Part } from './parts';
import { backpack, bowling, satchel, topHandle } from './structured-bags';

const CUTS: Readonly<Record<BagShape, (look: BagLook, pose: BagPose) => Part[]>> = {
  tote,
  flap,
  hobo,
  bucket,
  satchel,
  clutch,
  'top-handle': topHandle,
  backpack,
  bowling,
  camera,
  saddle,
};

/** The parts of a bag as it stands or lies. */
export function bagParts(look: BagLook, pose: BagPose): Part[] {
  const parts = [...CUTS[look.shape](look, pose), ...stampOf(look)];
  const isOver = (part: Part) => part.part === 'strap' && part.over === true;
  return [...parts.filter((part) => !isOver(part)), ...parts.filter(isOver)];
}

/** Where each cut leaves room for the maison's name: share of the width, share of the height. */
const STAMP_PLACES: Readonly<Record<BagShape, readonly [number, number]>> = {
  tote: [0, 0.62],
  flap: [0, 0.1],
  hobo: [0, 0.2],
  bucket: [0, 0.2],
  satchel: [0, 0.12],
  clutch: [0.28, 0.1],
  'top-handle': [0, 0.2],
  backpack: [0, 0.14],
  bowling: [0, 0.26],
  camera: [0, 0.16],
  saddle: [-0.18, 0.62],
};

function stampOf(look: BagLook): Part[] {
  if (look.stamp === 'none') return [];
  const [across, up] = STAMP_PLACES[look.shape];
  const at = { x: across * look.width, y: up * look.height };
  return [{ part: 'stamp', at, z: frontOf(look) + 9, size: look.width * 0.042 }];
}

/** The points that a bag's parts take up in the picture, before it is fitted. */
export function bagExtent(parts: readonly Part[], camera: Camera): Point[] {
  return parts.flatMap((part) => extent(part).map((point) => camera.project(point)));
}

/** Draws a bag's parts, furthest first, on a transparent canvas. */
export function drawBag(easel: BagEasel, parts: readonly Part[]): void {
  for (const part of parts) drawPart(easel, part);
}

function drawPart(easel: BagEasel, part: Part): void {
  switch (part.part) {
    case 'solid':
      drawSolid(easel, part);
      break;
    case 'panel':
      drawPanel(easel, part);
      break;
    case 'sheet':
      drawSheet(easel, part);
      break;
    case 'strap':
      drawStrap(easel, part);
      break;
    case 'seam':
    case 'fold':
      drawSeam(easel, part);
      break;
    case 'zip':
      drawZip(easel, part);
      break;
    default:
      drawFitting(easel, part);
      break;
  }
}
