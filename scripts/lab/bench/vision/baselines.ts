import { renderViews } from '../../../../workers/embedder/render-views';
import { SharpImagePreparer } from '../../../../workers/image/sharp-image-preparer';

/** What anyone would try first: a photo as numbers that are compared by cosine. */
export interface Baseline {
  readonly name: string;
  describe(photo: Buffer): Promise<Float32Array>;
}

const INTAKE = new SharpImagePreparer({ bytesMax: 1 << 30, pixelsMax: 1 << 30 });
const ON_WHITE = {
  layout: 'nhwc',
  channels: 'rgb',
  fit: 'contain',
  mean: [0, 0, 0],
  scale: [1, 1, 1],
  background: [255, 255, 255],
} as const;
const THUMBNAIL_SIDE = 32;
const SIDE = 64;
const HUES = 12;
const SHADES = 4;
const COLOURS = HUES * SHADES * SHADES;
const CELL = 8;
const DIRECTIONS = 9;
/** How far one direction may stand out of a block (Dalal and Triggs, 2005, section 6.4). */
const DIRECTION_MAX = 0.2;

/** The pixels of a thumbnail; colour histograms (Hellinger) with histograms of oriented gradients. */
export const BASELINES: readonly Baseline[] = [
  {
    name: '32 x 32 thumbnail',
    describe: async (photo) => unit(Float32Array.from(await pixelsOf(photo, THUMBNAIL_SIDE))),
  },
  {
    name: 'colour histogram and HOG',
    describe: async (photo) => {
      const pixels = await pixelsOf(photo, SIDE);
      return unit(Float32Array.from([...colourHistogram(pixels), ...orientedGradients(pixels)]));
    },
  },
];

/** Nearest by cosine first: the places of `known` in order. */
export function ranked(asked: Float32Array, known: readonly Float32Array[]): number[] {
  const scores = known.map((each) => dot(asked, each));
  return scores.map((_, place) => place).sort((left, right) => (scores[right] ?? 0) - (scores[left] ?? 0));
}

/** The whole photo on white, as the service takes it in. */
async function pixelsOf(photo: Buffer, side: number): Promise<Uint8Array> {
  const { jpeg } = await INTAKE.prepare(photo);
  const [pixels = new Uint8Array()] = await renderViews(jpeg, [[0, 0, 1, 1]], {
    ...ON_WHITE,
    width: side,
    height: side,
  });
  return pixels;
}

/** Hue, saturation and value of the whole and of its quarters, as square roots of shares; a unit vector. */
function colourHistogram(pixels: Uint8Array): Float32Array {
  const counts = new Float32Array(COLOURS * 5);
  for (let y = 0; y < SIDE; y += 1) {
    for (let x = 0; x < SIDE; x += 1) {
      const colour = colourOf(pixels, 3 * (y * SIDE + x));
      const quarter = (y < SIDE / 2 ? 0 : 2) + (x < SIDE / 2 ? 0 : 1);
      counts[colour] = (counts[colour] ?? 0) + 2;
      const within = COLOURS * (1 + quarter) + colour;
      counts[within] = (counts[within] ?? 0) + 1;
    }
  }
  return unit(counts.map(Math.sqrt));
}

function colourOf(pixels: Uint8Array, at: number): number {
  const [red = 0, green = 0, blue = 0] = [pixels[at], pixels[at + 1], pixels[at + 2]].map(
    (each) => (each ?? 0) / 255,
  );
  const most = Math.max(red, green, blue);
  const spread = most - Math.min(red, green, blue);
  const saturation = most === 0 ? 0 : spread / most;
  const level = (share: number, levels: number) => Math.min(levels - 1, Math.floor(share * levels));
  const hue = spread === 0 ? 0 : hueOf(red, green, blue, most, spread);
  return level(hue, HUES) * SHADES * SHADES + level(saturation, SHADES) * SHADES + level(most, SHADES);
}

/** As a share of the circle. */
function hueOf(red: number, green: number, blue: number, most: number, spread: number): number {
  if (most === red) return (((green - blue) / spread + 6) % 6) / 6;
  if (most === green) return ((blue - red) / spread + 2) / 6;
  return ((red - green) / spread + 4) / 6;
}

/** Directions of edges in cells of 8 x 8 pixels, in blocks of four cells; a unit vector. */
function orientedGradients(pixels: Uint8Array): Float32Array {
  const grey = Float32Array.from({ length: SIDE * SIDE }, (_, at) => {
    const [red = 0, green = 0, blue = 0] = [pixels[3 * at], pixels[3 * at + 1], pixels[3 * at + 2]];
    return 0.299 * red + 0.587 * green + 0.114 * blue;
  });
  const across = SIDE / CELL;
  const cells = new Float32Array(across * across * DIRECTIONS);
  const at = (x: number, y: number) => grey[y * SIDE + x] ?? 0;
  for (let y = 1; y < SIDE - 1; y += 1) {
    for (let x = 1; x < SIDE - 1; x += 1) {
      const [dx, dy] = [at(x + 1, y) - at(x - 1, y), at(x, y + 1) - at(x, y - 1)];
      const direction = (((Math.atan2(dy, dx) + Math.PI) % Math.PI) / Math.PI) * DIRECTIONS;
      const cell = (Math.floor(y / CELL) * across + Math.floor(x / CELL)) * DIRECTIONS;
      const share = direction % 1;
      const [first, second] = [Math.floor(direction) % DIRECTIONS, (Math.floor(direction) + 1) % DIRECTIONS];
      cells[cell + first] = (cells[cell + first] ?? 0) + Math.hypot(dx, dy) * (1 - share);
      cells[cell + second] = (cells[cell + second] ?? 0) + Math.hypot(dx, dy) * share;
    }
  }
  return unit(blocksOf(cells, across));
}

function blocksOf(cells: Float32Array, across: number): Float32Array {
  const blocks: number[] = [];
  for (let y = 0; y + 1 < across; y += 1) {
    for (let x = 0; x + 1 < across; x += 1) {
      const block = [0, 1, across, across + 1].flatMap((offset) => {
        const from = (y * across + x + offset) * DIRECTIONS;
        return [...cells.subarray(from, from + DIRECTIONS)];
      });
      const length = Math.sqrt(block.reduce((sum, each) => sum + each * each, 100));
      blocks.push(...block.map((each) => Math.min(DIRECTION_MAX, each / length)));
    }
  }
  return Float32Array.from(blocks);
}

function dot(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < left.length; at += 1) sum += (left[at] ?? 0) * (right[at] ?? 0);
  return sum;
}

function unit(values: Float32Array): Float32Array {
  const length = Math.sqrt(dot(values, values)) || 1;
  return values.map((each) => each / length);
}
