import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Request } from 'express';
import type { FairBudget, Lease } from '../../models/access/fair-budget';
import { badRequest, payloadTooLarge, unsupportedMediaType } from '../../models/errors';
import { type Gate, onceClosed } from './call';

/** What a body is held against while it is read. */
export interface BodyLimits {
  /** Once inflated. */
  readonly bytesMax: number;
  readonly pace: UploadPace;
}

/** What a body may be declared as, text in UTF-8, and how that is called in a refusal. */
export interface BodyType {
  readonly name: 'application/json' | 'application/x-ndjson' | 'image/jpeg';
  readonly form: RegExp;
}

export const JSON_BODY: BodyType = {
  name: 'application/json',
  form: /^\s*application\/([a-z0-9!#$&^_.+-]+\+)?json\s*$/,
};

export const JSON_LINES_BODY: BodyType = {
  name: 'application/x-ndjson',
  form: /^\s*application\/(x-ndjson|jsonl)\s*$/,
};

/** The bytes of a picture; its format is read from them, whatever the type (contract 15.9). */
export const PICTURE_BODY: BodyType = {
  name: 'image/jpeg',
  form: /^\s*(image\/[a-z0-9!#$&^_.+-]+|application\/octet-stream)\s*$/,
};

/**
 * Reads the bytes of a body into `req.body`: 415 when it is not declared as its type, 413 when it is larger than the
 * limit. They count against the budget until the call ends.
 */
export function readTyped(type: BodyType, limits: BodyLimits, budget: FairBudget): Gate {
  return async (req, res) => {
    if (!isDeclared(req.get('Content-Type'), type)) throw unsupportedMediaType(type.name);
    // Operators have no key, and share one part of the memory.
    const lease = budget.open(res.locals.caller?.keyId ?? '');
    onceClosed(res, () => lease.close());
    // The clock of the deadline stands still while the caller sends.
    const { deadline } = res.locals;
    deadline?.stop();
    req.body = await readBody(req, lease, limits, (room) => deadline?.runDuring(room) ?? room);
    deadline?.go();
    if (req.get('Idempotency-Key') === undefined) return;
    res.locals.bodyDigest = createHash('sha256').update(req.body).digest();
  };
}

function isDeclared(contentType: string | undefined, { form }: BodyType): boolean {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  const charset = /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/;
  return (
    form.test(type) &&
    parameters.every((parameter) => ['utf-8', 'utf8', undefined].includes(charset.exec(parameter)?.[1]))
  );
}

/** A body without a length is read into a buffer that doubles, from this on. */
const FIRST_BYTES = 64 * 1024;

/**
 * The bytes of a body, inflated, read into one buffer. They are counted as they come; while there is no room for more of
 * them the sender is not read.
 *
 * @param lease takes what the buffer takes, until the call ends
 * @param waitFor how the wait for room is waited for
 * @throws AppError 413, 415 for an unknown coding, 400 when it breaks off, is damaged or comes too slowly, 503 without room
 */
export function readBody(
  req: Request,
  lease: Lease,
  { bytesMax, pace }: BodyLimits,
  waitFor: (room: Promise<void>) => Promise<void>,
): Promise<Buffer> {
  const source = decoded(req);
  const length = source === req ? Number(req.get('Content-Length') ?? Number.NaN) : Number.NaN;
  if (length > bytesMax) throw payloadTooLarge(bytesMax);
  let bytes = Buffer.allocUnsafeSlow(Number.isNaN(length) ? Math.min(FIRST_BYTES, bytesMax) : length);
  let read = 0;
  /** The last chunk waits for room; a stream that was paused in its `data` tells its end nevertheless. */
  let waits = false;
  let ended = false;
  return new Promise((resolve, reject) => {
    const end = (failure: unknown): void => {
      watch.stop();
      source.off('data', take).off('end', whole).off('error', damaged);
      req.off('data', count).off('close', broken).off('error', broken);
      if (failure === null) resolve(bytes.subarray(0, read));
      else reject(failure);
      if (failure === null || source === req) return;
      req.unpipe();
      source.destroy();
    };
    const whole = (): void => {
      ended = true;
      if (!waits) end(null);
    };
    const broken = (): void => {
      if (!req.complete) end(badRequest('The body broke off before its end.'));
    };
    const damaged = (): void =>
      end(badRequest('The body could not be read; check its Content-Length and Content-Encoding.'));
    const watch = new PaceWatch(pace, (failure) => {
      // What is still to come is not waited for.
      req.res?.setHeader('Connection', 'close');
      end(failure);
    });
    const count = (chunk: Buffer): void => watch.came(chunk.length);
    const take = (chunk: Buffer): void => {
      if (read + chunk.length > bytesMax) return void end(payloadTooLarge(bytesMax));
      const needed = read + chunk.length;
      const size =
        needed > bytes.length ? Math.min(Math.max(needed, bytes.length * 2), bytesMax) : bytes.length;
      // A buffer of a known length takes memory only as far as it is filled.
      const held = Number.isNaN(length) ? size : needed;
      if (lease.tryResize(held)) return void keep(chunk, size);
      source.pause();
      watch.hold();
      waits = true;
      waitFor(lease.resize(held)).then(() => {
        watch.release();
        keep(chunk, size);
        waits = false;
        if (ended) end(null);
        else source.resume();
      }, end);
    };
    const keep = (chunk: Buffer, size: number): void => {
      if (size > bytes.length) {
        const larger = Buffer.allocUnsafeSlow(size);
        bytes.copy(larger, 0, 0, read);
        bytes = larger;
      }
      read += chunk.copy(bytes, read);
    };
    req.on('data', count).once('close', broken).once('error', broken);
    source.on('data', take).once('end', whole);
    if (source !== req) source.once('error', damaged);
  });
}

/** @throws AppError 415 for a coding that is not known */
function decoded(req: Request): Readable {
  switch ((req.get('Content-Encoding') ?? 'identity').toLowerCase()) {
    case 'identity':
      return req;
    case 'gzip':
    case 'x-gzip':
      return req.pipe(createGunzip());
    case 'deflate':
      return req.pipe(createInflate());
    case 'br':
      return req.pipe(createBrotliDecompress());
    default:
      throw unsupportedMediaType();
  }
}

/** How fast a body must come at least. */
export interface UploadPace {
  /** Bytes per second; 0 is off. */
  readonly bytesPerSecond: number;
  /** Over which it is measured: a connection may stand still for a shorter time. */
  readonly windowMs: number;
}

/** Watches whether a body comes fast enough; its end calls back once, with what to answer. */
export class PaceWatch {
  readonly #looking: NodeJS.Timeout | null;
  #came = 0;
  /** Whether the service reads nothing now, and whether it did so in any part of this window. */
  #held = false;
  #wasHeld = false;

  constructor(
    private readonly pace: UploadPace,
    private readonly tooSlow: (failure: Error) => void,
  ) {
    this.#looking = pace.bytesPerSecond > 0 ? setInterval(() => this.#look(), pace.windowMs) : null;
  }

  /** So many bytes came. */
  came(bytes: number): void {
    this.#came += bytes;
  }

  /** The service stops reading, and later reads on: windows in between say nothing about the sender. */
  hold(): void {
    this.#held = true;
    this.#wasHeld = true;
  }

  release(): void {
    this.#held = false;
  }

  stop(): void {
    if (this.#looking) clearInterval(this.#looking);
  }

  #look(): void {
    const { bytesPerSecond, windowMs } = this.pace;
    const expected = (bytesPerSecond * windowMs) / 1000;
    if (!this.#wasHeld && this.#came < expected) {
      this.stop();
      this.tooSlow(
        badRequest(
          `The body came slower than ${bytesPerSecond} bytes per second for ${windowMs / 1000} s; send a smaller one, or over a faster connection.`,
        ),
      );
    }
    this.#came = 0;
    this.#wasHeld = this.#held;
  }
}
