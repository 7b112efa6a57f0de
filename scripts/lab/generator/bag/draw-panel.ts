import type { Path2D, SKRSContext2D } from '@napi-rs/canvas';
import type { Surface } from '../../../../workers/image/distortion/relief';
import { css, lit, type Rgb } from '../../../../workers/image/distortion/rgb';
import { creaseTile, layTile, surfaceTile } from '../../../../workers/image/distortion/texture';
import type { BagLook, BagShape } from '../look/look';
import { facing, type Point } from '../paint/camera';
import { closedPath, inset } from '../paint/curves';
import { drawPattern } from './draw-pattern';
import type { BagEasel, PanelBox } from './easel';
import type { Part, Tone } from './parts';

type Panel = Extract<Part, { part: 'panel' }>;
type Solid = Extract<Part, { part: 'solid' }>;
type Sheet = Extract<Part, { part: 'sheet' }>;

/** How wide one repeat of a surface's relief is. */
const SPANS: Readonly<Record<Surface, number>> = {
  smooth: 420,
  patent: 500,
  grained: 230,
  saffiano: 190,
  suede: 260,
  canvas: 200,
  denim: 150,
  tweed: 170,
  raffia: 220,
  woven: 250,
  quilted: 150,
  chevron: 230,
  channel: 150,
  crocodile: 290,
  python: 260,
  ostrich: 210,
  lizard: 200,
};

const STIFF: readonly Surface[] = ['patent', 'saffiano', 'crocodile', 'raffia'];
const SOFT: readonly BagShape[] = ['hobo', 'bucket', 'tote', 'saddle'];

const GLOSS: Partial<Readonly<Record<Surface, number>>> = {
  patent: 0.55,
  smooth: 0.24,
  crocodile: 0.3,
  quilted: 0.18,
  chevron: 0.18,
  channel: 0.18,
  saffiano: 0.12,
  lizard: 0.24,
  grained: 0.1,
  suede: 0,
  canvas: 0.06,
  denim: 0,
  tweed: 0,
  raffia: 0,
};

/** A front piece: leather, pattern, relief, light over its bulge, and its edge. */
export function drawPanel({ context, look, camera }: BagEasel, panel: Panel): void {
  const seen = panel.outline.map((point) => camera.project({ ...point, z: panel.z }));
  const path = closedPath(seen);
  const box = boundsOf(panel.outline);
  if (panel.raised) castShadow(context, path);
  context.save();
  context.clip(path);
  context.transform(
    ...camera.onto(facing({ x: box.x + box.width / 2, y: box.y + box.height / 2, z: panel.z })),
  );
  const colour = toneOf(look, panel.tone);
  context.fillStyle = css(colour);
  context.fillRect(-box.width, -box.height, box.width * 2, box.height * 2);
  if (panel.patterned && panel.tone === 'main') drawPattern(context, look, box);
  layTile(
    context,
    surfaceTile(surfaceOf(look, panel.tone), look.surfaceSeed),
    spanOf(look, panel.tone),
    Math.max(box.width, box.height),
  );
  layCreases(context, look, panel.tone, box);
  shade(context, box, panel.bulge, GLOSS[surfaceOf(look, panel.tone)] ?? 0.15);
  context.restore();
  drawEdge({ context, look, camera }, panel, seen, path, colour);
}

/** The body seen from the side: its outline laid from back to front, darker than the front. */
export function drawSolid({ context, look, camera }: BagEasel, solid: Solid): void {
  const colour = toneOf(look, solid.tone);
  const layers = 4 + Math.ceil(Math.abs(Math.sin(camera.yaw)) * solid.depth * 0.18 + solid.depth * 0.03);
  for (let layer = 0; layer <= layers; layer++) {
    const share = layer / layers;
    const z = (share - 0.5) * solid.depth;
    const draw = solid.soft ? 1 - 0.05 * (2 * share - 1) ** 4 : 1;
    const fold = solid.soft ? 0 : Math.abs(2 * share - 1);
    const points = solid.outline.map((point) => camera.project({ x: point.x * draw, y: point.y, z }));
    context.fillStyle = css(lit(colour, -0.34 + 0.16 * share - (solid.soft ? 0 : 0.14 * (1 - fold))));
    context.fill(closedPath(points));
  }
}

/** A piece of the inside or the back, in plain shade. */
export function drawSheet({ context, look, camera }: BagEasel, sheet: Sheet): void {
  const path = closedPath(sheet.corners.map((corner) => camera.project(corner)));
  context.fillStyle = css(lit(toneOf(look, sheet.tone), -sheet.shade));
  context.fill(path);
}

/** The colour of one of a bag's leathers. */
export function toneOf(look: BagLook, tone: Tone): Rgb {
  return look[tone];
}

function surfaceOf(look: BagLook, tone: Tone): Surface {
  return tone === 'trim' ? 'smooth' : look.surface;
}

function spanOf(look: BagLook, tone: Tone): number {
  return SPANS[surfaceOf(look, tone)] * (tone === 'trim' ? 1 : look.surfaceScale);
}

function boundsOf(outline: readonly Point[]): PanelBox {
  const xs = outline.map((point) => point.x);
  const ys = outline.map((point) => point.y);
  const x = Math.min(...xs);
  const y = Math.min(...ys);
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

/** Leather is never quite even; soft bags least of all. */
function layCreases(context: SKRSContext2D, look: BagLook, tone: Tone, box: PanelBox): void {
  if (tone !== 'main' || STIFF.includes(look.surface)) return;
  context.globalAlpha = SOFT.includes(look.shape) ? 0.75 : 0.38;
  layTile(context, creaseTile(look.seed), 620, Math.max(box.width, box.height));
  context.globalAlpha = 1;
}

/** Studio light from the upper left over a front that bulges a little. */
function shade(context: SKRSContext2D, box: PanelBox, bulge: number, gloss: number): void {
  const { width, height } = box;
  const across = context.createLinearGradient(-width / 2, 0, width / 2, 0);
  across.addColorStop(0, `rgba(0,0,0,${0.26 * bulge})`);
  across.addColorStop(0.16, 'rgba(0,0,0,0)');
  across.addColorStop(0.17, 'rgba(255,255,255,0)');
  across.addColorStop(0.34, `rgba(255,255,255,${0.1 * bulge})`);
  across.addColorStop(0.56, 'rgba(255,255,255,0)');
  across.addColorStop(0.57, 'rgba(0,0,0,0)');
  across.addColorStop(1, `rgba(0,0,0,${0.32 * bulge})`);
  context.fillStyle = across;
  context.fillRect(-width, -height, width * 2, height * 2);
  const down = context.createLinearGradient(0, -height / 2, 0, height / 2);
  down.addColorStop(0, 'rgba(255,255,255,0.10)');
  down.addColorStop(0.3, 'rgba(255,255,255,0)');
  down.addColorStop(0.45, 'rgba(0,0,0,0)');
  down.addColorStop(1, 'rgba(0,0,0,0.28)');
  context.fillStyle = down;
  context.fillRect(-width, -height, width * 2, height * 2);
  if (gloss === 0) return;
  const spot = context.createRadialGradient(
    -width * 0.2,
    -height * 0.28,
    0,
    -width * 0.2,
    -height * 0.28,
    width * 0.5,
  );
  spot.addColorStop(0, `rgba(255,255,255,${gloss})`);
  spot.addColorStop(0.5, `rgba(255,255,255,${gloss * 0.25})`);
  spot.addColorStop(1, 'rgba(255,255,255,0)');
  context.fillStyle = spot;
  context.fillRect(-width, -height, width * 2, height * 2);
}

function castShadow(context: SKRSContext2D, path: Path2D): void {
  context.save();
  context.translate(3, 9);
  for (const [width, opacity] of [
    [16, 0.05],
    [10, 0.07],
    [4, 0.1],
  ] as const) {
    context.lineWidth = width;
    context.strokeStyle = `rgba(0,0,0,${opacity})`;
    context.lineJoin = 'round';
    context.stroke(path);
  }
  context.restore();
}

function drawEdge(
  { context, look }: BagEasel,
  panel: Panel,
  outline: readonly Point[],
  path: Path2D,
  colour: Rgb,
): void {
  context.save();
  context.clip(path);
  context.lineJoin = 'round';
  context.lineWidth = 14;
  context.strokeStyle = 'rgba(0,0,0,0.14)';
  context.stroke(path);
  context.lineWidth = 4;
  context.strokeStyle = css(lit(colour, -0.36), 0.8);
  context.stroke(path);
  context.restore();
  if (panel.edge === 'stitched') {
    stitchInside(context, look, outline);
  } else if (panel.edge === 'piped') {
    context.lineWidth = 9;
    context.strokeStyle = css(lit(look.trim, -0.28));
    context.stroke(path);
    context.lineWidth = 4;
    context.strokeStyle = css(lit(look.trim, 0.26));
    context.stroke(path);
  }
}

function stitchInside(context: SKRSContext2D, look: BagLook, outline: readonly Point[]): void {
  context.save();
  context.setLineDash([9, 6]);
  context.lineWidth = 2.4;
  context.strokeStyle = css(look.stitch, 0.85);
  context.stroke(closedPath(inset(outline, 11)));
  context.restore();
}
