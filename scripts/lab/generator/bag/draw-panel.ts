import type { SKRSContext2D as Context, Path2D } from '@napi-rs/canvas';
import { black, fillBox, stops, white } from '../brush/light';
import type { Surface } from '../brush/relief';
import { css, lit } from '../brush/rgb';
import { creaseTile, layTile, surfaceTile } from '../brush/texture';
import type { BagLook, BagShape } from '../look/look';
import { facing, type Point } from '../paint/camera';
import { closedPath, inset } from '../paint/curves';
import { stroke } from '../paint/shapes';
import { drawPattern } from './draw-pattern';
import type { BagEasel, PanelBox } from './easel';
import type { Part } from './parts';

type Panel = Extract<Part, { part: 'panel' }>;

/** How wide one repeat of a surface's relief is, and how much it shines. */
const SURFACES: Readonly<Record<Surface, readonly [span: number, gloss: number]>> = {
  smooth: [420, 0.24],
  patent: [500, 0.55],
  grained: [230, 0.1],
  saffiano: [190, 0.12],
  suede: [260, 0],
  canvas: [200, 0.06],
  denim: [150, 0],
  tweed: [170, 0],
  raffia: [220, 0],
  woven: [250, 0.15],
  quilted: [150, 0.18],
  chevron: [230, 0.18],
  channel: [150, 0.18],
  crocodile: [290, 0.3],
  python: [260, 0.15],
  ostrich: [210, 0.15],
  lizard: [200, 0.24],
};

const STIFF: readonly Surface[] = ['patent', 'saffiano', 'crocodile', 'raffia'];
const SOFT: readonly BagShape[] = ['hobo', 'bucket', 'tote', 'saddle'];

/** A front piece: leather, pattern, relief, light over its bulge, and its edge. Trim is smooth. */
export function drawPanel({ context, look, camera }: BagEasel, panel: Panel): void {
  const seen = panel.outline.map((point) => camera.project({ ...point, z: panel.z }));
  const path = closedPath(seen);
  const box = boundsOf(panel.outline);
  const reach = Math.max(box.width, box.height);
  const surface = panel.tone === 'trim' ? 'smooth' : look.surface;
  const [span, gloss] = SURFACES[surface];
  if (panel.raised) castShadow(context, path);
  context.save();
  context.clip(path);
  context.transform(
    ...camera.onto(facing({ x: box.x + box.width / 2, y: box.y + box.height / 2, z: panel.z })),
  );
  fillBox(context, css(look[panel.tone]), -box.width, -box.height, box.width * 2, box.height * 2);
  if (panel.tone === 'main') drawPattern(context, look, box);
  const tile = surfaceTile(surface, look.surfaceSeed);
  layTile(context, tile, span * (panel.tone === 'trim' ? 1 : look.surfaceScale), reach);
  if (panel.tone === 'main' && !STIFF.includes(look.surface)) {
    // Leather is never quite even; soft bags least of all.
    context.globalAlpha = SOFT.includes(look.shape) ? 0.75 : 0.38;
    layTile(context, creaseTile(look.seed), 620, reach);
    context.globalAlpha = 1;
  }
  shade(context, box, panel.bulge, gloss);
  context.restore();
  drawEdge(context, look, panel, seen, path);
}

/** The body seen from the side: its outline laid from back to front, darker than the front. */
export function drawSolid(
  { context, look, camera }: BagEasel,
  { outline, depth, soft }: Extract<Part, { part: 'solid' }>,
): void {
  const layers = 4 + Math.ceil(Math.abs(Math.sin(camera.yaw)) * depth * 0.18 + depth * 0.03);
  for (let layer = 0; layer <= layers; layer++) {
    const share = layer / layers;
    const z = (share - 0.5) * depth;
    const draw = soft ? 1 - 0.05 * (2 * share - 1) ** 4 : 1;
    const fold = soft ? 0 : 0.14 * (1 - Math.abs(2 * share - 1));
    const points = outline.map((point) => camera.project({ x: point.x * draw, y: point.y, z }));
    context.fillStyle = css(lit(look.main, -0.34 + 0.16 * share - fold));
    context.fill(closedPath(points));
  }
}

/** A piece of the inside or the back, in plain shade. */
export function drawSheet(
  { context, look, camera }: BagEasel,
  { corners, tone, shade: dark }: Extract<Part, { part: 'sheet' }>,
): void {
  context.fillStyle = css(lit(look[tone], -dark));
  context.fill(closedPath(corners.map((corner) => camera.project(corner))));
}

function boundsOf(outline: readonly Point[]): PanelBox {
  const xs = outline.map((point) => point.x);
  const ys = outline.map((point) => point.y);
  const x = Math.min(...xs);
  const y = Math.min(...ys);
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

/** Studio light from the upper left over a front that bulges a little. */
function shade(context: Context, box: PanelBox, bulge: number, gloss: number): void {
  const { width, height } = box;
  const across = context.createLinearGradient(-width / 2, 0, width / 2, 0);
  stops(
    across,
    [0, black(0.26 * bulge)],
    [0.16, black(0)],
    [0.17, white(0)],
    [0.34, white(0.1 * bulge)],
    [0.56, white(0)],
    [0.57, black(0)],
    [1, black(0.32 * bulge)],
  );
  fillBox(context, across, -width, -height, width * 2, height * 2);
  const down = context.createLinearGradient(0, -height / 2, 0, height / 2);
  stops(down, [0, white(0.1)], [0.3, white(0)], [0.45, black(0)], [1, black(0.28)]);
  fillBox(context, down, -width, -height, width * 2, height * 2);
  if (gloss === 0) return;
  const spot = context.createRadialGradient(
    -width * 0.2,
    -height * 0.28,
    0,
    -width * 0.2,
    -height * 0.28,
    width * 0.5,
  );
  stops(spot, [0, white(gloss)], [0.5, white(gloss * 0.25)], [1, white(0)]);
  fillBox(context, spot, -width, -height, width * 2, height * 2);
}

function castShadow(context: Context, path: Path2D): void {
  context.save();
  context.translate(3, 9);
  for (const [width, opacity] of [
    [16, 0.05],
    [10, 0.07],
    [4, 0.1],
  ] as const) {
    context.lineJoin = 'round';
    stroke(context, black(opacity), width, path);
  }
  context.restore();
}

function drawEdge(
  context: Context,
  look: BagLook,
  { edge, tone }: Panel,
  outline: readonly Point[],
  path: Path2D,
): void {
  context.save();
  context.clip(path);
  context.lineJoin = 'round';
  stroke(context, black(0.14), 14, path);
  stroke(context, css(lit(look[tone], -0.36), 0.8), 4, path);
  context.restore();
  if (edge === 'stitched') {
    stitchInside(context, look, outline);
  } else if (edge === 'piped') {
    stroke(context, css(lit(look.trim, -0.28)), 9, path);
    stroke(context, css(lit(look.trim, 0.26)), 4, path);
  }
}

function stitchInside(context: Context, look: BagLook, outline: readonly Point[]): void {
  context.save();
  context.setLineDash([9, 6]);
  stroke(context, css(look.stitch, 0.85), 2.4, closedPath(inset(outline, 11)));
  context.restore();
}
