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
  return decoding(() => prepared(upright(picture), cut));
}

/**
 * The same, in a process that decodes nothing else. There the decoder's words are of this picture alone, and bytes between
 * the scans of a JPEG can be told from lost pixels: the one harmless thing that `decodableJpeg` can't remove without
 * decoding (contract 7.19).
 */
export async function preparedAlone(picture: EncodedPicture, cut?: Cut): Promise<DecodedPicture> {
  return decoding(async () => {
    try {
      return await prepared(upright(picture), cut);
    } catch (failure) {
      if (!(failure instanceof Error && /extraneous bytes before marker/.test(failure.message)))
        throw failure;
      return await prepared(upright(picture, 'error'), cut);
    }
  });
}

async function prepared(picture: Sharp, cut?: Cut): Promise<DecodedPicture> {
  const { data, info } = await flat(cut ? cutOut(picture, cut) : small(picture, PREPARED_SIDE))
    .jpeg({ quality: 88, chromaSubsampling: '4:4:4' })
    .toBuffer({ resolveWithObject: true });
  return { jpeg: data, width: info.width, height: info.height };
}

/** A JPEG of a picture with `side` pixels at most. @throws AppError 422 */
export const smallPicture = (picture: EncodedPicture, side: number): Promise<Buffer> =>
  decoding(() =>
    flat(small(upright(picture), side))
      .jpeg({ quality: 82 })
      .toBuffer(),
  );

/** By default decoded strictly: most warnings are of lost pixels. */
const upright = (
  { bytes, pixelsMax, isSrgb }: EncodedPicture,
  failOn: 'warning' | 'error' = 'warning',
): Sharp =>
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
