import type { SKRSContext2D as Context } from '@napi-rs/canvas';
import { fillBox, stops } from '../brush/light';
import { css, lit, type Rgb } from '../brush/rgb';
import type { WatchLook } from '../look/look';

/** One row of a bracelet in its own drawing: from the case outwards, `pitch` long, centred on x. */
export function drawLink(context: Context, look: WatchLook, width: number, pitch: number, row: number): void {
  if (look.strap === 'jubilee') drawJubilee(context, look, width, pitch);
  else if (look.strap === 'president') drawLinks(context, look, width, pitch, [0.31, 0.38, 0.31], 0.45);
  else if (look.strap === 'integrated') drawIntegrated(context, look, width, pitch);
  else if (look.strap === 'mesh') drawMesh(context, look, width, pitch, row);
  else drawLinks(context, look, width, pitch, [0.29, 0.42, 0.29], 0.14);
}

function drawLinks(
  context: Context,
  look: WatchLook,
  width: number,
  pitch: number,
  shares: readonly number[],
  roundness: number,
): void {
  fillBox(context, css(lit(look.metal, -0.75)), -width / 2, 0, width, pitch);
  let x = -width / 2;
  shares.forEach((share, index) => {
    const [metal, lift] = index === 1 ? [look.secondMetal, 0.22] : [look.metal, 0];
    link(context, metal, x, 0, width * share, pitch, roundness, lift);
    x += width * share;
  });
}

function drawJubilee(context: Context, look: WatchLook, width: number, pitch: number): void {
  fillBox(context, css(lit(look.metal, -0.75)), -width / 2, 0, width, pitch);
  link(context, look.metal, -width / 2, 0, width * 0.22, pitch, 0.3, 0);
  link(context, look.metal, width * 0.28, 0, width * 0.22, pitch, 0.3, 0);
  for (const [index, share] of [-0.28, -0.093, 0.093].entries()) {
    const shift = index === 1 ? pitch * 0.5 : 0;
    for (const y of [shift - pitch * 0.25, shift + pitch * 0.27])
      link(context, look.secondMetal, share * width, y, width * 0.187, pitch * 0.52, 0.45, 0.2);
  }
}

function drawIntegrated(context: Context, look: WatchLook, width: number, pitch: number): void {
  fillBox(context, css(lit(look.metal, -0.8)), -width * 0.48, 0, width * 0.96, pitch);
  link(context, look.metal, -width / 2, pitch * 0.02, width, pitch * 0.66, 0.1, -0.04);
  link(context, look.secondMetal, -width * 0.27, pitch * 0.62, width * 0.2, pitch * 0.42, 0.25, 0.2);
  link(context, look.secondMetal, width * 0.07, pitch * 0.62, width * 0.2, pitch * 0.42, 0.25, 0.2);
}

function drawMesh(context: Context, look: WatchLook, width: number, pitch: number, row: number): void {
  fillBox(context, css(lit(look.metal, -0.45)), -width / 2, 0, width, pitch + 1);
  context.lineWidth = 3;
  for (let strand = 0; strand < 3; strand++) {
    context.beginPath();
    const y = (strand + 0.5) * (pitch / 3);
    const lean = (row + strand) % 2 === 0 ? 3 : -3;
    for (let x = -width / 2 + 2; x < width / 2; x += 7) {
      context.moveTo(x, y - lean);
      context.lineTo(x + 5, y + lean);
    }
    context.strokeStyle = css(lit(look.metal, strand === 1 ? 0.45 : 0.15));
    context.stroke();
  }
}

/** One link: bright in the middle of its length, dark in the gaps. */
function link(
  context: Context,
  metal: Rgb,
  x: number,
  y: number,
  width: number,
  height: number,
  roundness: number,
  lift: number,
): void {
  const gradient = context.createLinearGradient(0, y, 0, y + height);
  stops(
    gradient,
    [0, css(lit(metal, -0.4 + lift))],
    [0.2, css(lit(metal, 0.1 + lift))],
    [0.4, css(lit(metal, 0.4 + lift))],
    [0.75, css(lit(metal, -0.1 + lift))],
    [1, css(lit(metal, -0.5 + lift))],
  );
  context.fillStyle = gradient;
  context.beginPath();
  context.roundRect(x + 1, y + 1, width - 2, height - 2, Math.min(width, height) * roundness);
  context.fill();
}
