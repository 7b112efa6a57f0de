import type { Metadata } from 'sharp';
import type { PrepareOptions } from '../../models/ports';
import { orAborted } from '../../models/promises';

interface DecodeLoad {
  readonly bytes: number;
  readonly decoders: number;
}

const NO_LOAD: DecodeLoad = { bytes: 0, decoders: 0 };

export interface DecodeLimits {
  readonly bytesMax: number;
  readonly decodersMax: number;
  /** Of that, what large pictures leave to others. */
  readonly keptForSmall?: DecodeLoad;
}

/** Bytes at the peak, and pixels, which stand for time. The service's own work takes the turns of one more account. */
interface DecodeRequest extends Pick<PrepareOptions, 'signal' | 'account'> {
  readonly bytes: number;
  readonly pixels: number;
}

/** More pixels than the cameras of most telephones take: such a picture keeps a decoder busy for long. */
const LARGE_PIXELS = 16_000_000;
/** The additional cost of each decoding. */
const BASE_PIXELS = 250_000;

interface Waiting extends DecodeLoad {
  readonly account: string;
  readonly pixels: number;
  readonly isLarge: boolean;
  enter(): void;
}

/**
 * Limits concurrent decoding by memory and threads. Accounts take turns, weighted by pixels (start-time fair queuing), so nobody
 * waits for more than one picture of each other account. Large pictures leave one decoder, and memory for small ones.
 */
export class DecodeBudget {
  readonly #max: DecodeLoad;
  readonly #largeMax: DecodeLoad;
  #all: DecodeLoad = NO_LOAD;
  #large: DecodeLoad = NO_LOAD;
  /** In the order of their arrival. */
  readonly #queue = new Set<Waiting>();
  /** Pixels that each account has had; one that comes back has had as many as the account whose turn was last. */
  readonly #had = new Map<string, number>();
  #lastTurn = 0;

  constructor({ bytesMax, decodersMax, keptForSmall = NO_LOAD }: DecodeLimits) {
    this.#max = { bytes: bytesMax, decoders: decodersMax };
    this.#largeMax = {
      bytes: bytesMax - keptForSmall.bytes,
      decoders: Math.max(1, decodersMax - keptForSmall.decoders),
    };
  }

  /**
   * Runs `work` when it is its turn and fits; what needs more than the budget runs alone. An aborted caller is released at once, but
   * its work keeps its place until it ends, as decoders can't be stopped. @throws the reason of `signal`; whatever `work` throws
   */
  async run<Result>(
    { bytes, pixels, account = '', signal }: DecodeRequest,
    work: () => Promise<Result>,
  ): Promise<Result> {
    signal?.throwIfAborted();
    const isLarge = pixels > LARGE_PIXELS;
    const taken = { bytes: Math.min(bytes, (isLarge ? this.#largeMax : this.#max).bytes), decoders: 1 };
    const weight = pixels + BASE_PIXELS;
    const waiting: Waiting = { ...taken, account, pixels: weight, isLarge, enter: () => undefined };
    const turn = new Promise<void>((resolve) => {
      waiting.enter = resolve;
    });
    const done = turn.then(work).finally(() => {
      this.#count(isLarge, { bytes: -taken.bytes, decoders: -1 });
      this.#admit();
    });
    if (this.#all.decoders === 0 && this.#queue.size === 0) this.#had.clear();
    const isFirst = ![...this.#queue].some((each) => each.account === account);
    if (isFirst) this.#had.set(account, Math.max(this.#hadBy(waiting), this.#lastTurn));
    this.#queue.add(waiting);
    this.#admit();
    return orAborted(done, signal).catch((failure: unknown) => {
      if (this.#queue.delete(waiting)) this.#admit();
      throw failure;
    });
  }

  #admit(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      this.#queue.delete(next);
      this.#lastTurn = this.#hadBy(next);
      this.#had.set(next.account, this.#lastTurn + next.pixels);
      this.#count(next.isLarge, next);
      next.enter();
    }
  }

  /** The picture whose turn it is, if there is room for it. */
  #next(): Waiting | undefined {
    for (const next of [...this.#queue].sort((one, other) => this.#hadBy(one) - this.#hadBy(other))) {
      if (next.isLarge && !fits(this.#large, next, this.#largeMax)) continue;
      // A picture that fits never overtakes one that does not: small pictures must not keep a large one waiting forever.
      return fits(this.#all, next, this.#max) ? next : undefined;
    }
    return undefined;
  }

  #hadBy({ account }: Pick<Waiting, 'account'>): number {
    return this.#had.get(account) ?? 0;
  }

  #count(isLarge: boolean, more: DecodeLoad): void {
    this.#all = sum(this.#all, more);
    if (isLarge) this.#large = sum(this.#large, more);
  }
}

const sum = (one: DecodeLoad, other: DecodeLoad): DecodeLoad => ({
  bytes: one.bytes + other.bytes,
  decoders: one.decoders + other.decoders,
});

const fits = (taken: DecodeLoad, more: DecodeLoad, max: DecodeLoad): boolean =>
  taken.decoders + more.decoders <= max.decoders && taken.bytes + more.bytes <= max.bytes;

/** The decoding work as stated in the header of a picture; any of it may be false. */
export interface PictureHeader
  extends Pick<Metadata, 'width' | 'height' | 'channels' | 'format' | 'depth' | 'chromaSubsampling'> {
  readonly isProgressive: boolean;
  /** Of WebP alone. */
  readonly isLossless: boolean;
  /** Of WebP alone: its frame is put on a canvas. */
  readonly isAnimated: boolean;
}

/** Headers, metadata, rows on their way, the small picture that comes out. */
const BASE_BYTES = 16_000_000;

/** Coefficients are kept as 16-bit numbers. */
const COEFFICIENT_BYTES = 2;

/** WebP keeps lossless pixels as ARGB; of lossy ones only the transparency; a canvas as RGBA and what is copied of it. */
const WEBP_PIXEL_BYTES = { lossless: 4, lossy: 1.5, canvas: 6 };

/** Values of one pixel by how much of the colour is left out. */
const SAMPLES: Readonly<Record<string, number>> = { '4:2:0': 1.5, '4:1:1': 1.5, '4:2:2': 2, '4:4:0': 2 };

/** Peak bytes, from above. Progressive JPEG, interlaced PNG and lossless WebP are kept whole; most others pass in rows. */
export function decodeMemoryBytes(header: PictureHeader): number {
  const pixels = header.width * header.height;
  const pixelBytes = header.channels * (header.depth === 'ushort' ? 2 : 1);
  return BASE_BYTES + pixels * wholePixelBytes(header, pixelBytes);
}

function wholePixelBytes(header: PictureHeader, pixelBytes: number): number {
  const { format, isProgressive, chromaSubsampling } = header;
  if (format === 'webp') {
    const frameBytes = WEBP_PIXEL_BYTES[header.isLossless ? 'lossless' : 'lossy'];
    return header.isAnimated ? WEBP_PIXEL_BYTES.canvas + frameBytes : frameBytes;
  }
  if (!isProgressive) return pixelBytes / 3;
  if (format === 'png') return pixelBytes;
  return (SAMPLES[chromaSubsampling ?? ''] ?? header.channels) * COEFFICIENT_BYTES;
}
