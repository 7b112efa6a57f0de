import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import sharp, { type Sharp } from 'sharp';
import { inject, injectable } from 'tsyringe';
import { AppError, unprocessable } from '../../models/errors';
import type { ImagePreparer } from '../../models/ports';
import type { PreparedImage } from '../../models/vision/neighbours';
import { DecodeBudget } from './decode-budget';
import { decodeMemoryBytes } from './decode-memory';
import { firstFrame } from './first-frame';
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
 * Memory for pictures that are being decoded. The largest picture that is allowed fits as baseline JPEG, PNG, WebP and
 * as progressive JPEG with the usual 4:2:0; only some of those that must be kept whole do not (docs/reliability.md).
 */
const DECODE_BYTES_MAX = 220_000_000;

/** Fewer than the four threads of Node's pool, on which also files are read and bodies inflated. */
const DECODERS_MAX = Math.min(3, availableParallelism());

/** Reading a header and the metadata around it. */
const HEADER_BYTES = 24_000_000;

/**
 * Any accepted picture as one small JPEG: first frame, upright, flattened on white, sRGB, three channels of 8 bits.
 * Sizes and the memory that decoding takes are checked before anything is decoded; what does not fit beside the
 * pictures that are being decoded waits its turn.
 */
@injectable()
export class SharpImagePreparer implements ImagePreparer {
  private readonly budget = new DecodeBudget({ bytesMax: DECODE_BYTES_MAX, decodersMax: DECODERS_MAX });

  constructor(@inject(IMAGE_LIMITS) private readonly limits: ImageLimits) {
    sharp.cache(false);
    sharp.concurrency(1);
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({
      operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'],
    });
  }

  async prepare(bytes: Buffer, signal?: AbortSignal): Promise<PreparedImage> {
    const { data, info } = await this.decode(bytes, signal, (picture) =>
      upright(picture, PREPARED_SIDE)
        .jpeg({ quality: 88, chromaSubsampling: '4:4:4' })
        .toBuffer({ resolveWithObject: true }),
    );
    const digest = createHash('sha256').update(data).digest('hex');
    return { jpeg: data, width: info.width, height: info.height, digest };
  }

  async thumbnail(bytes: Buffer, side: number): Promise<Buffer> {
    return this.decode(bytes, undefined, (picture) =>
      upright(picture, side).jpeg({ quality: 82 }).toBuffer(),
    );
  }

  /** Decodes once format, size in bytes and pixels, and the memory it takes are known to be allowed. */
  private async decode<Result>(
    bytes: Buffer,
    signal: AbortSignal | undefined,
    work: (picture: Sharp) => Promise<Result>,
  ): Promise<Result> {
    if (bytes.length > this.limits.bytesMax) {
      throw unprocessable('image_too_large', `The image is larger than ${this.limits.bytesMax} bytes.`);
    }
    refuseOtherFormats(bytes);
    const still = firstFrame(bytes);
    if (still === null) throw undecodable();
    const memory = await this.budget.run(HEADER_BYTES, () => this.memoryFor(still), signal);
    const picture = sharp(still, {
      limitInputPixels: this.limits.pixelsMax,
      failOn: 'warning',
      sequentialRead: true,
      pages: 1,
    }).timeout({ seconds: DECODE_SECONDS_MAX });
    return this.budget.run(memory, () => decoding(() => work(picture)), signal);
  }

  /** Memory that decoding will take, by the header. */
  private async memoryFor(bytes: Buffer): Promise<number> {
    const header = await decoding(() => sharp(bytes, { limitInputPixels: false, failOn: 'none' }).metadata());
    const { width, height } = header;
    if (width * height > this.limits.pixelsMax) {
      throw unprocessable(
        'image_too_large',
        `The image has ${width} x ${height} pixels, more than ${this.limits.pixelsMax}.`,
      );
    }
    const memory = decodeMemoryBytes({ ...header, isLossless: bytes.includes('VP8L') });
    if (memory > DECODE_BYTES_MAX) {
      throw unprocessable(
        'image_too_large',
        `The image has ${width} x ${height} pixels and must be kept whole while it is decoded; save it without interlacing or progressive scans.`,
      );
    }
    return memory;
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

const undecodable = (cause?: unknown): AppError =>
  unprocessable('image_undecodable', 'The image is damaged or truncated and can not be decoded.', cause);
