import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Random } from '../../../../models/random';
import { black, fillBox } from './light';
import { css, lit, type Rgb } from './rgb';

/** Human skin, light to dark. */
export const SKINS: readonly Rgb[] = [
  [241, 205, 180],
  [222, 176, 142],
  [190, 138, 100],
  [140, 94, 64],
  [92, 60, 44],
];

/** Covers a part of the picture with something in front of the item: fingers, a box's corner, a soft out-of-focus edge. */
export function paintOcclusion(context: SKRSContext2D, side: number, random: Random, amount: number): void {
  const angle = random.between(0, Math.PI * 2);
  const reach = side * (0.5 - amount * 0.42);
  const x = side / 2 + Math.cos(angle) * reach;
  const y = side / 2 + Math.sin(angle) * reach;
  context.save();
  context.translate(x, y);
  context.rotate(angle);
  context.shadowColor = black(0.45);
  context.shadowBlur = side * 0.03;
  random.pick([paintFingers, paintFingers, paintBox, paintEllipse])(context, side, random);
  context.restore();
}

/** Three or four fingers reaching in from outside (the drawing's x points out of the picture). */
function paintFingers(context: SKRSContext2D, side: number, random: Random): void {
  const skin = random.pick(SKINS);
  const width = side * random.between(0.07, 0.11);
  context.lineCap = 'round';
  for (let finger = 0; finger < random.integer(2, 4); finger++) {
    const y = (finger - 1.5) * width * 1.05;
    const tip = random.between(-0.02, 0.08) * side + Math.abs(finger - 1) * width * 0.4;
    for (const [share, light] of [
      [1, -0.22],
      [0.8, 0],
      [0.4, 0.12],
    ] as const) {
      context.lineWidth = width * share;
      context.strokeStyle = css(lit(skin, light));
      context.beginPath();
      context.moveTo(tip, y);
      context.lineTo(side, y + random.bell() * 2);
      context.stroke();
    }
    context.fillStyle = css(lit(skin, 0.35), 0.7);
    context.beginPath();
    context.ellipse(tip - width * 0.1, y, width * 0.3, width * 0.24, 0, 0, Math.PI * 2);
    context.fill();
  }
}

function paintBox(context: SKRSContext2D, side: number, random: Random): void {
  context.rotate(random.between(-0.5, 0.5));
  const colour: Rgb = [random.between(20, 240), random.between(20, 230), random.between(20, 230)];
  context.fillStyle = css(colour);
  const height = side * random.between(0.2, 0.7);
  context.fillRect(0, -height / 2, side, height);
  fillBox(context, css(lit(colour, 0.2)), 0, -height / 2, side * 0.04, height);
}

function paintEllipse(context: SKRSContext2D, side: number, random: Random): void {
  context.fillStyle = css(
    [random.between(10, 230), random.between(10, 230), random.between(10, 230)],
    random.between(0.75, 1),
  );
  context.beginPath();
  context.ellipse(
    side * 0.2,
    0,
    side * 0.26,
    side * random.between(0.12, 0.3),
    random.between(-0.5, 0.5),
    0,
    Math.PI * 2,
  );
  context.fill();
}
