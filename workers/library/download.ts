import { createWriteStream } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Agent, type Dispatcher, interceptors, request } from 'undici';
import type { Progress } from '../../models/ports';
import { ModelRefused, sha256Of } from '../embedder/model-folder';

/** The refusal of a file that would pass the limit for all files of a model. */
export const tooLarge = (place: string, file: string, bytesMax: number): ModelRefused =>
  new ModelRefused(place, `${file} is larger than the ${bytesMax} bytes that are still allowed (--max-mib)`);

/** A download did not come to its end, through no fault of what is downloaded. */
export class DownloadBroken extends Error {
  constructor(url: URL, reason: string, cause: unknown) {
    super(
      `${shown(url)} can not be downloaded: ${reason}. What has arrived is kept; the same command goes on from there.`,
      { cause },
    );
    this.name = 'DownloadBroken';
  }
}

export interface DownloadOptions {
  /** Where the file and what is known of it lie; what an earlier download left there is gone on with. */
  readonly folder: string;
  /** SHA-256 that the file must have; null when nobody said. */
  readonly digest: string | null;
  /** The largest file that is taken. */
  readonly bytesMax: number;
  readonly limit: TimeLimit;
  readonly progress: Progress;
}

/** When downloads are given up. */
export interface TimeLimit {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** A limit that runs from now on. */
export const timeLimit = (timeoutMs: number): TimeLimit => ({
  timeoutMs,
  signal: AbortSignal.timeout(timeoutMs),
});

const REDIRECTS_MAX = 5;
const SILENCE_MAX_MS = 60_000;

/**
 * Downloads a file, http or https, in as many attempts as it takes: a connection that breaks is taken up where it
 * broke, and so is what an earlier process left, if the file at the address is still the same.
 *
 * @returns the path of the whole file
 * @throws ModelRefused when the address does not answer with a file, the file is too large or not the right one
 * @throws DownloadBroken when the network gives up
 */
export async function download(url: URL, options: DownloadOptions): Promise<string> {
  const file = join(options.folder, 'file');
  const agent = retryingAgent();
  try {
    if (await isRight(file, options.digest)) return file;
    await fetchInto(file, url, options, agent);
  } catch (failure) {
    if (failure instanceof ModelRefused) throw failure;
    if (codeOf(failure) === 'UND_ERR_INVALID_ARG') {
      throw new ModelRefused(url.href, `${shown(url)} redirects to where nothing can be fetched`, failure);
    }
    const { signal, timeoutMs } = options.limit;
    const reason = signal.aborted ? `it takes longer than ${timeoutMs / 60_000} minutes` : reasonOf(failure);
    throw new DownloadBroken(url, reason, failure);
  } finally {
    await agent.destroy();
  }
  if (options.digest === null || (await isRight(file, options.digest))) return file;
  const found = await sha256Of(file);
  await rm(file);
  throw new ModelRefused(shown(url), `${shown(url)} has SHA-256 ${found}, not ${options.digest}`);
}

/** An address without what a link may carry as a secret. */
const shown = (url: URL): string => `${url.origin}${url.pathname}`;

/** Breaks and busy servers are tried again; a name that does not exist is told at once. */
function retryingAgent(): Dispatcher {
  const patience = { headersTimeout: SILENCE_MAX_MS, bodyTimeout: SILENCE_MAX_MS };
  return new Agent({ ...patience, connect: { timeout: SILENCE_MAX_MS } }).compose(
    interceptors.retry({ maxRetries: 5, minTimeout: 250, errorCodes: [...BREAKS] }),
    interceptors.redirect({ maxRedirections: REDIRECTS_MAX }),
  );
}

const BREAKS = ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ENETDOWN', 'ENETUNREACH', 'UND_ERR_SOCKET'] as const;

async function fetchInto(
  file: string,
  url: URL,
  options: DownloadOptions,
  dispatcher: Dispatcher,
): Promise<void> {
  const note = join(options.folder, 'validator');
  const validator = await readFile(note, 'utf8').catch(() => '');
  const had = validator === '' ? 0 : ((await stat(file).catch(() => null))?.size ?? 0);
  const answer = await request(url, {
    dispatcher,
    signal: options.limit.signal,
    // Never held back: a host that then ends the connection would end the process (nodejs/undici#5360).
    highWaterMark: options.bytesMax,
    headers: {
      'accept-encoding': 'identity',
      'user-agent': 'Loupe',
      ...(had > 0 ? { range: `bytes=${had}-`, 'if-range': validator } : {}),
    },
  });
  if (answer.statusCode === 416 && had > 0) {
    // Nothing comes after what is there: that was another file, or all of one that nobody can vouch for.
    answer.body.on('error', () => undefined).destroy();
    await rm(file);
    await fetchInto(file, url, options, dispatcher);
    return;
  }
  const from = startOf(answer, had);
  const length = lengthOf(answer);
  const refusal = tooLarge(url.href, shown(url), options.bytesMax);
  if (from === null || (length ?? 0) > options.bytesMax - from) {
    answer.body.on('error', () => undefined).destroy();
    if (from !== null) throw refusal;
    throw new ModelRefused(shown(url), `${shown(url)} ${refusalIn(answer.statusCode)}`);
  }
  // Never one file's bytes beside another file's validator, wherever this ends.
  if (from === 0) await rm(file, { force: true });
  await writeFile(note, validatorOf(answer));
  announce(shown(url), from, length, options.progress);
  const arrived = createWriteStream(file, { flags: 'a' });
  await pipeline(answer.body, counting(from, options, refusal), arrived, { signal: options.limit.signal });
  options.progress.end();
}

function announce(name: string, from: number, length: number | null, progress: Progress): void {
  const size = length === null ? 'of unknown size' : inMib(from + length);
  progress.note(`${name}, ${size}${from > 0 ? `, ${inMib(from)} of it are here` : ''}`);
  if (length !== null) progress.begin('bytes', from + length, from);
}

/** What an operator can do about an address that answers without the file. */
function refusalIn(status: number): string {
  if (status >= 300 && status < 400) return 'redirects too often: name the address where it ends';
  if (status === 401 || status === 403)
    return 'lets nobody in without a login: download the file and name its folder';
  if (status === 404 || status === 410) return 'does not exist: is the address right?';
  if (status === 429 || status >= 500) return 'is busy or broken: try again later';
  return 'does not answer with a file: open it in a browser to see why';
}

const inMib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

/** Where the body of the answer begins in the file; null when it is no part of the file. */
function startOf({ statusCode, headers }: Dispatcher.ResponseData, had: number): number | null {
  if (statusCode === 200) return 0;
  const range = /^bytes (\d+)-/.exec(String(headers['content-range'] ?? ''));
  return statusCode === 206 && had > 0 && Number(range?.[1]) === had ? had : null;
}

function lengthOf({ headers }: Dispatcher.ResponseData): number | null {
  const length = Number(headers['content-length'] ?? Number.NaN);
  return Number.isSafeInteger(length) ? length : null;
}

/** What proves later that the file at the address is still the same; empty when the server gives nothing that does. */
function validatorOf({ headers }: Dispatcher.ResponseData): string {
  const etag = headers['etag'];
  if (typeof etag === 'string' && etag.startsWith('"')) return etag;
  const modified = headers['last-modified'];
  return typeof modified === 'string' ? modified : '';
}

/** Tells how far the file is, and ends it where it gets too large. */
function counting(from: number, { bytesMax, progress }: DownloadOptions, refusal: Error): Transform {
  let done = from;
  return new Transform({
    transform(chunk: Buffer, _encoding, pass) {
      done += chunk.length;
      progress.reach(done);
      if (done > bytesMax) pass(refusal);
      else pass(null, chunk);
    },
  });
}

const isRight = async (file: string, digest: string | null): Promise<boolean> =>
  digest !== null && (await sha256Of(file).catch(() => null)) === digest;

function reasonOf(failure: unknown): string {
  const code = codeOf(failure);
  const message = failure instanceof Error ? failure.message : String(failure);
  return code === null ? message : `${message} (${code})`;
}

const codeOf = (failure: unknown): string | null =>
  failure instanceof Error && 'code' in failure ? String(failure.code) : null;
