import sharp, { type Sharp } from 'sharp';
import { AppError, unprocessable } from '../../models/errors';
import type { Cut } from './cut-region';

/** A JPEG with its size in pixels. */
export interface DecodedPicture {
  readonly jpeg: Buffer;
  readonly width: number;
  readonly height: number;
}

/** A picture to decode. */
export interface EncodedPicture {
  readonly bytes: Uint8Array;
  /** One with more is refused. */
  readonly pixelsMax: number;
  /** Whether its colour profile is that of sRGB, so that nothing is converted. */
  readonly isSrgb: boolean;
}

/** Longest side of a prepared picture: enough for half-size crops of any usual input, tens of kilobytes as JPEG. */
export const PREPARED_SIDE = 640;
const DECODE_SECONDS_MAX = 10;

/** Has sharp decode what we accept and nothing else, with one thread and without keeping anything; for the whole process. */
export function guardSharp(): void {
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'],
  });
}

/** The prepared form of a picture, or of what is cut out of it (`ImagePreparer`). @throws AppError 422 */
export async function preparedPicture(picture: EncodedPicture, cut?: Cut): Promise<DecodedPicture> {
  const { data, info } = await decoded(picture, (whole) =>
    flat(cut ? cutOut(whole, cut) : small(whole, PREPARED_SIDE))
      .jpeg({ quality: 88, chromaSubsampling: '4:4:4' })
      .toBuffer({ resolveWithObject: true }),
  );
  return { jpeg: data, width: info.width, height: info.height };
}

/** A JPEG of a picture with `side` pixels at most. @throws AppError 422 */
export const smallPicture = (picture: EncodedPicture, side: number): Promise<Buffer> =>
  decoded(picture, (whole) => flat(small(whole, side)).jpeg({ quality: 82 }).toBuffer());

/** The decoder's words are in one place for all pictures, and another that ends just then takes them away. */
const TRIES = 3;

/**
 * Decodes strictly, since most warnings are of lost pixels. Bytes between the scans of a JPEG are the one harmless thing
 * that `decodableJpeg` can't remove without decoding: then they are let pass (contract 7.19).
 */
function decoded<Result>(picture: EncodedPicture, work: (whole: Sharp) => Promise<Result>): Promise<Result> {
  return decoding(async () => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await work(upright(picture, 'warning'));
      } catch (failure) {
        const words = failure instanceof Error ? failure.message : '';
        if (/extraneous bytes before marker/.test(words)) return await work(upright(picture, 'error'));
        if (tries === TRIES || picture.bytes[0] !== JPEG_FIRST || /^timeout: |VipsJpeg: /.test(words))
          throw failure;
      }
    }
  });
}

const JPEG_FIRST = 0xff;

const upright = ({ bytes, pixelsMax, isSrgb }: EncodedPicture, failOn: 'warning' | 'error'): Sharp =>
  sharp(bytes, { limitInputPixels: pixelsMax, failOn, sequentialRead: true, pages: 1, ignoreIcc: isSrgb })
    .timeout({ seconds: DECODE_SECONDS_MAX })
    .autoOrient();

const small = (picture: Sharp, side: number): Sharp =>
  picture.resize(side, side, { fit: 'inside', withoutEnlargement: true });

/** Shrunk as a whole and cut then: a large picture is decoded at a fraction of its size. */
const cutOut = (picture: Sharp, { whole, part }: Cut): Sharp =>
  picture.resize(whole.width, whole.height, { fit: 'fill' }).extract(part);

const flat = (picture: Sharp): Sharp => picture.flatten({ background: '#ffffff' }).toColourspace('srgb');

/** Whatever the decoder says of broken bytes is one thing to the caller: they can't be decoded. */
export async function decoding<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (failure) {
    if (failure instanceof AppError) throw failure;
    if (failure instanceof Error && /^timeout: /.test(failure.message)) {
      throw unprocessable(
        'image_too_large',
        `The image takes longer than ${DECODE_SECONDS_MAX} s to decode.`,
        failure,
      );
    }
    throw undecodable(failure);
  }
}

export const undecodable = (cause?: unknown): AppError =>
  unprocessable('image_undecodable', 'The image is damaged or truncated and can not be decoded.', cause);
