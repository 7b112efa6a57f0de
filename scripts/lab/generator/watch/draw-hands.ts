import type { SKRSContext2D } from '@napi-rs/canvas';
import { css, lit } from '../../../../workers/image/distortion/rgb';
import type { HandStyle, WatchLook } from '../look/look';
import { dialHalves, LAYERS, onLayer, type WatchEasel } from './easel';

/** Hour, minute and, where the watch has them, seconds and second-zone hands, each over its shadow. */
export function drawHands(easel: WatchEasel): void {
  const { look, minutes } = easel;
  const { halfWidth, halfHeight } = dialHalves(look);
  const reach = Math.min(halfWidth, halfHeight);
  const hourAngle = (minutes / 720) * Math.PI * 2;
  const minuteAngle = (minutes / 60) * Math.PI * 2;
  onLayer(easel, LAYERS.hands, (layer) => {
    if (look.complication === 'gmt') drawZoneHand(layer, look, reach * 0.72, hourAngle / 2 + 2.2);
    drawHand(layer, look, reach * 0.56, reach * 0.062, hourAngle, true);
    drawHand(layer, look, reach * 0.86, reach * 0.046, minuteAngle, false);
    if (look.complication !== 'small-seconds')
      drawSeconds(layer, look, reach * 0.9, ((minutes * 7.3) % 60) / 60);
    layer.fillStyle = css(lit(look.handColour, -0.2));
    layer.beginPath();
    layer.arc(0, 0, reach * 0.045, 0, Math.PI * 2);
    layer.fill();
    layer.fillStyle = css(lit(look.handColour, 0.4));
    layer.beginPath();
    layer.arc(-1, -1, reach * 0.02, 0, Math.PI * 2);
    layer.fill();
  });
}

function drawHand(
  context: SKRSContext2D,
  look: WatchLook,
  length: number,
  width: number,
  angle: number,
  hour: boolean,
): void {
  context.save();
  context.translate(4, 6);
  context.rotate(angle);
  context.fillStyle = 'rgba(0,0,0,0.32)';
  trace(context, look.hands, length, width, hour, 0);
  context.fill();
  context.restore();
  context.save();
  context.rotate(angle);
  for (const [side, light] of [
    [-1, 0.22],
    [1, -0.3],
  ] as const) {
    context.save();
    context.beginPath();
    context.rect(side < 0 ? -width * 3 : 0, -length * 1.1, width * 3, length * 1.5);
    context.clip();
    context.fillStyle = css(lit(look.handColour, light));
    trace(context, look.hands, length, width, hour, 0);
    context.fill();
    context.restore();
  }
  if (look.hands !== 'breguet' && look.hands !== 'leaf') {
    context.fillStyle = css(look.lume);
    trace(context, look.hands, length * 0.94, width * 0.48, hour, length * 0.2);
    context.fill();
  }
  context.restore();
}

/** One hand's outline pointing up; `from` leaves out its foot, for the luminous fill. */
function trace(
  context: SKRSContext2D,
  style: HandStyle,
  length: number,
  width: number,
  hour: boolean,
  from: number,
): void {
  const foot = from > 0 ? -from : length * 0.16;
  context.beginPath();
  switch (style) {
    case 'baton':
      context.rect(-width / 2, -length, width, length + foot);
      return;
    case 'dauphine':
      polygon(context, [
        0,
        -length,
        width * 0.95,
        -length * 0.14,
        0,
        Math.min(foot, length * 0.1),
        -width * 0.95,
        -length * 0.14,
      ]);
      return;
    case 'sword':
      polygon(context, [
        0,
        -length,
        width * 0.75,
        -length * 0.72,
        width * 0.3,
        foot,
        -width * 0.3,
        foot,
        -width * 0.75,
        -length * 0.72,
      ]);
      return;
    case 'leaf':
      context.moveTo(0, -length);
      context.bezierCurveTo(width, -length * 0.6, width, -length * 0.3, width * 0.16, foot);
      context.lineTo(-width * 0.16, foot);
      context.bezierCurveTo(-width, -length * 0.3, -width, -length * 0.6, 0, -length);
      return;
    case 'breguet':
      polygon(context, [
        0,
        -length,
        width * 0.34,
        -length * 0.7,
        width * 0.2,
        foot,
        -width * 0.2,
        foot,
        -width * 0.34,
        -length * 0.7,
      ]);
      context.moveTo(width * 0.95, -length * 0.66);
      context.arc(0, -length * 0.66, width * 0.95, 0, Math.PI * 2);
      return;
    case 'mercedes':
      context.rect(
        -width / 2,
        -length * (hour ? 0.96 : 1),
        width,
        length + foot - length * (hour ? 0.04 : 0),
      );
      if (hour && from === 0) {
        context.moveTo(width * 1.5, -length * 0.68);
        context.arc(0, -length * 0.68, width * 1.5, 0, Math.PI * 2);
      }
      return;
    case 'arrow':
      polygon(context, [
        0,
        -length,
        width * 1.3,
        -length * 0.74,
        width * 0.4,
        -length * 0.74,
        width * 0.4,
        foot,
        -width * 0.4,
        foot,
        -width * 0.4,
        -length * 0.74,
        -width * 1.3,
        -length * 0.74,
      ]);
      return;
  }
}

function polygon(context: SKRSContext2D, points: readonly number[]): void {
  for (let index = 0; index < points.length; index += 2)
    context.lineTo(points[index] ?? 0, points[index + 1] ?? 0);
  context.closePath();
}

function drawSeconds(context: SKRSContext2D, look: WatchLook, length: number, turn: number): void {
  context.save();
  context.rotate(turn * Math.PI * 2);
  context.fillStyle = css(look.accent);
  context.fillRect(-1.8, -length, 3.6, length * 1.26);
  context.beginPath();
  context.arc(0, length * 0.2, 6.5, 0, Math.PI * 2);
  context.fill();
  context.restore();
}

function drawZoneHand(context: SKRSContext2D, look: WatchLook, length: number, angle: number): void {
  context.save();
  context.rotate(angle);
  context.fillStyle = css(look.accent);
  context.fillRect(-2.6, -length, 5.2, length);
  polygonFrom(context, length);
  context.restore();
}

function polygonFrom(context: SKRSContext2D, length: number): void {
  context.beginPath();
  polygon(context, [0, -length - 14, 15, -length + 14, -15, -length + 14]);
  context.fill();
}
