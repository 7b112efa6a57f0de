import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import {
  creaseRelief,
  type DialFinish,
  dialRelief,
  type Relief,
  type Surface,
  surfaceRelief,
} from './relief';

/** Seeds of the irregular in a relief are few, so that the tiles of a whole catalog stay in memory. */
const SEEDS = 4;

const tiles = new Map<string, Canvas>();

/** A repeating tile of light and shade (black and white by opacity) that turns plain colour into a surface. */
export function surfaceTile(surface: Surface, seed: number): Canvas {
  const variant = seed % SEEDS;
  return cached(`surface ${surface} ${variant}`, () => shadedTile(surfaceRelief(surface, variant)));
}

/** The same for the finish of a dial. */
export function dialTile(finish: DialFinish, seed: number): Canvas {
  const variant = seed % SEEDS;
  return cached(`dial ${finish} ${variant}`, () => shadedTile(dialRelief(finish, variant)));
}

/** The dents of soft leather, to be laid over its surface. */
export function creaseTile(seed: number): Canvas {
  const variant = seed % SEEDS;
  return cached(`crease ${variant}`, () => shadedTile(creaseRelief(variant)));
}

/** Lays a tile over all of a drawing's plane, each repeat `span` units wide; the caller has set the clip. */
export function layTile(context: SKRSContext2D, tile: Canvas, span: number, reach = 1400): void {
  const { a, b } = context.getTransform();
  const fitting = halvedTo(tile, span * Math.hypot(a, b));
  const pattern = context.createPattern(fitting, 'repeat');
  if (pattern === null) return;
  context.save();
  const scale = span / fitting.width;
  context.scale(scale, scale);
  context.fillStyle = pattern;
  context.fillRect(-reach / scale, -reach / scale, (2 * reach) / scale, (2 * reach) / scale);
  context.restore();
}

const halves = new WeakMap<Canvas, Canvas>();

/** The tile at the size nearest above so many pixels: drawn smaller than that, it would shimmer. */
function halvedTo(tile: Canvas, pixels: number): Canvas {
  if (tile.width < pixels * 1.6 || tile.width <= 32) return tile;
  const known = halves.get(tile);
  if (known !== undefined) return halvedTo(known, pixels);
  const half = createCanvas(tile.width / 2, tile.height / 2);
  half.getContext('2d').drawImage(tile, 0, 0, half.width, half.height);
  halves.set(tile, half);
  return halvedTo(half, pixels);
}

function cached(key: string, make: () => Canvas): Canvas {
  const known = tiles.get(key);
  if (known !== undefined) return known;
  const made = make();
  tiles.set(key, made);
  return made;
}

/** Light falls from the upper left. */
function shadedTile({ side, heights, slope, hollow }: Relief): Canvas {
  const canvas = createCanvas(side, side);
  const context = canvas.getContext('2d');
  const image = context.createImageData(side, side);
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const here = heights[y * side + x] ?? 0;
      const right = heights[y * side + ((x + 1) % side)] ?? 0;
      const below = heights[((y + 1) % side) * side + x] ?? 0;
      const light = (right - here + (below - here) * 1.3) * slope * 2.2 - (1 - here) * hollow;
      const at = (y * side + x) * 4;
      const white = light > 0 ? 255 : 0;
      image.data[at] = white;
      image.data[at + 1] = white;
      image.data[at + 2] = white;
      image.data[at + 3] = Math.min(0.85, Math.abs(light)) * 255;
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}
