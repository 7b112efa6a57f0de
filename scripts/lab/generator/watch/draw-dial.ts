import type { SKRSContext2D as Context } from '@napi-rs/canvas';
import { Random } from '../../../../models/random';
import { black, fillBox, stops, white } from '../brush/light';
import { css, lit, mixed } from '../brush/rgb';
import { dialTile, layTile } from '../brush/texture';
import type { WatchLook } from '../look/look';
import { closedPath } from '../paint/curves';
import { emblemPath } from '../paint/emblem';
import { write } from '../paint/lettering';
import { stroke } from '../paint/shapes';
import { drawDateWindow, drawSubdials } from './draw-complications';
import { drawIndices, drawMinuteTrack } from './draw-indices';
import { dialHalves, LAYERS, onLayer, type WatchEasel } from './easel';
import { dialShape, outline } from './outline';

/** The dial and all that lies on it, up to the hands. */
export function drawDial(easel: WatchEasel): void {
  const { look, minutes } = easel;
  const { halfWidth, halfHeight } = dialHalves(look);
  onLayer(easel, LAYERS.dial, (layer) => {
    const path = closedPath(outline(dialShape(look.caseShape), halfWidth * 0.985, halfHeight * 0.985));
    layer.save();
    layer.clip(path);
    fillBox(layer, css(look.dialColour), -halfWidth, -halfHeight, halfWidth * 2, halfHeight * 2);
    drawFinish(layer, look, halfWidth, halfHeight);
    drawMinuteTrack(layer, look);
    drawSubdials(layer, look, minutes);
    drawSignature(layer, look, halfHeight);
    layer.restore();
    stroke(layer, black(0.28), 7, path);
  });
  onLayer(easel, LAYERS.indices, (layer) => {
    drawIndices(layer, look);
    drawDateWindow(layer, look);
  });
}

function drawFinish(context: Context, look: WatchLook, halfWidth: number, halfHeight: number): void {
  const reach = Math.max(halfWidth, halfHeight);
  switch (look.dialFinish) {
    case 'sunburst':
      drawRays(context, look, reach, 0.24);
      break;
    case 'fume':
      drawRays(context, look, reach, 0.1);
      drawSmoke(context, reach);
      break;
    case 'pearl':
      drawPearl(context, look, reach);
      break;
    case 'plain':
      break;
    default:
      layTile(context, dialTile(look.dialFinish, look.seed), reach * 1.1 * look.dialScale, reach);
  }
  const light = context.createLinearGradient(-reach * 0.6, -reach, reach * 0.6, reach);
  stops(light, [0, white(0.16)], [0.5, white(0)], [1, black(0.2)]);
  fillBox(context, light, -reach, -reach, reach * 2, reach * 2);
}

function drawRays(context: Context, look: WatchLook, reach: number, strength: number): void {
  const random = new Random(look.seed % 16, 'rays');
  const rays = context.createConicGradient(random.between(0, 6), 0, 0);
  for (let ray = 0; ray < 48; ray++) {
    const swing = Math.sin((ray / 48) * Math.PI * 4) + random.between(-0.3, 0.3);
    rays.addColorStop(ray / 48, swing > 0 ? white(swing * strength) : black(-swing * strength * 1.3));
  }
  rays.addColorStop(1, white(0));
  fillBox(context, rays, -reach, -reach, reach * 2, reach * 2);
}

function drawSmoke(context: Context, reach: number): void {
  const smoke = context.createRadialGradient(0, 0, reach * 0.3, 0, 0, reach);
  stops(smoke, [0, black(0)], [1, black(0.78)]);
  fillBox(context, smoke, -reach, -reach, reach * 2, reach * 2);
}

function drawPearl(context: Context, look: WatchLook, reach: number): void {
  layTile(context, dialTile('pearl', look.seed), reach * 1.6, reach);
  const sheen = context.createConicGradient(1, reach * 0.2, -reach * 0.1);
  for (let step = 0; step <= 6; step++) {
    const tint =
      ['rgba(255,190,220,0.30)', 'rgba(190,235,255,0.30)', 'rgba(210,255,215,0.26)'][step % 3] ?? white(0);
    sheen.addColorStop(step / 6, tint);
  }
  fillBox(context, sheen, -reach, -reach, reach * 2, reach * 2);
}

/** The maison's mark below twelve, with a line of tiny lettering. */
function drawSignature(context: Context, look: WatchLook, halfHeight: number): void {
  if (look.complication === 'calendar') return;
  const ink = mixed(look.dialColour, look.indexColour, 0.9);
  context.save();
  context.translate(0, -halfHeight * 0.5);
  context.fillStyle = css(ink);
  context.fill(emblemPath(look.emblem, look.radius * 0.075), 'evenodd');
  context.translate(0, look.radius * 0.14);
  context.strokeStyle = css(ink);
  write(context, look.wordmark, look.radius * 0.055, look.radius * 0.0105, 1.12);
  context.restore();
  if (look.complication !== 'none' && look.complication !== 'gmt') return;
  context.save();
  context.translate(0, halfHeight * 0.4);
  letters(context, look, 0, look.radius * 0.026, 12, css(lit(ink, 0.05), 0.85));
  letters(context, look, look.radius * 0.06, look.radius * 0.022, 8, css(lit(ink, 0.05), 0.85));
  context.restore();
}

/** The small print, too small to read in any photo: a line of strokes. */
function letters(
  context: Context,
  look: WatchLook,
  y: number,
  height: number,
  count: number,
  style: string,
): void {
  const random = new Random(look.emblem.form, look.emblem.points, look.emblem.turn, 'letters', count);
  const step = height * 0.95;
  context.lineWidth = height * 0.2;
  context.strokeStyle = style;
  context.beginPath();
  for (let letter = 0; letter < count; letter++) {
    const x = (letter - (count - 1) / 2) * step;
    context.moveTo(x - step * 0.25, y + height / 2);
    context.lineTo(x - step * random.between(-0.1, 0.25), y - height / 2);
    context.lineTo(x + step * 0.25, y + height * random.between(-0.5, 0.5));
  }
  context.stroke();
}
