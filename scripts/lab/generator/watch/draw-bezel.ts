import type { SKRSContext2D as Context } from '@napi-rs/canvas';
import { black, fillBox, stops, white } from '../brush/light';
import { css, lit } from '../brush/rgb';
import type { Bezel, WatchLook } from '../look/look';
import type { Point } from '../paint/camera';
import { openPath } from '../paint/curves';
import { write } from '../paint/lettering';
import { polished, turned } from '../paint/metal';
import { disc, segment, stroke } from '../paint/shapes';
import { dialHalves, LAYERS, onLayer, type WatchEasel } from './easel';
import { dialShape, rim, STEPS } from './outline';

type Draw = (context: Context, look: WatchLook) => void;

/** What each bezel has on its ring. */
const BEZELS: Readonly<Record<Bezel, Draw>> = {
  plain: () => undefined,
  step: (context, look) => drawRing(context, look, 0.5, false, 0.9),
  fluted: (context, look) => drawTeeth(context, look, 120, 3.4),
  coin: (context, look) => drawTeeth(context, look, 190, 1.6, 0.55),
  diver: drawDiver,
  tachymeter: drawTachymeter,
  gems: drawGems,
  screws: drawScrews,
};

/** The ring between the case's edge and the dial. */
export function drawBezel(easel: WatchEasel): void {
  const { look } = easel;
  onLayer(easel, LAYERS.bezel, (layer) => {
    drawRing(layer, look, 1, look.bezel === 'diver' || look.bezel === 'tachymeter');
    BEZELS[look.bezel](layer, look);
    drawRims(layer, look);
  });
}

/** A point on the bezel: `share` 0 at the dial, 1 at the outer edge. */
function onBezel(look: WatchLook, angle: number, share: number): Point {
  const inner = dialHalves(look);
  const outerShape = look.caseShape === 'cushion' ? 'round' : look.caseShape;
  const a = rim(dialShape(look.caseShape), inner.halfWidth, inner.halfHeight, angle);
  const b = rim(outerShape, look.radius * 0.965, look.radius * look.aspect * 0.965, angle);
  return { x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share };
}

function around(look: WatchLook, share: number): Point[] {
  return Array.from({ length: STEPS + 1 }, (_, step) => onBezel(look, (step / STEPS) * Math.PI * 2, share));
}

/** The ring from the dial out to a share of the bezel; `inset` is its coloured inlay. */
function drawRing(context: Context, look: WatchLook, to: number, inset: boolean, waves = 3): void {
  const path = openPath(around(look, to));
  path.closePath();
  path.addPath(openPath(around(look, 0)));
  path.closePath();
  const reach = look.radius;
  context.fillStyle = inset
    ? css(look.bezelColour)
    : look.brushed && waves === 3
      ? polished(context, look.metal, { x: -reach, y: -reach }, { x: reach, y: reach })
      : turned(context, look.secondMetal, 0, 0, waves === 3 ? 5 : 3, 0.2);
  context.fill(path, 'evenodd');
  if (!inset) return;
  const shine = context.createLinearGradient(-reach, -reach, reach, reach);
  stops(shine, [0, white(0.34)], [0.35, white(0)], [0.7, white(0.14)], [1, black(0.2)]);
  context.fillStyle = shine;
  context.fill(path, 'evenodd');
}

function drawRims(context: Context, look: WatchLook): void {
  for (const [share, width, light] of [
    [1, 5, -0.35],
    [0.96, 2.5, 0.55],
    [0.02, 5, 0.3],
    [0, 2, -0.5],
  ] as const) {
    stroke(context, css(lit(look.metal, light)), width, openPath(around(look, share)));
  }
}

function drawTeeth(context: Context, look: WatchLook, count: number, width: number, from = 0.06): void {
  for (let tooth = 0; tooth < count; tooth++) {
    const angle = (tooth / count) * Math.PI * 2;
    const glance = Math.cos(angle * 2 + 0.8) * 0.3;
    context.strokeStyle = css(lit(look.secondMetal, (tooth % 2 === 0 ? 0.45 : -0.5) + glance));
    segment(context, onBezel(look, angle, from), onBezel(look, angle, 0.98), width);
  }
}

function drawDiver(context: Context, look: WatchLook): void {
  const ink = css(look.lume);
  context.strokeStyle = ink;
  for (let minute = 0; minute < 60; minute++) {
    const isFifth = minute % 5 === 0;
    if (minute % 10 === 0 || (!isFifth && minute > 15)) continue;
    tick(context, look, minute / 60, isFifth ? 0.22 : 0.4, 0.82, isFifth ? 7 : 3.5);
  }
  for (let tens = 1; tens < 6; tens++)
    label(context, look, `${tens}0`, tens / 6, look.radius * look.bezelWidth * 0.5, 4.4);
  const top = onBezel(look, 0, 0.5);
  const size = look.radius * look.bezelWidth * 0.34;
  context.fillStyle = ink;
  context.beginPath();
  context.moveTo(top.x - size, top.y - size * 0.9);
  context.lineTo(top.x + size, top.y - size * 0.9);
  context.lineTo(top.x, top.y + size);
  context.fill();
}

function drawTachymeter(context: Context, look: WatchLook): void {
  context.strokeStyle = css(look.lume);
  const speeds = [400, 300, 240, 200, 180, 160, 140, 120, 110, 100, 90, 80, 75, 70, 65, 60];
  for (const speed of speeds)
    label(context, look, `${speed}`, 60 / speed, look.radius * look.bezelWidth * 0.36, 2.4);
  for (let minute = 0; minute < 60; minute++) tick(context, look, minute / 60, 0.06, 0.2, 2);
}

function tick(
  context: Context,
  look: WatchLook,
  turn: number,
  from: number,
  to: number,
  width: number,
): void {
  const angle = turn * Math.PI * 2;
  segment(context, onBezel(look, angle, from), onBezel(look, angle, to), width);
}

function label(
  context: Context,
  look: WatchLook,
  text: string,
  turn: number,
  height: number,
  weight: number,
): void {
  const place = onBezel(look, turn * Math.PI * 2, 0.54);
  context.save();
  context.translate(place.x, place.y);
  context.rotate(turn * Math.PI * 2);
  write(context, text, height, weight);
  context.restore();
}

function drawGems(context: Context, look: WatchLook): void {
  const size = Math.max(7, look.radius * look.bezelWidth * 0.42);
  const count = Math.round((Math.PI * 2 * look.radius * (0.97 - look.bezelWidth / 2)) / (size * 2.05));
  for (let gem = 0; gem < count; gem++) {
    drawGem(context, onBezel(look, (gem / count) * Math.PI * 2, 0.5), size, gem);
  }
}

/** A brilliant: a bright disc cut by darker facets. */
export function drawGem(context: Context, at: Point, size: number, turn: number): void {
  context.fillStyle = 'rgb(196,208,222)';
  disc(context, at.x, at.y, size);
  stroke(context, 'rgba(70,80,96,0.9)', 1.2);
  context.beginPath();
  for (let facet = 0; facet < 4; facet++) {
    const angle = facet * 1.571 + turn;
    context.moveTo(at.x, at.y);
    context.arc(at.x, at.y, size * 0.82, angle, angle + 0.75);
  }
  context.fillStyle = 'rgb(255,255,255)';
  context.fill();
}

function drawScrews(context: Context, look: WatchLook): void {
  for (let screw = 0; screw < 8; screw++) {
    const place = onBezel(look, ((screw + 0.5) / 8) * Math.PI * 2, 0.54);
    const size = Math.max(8, look.radius * look.bezelWidth * 0.28);
    context.save();
    context.translate(place.x, place.y);
    context.rotate(screw * 0.9 + 0.3);
    context.fillStyle = turned(context, lit(look.secondMetal, 0.12), 0, 0, 2);
    disc(context, 0, 0, size);
    stroke(context, css(lit(look.metal, -0.6)), 1.6);
    fillBox(context, css(lit(look.metal, -0.75)), -size * 0.9, -2, size * 1.8, 4);
    context.restore();
  }
}
