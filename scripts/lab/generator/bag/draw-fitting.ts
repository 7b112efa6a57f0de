import type { SKRSContext2D } from '@napi-rs/canvas';
import { css, lit } from '../../../../workers/image/distortion/rgb';
import type { BagLook } from '../look/look';
import type { Point3 } from '../paint/camera';
import { emblemPath } from '../paint/emblem';
import { write } from '../paint/lettering';
import { polished, turned } from '../paint/metal';
import { drawCharm } from './draw-charm';
import type { BagEasel } from './easel';
import type { Part } from './parts';

type Fitting = Extract<Part, { part: 'clasp' | 'buckle' | 'ring' | 'rivet' | 'plate' | 'stamp' | 'charm' }>;

/** The metal on a bag, drawn flat to the viewer about its own middle. */
export function drawFitting({ context, look, camera }: BagEasel, fitting: Fitting): void {
  const where: Point3 = 'z' in fitting ? { ...fitting.at, z: fitting.z } : fitting.at;
  const seen = camera.project(where);
  context.save();
  context.translate(seen.x, seen.y);
  if (fitting.part !== 'charm') context.scale(Math.cos(camera.yaw), 1);
  switch (fitting.part) {
    case 'clasp':
      drawClasp(context, look, fitting.size);
      break;
    case 'buckle':
      drawFrame(context, look, fitting.size, fitting.size * 0.9, fitting.size * 0.16);
      break;
    case 'ring':
      drawRing(context, look, fitting.size);
      break;
    case 'rivet':
      drawStud(context, look, fitting.size);
      break;
    case 'plate':
      drawPlate(context, look, fitting.width, fitting.height);
      break;
    case 'stamp':
      drawStamp(context, look, fitting.size);
      break;
    case 'charm':
      drawCharm(context, look, fitting.size);
      break;
  }
  context.restore();
}

function drawClasp(context: SKRSContext2D, look: BagLook, size: number): void {
  const half = size / 2;
  switch (look.clasp) {
    case 'turn-lock':
      drawPlate(context, look, size, size * 0.62);
      context.fillStyle = css(lit(look.metal, -0.6), 0.8);
      context.fillRect(-size * 0.2, -size * 0.1, size * 0.4, size * 0.2);
      drawPlate(context, look, size * 0.16, size * 0.5);
      break;
    case 'push-lock':
      drawPlate(context, look, size * 0.74, size * 0.9);
      drawStud(context, look, size * 0.22);
      break;
    case 'emblem':
      drawEmblem(context, look, half * 1.15);
      break;
    case 'ring':
      drawRing(context, look, half);
      break;
    case 'bar':
      drawPlate(context, look, size * 1.5, size * 0.26);
      drawStud(context, look, size * 0.2);
      break;
    case 'padlock':
      drawPadlock(context, look, half);
      break;
    case 'knot':
      drawRing(context, look, half * 0.7);
      context.rotate(0.8);
      drawPlate(context, look, size * 1.1, size * 0.2);
      context.rotate(-1.6);
      drawPlate(context, look, size * 1.1, size * 0.2);
      break;
    case 'none':
      drawStud(context, look, size * 0.18);
      break;
  }
}

/** The maison's name: in foil of the hardware's metal, or pressed in, a dark letter with a light lower edge. */
function drawStamp(context: SKRSContext2D, look: BagLook, size: number): void {
  if (look.stamp === 'foil') {
    context.strokeStyle = css(lit(look.metal, 0.15));
    write(context, look.wordmark, size, size * 0.13, 1.1);
    return;
  }
  context.translate(0, size * 0.1);
  context.strokeStyle = 'rgba(255,255,255,0.22)';
  write(context, look.wordmark, size, size * 0.14, 1.1);
  context.translate(0, -size * 0.1);
  context.strokeStyle = 'rgba(0,0,0,0.45)';
  write(context, look.wordmark, size, size * 0.14, 1.1);
}

/** The maison's emblem cut out of metal. */
function drawEmblem(context: SKRSContext2D, look: BagLook, radius: number): void {
  const path = emblemPath(look.emblem, radius);
  context.save();
  context.translate(3, 5);
  context.fillStyle = 'rgba(0,0,0,0.4)';
  context.fill(path, 'evenodd');
  context.restore();
  context.fillStyle = polished(context, look.metal, { x: -radius, y: -radius }, { x: radius, y: radius });
  context.fill(path, 'evenodd');
  context.lineWidth = 1.5;
  context.strokeStyle = css(lit(look.metal, -0.5));
  context.stroke(path);
}

function drawPlate(context: SKRSContext2D, look: BagLook, width: number, height: number): void {
  const radius = Math.min(width, height) * 0.24;
  context.fillStyle = 'rgba(0,0,0,0.35)';
  roundBox(context, width, height, radius, 3, 5);
  context.fillStyle = polished(
    context,
    look.metal,
    { x: -width / 2, y: -height / 2 },
    { x: width / 2, y: height / 2 },
  );
  roundBox(context, width, height, radius, 0, 0);
  context.lineWidth = 1.5;
  context.strokeStyle = css(lit(look.metal, -0.5));
  context.stroke();
}

function roundBox(
  context: SKRSContext2D,
  width: number,
  height: number,
  radius: number,
  x: number,
  y: number,
): void {
  context.beginPath();
  context.roundRect(x - width / 2, y - height / 2, width, height, radius);
  context.fill();
}

function drawFrame(
  context: SKRSContext2D,
  look: BagLook,
  width: number,
  height: number,
  thick: number,
): void {
  context.lineWidth = thick;
  context.strokeStyle = 'rgba(0,0,0,0.35)';
  context.strokeRect(-width / 2 + 3, -height / 2 + 4, width, height);
  context.strokeStyle = polished(
    context,
    look.metal,
    { x: -width / 2, y: -height / 2 },
    { x: width / 2, y: height / 2 },
  );
  context.strokeRect(-width / 2, -height / 2, width, height);
  context.fillStyle = css(lit(look.metal, 0.2));
  context.fillRect(-thick * 0.35, -height / 2, thick * 0.7, height);
}

function drawRing(context: SKRSContext2D, look: BagLook, radius: number): void {
  context.lineWidth = radius * 0.36;
  context.strokeStyle = 'rgba(0,0,0,0.3)';
  circle(context, 3, 5, radius);
  context.stroke();
  context.strokeStyle = turned(context, look.metal, 0, 0, 3);
  circle(context, 0, 0, radius);
  context.stroke();
  context.lineWidth = 1.2;
  context.strokeStyle = css(lit(look.metal, -0.5));
  circle(context, 0, 0, radius * 1.18);
  context.stroke();
}

function drawStud(context: SKRSContext2D, look: BagLook, radius: number): void {
  context.fillStyle = 'rgba(0,0,0,0.35)';
  circle(context, 2, 3, radius);
  context.fill();
  const ball = context.createRadialGradient(-radius * 0.35, -radius * 0.4, 0, 0, 0, radius);
  ball.addColorStop(0, css(lit(look.metal, 0.8)));
  ball.addColorStop(0.45, css(look.metal));
  ball.addColorStop(1, css(lit(look.metal, -0.55)));
  context.fillStyle = ball;
  circle(context, 0, 0, radius);
  context.fill();
}

function drawPadlock(context: SKRSContext2D, look: BagLook, half: number): void {
  context.lineWidth = half * 0.26;
  context.strokeStyle = css(lit(look.metal, -0.15));
  context.beginPath();
  context.arc(0, -half * 0.5, half * 0.5, Math.PI, 0);
  context.stroke();
  context.translate(0, half * 0.2);
  drawPlate(context, look, half * 1.6, half * 1.4);
  context.fillStyle = css(lit(look.metal, -0.75));
  circle(context, 0, -half * 0.1, half * 0.17);
  context.fill();
  context.fillRect(-half * 0.07, -half * 0.1, half * 0.14, half * 0.45);
}

function circle(context: SKRSContext2D, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, Math.PI * 2);
}
