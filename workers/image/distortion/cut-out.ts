import sharp from 'sharp';
import type { SmallPicture } from '../decode-picture';

/** A picture that may have transparent parts: red, green, blue and opacity of its pixels by rows. */
export interface Cutout extends SmallPicture {
  /** Whether the item stands alone: its background was of one colour and is transparent now. */
  readonly isAlone: boolean;
}

/** How far a pixel may be from the median colour of the border, per channel, and still be background. */
const TOLERANCE = 14;
/** The border is of one colour when so many of its pixels are. */
const EVEN_SHARE = 0.9;
/** What remains must be neither nothing nor everything. */
const REMAINS = { least: 0.03, most: 0.97 };

/** A background of one colour becomes transparent; any other picture stays whole. @param side longest side of the result, in pixels */
export async function cutOut(picture: Buffer, side: number): Promise<Cutout> {
  const { data, info } = await sharp(picture)
    .resize(side, side, { fit: 'inside' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const background = backgroundOf(data, width, height);
  const remains = 1 - background.length / (width * height);
  const isAlone = remains >= REMAINS.least && remains <= REMAINS.most;
  if (isAlone) for (const pixel of background) data[pixel * 4 + 3] = 0;
  return { data, width, height, isAlone };
}

/** The pixels of the border's colour that are connected to the border; none when the border has many colours. */
function backgroundOf(data: Buffer, width: number, height: number): Uint32Array {
  const found = new Uint32Array(width * height);
  const border = borderOf(width, height);
  const [red, green, blue] = [0, 1, 2].map((channel) =>
    median(border.map((pixel) => data[pixel * 4 + channel] ?? 0)),
  ) as [number, number, number];
  const isNear = (value: number | undefined, colour: number) => Math.abs((value ?? 0) - colour) <= TOLERANCE;
  const isBackground = (pixel: number) => {
    const at = pixel * 4;
    if ((data[at + 3] ?? 0) < 128) return true;
    return isNear(data[at], red) && isNear(data[at + 1], green) && isNear(data[at + 2], blue);
  };
  const seen = new Uint8Array(width * height);
  let count = 0;
  const look = (pixel: number) => {
    if (seen[pixel] === 1 || !isBackground(pixel)) return;
    seen[pixel] = 1;
    found[count] = pixel;
    count += 1;
  };
  for (const pixel of border) look(pixel);
  if (count < EVEN_SHARE * border.length) return new Uint32Array(0);
  // Grows while it is walked: each pixel brings its neighbours.
  for (let walked = 0; walked < count; walked += 1) {
    const pixel = found[walked] ?? 0;
    if (pixel >= width) look(pixel - width);
    if (pixel < width * (height - 1)) look(pixel + width);
    if (pixel % width > 0) look(pixel - 1);
    if (pixel % width < width - 1) look(pixel + 1);
  }
  return found.subarray(0, count);
}

/** Each pixel of the border once. */
function borderOf(width: number, height: number): number[] {
  const border: number[] = [];
  for (let column = 0; column < width; column += 1) border.push(column, width * (height - 1) + column);
  for (let row = 1; row < height - 1; row += 1) border.push(row * width, row * width + width - 1);
  return border;
}

const median = (values: number[]): number =>
  values.sort((left, right) => left - right)[values.length >> 1] ?? 0;
