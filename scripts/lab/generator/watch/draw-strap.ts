import type { SKRSContext2D as Context } from '@napi-rs/canvas';
import { black, fillBox, stops, white } from '../brush/light';
import { css, lit, type Rgb } from '../brush/rgb';
import { layTile, surfaceTile } from '../brush/texture';
import { isBracelet, type WatchLook } from '../look/look';
import type { Point3 } from '../paint/camera';
import { closedPath } from '../paint/curves';
import { stroke } from '../paint/shapes';
import { drawLink } from './draw-link';
import { LAYERS, type WatchEasel } from './easel';

/** The strap bends away over a wrist of this radius. */
export const WRIST = 430;

/** Both halves of the strap or bracelet, bending away from the case at twelve and at six. */
export function drawWatchStrap(easel: WatchEasel): void {
  for (const side of [1, -1] as const) {
    if (isBracelet(easel.look.strap)) drawBracelet(easel, side);
    else drawBand(easel, side);
  }
}

/** How far from the hands' axis the strap leaves the case. */
export function strapStart(look: WatchLook): number {
  return look.radius * look.aspect * (look.lugs === 'integrated' ? 0.86 : 0.97);
}

function spine(look: WatchLook, bend: number, side: 1 | -1): Point3 {
  return {
    x: 0,
    y: side * (strapStart(look) + WRIST * Math.sin(bend)),
    z: LAYERS.strap - WRIST * (1 - Math.cos(bend)),
  };
}

function widthAt(look: WatchLook, bend: number): number {
  return look.strapWidth * (1 - look.strapTaper * Math.min(1, bend / 1.3));
}

function drawBracelet(easel: WatchEasel, side: 1 | -1): void {
  const { context, look, camera } = easel;
  const pitch =
    look.strap === 'mesh' ? 26 : look.strap === 'jubilee' ? 27 : look.strap === 'president' ? 31 : 38;
  const rows = Math.floor((WRIST * easel.strapReach) / pitch);
  for (let row = rows; row >= 0; row--) {
    const bend = (row * pitch) / WRIST;
    const slope = Math.sin(bend);
    const width = widthAt(look, bend);
    context.save();
    context.transform(
      ...camera.onto({
        origin: spine(look, bend, side),
        u: { x: 1, y: 0, z: 0 },
        v: { x: 0, y: side * Math.cos(bend), z: -slope },
      }),
    );
    drawLink(context, look, width, pitch, row);
    fillBox(context, black(Math.min(0.75, slope * slope * 0.85)), -width / 2 - 1, -1, width + 2, pitch + 2);
    context.restore();
  }
}

function drawBand(easel: WatchEasel, side: 1 | -1): void {
  const { context, look, camera } = easel;
  const bends = Array.from({ length: 17 }, (_, step) => (step / 16) * easel.strapReach);
  const edge = (across: number) =>
    bends.map((bend) =>
      camera.project({ ...spine(look, bend, side), x: (across * widthAt(look, bend)) / 2 }),
    );
  const right = edge(1);
  const path = closedPath([...edge(-1), ...right.reverse()]);
  context.save();
  context.clip(path);
  context.transform(
    ...camera.onto({ origin: spine(look, 0, side), u: { x: 1, y: 0, z: 0 }, v: { x: 0, y: side, z: 0 } }),
  );
  paintBand(context, look);
  context.restore();
  stroke(context, css(lit(look.strapColour, -0.55), 0.9), 3, path);
}

/** A strap's face in its own drawing: y runs from the case to the buckle. */
function paintBand(context: Context, look: WatchLook): void {
  const half = look.strapWidth / 2;
  const length = WRIST * 1.2;
  fillBox(context, css(look.strapColour), -half * 1.2, -40, half * 2.4, length + 60);
  if (look.strap === 'nato') drawStripes(context, look, half, length);
  layTile(context, surfaceTile(bandSurface(look), look.seed), look.strap === 'alligator' ? 250 : 190, length);
  if (look.strap === 'rubber') drawRidges(context, look.strapColour, half, length);
  const across = context.createLinearGradient(-half, 0, half, 0);
  const pad = look.strap === 'nato' ? 0.12 : 0.4;
  stops(
    across,
    [0, black(pad)],
    [0.2, white(0.05)],
    [0.38, white(look.strap === 'satin' ? 0.4 : 0.16)],
    [0.62, black(0)],
    [1, black(pad)],
  );
  fillBox(context, across, -half * 1.2, -40, half * 2.4, length + 60);
  if (look.strap === 'leather' || look.strap === 'alligator') drawStitches(context, look, half, length);
  const away = context.createLinearGradient(0, 0, 0, length * 0.8);
  stops(away, [0, black(0.34)], [0.1, black(0)], [0.5, black(0.1)], [1, black(0.72)]);
  fillBox(context, away, -half * 1.2, -40, half * 2.4, length + 60);
}

function bandSurface({ strap }: WatchLook) {
  return strap === 'alligator'
    ? 'crocodile'
    : strap === 'nato'
      ? 'canvas'
      : strap === 'leather'
        ? 'grained'
        : 'smooth';
}

function drawStitches(context: Context, look: WatchLook, half: number, length: number): void {
  context.setLineDash([11, 7]);
  context.lineWidth = 3.2;
  context.strokeStyle = css(look.strapStitch, 0.92);
  context.beginPath();
  for (const side of [-1, 1]) {
    context.moveTo(side * half * 0.84, 0);
    context.lineTo(side * half * (0.84 - 0.7 * look.strapTaper), length);
  }
  context.stroke();
  context.setLineDash([]);
}

function drawStripes(context: Context, look: WatchLook, half: number, length: number): void {
  fillBox(context, css(look.strapStitch), -half * 0.22, -40, half * 0.44, length + 60);
  if (look.seed % 2 === 0) return;
  context.fillRect(-half * 0.86, -40, half * 0.24, length + 60);
  context.fillRect(half * 0.62, -40, half * 0.24, length + 60);
}

function drawRidges(context: Context, colour: Rgb, half: number, length: number): void {
  context.lineWidth = 5;
  context.strokeStyle = css(lit(colour, -0.5));
  for (let y = 90; y < length; y += 34) {
    context.beginPath();
    context.moveTo(-half * 0.62, y);
    context.lineTo(0, y + 12);
    context.lineTo(half * 0.62, y);
    context.stroke();
  }
}
