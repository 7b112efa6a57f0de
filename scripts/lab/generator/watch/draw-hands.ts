import type { SKRSContext2D as Context } from '@napi-rs/canvas';
import { black, fillBox } from '../brush/light';
import { css, lit } from '../brush/rgb';
import type { HandStyle, WatchLook } from '../look/look';
import { disc, polygon } from '../paint/shapes';
import { dialHalves, LAYERS, onLayer, type WatchEasel } from './easel';

/** One hand of a pair. */
interface Hand {
  readonly length: number;
  readonly width: number;
  readonly isHour: boolean;
}

/** Adds the outline of a hand pointing up to the current path; `foot` is how far it reaches beyond the axis. */
type Outline = (context: Context, hand: Hand, foot: number) => void;

/** Hour, minute and, where the watch has them, seconds and second-zone hands, each over its shadow. */
export function drawHands(easel: WatchEasel): void {
  const { look, minutes } = easel;
  const { halfWidth, halfHeight } = dialHalves(look);
  const reach = Math.min(halfWidth, halfHeight);
  const hourAngle = (minutes / 720) * Math.PI * 2;
  const minuteAngle = (minutes / 60) * Math.PI * 2;
  onLayer(easel, LAYERS.hands, (layer) => {
    if (look.complication === 'gmt') drawZoneHand(layer, look, reach * 0.72, hourAngle / 2 + 2.2);
    drawHand(layer, look, { length: reach * 0.56, width: reach * 0.062, isHour: true }, hourAngle);
    drawHand(layer, look, { length: reach * 0.86, width: reach * 0.046, isHour: false }, minuteAngle);
    if (look.complication !== 'small-seconds')
      drawSeconds(layer, look, reach * 0.9, ((minutes * 7.3) % 60) / 60);
    layer.fillStyle = css(lit(look.handColour, -0.2));
    disc(layer, 0, 0, reach * 0.045);
    layer.fillStyle = css(lit(look.handColour, 0.4));
    disc(layer, -1, -1, reach * 0.02);
  });
}

function drawHand(context: Context, look: WatchLook, hand: Hand, angle: number): void {
  const { length, width } = hand;
  const fill = (filled: Hand, foot: number, style: string) => {
    context.fillStyle = style;
    context.beginPath();
    OUTLINES[look.hands](context, filled, foot);
    context.fill();
  };
  const foot = length * 0.16;
  context.save();
  context.translate(4, 6);
  context.rotate(angle);
  fill(hand, foot, black(0.32));
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
    fill(hand, foot, css(lit(look.handColour, light)));
    context.restore();
  }
  // The luminous fill leaves out the foot.
  if (look.hands !== 'breguet' && look.hands !== 'leaf')
    fill({ ...hand, length: length * 0.94, width: width * 0.48 }, -length * 0.2, css(look.lume));
  context.restore();
}

const OUTLINES: Readonly<Record<HandStyle, Outline>> = {
  baton: (context, { length, width }, foot) => context.rect(-width / 2, -length, width, length + foot),
  dauphine: (context, { length, width }, foot) =>
    polygon(
      context,
      [0, -length],
      [width * 0.95, -length * 0.14],
      [0, Math.min(foot, length * 0.1)],
      [-width * 0.95, -length * 0.14],
    ),
  sword: (context, { length, width }, foot) =>
    polygon(
      context,
      [0, -length],
      [width * 0.75, -length * 0.72],
      [width * 0.3, foot],
      [-width * 0.3, foot],
      [-width * 0.75, -length * 0.72],
    ),
  leaf: (context, { length, width }, foot) => {
    context.moveTo(0, -length);
    context.bezierCurveTo(width, -length * 0.6, width, -length * 0.3, width * 0.16, foot);
    context.lineTo(-width * 0.16, foot);
    context.bezierCurveTo(-width, -length * 0.3, -width, -length * 0.6, 0, -length);
  },
  breguet: (context, { length, width }, foot) => {
    polygon(
      context,
      [0, -length],
      [width * 0.34, -length * 0.7],
      [width * 0.2, foot],
      [-width * 0.2, foot],
      [-width * 0.34, -length * 0.7],
    );
    context.moveTo(width * 0.95, -length * 0.66);
    context.arc(0, -length * 0.66, width * 0.95, 0, Math.PI * 2);
  },
  mercedes: (context, { length, width, isHour }, foot) => {
    const head = isHour ? 0.04 : 0;
    context.rect(-width / 2, -length * (isHour ? 0.96 : 1), width, length + foot - length * head);
    if (!isHour || foot < 0) return;
    context.moveTo(width * 1.5, -length * 0.68);
    context.arc(0, -length * 0.68, width * 1.5, 0, Math.PI * 2);
  },
  arrow: (context, { length, width }, foot) =>
    polygon(
      context,
      [0, -length],
      [width * 1.3, -length * 0.74],
      [width * 0.4, -length * 0.74],
      [width * 0.4, foot],
      [-width * 0.4, foot],
      [-width * 0.4, -length * 0.74],
      [-width * 1.3, -length * 0.74],
    ),
};

function drawSeconds(context: Context, look: WatchLook, length: number, turn: number): void {
  context.save();
  context.rotate(turn * Math.PI * 2);
  fillBox(context, css(look.accent), -1.8, -length, 3.6, length * 1.26);
  disc(context, 0, length * 0.2, 6.5);
  context.restore();
}

function drawZoneHand(context: Context, look: WatchLook, length: number, angle: number): void {
  context.save();
  context.rotate(angle);
  fillBox(context, css(look.accent), -2.6, -length, 5.2, length);
  context.beginPath();
  polygon(context, [0, -length - 14], [15, -length + 14], [-15, -length + 14]);
  context.fill();
  context.restore();
}
