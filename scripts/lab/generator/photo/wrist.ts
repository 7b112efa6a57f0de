import type { SKRSContext2D as Context } from '@napi-rs/canvas';
import type { Random } from '../../../../models/random';
import { fillBox, stops } from '../brush/light';
import { SKINS } from '../brush/occlude';
import { css, lit, type Rgb } from '../brush/rgb';
import type { WatchLook } from '../look/look';
import { strapStart, WRIST } from '../watch/draw-strap';
import type { Placement } from './placement';

/** How far round a wrist the strap is seen, in radians of its bend. */
export const WORN_STRAP = 0.55;

/** The forearm that a watch is worn on, crossing the picture behind it, and a sleeve now and then. */
export function paintWrist(context: Context, look: WatchLook, placement: Placement, random: Random): void {
  const skin = random.pick(SKINS);
  const reach = placement.half * 6;
  const half = (strapStart(look) + WRIST * Math.sin(WORN_STRAP)) * placement.unit;
  context.save();
  context.translate(placement.x, placement.y);
  context.rotate(placement.angle);
  paintLimb(context, skin, half, -reach, reach);
  for (let hair = 0; hair < 26; hair++) paintHair(context, skin, half, placement.half, random);
  if (random.chance(0.6)) {
    const side = random.pick([-1, 1] as const);
    const cuff = placement.half * random.between(0.42, 0.8);
    const cloth: Rgb = [random.between(10, 240), random.between(10, 240), random.between(10, 240)];
    paintLimb(context, cloth, half * 1.16, side > 0 ? cuff : -reach, side > 0 ? reach : -cuff);
  }
  context.restore();
}

/** A cylinder lying along the drawing's x. */
function paintLimb(context: Context, colour: Rgb, half: number, from: number, to: number): void {
  const round = context.createLinearGradient(0, -half, 0, half);
  stops(
    round,
    [0, css(lit(colour, -0.55))],
    [0.18, css(lit(colour, -0.12))],
    [0.42, css(lit(colour, 0.12))],
    [0.75, css(lit(colour, -0.14))],
    [1, css(lit(colour, -0.6))],
  );
  fillBox(context, round, from, -half, to - from, half * 2);
}

function paintHair(context: Context, skin: Rgb, half: number, spread: number, random: Random): void {
  const x = random.between(-1.4, 1.4) * spread;
  const y = random.between(-0.8, 0.8) * half;
  context.lineWidth = Math.max(0.5, half * 0.006);
  context.strokeStyle = css(lit(skin, -0.45), 0.4);
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x + random.bell() * half * 0.1, y + half * 0.07);
  context.stroke();
}
