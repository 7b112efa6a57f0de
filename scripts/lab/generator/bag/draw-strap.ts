import type { SKRSContext2D as Context } from '@napi-rs/canvas';
import { black, fillBox, white } from '../brush/light';
import { css, lit, type Rgb } from '../brush/rgb';
import type { BagLook } from '../look/look';
import type { Point } from '../paint/camera';
import { openPath, stations } from '../paint/curves';
import { stroke } from '../paint/shapes';
import type { BagEasel } from './easel';
import type { Part, StrapMake } from './parts';

/** A line on a bag's front. */
interface FrontLine {
  readonly line: readonly Point[];
  readonly z: number;
}

const MAKES: Readonly<
  Record<StrapMake, (context: Context, line: readonly Point[], width: number, look: BagLook) => void>
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
  stroke(context, css(look.stitch, 0.9), 2.5, pathOn(easel, seam));
  context.restore();
}

/** A soft fold. */
export function drawFold(easel: BagEasel, fold: FrontLine & { readonly width: number }): void {
  const { context } = easel;
  const path = pathOn(easel, fold);
  context.save();
  context.lineCap = 'round';
  for (const share of [1, 0.6, 0.25]) stroke(context, black(0.075), fold.width * share, path);
  context.translate(fold.width * 0.55, 0);
  stroke(context, white(0.08), fold.width * 0.4, path);
  context.restore();
}

/** A zip: tape, and teeth. */
export function drawZip(easel: BagEasel, zip: FrontLine): void {
  const { context, look } = easel;
  const path = pathOn(easel, zip);
  context.save();
  stroke(context, css(lit(look.main, -0.55)), 19, path);
  stroke(context, css(lit(look.metal, -0.35)), 8, path);
  context.setLineDash([3.5, 3.5]);
  stroke(context, css(lit(look.metal, 0.25)), 8, path);
  context.restore();
}

function drawFlat(context: Context, line: readonly Point[], width: number, { trim, stitch }: BagLook): void {
  const path = openPath(line);
  stroke(context, css(lit(trim, -0.5)), width, path);
  stroke(context, css(lit(trim, -0.08)), width - 3, path);
  context.save();
  context.translate(-width * 0.06, -width * 0.06);
  stroke(context, css(lit(trim, 0.1), 0.7), width * 0.5, path);
  context.restore();
  context.setLineDash([8, 6]);
  stroke(context, css(stitch, 0.75), 2.2, path);
  context.setLineDash([]);
}

function drawTube(context: Context, line: readonly Point[], width: number, colour: Rgb): void {
  const path = openPath(line);
  stroke(context, css(lit(colour, -0.55)), width, path);
  stroke(context, css(lit(colour, -0.2)), width * 0.86, path);
  context.translate(-width * 0.08, -width * 0.1);
  stroke(context, css(lit(colour, 0.06)), width * 0.5, path);
  context.translate(-width * 0.06, -width * 0.08);
  stroke(context, css(lit(colour, 0.5), 0.7), width * 0.16, path);
  context.translate(width * 0.14, width * 0.18);
}

function drawBamboo(context: Context, line: readonly Point[], width: number): void {
  const cane: Rgb = [156, 104, 52];
  drawTube(context, line, width, cane);
  for (const node of stations(line, 62)) {
    context.save();
    context.translate(node.x, node.y);
    context.rotate(node.angle);
    fillBox(context, css(lit(cane, -0.55), 0.85), -3, -width / 2, 6, width);
    fillBox(context, css(lit(cane, 0.4), 0.6), 3, -width / 2, 3, width);
    context.restore();
  }
}

function drawChain(context: Context, line: readonly Point[], width: number, metal: Rgb, open = 1): void {
  const length = width * 1.35 * open;
  stations(line, length * 0.72).forEach((link, index) => {
    context.save();
    context.translate(link.x, link.y);
    context.rotate(link.angle);
    context.beginPath();
    context.ellipse(0, 0, length * 0.56, index % 2 === 0 ? width * 0.5 : width * 0.2, 0, 0, Math.PI * 2);
    stroke(context, css(lit(metal, -0.55)), width * 0.36);
    stroke(context, css(lit(metal, -0.02)), width * 0.24);
    context.translate(-1, -1);
    stroke(context, css(lit(metal, 0.65)), width * 0.09);
    context.restore();
  });
}
