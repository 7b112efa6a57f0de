import sharp from 'sharp';

/** A picture that may have transparent parts: red, green, blue and opacity of its pixels by rows. */
export interface Cutout {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
  /** Whether the item stands alone: its background was of one colour and is transparent now. */
  readonly isAlone: boolean;
}

/** How far a pixel may be from the median colour of the border, per channel, and still be background. */
const TOLERANCE = 14;
/** The border is of one colour when so many of its pixels are. */
const EVEN_SHARE = 0.9;
/** What remains must be neither nothing nor everything. */
const REMAINS = { least: 0.03, most: 0.97 };

/**
 * Makes the background of a picture transparent where it is of one colour, as in studio pictures. Any other picture stays
 * whole.
 *
 * @param side longest side of the result, in pixels
 */
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
function backgroundOf(data: Buffer, width: number, height: number): number[] {
  const pixels = Array.from({ length: width * height }, (_, pixel) => pixel);
  const isOnBorder = (pixel: number) =>
    pixel < width || pixel >= pixels.length - width || pixel % width === 0 || pixel % width === width - 1;
  const border = pixels.filter(isOnBorder);
  const value = (pixel: number, channel: number) => data[pixel * 4 + channel] ?? 0;
  const colour = [0, 1, 2].map((channel) => median(border.map((pixel) => value(pixel, channel))));
  const isBackground = (pixel: number) =>
    value(pixel, 3) < 128 || colour.every((each, at) => Math.abs(value(pixel, at) - each) <= TOLERANCE);
  const found = border.filter(isBackground);
  if (found.length < EVEN_SHARE * border.length) return [];
  const seen = new Uint8Array(pixels.length);
  for (const pixel of found) seen[pixel] = 1;
  // Grows while it is walked: each pixel brings its neighbours.
  for (const pixel of found) {
    const left = pixel % width > 0 ? pixel - 1 : -1;
    const right = pixel % width < width - 1 ? pixel + 1 : -1;
    for (const near of [pixel - width, pixel + width, left, right]) {
      if (near < 0 || near >= seen.length || seen[near] === 1 || !isBackground(near)) continue;
      seen[near] = 1;
      found.push(near);
    }
  }
  return found;
}

const median = (values: number[]): number =>
  values.sort((left, right) => left - right)[values.length >> 1] ?? 0;
