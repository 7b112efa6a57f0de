import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import sharp, { type Metadata } from 'sharp';
import { inject, injectable } from 'tsyringe';
import { AppError, undecodableImage, unprocessable } from '../../models/errors';
import type { ImagePreparer, PrepareOptions } from '../../models/ports';
import { PREPARED_SIDE, USUAL_KERNEL, type ViewSize } from '../../models/vision/embedding-model';
import type { DecodedImage, PreparedImage } from '../../models/vision/neighbours';
import { decodableJpeg } from './decodable-jpeg';
import { decodableWebp } from './decodable-webp';
import { DecodeBudget, decodeMemoryBytes } from './decode-budget';
import { decodePicture, decoding, type OutputForm, restrictSharp, type SmallPicture } from './decode-picture';
import { decodeIsolated } from './isolated-decoder';
import { ACCEPTED_FORMATS, sniffPictureFormat, unusualJpeg } from './picture-format';
import { type ResizePlan, resizePlanOf, uprightSize } from './resize-plan';
import { isSrgbProfile } from './srgb-profile';

/** Limits on what is decoded (contract 7.3). */
export interface ImageLimits {
  readonly bytesMax: number;
  readonly pixelsMax: number;
}

export const IMAGE_LIMITS = Symbol.for('ImageLimits');

/** Fits the largest allowed picture as baseline JPEG, PNG, lossy WebP and the usual progressive JPEG (docs/hostile-input.md). */
const LARGE_BYTES_MAX = 180_000_000;

/** Memory that large pictures leave to small ones: room for one of the size of a telephone's, in any form but the rarest. */
const KEPT_FOR_SMALL = { bytes: 60_000_000, decoders: 1 };

const LIMITS = {
  bytesMax: LARGE_BYTES_MAX + KEPT_FOR_SMALL.bytes,
  // Fewer than the four threads of Node's pool, on which also files are read and bodies inflated.
  decodersMax: Math.min(3, availableParallelism()),
  keptForSmall: KEPT_FOR_SMALL,
};

const USUAL_SIZE: ViewSize = { side: PREPARED_SIDE, kernel: USUAL_KERNEL };

/** Reading a header and the metadata around it. */
const HEADER = { bytes: 24_000_000, pixels: 0 };

/**
 * Prepares accepted pictures: the first frame on its canvas, upright, flattened on white, sRGB, three channels of 8 bits. Size and
 * memory are checked before decoding; a picture waits for its account's turn, and one that needs too much memory is decoded in a
 * separate process.
 */
@injectable()
export class SharpImagePreparer implements ImagePreparer {
  private readonly budget = new DecodeBudget(LIMITS);
  /** One at a time, by the turn of their accounts. */
  private readonly alone = new DecodeBudget({ bytesMax: 1, decodersMax: 1 });

  constructor(@inject(IMAGE_LIMITS) private readonly limits: ImageLimits) {
    restrictSharp();
  }

  async prepare(bytes: Buffer, options: PrepareOptions = {}, size = USUAL_SIZE): Promise<PreparedImage> {
    const as = size.side < PREPARED_SIDE ? 'small' : 'prepared';
    const { data: jpeg, ...sizes } = await this.decodeChecked(bytes, as, size, options);
    return { jpeg, ...sizes };
  }

  async decode(bytes: Buffer, size: ViewSize, options: PrepareOptions = {}): Promise<DecodedImage> {
    const { data: pixels, source: _, ...image } = await this.decodeChecked(bytes, 'pixels', size, options);
    return { pixels, ...image };
  }

  async thumbnail(bytes: Buffer, side: number): Promise<Buffer> {
    return (await this.decodeChecked(bytes, 'thumbnail', { side, kernel: USUAL_KERNEL })).data;
  }

  private async decodeChecked(
    bytes: Buffer,
    as: OutputForm['as'],
    { side, kernel }: ViewSize,
    { region, ...caller }: PrepareOptions = {},
  ): Promise<SmallPicture & Pick<PreparedImage, 'source' | 'digest'>> {
    const format = acceptedFormat(bytes, this.limits);
    try {
      const decodable = decodableForm(bytes, format);
      if (decodable === null) throw undecodableImage();
      const header = await this.checkedHeader(decodable, caller);
      const isSrgb = header.icc !== undefined && isSrgbProfile(header.icc);
      const picture = { bytes: decodable, pixelsMax: this.limits.pixelsMax, isSrgb };
      const wanted = { ...resizePlanOf(header, side, region), as, kernel };
      const memory = memoryFor(decodable, header, wanted);
      const isLarge = memory > LARGE_BYTES_MAX;
      const decode = async () => {
        const small = isLarge
          ? decodeIsolated({ picture, wanted }, caller.signal)
          : decodePicture(picture, wanted);
        // Other threads decode meanwhile.
        const digest = digestOf(bytes, region);
        return { ...(await small), source: uprightSize(header), digest };
      };
      const cost = { pixels: header.width * header.height, ...caller };
      return await (isLarge
        ? this.alone.run({ bytes: 1, ...cost }, decode)
        : this.budget.run({ bytes: memory, ...cost }, decode));
    } catch (failure) {
      // An unusual kind of JPEG that can't be decoded is refused by its name, not as damaged (contract 7.3).
      const isDamaged = failure instanceof AppError && failure.extras.reason === 'image_undecodable';
      const kind = isDamaged ? unusualJpeg(bytes) : null;
      throw kind === null ? failure : otherFormat(`This is ${kind}`, failure);
    }
  }

  /** @throws AppError 422 for more pixels than are accepted */
  private async checkedHeader(decodable: Buffer, caller: Omit<PrepareOptions, 'region'>): Promise<Metadata> {
    const header = await this.budget.run({ ...HEADER, ...caller }, () =>
      decoding(() => sharp(decodable, { limitInputPixels: false, failOn: 'none' }).metadata()),
    );
    const { pixelsMax } = this.limits;
    const large = `The image has ${header.width} x ${header.height} pixels, more than ${pixelsMax}.`;
    if (header.width * header.height > pixelsMax) throw unprocessable('image_too_large', large);
    return header;
  }
}

/** @throws AppError 422 for too many bytes or another format */
function acceptedFormat(bytes: Buffer, { bytesMax }: ImageLimits): string | null {
  if (bytes.length > bytesMax)
    throw unprocessable('image_too_large', `The image is larger than ${bytesMax} bytes.`);
  const format = sniffPictureFormat(bytes);
  if (ACCEPTED_FORMATS.some((each) => each === format)) return format;
  throw otherFormat(format === null ? 'This is no known image format' : `This is ${format}`);
}

const digestOf = (bytes: Buffer, region: PrepareOptions['region']): string =>
  createHash('sha256')
    .update(bytes)
    .update(region ? [region.x, region.y, region.width, region.height].join() : '')
    .digest('hex');

/** What the decoder is given of a file; null when it is cut off. */
function decodableForm(bytes: Buffer, format: string | null): Buffer | null {
  if (format === 'JPEG') return decodableJpeg(bytes);
  return format === 'WebP' ? decodableWebp(bytes) : bytes;
}

/** Memory in bytes that decoding takes; what is cut out may have to be kept whole before, to be turned upright. */
const memoryFor = (bytes: Buffer, header: Metadata, { whole, part }: ResizePlan): number =>
  decodeMemoryBytes({
    ...header,
    isLossless: bytes.includes('VP8L'),
    isAnimated: header.pages !== undefined,
  }) + (part ? whole.width * whole.height * header.channels : 0);

const otherFormat = (seen: string, cause?: unknown): AppError =>
  unprocessable('image_format', `${seen}; send ${ACCEPTED_FORMATS.join(', ')}.`, cause);
