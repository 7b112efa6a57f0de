import type { BagLook, BagShape } from '../look/look';
import type { Camera, Point } from '../paint/camera';
import { bucket } from './bucket';
import { camera, clutch, flap, saddle } from './closed-bags';
import { fitting, frontOf, where } from './cuts';
import { drawFitting } from './draw-fitting';
import { drawPanel, drawSheet, drawSolid } from './draw-panel';
import { drawFold, drawSeam, drawStrap, drawZip } from './draw-strap';
import type { BagEasel } from './easel';
import { hobo, tote } from './open-bags';
import { type BagPose, extent, type Part } from './parts';
import { backpack, bowling, satchel, topHandle } from './structured-bags';

/** The parts of each cut, and where it leaves room for the maison's name: share of the width, share of the height. */
const CUTS: Readonly<
  Record<BagShape, readonly [cut: (look: BagLook, pose: BagPose) => Part[], across: number, up: number]>
> = {
  tote: [tote, 0, 0.62],
  flap: [flap, 0, 0.1],
  hobo: [hobo, 0, 0.2],
  bucket: [bucket, 0, 0.2],
  satchel: [satchel, 0, 0.12],
  clutch: [clutch, 0.28, 0.1],
  'top-handle': [topHandle, 0, 0.2],
  backpack: [backpack, 0, 0.14],
  bowling: [bowling, 0, 0.26],
  camera: [camera, 0, 0.16],
  saddle: [saddle, -0.18, 0.62],
};

/** The parts of a bag as it stands or lies. */
export function bagParts(look: BagLook, pose: BagPose): Part[] {
  const [cut, across, up] = CUTS[look.shape];
  const stamp = fitting(
    'stamp',
    across * look.width,
    up * look.height,
    frontOf(look) + 9,
    look.width * 0.042,
  );
  const parts = [...cut(look, pose), ...where(look.stamp !== 'none', stamp)];
  const isOver = (part: Part) => part.part === 'strap' && part.over === true;
  return [...parts.filter((part) => !isOver(part)), ...parts.filter(isOver)];
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
  if (part.part === 'solid') drawSolid(easel, part);
  else if (part.part === 'panel') drawPanel(easel, part);
  else if (part.part === 'sheet') drawSheet(easel, part);
  else if (part.part === 'strap') drawStrap(easel, part);
  else if (part.part === 'seam') drawSeam(easel, part);
  else if (part.part === 'fold') drawFold(easel, part);
  else if (part.part === 'zip') drawZip(easel, part);
  else drawFitting(easel, part);
}
