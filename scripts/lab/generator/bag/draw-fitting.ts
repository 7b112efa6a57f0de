import type { SKRSContext2D as Context } from '@napi-rs/canvas';
import { black, fillBox, stops, white } from '../brush/light';
import { css, lit } from '../brush/rgb';
import type { BagLook } from '../look/look';
import type { Point3 } from '../paint/camera';
import { emblemPath } from '../paint/emblem';
import { write } from '../paint/lettering';
import { polished, turned } from '../paint/metal';
import { disc, ring, roundBox, stroke } from '../paint/shapes';
import { drawCharm } from './draw-charm';
import type { BagEasel } from './easel';
import type { Fitting, Part } from './parts';

type Draw = (context: Context, look: BagLook, size: number) => void;

const FITTINGS: Readonly<Record<Fitting, Draw>> = {
  clasp: (context, look, size) => CLASPS[look.clasp](context, look, size),
  buckle: drawBuckle,
  ring: drawRing,
  rivet: drawStud,
  stamp: drawStamp,
  charm: drawCharm,
};

const CLASPS: Readonly<Record<BagLook['clasp'], Draw>> = {
  'turn-lock': drawTurnLock,
  'push-lock': (context, look, size) => {
    drawPlate(context, look, size * 0.74, size * 0.9);
    drawStud(context, look, size * 0.22);
  },
  emblem: drawEmblem,
  ring: (context, look, size) => drawRing(context, look, size / 2),
  bar: (context, look, size) => {
    drawPlate(context, look, size * 1.5, size * 0.26);
    drawStud(context, look, size * 0.2);
  },
  padlock: drawPadlock,
  knot: drawKnot,
  none: (context, look, size) => drawStud(context, look, size * 0.18),
};

/** The metal on a bag, drawn flat to the viewer about its own middle. */
export function drawFitting(
  { context, look, camera }: BagEasel,
  fitting: Extract<Part, { readonly at: Point3 }>,
): void {
  const seen = camera.project(fitting.at);
  context.save();
  context.translate(seen.x, seen.y);
  if (fitting.part !== 'charm') context.scale(Math.cos(camera.yaw), 1);
  if (fitting.part === 'plate') drawPlate(context, look, fitting.width, fitting.height);
  else FITTINGS[fitting.part](context, look, fitting.size);
  context.restore();
}

function drawTurnLock(context: Context, look: BagLook, size: number): void {
  drawPlate(context, look, size, size * 0.62);
  fillBox(context, css(lit(look.metal, -0.6), 0.8), -size * 0.2, -size * 0.1, size * 0.4, size * 0.2);
  drawPlate(context, look, size * 0.16, size * 0.5);
}

function drawKnot(context: Context, look: BagLook, size: number): void {
  drawRing(context, look, (size / 2) * 0.7);
  context.rotate(0.8);
  drawPlate(context, look, size * 1.1, size * 0.2);
  context.rotate(-1.6);
  drawPlate(context, look, size * 1.1, size * 0.2);
}

/** The maison's name: in foil of the hardware's metal, or pressed in, a dark letter with a light lower edge. */
function drawStamp(context: Context, look: BagLook, size: number): void {
  if (look.stamp === 'foil') {
    context.strokeStyle = css(lit(look.metal, 0.15));
    write(context, look.wordmark, size, size * 0.13, 1.1);
    return;
  }
  context.translate(0, size * 0.1);
  context.strokeStyle = white(0.22);
  write(context, look.wordmark, size, size * 0.14, 1.1);
  context.translate(0, -size * 0.1);
  context.strokeStyle = black(0.45);
  write(context, look.wordmark, size, size * 0.14, 1.1);
}

/** The maison's emblem cut out of metal. */
function drawEmblem(context: Context, look: BagLook, size: number): void {
  const radius = (size / 2) * 1.15;
  const path = emblemPath(look.emblem, radius);
  context.save();
  context.translate(3, 5);
  context.fillStyle = black(0.4);
  context.fill(path, 'evenodd');
  context.restore();
  context.fillStyle = polished(context, look.metal, { x: -radius, y: -radius }, { x: radius, y: radius });
  context.fill(path, 'evenodd');
  stroke(context, css(lit(look.metal, -0.5)), 1.5, path);
}

function drawPlate(context: Context, look: BagLook, width: number, height: number): void {
  const radius = Math.min(width, height) * 0.24;
  context.fillStyle = black(0.35);
  roundBox(context, { x: 3, y: 5 }, width, height, radius);
  context.fill();
  context.fillStyle = acrossBox(context, look, width, height);
  roundBox(context, { x: 0, y: 0 }, width, height, radius);
  context.fill();
  stroke(context, css(lit(look.metal, -0.5)), 1.5);
}

const acrossBox = (context: Context, look: BagLook, width: number, height: number) =>
  polished(context, look.metal, { x: -width / 2, y: -height / 2 }, { x: width / 2, y: height / 2 });

function drawBuckle(context: Context, look: BagLook, width: number): void {
  const height = width * 0.9;
  const thick = width * 0.16;
  context.lineWidth = thick;
  context.strokeStyle = black(0.35);
  context.strokeRect(-width / 2 + 3, -height / 2 + 4, width, height);
  context.strokeStyle = acrossBox(context, look, width, height);
  context.strokeRect(-width / 2, -height / 2, width, height);
  fillBox(context, css(lit(look.metal, 0.2)), -thick * 0.35, -height / 2, thick * 0.7, height);
}

function drawRing(context: Context, look: BagLook, radius: number): void {
  context.lineWidth = radius * 0.36;
  context.strokeStyle = black(0.3);
  ring(context, 3, 5, radius);
  context.strokeStyle = turned(context, look.metal, 0, 0, 3);
  ring(context, 0, 0, radius);
  context.lineWidth = 1.2;
  context.strokeStyle = css(lit(look.metal, -0.5));
  ring(context, 0, 0, radius * 1.18);
}

function drawStud(context: Context, look: BagLook, radius: number): void {
  context.fillStyle = black(0.35);
  disc(context, 2, 3, radius);
  const ball = context.createRadialGradient(-radius * 0.35, -radius * 0.4, 0, 0, 0, radius);
  stops(ball, [0, css(lit(look.metal, 0.8))], [0.45, css(look.metal)], [1, css(lit(look.metal, -0.55))]);
  context.fillStyle = ball;
  disc(context, 0, 0, radius);
}

function drawPadlock(context: Context, look: BagLook, size: number): void {
  const half = size / 2;
  context.lineWidth = half * 0.26;
  context.strokeStyle = css(lit(look.metal, -0.15));
  context.beginPath();
  context.arc(0, -half * 0.5, half * 0.5, Math.PI, 0);
  context.stroke();
  context.translate(0, half * 0.2);
  drawPlate(context, look, half * 1.6, half * 1.4);
  context.fillStyle = css(lit(look.metal, -0.75));
  disc(context, 0, -half * 0.1, half * 0.17);
  context.fillRect(-half * 0.07, -half * 0.1, half * 0.14, half * 0.45);
}
