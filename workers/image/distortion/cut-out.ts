import { createCanvas, type Image, loadImage } from '@napi-rs/canvas';
import type { Pixels } from './pixels';

/** A picture on a transparent square, and whether its background was taken away. */
export interface SquarePicture {
  readonly pixels: Pixels;
  /** Whether the item stands free: its background was of one colour. */
  readonly isFree: boolean;
}

/** How far a colour may be from that of the border, per channel, to be background. */
const TOLERANCE = 14;
/** A border is of one colour when so many of its pixels are. */
const EVEN_SHARE = 0.9;
/** Something must be left of the picture, and something gone. */
const LEFT_MIN = 0.03;
const LEFT_MAX = 0.97;

/**
 * Lays a catalog picture on a transparent square, as large as it fits, without its background where that is of one
 * colour, as in pictures from a studio. Another picture stays whole.
 */
export async function cutOut(picture: Buffer, side: number): Promise<SquarePicture> {
  const image = await loadImage(picture);
  const pixels = squareOf(image, side);
  const freed = withoutBackground(pixels);
  return freed ? { pixels: freed, isFree: true } : { pixels, isFree: false };
}

function squareOf(image: Image, side: number): Pixels {
  const canvas = createCanvas(side, side);
  const context = canvas.getContext('2d');
  const scale = side / Math.max(image.width, image.height);
  const [width, height] = [image.width * scale, image.height * scale];
  context.drawImage(image, (side - width) / 2, (side - height) / 2, width, height);
  const { data } = context.getImageData(0, 0, side, side);
  return { width: side, height: side, data: new Uint8ClampedArray(data) };
}

/** Null when the border is of many colours, or nothing would be left. */
function withoutBackground({ width, height, data }: Pixels): Pixels | null {
  const edge = edgeOf({ width, height, data });
  const colour = [0, 1, 2].map((channel) => median(edge.map((at) => data[at * 4 + channel] ?? 0)));
  const isBackground = (at: number): boolean =>
    (data[at * 4 + 3] ?? 0) < 128 ||
    colour.every((value, channel) => Math.abs((data[at * 4 + channel] ?? 0) - value) <= TOLERANCE);
  if (edge.filter(isBackground).length < EVEN_SHARE * edge.length) return null;
  const seen = new Uint8Array(width * height);
  const line = edge.filter(isBackground);
  for (const at of line) seen[at] = 1;
  for (let next = line.pop(); next !== undefined; next = line.pop()) {
    const x = next % width;
    for (const near of [next - width, next + width, x > 0 ? next - 1 : -1, x < width - 1 ? next + 1 : -1]) {
      if (near < 0 || near >= seen.length || seen[near] === 1 || !isBackground(near)) continue;
      seen[near] = 1;
      line.push(near);
    }
  }
  const freed = new Uint8ClampedArray(data);
  let gone = 0;
  for (const [at, value] of seen.entries()) {
    if (value === 0) continue;
    freed[at * 4 + 3] = 0;
    gone += 1;
  }
  const left = 1 - gone / seen.length;
  return left < LEFT_MIN || left > LEFT_MAX ? null : { width, height, data: freed };
}

/** The pixels next to nothing: the outermost of what was drawn. */
function edgeOf({ width, height, data }: Pixels): number[] {
  const solid = (at: number): boolean => (data[at * 4 + 3] ?? 0) >= 128;
  const edge: number[] = [];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = y * width + x;
      if (!solid(at)) continue;
      const outermost =
        x === 0 || y === 0 || x === width - 1 || y === height - 1
          ? true
          : !solid(at - 1) || !solid(at + 1) || !solid(at - width) || !solid(at + width);
      if (outermost) edge.push(at);
    }
  }
  return edge;
}

const median = (values: readonly number[]): number =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
