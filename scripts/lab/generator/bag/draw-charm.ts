import type { SKRSContext2D as Context } from '@napi-rs/canvas';
import { Random } from '../../../../models/random';
import { css, lit } from '../brush/rgb';
import type { BagLook } from '../look/look';
import { curve } from '../paint/curves';
import { emblemPath } from '../paint/emblem';
import { polished } from '../paint/metal';
import { disc, segment, stroke } from '../paint/shapes';

/** What hangs from a bag, drawn down from where it is tied. */
export function drawCharm(context: Context, look: BagLook, size: number): void {
  context.strokeStyle = css(lit(look.trim, -0.3));
  segment(context, { x: 0, y: 0 }, { x: 0, y: size * 0.35 }, 6);
  context.translate(0, size * 0.35);
  CHARMS[look.charm](context, look, size);
}

const CHARMS: Readonly<Record<BagLook['charm'], (context: Context, look: BagLook, size: number) => void>> = {
  none: drawPuller,
  clochette: drawClochette,
  tassel: drawTassel,
  tag: drawTag,
  twilly: drawTwilly,
  pompon: drawPompon,
};

function drawPuller(context: Context, look: BagLook, size: number): void {
  context.fillStyle = css(lit(look.trim, -0.1));
  context.beginPath();
  context.roundRect(-9, 0, 18, size * 0.7, 8);
  context.fill();
}

function drawClochette(context: Context, look: BagLook, size: number): void {
  const width = size * 0.34;
  context.fillStyle = css(lit(look.charmColour, -0.1));
  context.strokeStyle = css(lit(look.charmColour, -0.5));
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(-width * 0.28, 0);
  context.lineTo(width * 0.28, 0);
  context.bezierCurveTo(width * 0.5, size * 0.3, width * 0.62, size * 0.5, width * 0.62, size * 0.8);
  context.lineTo(-width * 0.62, size * 0.8);
  context.bezierCurveTo(-width * 0.62, size * 0.5, -width * 0.5, size * 0.3, -width * 0.28, 0);
  context.fill();
  context.stroke();
}

function drawTassel(context: Context, look: BagLook, size: number): void {
  const random = new Random(look.seed, 'tassel');
  context.fillStyle = polished(context, look.metal, { x: -14, y: 0 }, { x: 14, y: 20 });
  context.beginPath();
  context.roundRect(-15, -4, 30, 24, 6);
  context.fill();
  for (let strand = -7; strand <= 7; strand++) {
    context.strokeStyle = css(lit(look.charmColour, random.between(-0.35, 0.15)));
    const end = { x: strand * 3.1, y: size * random.between(0.9, 1) };
    segment(context, { x: strand * 1.7, y: 18 }, end, 5.5);
  }
}

function drawTag(context: Context, look: BagLook, size: number): void {
  context.fillStyle = css(look.charmColour);
  context.strokeStyle = css(lit(look.charmColour, -0.5));
  context.lineWidth = 2.5;
  context.beginPath();
  context.roundRect(-size * 0.24, 0, size * 0.48, size * 0.72, 14);
  context.fill();
  context.stroke();
  context.translate(0, size * 0.36);
  context.fillStyle = css(look.metal);
  context.fill(emblemPath(look.emblem, size * 0.15), 'evenodd');
}

/** A silk scarf tied in a bow. */
function drawTwilly(context: Context, look: BagLook, size: number): void {
  for (const side of [-1, 1]) {
    const loop = curve([0, 0], [side * size * 0.7, -size * 0.5], [side * size * 0.7, size * 0.35], [0, 6]);
    const tail = curve(
      [0, 4],
      [side * size * 0.2, size * 0.3],
      [side * size * 0.1, size * 0.6],
      [side * size * 0.34, size * 0.95],
    );
    for (const [line, width] of [
      [tail, 26],
      [loop, 20],
    ] as const) {
      context.lineCap = 'round';
      context.beginPath();
      for (const point of line) context.lineTo(point.x, point.y);
      stroke(context, css(lit(look.charmColour, -0.15)), width);
      context.setLineDash([12, 12]);
      stroke(context, css(lit(look.second, 0.3)), width * 0.5);
      context.setLineDash([]);
    }
  }
  context.fillStyle = css(lit(look.charmColour, -0.3));
  disc(context, 0, 2, 15);
}

function drawPompon(context: Context, look: BagLook, size: number): void {
  const random = new Random(look.seed, 'pompon');
  const radius = size * 0.4;
  context.translate(0, radius);
  for (let hair = 0; hair < 130; hair++) {
    const angle = random.between(0, Math.PI * 2);
    const reach = radius * random.between(0.75, 1.05);
    context.strokeStyle = css(lit(look.charmColour, random.between(-0.35, 0.3) - Math.sin(angle) * 0.15));
    const root = { x: Math.cos(angle) * radius * 0.2, y: Math.sin(angle) * radius * 0.2 };
    segment(context, root, { x: Math.cos(angle) * reach, y: Math.sin(angle) * reach }, 3);
  }
}
