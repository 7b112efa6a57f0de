import type { BagLook, BagShape } from '../look/look';
import type { Camera, Point } from '../paint/camera';
import { camera, clutch, flap, saddle } from './closed-bags';
import { drawFitting } from './draw-fitting';
import { drawPanel, drawSheet, drawSolid } from './draw-panel';
import { drawSeam, drawStrap, drawZip } from './draw-strap';
import type { BagEasel } from './easel';
import { bucket, hobo, tote } from './open-bags';
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
  return CUTS[look.shape](look, pose);
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
