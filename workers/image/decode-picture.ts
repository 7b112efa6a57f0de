import sharp, { type Sharp } from 'sharp';
import { AppError, undecodableImage, unprocessable } from '../../models/errors';
import type { ResamplingKernel } from '../../models/vision/embedding-model';
import type { Size } from '../../models/vision/neighbours';
import type { ResizePlan } from './resize-plan';

/** The output for a picture: three channels, upright, flattened on white, sRGB. */
export interface OutputForm extends ResizePlan {
  /** `pixels` are red, green and blue, a byte each. */
  readonly as: keyof typeof OUTPUTS;
  readonly kernel: ResamplingKernel;
}

/** A picture in the wanted form, with its size in pixels. */
export interface SmallPicture extends Size {
  readonly data: Buffer;
}

export interface EncodedPicture {
  readonly bytes: Uint8Array;
  /** One with more is refused. */
  readonly pixelsMax: number;
  /** Whether its colour profile is that of sRGB, so that nothing is converted. */
  readonly isSrgb: boolean;
}

/** Codes that fit each picture would make it a twelfth smaller, and take half of the time of encoding it. */
const PREPARED = { quality: 88, chromaSubsampling: '4:4:4', optimizeCoding: false };
const OUTPUTS = {
  prepared: (picture: Sharp) => picture.jpeg(PREPARED),
  /** Not shrunk any more before it is embedded, which would hide losses: vectors differ as little as by a larger one at 88. */
  small: (picture: Sharp) => picture.jpeg({ ...PREPARED, quality: 97 }),
  thumbnail: (picture: Sharp) => picture.jpeg({ quality: 82 }),
  pixels: (picture: Sharp) => picture.removeAlpha().raw(),
};

const DECODE_SECONDS_MAX = 10;

/** Has sharp decode what we accept and nothing else, with one thread and without keeping anything; for the whole process. */
export function restrictSharp(): void {
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'],
  });
}

/** The decoder has one buffer of error messages for the process, which another decode may empty: a failure without one is retried. */
const TRIES = 3;

const JPEG_FIRST = 0xff;

/**
 * Decodes a picture once, no larger than necessary, and strictly, since most warnings mean lost pixels. Bytes between the scans
 * of a JPEG are harmless, but can't be removed without decoding: they are tolerated (contract 7.19). @throws AppError 422
 */
export function decodePicture(
  { bytes, pixelsMax, isSrgb }: EncodedPicture,
  { whole, part, as, kernel }: OutputForm,
): Promise<SmallPicture> {
  const decodeOnce = async (failOn: 'warning' | 'error'): Promise<SmallPicture> => {
    const limits = { limitInputPixels: pixelsMax, failOn, pages: 1 };
    const upright = sharp(bytes, { ...limits, sequentialRead: true, ignoreIcc: isSrgb })
      .timeout({ seconds: DECODE_SECONDS_MAX })
      .autoOrient();
    const resized = upright.resize(whole.width, whole.height, { fit: 'fill', kernel });
    const flat = (part ? resized.extract(part) : resized)
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb');
    const { data, info } = await OUTPUTS[as](flat).toBuffer({ resolveWithObject: true });
    return { data, width: info.width, height: info.height };
  };
  return decoding(async () => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await decodeOnce('warning');
      } catch (failure) {
        const words = failure instanceof Error ? failure.message : '';
        if (/extraneous bytes before marker/.test(words)) return await decodeOnce('error');
        if (tries === TRIES || bytes[0] !== JPEG_FIRST || /^timeout: |VipsJpeg: /.test(words)) throw failure;
      }
    }
  });
}

/** All decoder errors about broken bytes mean one thing to the caller: they can't be decoded. */
export async function decoding<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (failure) {
    if (failure instanceof AppError) throw failure;
    const isLate = failure instanceof Error && failure.message.startsWith('timeout: ');
    const late = `The image takes longer than ${DECODE_SECONDS_MAX} s to decode.`;
    throw isLate ? unprocessable('image_too_large', late, failure) : undecodableImage(failure);
  }
}
