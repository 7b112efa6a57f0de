import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Random } from '../../../../models/random';
import { black, fillBox, stops, white } from './light';
import { css, lit, mixed, type Rgb } from './rgb';
import { layTile, surfaceTile } from './texture';

/** Paints the whole of a square picture with a place where a thing may be photographed. */
type Background = (context: SKRSContext2D, side: number, random: Random) => void;

const PLACES: readonly (readonly [Background, number])[] = [
  [plain, 2],
  [wood, 3],
  [marble, 3],
  [cloth, 3],
  [table, 3],
  [room, 4],
  [grass, 1],
  [tiles, 2],
  [clutter, 2],
];

/** A random place, painted; the same draws give the same place. */
export function paintBackground(context: SKRSContext2D, side: number, random: Random): void {
  random.weighted(PLACES)(context, side, random);
}

function anyColour(random: Random, low = 20, high = 240): Rgb {
  const grey = random.between(low, high);
  const tint = random.between(0, 60);
  const clamp = (value: number) => Math.max(0, Math.min(255, value));
  return [
    clamp(grey + random.bell() * tint),
    clamp(grey + random.bell() * tint),
    clamp(grey + random.bell() * tint),
  ];
}

function plain(context: SKRSContext2D, side: number, random: Random): void {
  const colour = anyColour(random, 60, 240);
  const angle = random.between(0, 6.3);
  const reach = side * 0.6;
  const x = Math.cos(angle) * reach;
  const y = Math.sin(angle) * reach;
  const gradient = context.createLinearGradient(side / 2 - x, side / 2 - y, side / 2 + x, side / 2 + y);
  stops(
    gradient,
    [0, css(lit(colour, random.between(0, 0.35)))],
    [1, css(lit(colour, random.between(-0.4, 0)))],
  );
  fillBox(context, gradient, 0, 0, side, side);
}

function wood(context: SKRSContext2D, side: number, random: Random): void {
  const base = mixed([86, 52, 28], [206, 164, 112], random.next());
  fillBox(context, css(base), 0, 0, side, side);
  context.save();
  context.translate(side / 2, side / 2);
  context.rotate(random.between(-0.5, 0.5) + (random.chance(0.5) ? 1.57 : 0));
  const plank = side * random.between(0.12, 0.34);
  for (let y = -side; y < side; y += plank) {
    fillBox(context, css(lit(base, random.between(-0.22, 0.16))), -side, y, side * 2, plank);
    for (let grain = 0; grain < 16; grain++) {
      const at = y + random.next() * plank;
      context.lineWidth = random.between(0.3, 1.6) * (side / 300);
      context.strokeStyle = css(lit(base, random.between(-0.5, -0.1)), random.between(0.15, 0.55));
      context.beginPath();
      context.moveTo(-side, at);
      context.bezierCurveTo(
        -side * 0.3,
        at + random.bell() * plank * 0.2,
        side * 0.3,
        at - random.bell() * plank * 0.2,
        side,
        at,
      );
      context.stroke();
    }
    fillBox(context, 'rgba(20,10,4,0.55)', -side, y, side * 2, Math.max(1, side * 0.005));
  }
  context.restore();
}

function marble(context: SKRSContext2D, side: number, random: Random): void {
  const dark = random.chance(0.3);
  const base: Rgb = dark ? [42, 44, 48] : [230, 227, 224];
  fillBox(context, css(base), 0, 0, side, side);
  for (let vein = 0; vein < 18; vein++) {
    let x = random.between(-0.1, 1.1) * side;
    let y = random.between(-0.1, 1.1) * side;
    let angle = random.between(0.3, 1.3);
    context.lineWidth = random.between(0.5, 7) * (side / 320);
    context.strokeStyle = css(
      lit(base, dark ? random.between(0.2, 0.6) : random.between(-0.5, -0.15)),
      random.between(0.1, 0.4),
    );
    context.beginPath();
    context.moveTo(x, y);
    for (let step = 0; step < 9; step++) {
      angle += random.bell() * 0.35;
      x += Math.cos(angle) * side * 0.09;
      y += Math.sin(angle) * side * 0.09;
      context.lineTo(x, y);
    }
    context.stroke();
  }
}

function cloth(context: SKRSContext2D, side: number, random: Random): void {
  const base = anyColour(random, 30, 225);
  fillBox(context, css(base), 0, 0, side, side);
  context.save();
  context.rotate(random.between(-0.4, 0.4));
  layTile(
    context,
    surfaceTile(random.pick(['canvas', 'tweed', 'suede', 'denim'] as const), 1),
    side * random.between(0.25, 0.6),
    side * 2,
  );
  context.restore();
  for (let fold = 0; fold < 7; fold++) {
    const x = random.between(-0.2, 1.2) * side;
    const width = random.between(0.05, 0.22) * side;
    const gradient = context.createLinearGradient(x - width, 0, x + width, side * random.between(-0.3, 0.3));
    stops(
      gradient,
      [0, black(0)],
      [0.45, black(random.between(0.08, 0.3))],
      [0.55, white(random.between(0.04, 0.2))],
      [1, white(0)],
    );
    fillBox(context, gradient, 0, 0, side, side);
  }
}

/** A wall over a table's edge. */
function table(context: SKRSContext2D, side: number, random: Random): void {
  plain(context, side, random);
  const edge = side * random.between(0.45, 0.75);
  const surface = createCanvas(side, side);
  random.pick([wood, marble, plain, cloth])(surface.getContext('2d'), side, random);
  context.drawImage(surface, 0, 0, side, side, 0, edge, side, side - edge);
  const shade = context.createLinearGradient(0, edge, 0, edge + side * 0.14);
  stops(shade, [0, black(0.35)], [1, black(0)]);
  fillBox(context, shade, 0, edge, side, side * 0.14);
}

/** A room out of focus: soft furniture, a window, points of light. */
function room(context: SKRSContext2D, side: number, random: Random): void {
  plain(context, side, random);
  for (let thing = 0; thing < 9; thing++) {
    const x = random.between(0, side);
    const y = random.between(0, side);
    const radius = random.between(0.1, 0.4) * side;
    const colour = anyColour(random);
    const blob = context.createRadialGradient(x, y, radius * random.between(0.3, 0.85), x, y, radius);
    stops(blob, [0, css(colour, 0.85)], [1, css(colour, 0)]);
    context.save();
    context.translate(x, y);
    context.scale(1, random.between(0.5, 1.8));
    context.translate(-x, -y);
    fillBox(context, blob, x - radius, y - radius, radius * 2, radius * 2);
    context.restore();
  }
  if (!random.chance(0.5)) return;
  for (let lamp = 0; lamp < 14; lamp++) {
    context.fillStyle = css(
      [255, random.between(190, 245), random.between(120, 230)],
      random.between(0.12, 0.5),
    );
    context.beginPath();
    context.arc(
      random.between(0, side),
      random.between(0, side * 0.6),
      random.between(0.01, 0.05) * side,
      0,
      Math.PI * 2,
    );
    context.fill();
  }
}

function grass(context: SKRSContext2D, side: number, random: Random): void {
  const base: Rgb = [random.between(50, 110), random.between(90, 140), random.between(30, 60)];
  fillBox(context, css(base), 0, 0, side, side);
  for (let blade = 0; blade < 700; blade++) {
    const x = random.between(0, side);
    const y = random.between(0, side);
    context.lineWidth = random.between(0.6, 2.4) * (side / 320);
    context.strokeStyle = css(lit(base, random.between(-0.55, 0.35)), 0.8);
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + random.bell() * side * 0.02, y - random.between(0.01, 0.05) * side);
    context.stroke();
  }
}

function tiles(context: SKRSContext2D, side: number, random: Random): void {
  const base = anyColour(random, 70, 230);
  fillBox(context, css(lit(base, -0.4)), 0, 0, side, side);
  const tile = side * random.between(0.1, 0.3);
  const brick = random.chance(0.5) ? 0.5 : 0;
  context.save();
  context.rotate(random.between(-0.3, 0.3));
  for (let row = -4; row * tile * (1 - brick * 0.5) < side * 1.4; row++) {
    for (let x = -side; x < side * 1.5; x += tile) {
      fillBox(
        context,
        css(lit(base, random.between(-0.14, 0.14))),
        x + (row % 2) * brick * tile,
        row * tile * (1 - brick * 0.5),
        tile * 0.97,
        tile * (1 - brick * 0.5) * 0.95,
      );
    }
  }
  context.restore();
}

/** A desk or shelf with other things on it. */
function clutter(context: SKRSContext2D, side: number, random: Random): void {
  random.pick([wood, marble, plain, cloth])(context, side, random);
  for (let thing = 0; thing < 7; thing++) {
    context.save();
    context.translate(random.between(0, side), random.between(0, side));
    context.rotate(random.between(0, 6.3));
    const width = random.between(0.08, 0.4) * side;
    const height = random.between(0.05, 0.3) * side;
    context.shadowColor = black(0.5);
    context.shadowBlur = side * 0.02;
    context.shadowOffsetY = side * 0.01;
    context.fillStyle = css(anyColour(random));
    context.beginPath();
    if (random.chance(0.6))
      context.roundRect(
        -width / 2,
        -height / 2,
        width,
        height,
        Math.min(width, height) * random.between(0, 0.4),
      );
    else context.ellipse(0, 0, width / 2, height / 2, 0, 0, Math.PI * 2);
    context.fill();
    context.restore();
  }
}
