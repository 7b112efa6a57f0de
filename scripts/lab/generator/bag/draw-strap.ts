import type { SKRSContext2D } from '@napi-rs/canvas';
import { css, lit, type Rgb } from '../../../../workers/image/distortion/rgb';
import type { Point } from '../paint/camera';
import { openPath, stations } from '../paint/curves';
import { toneOf } from './draw-panel';
import type { BagEasel } from './easel';
import type { Part } from './parts';

type Strap = Extract<Part, { part: 'strap' }>;
type Line = Extract<Part, { part: 'seam' | 'fold' }>;
type Zip = Extract<Part, { part: 'zip' }>;

/** A handle or strap along its line, as it is made. */
export function drawStrap({ context, look, camera }: BagEasel, strap: Strap): void {
  const line = strap.line.map((point) => camera.project(point));
  const colour = toneOf(look, strap.tone);
  context.save();
  context.lineCap = 'round';
  context.lineJoin = 'round';
  switch (strap.make) {
    case 'leather':
      drawFlat(context, line, strap.width, colour, look.stitch);
      break;
    case 'rolled':
    case 'cord':
      drawTube(context, line, strap.width * (strap.make === 'cord' ? 1 : 0.8), colour);
      break;
    case 'bamboo':
      drawBamboo(context, line, strap.width);
      break;
    case 'chain':
      drawChain(context, line, strap.width * 0.62, look.metal);
      break;
    case 'woven-chain':
      drawTube(context, line, strap.width * 0.34, colour);
      drawChain(context, line, strap.width * 0.66, look.metal, 1.5);
      break;
  }
  context.restore();
}

/** A line of stitches, or a soft fold. */
export function drawSeam({ context, look, camera }: BagEasel, seam: Line): void {
  const path = openPath(seam.line.map((point) => camera.project({ ...point, z: seam.z })));
  context.save();
  context.lineCap = 'round';
  if (seam.part === 'fold') {
    for (const share of [1, 0.6, 0.25]) {
      context.lineWidth = seam.width * share;
      context.strokeStyle = 'rgba(0,0,0,0.075)';
      context.stroke(path);
    }
    context.translate(seam.width * 0.55, 0);
    context.lineWidth = seam.width * 0.4;
    context.strokeStyle = 'rgba(255,255,255,0.08)';
    context.stroke(path);
  } else {
    context.setLineDash([9, 6]);
    context.lineWidth = 2.5;
    context.strokeStyle = css(look.stitch, 0.9);
    context.stroke(path);
  }
  context.restore();
}

/** A zip: tape, teeth and a puller at its end. */
export function drawZip({ context, look, camera }: BagEasel, zip: Zip): void {
  const line = zip.line.map((point) => camera.project({ ...point, z: zip.z }));
  const path = openPath(line);
  context.save();
  context.lineWidth = 19;
  context.strokeStyle = css(lit(look.main, -0.55));
  context.stroke(path);
  context.lineWidth = 8;
  context.strokeStyle = css(lit(look.metal, -0.35));
  context.stroke(path);
  context.setLineDash([3.5, 3.5]);
  context.strokeStyle = css(lit(look.metal, 0.25));
  context.stroke(path);
  context.restore();
}

function drawFlat(
  context: SKRSContext2D,
  line: readonly Point[],
  width: number,
  colour: Rgb,
  stitch: Rgb,
): void {
  const path = openPath(line);
  stroke(context, path, width, css(lit(colour, -0.5)));
  stroke(context, path, width - 3, css(lit(colour, -0.08)));
  context.save();
  context.translate(-width * 0.06, -width * 0.06);
  stroke(context, path, width * 0.5, css(lit(colour, 0.1), 0.7));
  context.restore();
  context.setLineDash([8, 6]);
  stroke(context, path, 2.2, css(stitch, 0.75));
  context.setLineDash([]);
}

function drawTube(context: SKRSContext2D, line: readonly Point[], width: number, colour: Rgb): void {
  const path = openPath(line);
  stroke(context, path, width, css(lit(colour, -0.55)));
  stroke(context, path, width * 0.86, css(lit(colour, -0.2)));
  context.translate(-width * 0.08, -width * 0.1);
  stroke(context, path, width * 0.5, css(lit(colour, 0.06)));
  context.translate(-width * 0.06, -width * 0.08);
  stroke(context, path, width * 0.16, css(lit(colour, 0.5), 0.7));
  context.translate(width * 0.14, width * 0.18);
}

function drawBamboo(context: SKRSContext2D, line: readonly Point[], width: number): void {
  const cane: Rgb = [156, 104, 52];
  drawTube(context, line, width, cane);
  for (const node of stations(line, 62)) {
    context.save();
    context.translate(node.x, node.y);
    context.rotate(node.angle);
    context.fillStyle = css(lit(cane, -0.55), 0.85);
    context.fillRect(-3, -width / 2, 6, width);
    context.fillStyle = css(lit(cane, 0.4), 0.6);
    context.fillRect(3, -width / 2, 3, width);
    context.restore();
  }
}

function drawChain(
  context: SKRSContext2D,
  line: readonly Point[],
  width: number,
  metal: Rgb,
  open = 1,
): void {
  const length = width * 1.35 * open;
  stations(line, length * 0.72).forEach((link, index) => {
    context.save();
    context.translate(link.x, link.y);
    context.rotate(link.angle);
    context.beginPath();
    context.ellipse(0, 0, length * 0.56, index % 2 === 0 ? width * 0.5 : width * 0.2, 0, 0, Math.PI * 2);
    context.lineWidth = width * 0.36;
    context.strokeStyle = css(lit(metal, -0.55));
    context.stroke();
    context.lineWidth = width * 0.24;
    context.strokeStyle = css(lit(metal, -0.02));
    context.stroke();
    context.lineWidth = width * 0.09;
    context.strokeStyle = css(lit(metal, 0.65));
    context.translate(-1, -1);
    context.stroke();
    context.restore();
  });
}

function stroke(
  context: SKRSContext2D,
  path: ReturnType<typeof openPath>,
  width: number,
  style: string,
): void {
  context.lineWidth = width;
  context.strokeStyle = style;
  context.stroke(path);
}
