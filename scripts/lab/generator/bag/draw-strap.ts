import type { SKRSContext2D } from '@napi-rs/canvas';
import { css, lit, type Rgb } from '../../../../workers/image/distortion/rgb';
import type { BagLook } from '../look/look';
import type { Point } from '../paint/camera';
import { openPath, stations } from '../paint/curves';
import type { BagEasel } from './easel';
import type { Part, StrapMake } from './parts';

/** A line on a bag's front. */
interface FrontLine {
  readonly line: readonly Point[];
  readonly z: number;
}

const MAKES: Readonly<
  Record<StrapMake, (context: SKRSContext2D, line: readonly Point[], width: number, look: BagLook) => void>
> = {
  leather: drawFlat,
  rolled: (context, line, width, { trim }) => drawTube(context, line, width * 0.8, trim),
  cord: (context, line, width, { trim }) => drawTube(context, line, width, trim),
  bamboo: drawBamboo,
  chain: (context, line, width, { metal }) => drawChain(context, line, width * 0.62, metal),
  'woven-chain': (context, line, width, { trim, metal }) => {
    drawTube(context, line, width * 0.34, trim);
    drawChain(context, line, width * 0.66, metal, 1.5);
  },
};

/** A handle or strap along its line, as it is made. */
export function drawStrap(
  { context, look, camera }: BagEasel,
  { line, width, make }: Extract<Part, { part: 'strap' }>,
): void {
  context.save();
  context.lineCap = 'round';
  context.lineJoin = 'round';
  MAKES[make](
    context,
    line.map((point) => camera.project(point)),
    width,
    look,
  );
  context.restore();
}

const pathOn = ({ camera }: BagEasel, { line, z }: FrontLine) =>
  openPath(line.map((point) => camera.project({ ...point, z })));

/** A line of stitches. */
export function drawSeam(easel: BagEasel, seam: FrontLine): void {
  const { context, look } = easel;
  context.save();
  context.lineCap = 'round';
  context.setLineDash([9, 6]);
  stroke(context, pathOn(easel, seam), 2.5, css(look.stitch, 0.9));
  context.restore();
}

/** A soft fold. */
export function drawFold(easel: BagEasel, fold: FrontLine & { readonly width: number }): void {
  const { context } = easel;
  const path = pathOn(easel, fold);
  context.save();
  context.lineCap = 'round';
  for (const share of [1, 0.6, 0.25]) stroke(context, path, fold.width * share, 'rgba(0,0,0,0.075)');
  context.translate(fold.width * 0.55, 0);
  stroke(context, path, fold.width * 0.4, 'rgba(255,255,255,0.08)');
  context.restore();
}

/** A zip: tape, and teeth. */
export function drawZip(easel: BagEasel, zip: FrontLine): void {
  const { context, look } = easel;
  const path = pathOn(easel, zip);
  context.save();
  stroke(context, path, 19, css(lit(look.main, -0.55)));
  stroke(context, path, 8, css(lit(look.metal, -0.35)));
  context.setLineDash([3.5, 3.5]);
  stroke(context, path, 8, css(lit(look.metal, 0.25)));
  context.restore();
}

function drawFlat(
  context: SKRSContext2D,
  line: readonly Point[],
  width: number,
  { trim, stitch }: BagLook,
): void {
  const path = openPath(line);
  stroke(context, path, width, css(lit(trim, -0.5)));
  stroke(context, path, width - 3, css(lit(trim, -0.08)));
  context.save();
  context.translate(-width * 0.06, -width * 0.06);
  stroke(context, path, width * 0.5, css(lit(trim, 0.1), 0.7));
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
