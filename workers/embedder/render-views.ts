import sharp, { type ResizeOptions, type Sharp } from 'sharp';
import { undecodableImage } from '../../models/errors';
import { type ModelManifest, USUAL_KERNEL, type View } from '../../models/vision/embedding-model';
import type { Pixels, Size } from '../../models/vision/neighbours';

type Input = ModelManifest['input'];

/** A prepared picture is small; anything near this size is not a prepared picture. */
const PIXELS_MAX = 50_000_000;

/**
 * The views of one prepared picture as a model sees them: each crop fitted to the input of the model. A JPEG is decoded
 * once, and only as large as the smallest crop needs.
 * @param views crops as fractions of the picture
 * @returns per view, from a place to another, width x height x 3 bytes, red, green and blue
 * @throws unprocessable `image_undecodable`
 */
export async function renderViews(
  picture: Buffer | Pixels,
  views: readonly View[],
  input: Input,
  from = 0,
  to?: number,
): Promise<Uint8Array[]> {
  const wanted = views.slice(from, to);
  if (views.every(isWhole)) {
    const view = await pixelsOf(fitted(open(picture), input)).catch(undecodable);
    return wanted.map(() => view);
  }
  const whole = await decodeFor(picture, views, input);
  return Promise.all(
    wanted.map((view) => {
      const region = regionOf(view, whole);
      if (isAsLarge(region, input)) return placed(whole, region, input);
      return pixelsOf(fitted(open(whole).extract(region), input));
    }),
  );
}

/** The picture as large as the smallest of these crops needs. @throws unprocessable `image_undecodable` */
export async function decodeFor(picture: Buffer | Pixels, views: readonly View[], input: Input) {
  const header = Buffer.isBuffer(picture) ? await open(picture).metadata().catch(undecodable) : picture;
  const scale = Math.min(1, Math.max(...views.map((view) => scaleOf(view, header, input))));
  const size = { width: atLeastOne(header.width * scale), height: atLeastOne(header.height * scale) };
  return resized(picture, size, input).catch(undecodable);
}

function undecodable(failure: unknown): never {
  throw undecodableImage(failure);
}

/** The crop fills the input as it is, as the smallest one does: sharp would change no pixel of it. */
const isAsLarge = ({ width, height }: Size, input: Input): boolean =>
  input.fit === 'contain' && Math.max(width / input.width, height / input.height) === 1;

/** Copies a crop to the centre of the input, on its background. */
function placed({ pixels, width }: Pixels, region: Region, input: Input): Buffer {
  const view = Buffer.alloc(input.width * input.height * 3, Buffer.from(input.background));
  const [x, y] = [(input.width - region.width) >> 1, (input.height - region.height) >> 1];
  for (let row = 0; row < region.height; row += 1) {
    const from = ((region.top + row) * width + region.left) * 3;
    view.set(pixels.subarray(from, from + region.width * 3), ((y + row) * input.width + x) * 3);
  }
  return view;
}

/** Pixels that have the size already stay as they are. */
async function resized(picture: Buffer | Pixels, size: Size, { kernel = USUAL_KERNEL }: Input) {
  const { width, height } = size;
  if (!Buffer.isBuffer(picture) && picture.width === width && picture.height === height) return picture;
  const pixels = await pixelsOf(open(picture).resize({ width, height, fit: 'fill', kernel }));
  return { pixels, width, height };
}

/** How much the whole picture may shrink so that the crop still fills the input of the model. */
function scaleOf([, , width, height]: View, picture: Size, input: Input): number {
  const across = input.width / (width * picture.width);
  const down = input.height / (height * picture.height);
  return input.fit === 'contain' ? Math.min(across, down) : Math.max(across, down);
}

function regionOf([left, top, width, height]: View, size: Size): Region {
  const x = Math.min(Math.round(left * size.width), size.width - 1);
  const y = Math.min(Math.round(top * size.height), size.height - 1);
  return {
    left: x,
    top: y,
    width: Math.min(atLeastOne(width * size.width), size.width - x),
    height: Math.min(atLeastOne(height * size.height), size.height - y),
  };
}

function fitted(picture: Sharp, { width, height, fit, background, kernel = USUAL_KERNEL }: Input): Sharp {
  const [r, g, b] = background;
  const options: ResizeOptions = { width, height, fit, background: { r, g, b }, kernel };
  return picture.resize(options);
}

const pixelsOf = (picture: Sharp): Promise<Buffer> =>
  picture.toColourspace('srgb').removeAlpha().raw().toBuffer();

function open(picture: Buffer | Pixels): Sharp {
  if (Buffer.isBuffer(picture))
    return sharp(picture, { failOn: 'warning', limitInputPixels: PIXELS_MAX, sequentialRead: true });
  const { pixels, width, height } = picture;
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

type Region = Size & { readonly left: number; readonly top: number };

const atLeastOne = (length: number): number => Math.max(1, Math.round(length));

const isWhole = (view: View): boolean => view.every((edge, index) => edge === (index < 2 ? 0 : 1));
