import { createHash } from 'node:crypto';
import sharp, { type Sharp } from 'sharp';
import { inject, injectable } from 'tsyringe';
import { AppError, unprocessable } from '../../models/errors';
import type { ImagePreparer } from '../../models/ports';
import type { PreparedImage } from '../../models/vision/neighbours';
import { ACCEPTED_FORMATS, sniffPictureFormat } from './picture-format';

/** Limits on what is decoded (decisions.md 8). */
export interface ImageLimits {
  readonly bytesMax: number;
  readonly pixelsMax: number;
}

/** Token of `ImageLimits`. */
export const IMAGE_LIMITS = Symbol.for('ImageLimits');

/** Longest side of a prepared picture: enough for half-size crops of any usual input, tens of kilobytes as JPEG. */
const PREPARED_SIDE = 640;
const DECODE_SECONDS_MAX = 10;

/**
 * Any accepted picture as one small JPEG: first frame, upright, flattened on white, sRGB, three channels of 8 bits.
 * Sizes are checked before anything is decoded.
 */
@injectable()
export class SharpImagePreparer implements ImagePreparer {
  constructor(@inject(IMAGE_LIMITS) private readonly limits: ImageLimits) {
    sharp.cache(false);
    sharp.concurrency(1);
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({
      operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'],
    });
  }

  async prepare(bytes: Buffer): Promise<PreparedImage> {
    const picture = await this.open(bytes);
    const { data, info } = await decoding(() =>
      upright(picture, PREPARED_SIDE)
        .jpeg({ quality: 88, chromaSubsampling: '4:4:4' })
        .toBuffer({ resolveWithObject: true }),
    );
    const digest = createHash('sha256').update(data).digest('hex');
    return { jpeg: data, width: info.width, height: info.height, digest };
  }

  async thumbnail(bytes: Buffer, side: number): Promise<Buffer> {
    const picture = await this.open(bytes);
    return decoding(() => upright(picture, side).jpeg({ quality: 82 }).toBuffer());
  }

  /** A decoder for the bytes, once format, size in bytes and size in pixels are known to be allowed. */
  private async open(bytes: Buffer): Promise<Sharp> {
    if (bytes.length > this.limits.bytesMax) {
      throw unprocessable('image_too_large', `The image is larger than ${this.limits.bytesMax} bytes.`);
    }
    refuseOtherFormats(bytes);
    const header = await decoding(() => sharp(bytes, { limitInputPixels: false, failOn: 'none' }).metadata());
    const pixels = header.width * header.height;
    if (pixels > this.limits.pixelsMax) {
      throw unprocessable(
        'image_too_large',
        `The image has ${header.width} x ${header.height} pixels, more than ${this.limits.pixelsMax}.`,
      );
    }
    return sharp(bytes, {
      limitInputPixels: this.limits.pixelsMax,
      failOn: 'warning',
      sequentialRead: true,
      pages: 1,
    }).timeout({ seconds: DECODE_SECONDS_MAX });
  }
}

function refuseOtherFormats(bytes: Buffer): void {
  const format = sniffPictureFormat(bytes);
  if (format !== null && ACCEPTED_FORMATS.some((accepted) => accepted === format)) return;
  const seen = format === null ? 'This is no known image format' : `This is ${format}`;
  throw unprocessable('image_format', `${seen}; send ${ACCEPTED_FORMATS.join(', ')}.`);
}

function upright(picture: Sharp, side: number): Sharp {
  return picture
    .autoOrient()
    .resize(side, side, { fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb');
}

/** Whatever the decoder says of broken bytes is one thing to the caller: they can't be decoded. */
async function decoding<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (failure) {
    if (failure instanceof AppError) throw failure;
    throw unprocessable(
      'image_undecodable',
      'The image is damaged or truncated and can not be decoded.',
      failure,
    );
  }
}
