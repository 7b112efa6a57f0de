import { Random } from '../../../../models/random';

/** How a relief is made, and how strongly it is lit: by its slopes, and by the darkness in its hollows. */
type Made = readonly [slope: number, hollow: number, height: (seed: number) => Height];

/** The surfaces that a bag can be made of; the seed moves what is irregular in them (grain, scales). */
const SURFACE_RELIEFS = {
  smooth: [0.5, 0.05, (seed) => noise(seed, [6, 13])],
  patent: [0.3, 0.02, (seed) => noise(seed, [6, 13])],
  grained: [0.55, 0.24, (seed) => cells(seed, 30, 30, 0.85, (edge) => Math.min(1, edge * 3.2))],
  saffiano: [0.5, 0.16, () => saffiano],
  suede: [0.6, 0.22, (seed) => noise(seed, [9, 31, 83])],
  canvas: [0.3, 0.16, () => canvas],
  denim: [0.4, 0.3, () => denim],
  tweed: [0.6, 0.45, tweed],
  raffia: [0.5, 0.4, raffia],
  woven: [0.9, 0.5, () => woven],
  quilted: [1.7, 0.34, () => quilted],
  chevron: [1.4, 0.34, () => chevron],
  channel: [1.6, 0.34, () => (u) => Math.sqrt(Math.abs(Math.sin(u * TURN * 1.5)))],
  crocodile: [1.0, 0.42, (seed) => cells(seed, 6, 8, 0.42, (edge) => Math.min(1, edge * 2.6))],
  python: [0.6, 0.42, () => python],
  ostrich: [1.1, 0.05, (seed) => cells(seed, 7, 7, 0.7, (_, near) => quill(near))],
  lizard: [0.5, 0.34, (seed) => cells(seed, 22, 26, 0.35, (edge) => Math.min(1, edge * 3))],
} as const satisfies Readonly<Record<string, Made>>;
export type Surface = keyof typeof SURFACE_RELIEFS;
export const SURFACES = Object.keys(SURFACE_RELIEFS) as readonly Surface[];

/** The finishes that a dial can have. */
const DIAL_HEIGHTS = {
  plain: () => flat,
  sunburst: () => flat,
  clous: () => clous,
  waves: () => waves,
  flinque: () => flinque,
  tapisserie: () => tapisserie,
  grained: (seed) => noise(seed, [40, 90]),
  pearl: (seed) => noise(seed, [3, 7, 11]),
  meteorite,
  fume: () => flat,
} as const satisfies Readonly<Record<string, (seed: number) => Height>>;
export type DialFinish = keyof typeof DIAL_HEIGHTS;
export const DIAL_FINISHES = Object.keys(DIAL_HEIGHTS) as readonly DialFinish[];

/** The height of a surface, 0 to 1, over a square that repeats on all sides; `side` x `side` values by rows. */
export interface Relief {
  readonly side: number;
  readonly heights: Float32Array;
  /** How strongly it is lit by its slopes. */
  readonly slope: number;
  /** How dark its hollows are. */
  readonly hollow: number;
}

const SIDE = 256;
const TURN = Math.PI * 2;

/** The height at a point of the square, both coordinates from 0 to 1. */
type Height = (u: number, v: number) => number;

/** The relief of a bag's surface. */
export function surfaceRelief(surface: Surface, seed: number): Relief {
  const [slope, hollow, height] = SURFACE_RELIEFS[surface];
  return relief(height(seed), slope, hollow);
}

/** The relief of a dial's finish. */
export function dialRelief(finish: DialFinish, seed: number): Relief {
  return relief(DIAL_HEIGHTS[finish](seed), 0.5, 0.22);
}

/** The soft dents of leather that has been carried. */
export function creaseRelief(seed: number): Relief {
  const low = noise(seed, [3, 5]);
  const fine = noise(seed + 1, [7, 12]);
  return relief((u, v) => 0.75 * low(u, v) + 0.25 * fine(u, v), 4.5, 0.12);
}

function relief(height: Height, slope: number, hollow: number): Relief {
  const heights = new Float32Array(SIDE * SIDE);
  for (let y = 0; y < SIDE; y++) {
    for (let x = 0; x < SIDE; x++) heights[y * SIDE + x] = height(x / SIDE, y / SIDE);
  }
  return { side: SIDE, heights, slope, hollow };
}

const flat: Height = () => 0.5;
const canvas: Height = (u, v) => 0.5 + 0.25 * Math.sin(u * TURN * 64) + 0.25 * Math.sin(v * TURN * 64);
const denim: Height = (u, v) =>
  0.5 + 0.5 * Math.sin((u + v) * TURN * 40) * (0.7 + 0.3 * Math.sin(u * TURN * 64));
const quilted: Height = (u, v) => Math.sqrt(Math.abs(Math.sin((u + v) * TURN) * Math.sin((u - v) * TURN)));
const clous: Height = (u, v) => 1 - Math.max(triangle(u * 14 + v * 14), triangle(u * 14 - v * 14));
const waves: Height = (u, v) => 0.5 + 0.5 * Math.sin((v * 10 + 0.06 * Math.sin(u * TURN * 3) * 10) * TURN);
const flinque: Height = (u, v) => 0.5 + 0.5 * Math.sin(u * TURN * 16) * Math.sin(v * TURN * 16);
const tapisserie: Height = (u, v) => Math.min(1, 3.4 * Math.min(triangle(u * 11), triangle(v * 11)));

/** The bump of a quill, near the middle of its cell. */
const quill = (near: number): number => (near < 0.22 ? Math.sqrt(1 - (near / 0.22) ** 2) : 0);

function triangle(value: number): number {
  return Math.abs(2 * (value - Math.floor(value)) - 1);
}

function saffiano(u: number, v: number): number {
  const line = Math.sin((u * 26 + v * 26) * TURN) * 0.5 + 0.5;
  const cross = Math.sin((u * 26 - v * 26) * TURN) * 0.5 + 0.5;
  return Math.max(line * 0.9, cross * 0.7);
}

function chevron(u: number, v: number): number {
  const ridge = v * 4 + triangle(u * 2) * 1.2;
  return Math.sqrt(Math.abs(Math.sin(ridge * Math.PI)));
}

function woven(u: number, v: number): number {
  const a = (u + v) * 6;
  const b = (u - v) * 6;
  const over = (Math.floor(a) + Math.floor(b)) % 2 === 0;
  const across = Math.sin((over ? a - Math.floor(a) : b - Math.floor(b)) * Math.PI);
  const along = Math.sin((over ? b - Math.floor(b) : a - Math.floor(a)) * Math.PI);
  return Math.sqrt(across) * (0.45 + 0.55 * along);
}

function python(u: number, v: number): number {
  const a = u * 12 + v * 9;
  const b = u * 12 - v * 9;
  const edge = Math.min(1 - triangle(a), 1 - triangle(b));
  return Math.min(1, edge * 3.4) * (0.7 + 0.3 * (b - Math.floor(b)));
}

function tweed(seed: number): Height {
  const grain = noise(seed, [64, 96]);
  return (u, v) => 0.55 * grain(u, v) + 0.45 * Math.abs(Math.sin(u * TURN * 18) * Math.sin(v * TURN * 18));
}

function raffia(seed: number): Height {
  const grain = noise(seed, [24, 90]);
  return (u, v) => {
    const row = Math.floor(v * 18);
    const bulge = Math.sin((v * 18 - row) * Math.PI);
    const knot = Math.abs(Math.sin((u * 12 + (row % 2) * 0.5) * Math.PI));
    return bulge * (0.5 + 0.4 * knot) + 0.2 * grain(u, v);
  };
}

function meteorite(seed: number): Height {
  const shift = noise(seed, [5, 9]);
  return (u, v) => {
    const bend = shift(u, v) * 0.5;
    const one = triangle(u * 7 + v * 3 + bend);
    const two = triangle(u * 2 - v * 8 + bend);
    const three = triangle(u * 5 - v * 4 - bend);
    return Math.max(one ** 3, two ** 3, three ** 3);
  };
}

/** Smooth noise that repeats, in octaves of so many waves across the square. */
function noise(seed: number, octaves: readonly number[]): Height {
  const lattices = octaves.map((waves) => {
    const random = new Random(seed, 'noise', waves);
    return { waves, values: Float32Array.from({ length: waves * waves }, () => random.next()) };
  });
  const total = lattices.reduce((sum, _, index) => sum + 1 / (index + 1), 0);
  return (u, v) =>
    lattices.reduce(
      (sum, lattice, index) => sum + smoothed(lattice.values, lattice.waves, u, v) / (index + 1),
      0,
    ) / total;
}

function smoothed(values: Float32Array, waves: number, u: number, v: number): number {
  const x = u * waves;
  const y = v * waves;
  const column = Math.floor(x);
  const row = Math.floor(y);
  const ease = (t: number) => t * t * (3 - 2 * t);
  const right = ease(x - column);
  const down = ease(y - row);
  const value = (c: number, r: number) => values[(r % waves) * waves + (c % waves)] ?? 0;
  const top = value(column, row) * (1 - right) + value(column + 1, row) * right;
  const bottom = value(column, row + 1) * (1 - right) + value(column + 1, row + 1) * right;
  return top * (1 - down) + bottom * down;
}

/**
 * Cells about scattered seeds, in rows set off like bricks. The height is made of how far the point is from its
 * cell's edge and of how near its seed, both in cell widths.
 */
function cells(
  seed: number,
  columns: number,
  rows: number,
  jitter: number,
  height: (edge: number, near: number) => number,
): Height {
  const random = new Random(seed, 'cells', columns, rows);
  const offsets = Float32Array.from({ length: columns * rows * 2 }, () => (random.next() - 0.5) * jitter);
  return (u, v) => {
    const y = v * rows;
    const row = Math.floor(y);
    let nearest = 9;
    let second = 9;
    for (let r = row - 1; r <= row + 1; r++) {
      const brick = (((r % 2) + 2) % 2) * 0.5 * (rows % 2 === 0 ? 1 : 0);
      const x = u * columns - brick;
      const column = Math.floor(x);
      for (let c = column - 1; c <= column + 1; c++) {
        const index = 2 * ((((r % rows) + rows) % rows) * columns + (((c % columns) + columns) % columns));
        const dx = c + 0.5 + (offsets[index] ?? 0) - x;
        const dy = r + 0.5 + (offsets[index + 1] ?? 0) - y;
        const apart = Math.sqrt(dx * dx + dy * dy);
        if (apart < nearest) {
          second = nearest;
          nearest = apart;
        } else if (apart < second) second = apart;
      }
    }
    return height(second - nearest, nearest);
  };
}
