import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Request } from 'express';
import type { FairBudget, Lease } from '../../models/access/fair-budget';
import * as errors from '../../models/errors';
import { type Middleware, onceClosed } from './call';

/** `bytesMax`: once inflated. */
type BodyLimits = Readonly<{ bytesMax: number; pace: UploadPace }>;

/** The media types a body may be declared as, text in UTF-8, and their name in a refusal. */
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

/** The bytes of a picture; its format is read from them, regardless of the type (contract 15.9). */
export const PICTURE_BODY: BodyType = {
  name: 'image/jpeg',
  form: /^\s*(image\/[a-z0-9!#$&^_.+-]+|application\/octet-stream)\s*$/,
};

/** Reads the bytes of a body into `req.body`: else 415 or 413. They count against the budget until the call ends. */
export function readTyped(type: BodyType, limits: BodyLimits, budget: FairBudget): Middleware {
  return async (req, res) => {
    if (!isDeclared(req.get('Content-Type'), type)) throw errors.unsupportedMediaType(type.name);
    // Operators have no key, and share one portion of the memory.
    const lease = budget.open(res.locals.caller?.keyId ?? '');
    onceClosed(res, () => lease.close());
    // The deadline is paused while the caller sends.
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

const FIRST_BYTES = 64 * 1024;

/** As Node's server reads the header, which leaves the answer to us. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/**
 * The bytes of a body, inflated, read into one buffer. While there is no room for more, nothing is read from the sender.
 * @param lease accounts for the buffer's memory
 * @param waitFor wraps the wait for room
 * @throws AppError 413, 415 for an unknown coding, 400 when it breaks off, is damaged or comes too slowly, 503 without room
 */
export async function readBody(
  req: Request,
  lease: Lease,
  { bytesMax, pace }: BodyLimits,
  waitFor: (room: Promise<void>) => Promise<void>,
): Promise<Buffer> {
  const source = decoded(req);
  const length = source === req ? Number(req.get('Content-Length') ?? Number.NaN) : Number.NaN;
  if (length > bytesMax) throw errors.payloadTooLarge(bytesMax);
  if (req.httpVersion === '1.1' && CONTINUE.test(req.get('Expect') ?? '')) req.res?.writeContinue();
  // A small body has usually arrived while its key was looked up. The call of one whose caller has gone since ends below.
  const hasArrived = req.complete && !req.destroyed && req.readableLength === length;
  if (hasArrived && lease.tryResize(length)) return req.read(length) ?? Buffer.alloc(0);
  const body = new BodyBuffer(length, bytesMax);
  let giveUp: (failure: Error) => void = () => undefined;
  const givenUp = new Promise<never>((_resolve, reject) => {
    giveUp = reject;
  });
  const broken = (): void => {
    if (!req.complete) giveUp(brokenOff());
  };
  req.once('close', broken);
  const tooSlow = (failure: Error): void => {
    // The rest of the body must not be read as another request.
    req.res?.setHeader('Connection', 'close');
    giveUp(failure);
  };
  const watch = watchPace(pace, () => req.socket.bytesRead, tooSlow);
  const chunks = source.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const { done, value: chunk } = await Promise.race([chunks.next(), givenUp]);
      if (done) return body.content;
      const held = body.memoryWith(chunk);
      if (!lease.tryResize(held)) await watch.pauseDuring(waitFor(lease.resize(held)));
      body.append(chunk);
    }
  } catch (failure) {
    if (source !== req) {
      req.unpipe();
      source.destroy();
    }
    // The rest is read and dropped; otherwise the connection could not be reused.
    void chunks.return?.().then(() => req.resume());
    if (failure instanceof errors.AppError) throw failure;
    throw req.destroyed && !req.complete ? brokenOff() : damaged();
  } finally {
    watch.stop();
    req.off('close', broken);
  }
}

/** The bytes read so far. A buffer of unknown length starts small and doubles. */
class BodyBuffer {
  #bytes: Buffer;
  #read = 0;

  /** @param length NaN if it is not known */
  constructor(
    private readonly length: number,
    private readonly bytesMax: number,
  ) {
    this.#bytes = Buffer.allocUnsafeSlow(Number.isNaN(length) ? Math.min(FIRST_BYTES, bytesMax) : length);
  }

  get content(): Buffer {
    return this.#bytes.subarray(0, this.#read);
  }

  /** What it takes with the chunk; of a known length only the filled part. @throws AppError 413 */
  memoryWith(chunk: Buffer): number {
    const needed = this.#read + chunk.length;
    if (needed > this.bytesMax) throw errors.payloadTooLarge(this.bytesMax);
    return Number.isNaN(this.length) ? this.#sizeFor(needed) : needed;
  }

  append(chunk: Buffer): void {
    const size = this.#sizeFor(this.#read + chunk.length);
    if (size > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(size);
      this.content.copy(larger);
      this.#bytes = larger;
    }
    this.#read += chunk.copy(this.#bytes, this.#read);
  }

  #sizeFor(needed: number): number {
    const { length } = this.#bytes;
    return needed > length ? Math.min(Math.max(needed, length * 2), this.bytesMax) : length;
  }
}

const brokenOff = () => errors.badRequest('The body broke off before its end.');
const damaged = () =>
  errors.badRequest('The body could not be read; check its Content-Length and Content-Encoding.');

/** @throws AppError 415 for an unknown coding */
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
      throw errors.unknownCoding();
  }
}

export interface UploadPace {
  /** Bytes per second; 0 is off. */
  readonly bytesPerSecond: number;
  /** The window of the measurement: a connection may stall for a shorter time. */
  readonly windowMs: number;
}

/**
 * Watches whether a body arrives fast enough; if not, calls back once with the error to answer. While the service does not
 * read, windows say nothing about the sender.
 * @param bytesRead how many bytes have arrived so far
 */
export function watchPace(
  { bytesPerSecond, windowMs }: UploadPace,
  bytesRead: () => number,
  tooSlow: (failure: Error) => void,
) {
  const isOn = bytesPerSecond > 0;
  let before = isOn ? bytesRead() : 0;
  let isPaused = false;
  let wasPaused = false;
  const look = (): void => {
    const came = bytesRead() - before;
    if (!wasPaused && came < (bytesPerSecond * windowMs) / 1000) {
      stop();
      const pace = `${bytesPerSecond} bytes per second for ${windowMs / 1000} s`;
      const message = `The body came slower than ${pace}; send a smaller one, or over a faster connection.`;
      tooSlow(errors.badRequest(message));
    }
    before += came;
    wasPaused = isPaused;
  };
  const timer = isOn ? setInterval(look, windowMs) : undefined;
  const stop = (): void => clearInterval(timer);
  const pauseDuring = async (wait: Promise<void>): Promise<void> => {
    isPaused = true;
    wasPaused = true;
    await wait;
    isPaused = false;
  };
  return { pauseDuring, stop };
}
