import type { SKRSContext2D as Context } from '@napi-rs/canvas';
import { fillBox } from '../brush/light';
import { css, lit } from '../brush/rgb';
import type { WatchLook } from '../look/look';
import { closedPath } from '../paint/curves';
import { polished, turned } from '../paint/metal';
import { segment, stroke } from '../paint/shapes';
import { dialHalves, LAYERS, onLayer, type WatchEasel } from './easel';
import { dialShape, outline } from './outline';

/** The case: lugs, crown and pushers, its band seen from the side, and its top. */
export function drawCase(easel: WatchEasel): void {
  const { context, look, camera } = easel;
  onLayer(easel, 0, (layer) => {
    drawCrown(layer, look);
    drawPushers(layer, look);
  });
  const height = look.radius * look.aspect;
  for (let z: number = LAYERS.caseBack; z <= LAYERS.caseTop; z += 5) {
    const share = (z - LAYERS.caseBack) / (LAYERS.caseTop - LAYERS.caseBack);
    const shrink = 1 - 0.06 * (2 * share - 1) ** 2;
    const points = outline(look.caseShape, look.radius * shrink, height * shrink);
    context.fillStyle = css(lit(look.metal, -0.6 + 0.35 * share));
    context.fill(closedPath(points.map((point) => camera.project({ x: point.x, y: -point.y, z }))));
  }
  onLayer(easel, LAYERS.caseTop - 4, (layer) => drawLugs(layer, look));
  onLayer(easel, LAYERS.caseTop, (layer) => {
    const path = closedPath(outline(look.caseShape, look.radius, height));
    layer.fillStyle = look.brushed
      ? polished(layer, look.metal, { x: -look.radius, y: -height }, { x: look.radius, y: height })
      : turned(layer, look.metal, 0, 0, 4);
    layer.fill(path);
    stroke(layer, css(lit(look.metal, -0.5)), 2, path);
  });
}

/** The dark wall between glass and dial. */
export function drawWall(easel: WatchEasel): void {
  const { look } = easel;
  const { halfWidth, halfHeight } = dialHalves(look);
  onLayer(easel, LAYERS.bezel - 2, (layer) => {
    layer.fillStyle = css(lit(look.metal, -0.55));
    layer.fill(closedPath(outline(dialShape(look.caseShape), halfWidth * 1.01, halfHeight * 1.01)));
  });
}

function drawLugs(context: Context, look: WatchLook): void {
  const height = look.radius * look.aspect;
  const half = look.strapWidth / 2;
  for (const up of [-1, 1]) {
    if (look.lugs === 'integrated') drawShoulder(context, look, half, height, up);
    else for (const side of [-1, 1]) drawLug(context, look, side, up, half, height);
  }
}

function drawShoulder(context: Context, look: WatchLook, half: number, height: number, up: number): void {
  context.beginPath();
  context.moveTo(-look.radius * 0.86, up * height * 0.45);
  context.lineTo(-half * 1.06, up * height * 1.08);
  context.lineTo(half * 1.06, up * height * 1.08);
  context.lineTo(look.radius * 0.86, up * height * 0.45);
  context.closePath();
  const from = { x: 0, y: up * height * 1.1 };
  context.fillStyle = polished(context, look.metal, from, { x: look.radius * 0.3, y: 0 });
  context.fill();
  stroke(context, css(lit(look.metal, -0.5)), 2);
}

function drawLug(
  context: Context,
  look: WatchLook,
  side: number,
  up: number,
  half: number,
  height: number,
): void {
  const thick = look.lugs === 'wire' ? 10 : look.lugs === 'curved' ? 30 : 26;
  const reach = look.lugs === 'wire' ? 1.14 : 1.2;
  const inner = side * (half + 3);
  const outer = side * (half + 3 + thick);
  context.beginPath();
  context.moveTo(inner, up * height * 0.6);
  context.lineTo(inner, up * height * reach);
  if (look.lugs === 'curved') {
    context.quadraticCurveTo(
      inner + side * thick * 0.5,
      up * height * (reach + 0.03),
      inner + side * thick * 0.66,
      up * height * reach,
    );
    context.quadraticCurveTo(
      outer + side * 8,
      up * height * 0.98,
      side * look.radius * 0.94,
      up * height * 0.45,
    );
  } else {
    context.lineTo(outer, up * height * reach);
    context.lineTo(outer + side * (look.lugs === 'wire' ? 0 : 10), up * height * 0.6);
  }
  context.closePath();
  context.fillStyle = polished(
    context,
    look.metal,
    { x: inner, y: up * height },
    { x: outer + side * 6, y: up * height * 0.9 },
  );
  context.fill();
  stroke(context, css(lit(look.metal, -0.55)), 2);
}

function drawCrown(context: Context, look: WatchLook): void {
  const size = look.radius * 0.2;
  const from = look.radius * 0.97;
  if (look.crown === 'guarded') {
    context.fillStyle = css(lit(look.metal, -0.2));
    context.beginPath();
    context.moveTo(from - size * 0.6, -size * 1.9);
    context.lineTo(from + size * 0.6, -size * 0.8);
    context.lineTo(from + size * 0.6, size * 0.8);
    context.lineTo(from - size * 0.6, size * 1.9);
    context.fill();
  }
  context.fillStyle = polished(context, look.metal, { x: 0, y: -size * 0.7 }, { x: 0, y: size * 0.7 });
  context.beginPath();
  if (look.crown === 'onion')
    context.ellipse(from + size * 0.35, 0, size * 0.62, size * 0.72, 0, 0, Math.PI * 2);
  else context.roundRect(from, -size * 0.62, size * 0.8, size * 1.24, 5);
  context.fill();
  context.strokeStyle = css(lit(look.metal, -0.6), 0.8);
  for (let y = -0.5; y <= 0.5; y += 0.16) {
    segment(context, { x: from + size * 0.1, y: y * size }, { x: from + size * 0.74, y: y * size }, 2.2);
  }
  if (look.crown !== 'cabochon') return;
  context.fillStyle = css(look.accent);
  context.beginPath();
  context.ellipse(from + size * 0.95, 0, size * 0.24, size * 0.36, 0, 0, Math.PI * 2);
  context.fill();
}

function drawPushers(context: Context, look: WatchLook): void {
  if (look.complication !== 'chronograph' && look.complication !== 'bicompax') return;
  for (const angle of [-0.52, 0.52]) {
    context.save();
    context.rotate(angle);
    const from = look.radius * 0.97;
    fillBox(context, polished(context, look.metal, { x: 0, y: -14 }, { x: 0, y: 14 }), from, -8, 20, 16);
    context.beginPath();
    context.roundRect(from + 14, -15, 20, 30, 5);
    context.fill();
    stroke(context, css(lit(look.metal, -0.55)), 1.5);
    context.restore();
  }
}
