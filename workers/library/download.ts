import { createWriteStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Agent, type Dispatcher, interceptors, request } from 'undici';
import { messageOf } from '../../models/errors';
import type { Progress } from '../../models/ports';
import { codeOf } from '../../models/store-fault';
import { ModelRefused } from '../embedder/model-folder';

export const tooLarge = (place: string, file: string, bytesMax: number): ModelRefused =>
  new ModelRefused(place, `${file} is larger than the ${bytesMax} bytes that are still allowed (--max-mib)`);

export interface DownloadOptions {
  readonly bytesMax: number;
  readonly limit: TimeLimit;
  readonly progress: Progress;
}

export interface TimeLimit {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const SILENCE_MAX_MS = 60_000;

/**
 * Downloads a file over http or https; a broken connection is resumed. @throws ModelRefused for an address that does not answer
 * with a file, or a file that is too large @throws Error when the network gives up, or after the time limit
 */
export async function download(url: URL, target: string, options: DownloadOptions): Promise<void> {
  const { signal, timeoutMs } = options.limit;
  const agent = retryingAgent();
  try {
    await fetchInto(target, url, options, agent);
  } catch (failure) {
    const code = codeOf(failure);
    if (failure instanceof ModelRefused || code === 'EEXIST') throw failure;
    if (code === 'UND_ERR_INVALID_ARG') {
      throw new ModelRefused(url.href, `${shown(url)} redirects to where nothing can be fetched`, failure);
    }
    const message = messageOf(failure);
    const broken = code === '' ? message : `${message} (${code})`;
    const reason = signal.aborted ? `it takes longer than ${timeoutMs / 60_000} minutes` : broken;
    const words = `${shown(url)} cannot be downloaded: ${reason}. Nothing is installed; try again.`;
    throw new Error(words, { cause: failure });
  } finally {
    await agent.destroy();
  }
}

/** An address without its query string, which may contain secrets. */
const shown = (url: URL): string => `${url.origin}${url.pathname}`;

/** Retries broken connections and busy servers, but not unknown names. */
function retryingAgent(): Dispatcher {
  const patience = { headersTimeout: SILENCE_MAX_MS, bodyTimeout: SILENCE_MAX_MS };
  return new Agent({ ...patience, connect: { timeout: SILENCE_MAX_MS } }).compose(
    interceptors.retry({ maxRetries: 5, minTimeout: 250, errorCodes: [...BREAKS] }),
    interceptors.redirect({ maxRedirections: 5 }),
  );
}

const BREAKS = ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ENETDOWN', 'ENETUNREACH', 'UND_ERR_SOCKET'] as const;

async function fetchInto(
  target: string,
  url: URL,
  { bytesMax, limit, progress }: DownloadOptions,
  dispatcher: Dispatcher,
): Promise<void> {
  const { body, headers, statusCode } = await request(url, {
    dispatcher,
    signal: limit.signal,
    // No back pressure: a host that ends a paused connection would crash the process (nodejs/undici#5360).
    highWaterMark: bytesMax,
    headers: { 'accept-encoding': 'identity', 'user-agent': 'Loupe' },
  });
  const length = Number(headers['content-length'] ?? Number.NaN);
  const refusal =
    statusCode === 200
      ? tooLarge(url.href, shown(url), bytesMax)
      : new ModelRefused(shown(url), `${shown(url)} ${refusalIn(statusCode)}`);
  if (statusCode !== 200 || length > bytesMax) {
    body.on('error', () => undefined).destroy();
    throw refusal;
  }
  const isKnown = Number.isSafeInteger(length);
  progress.note(`${shown(url)}, ${isKnown ? `${(length / 2 ** 20).toFixed(1)} MiB` : 'of unknown size'}`);
  if (isKnown) progress.begin('bytes', length, 0);
  let done = 0;
  const counting = new Transform({
    transform(chunk: Buffer, _encoding, pass) {
      done += chunk.length;
      progress.reach(done);
      if (done > bytesMax) pass(refusal);
      else pass(null, chunk);
    },
  });
  await pipeline(body, counting, createWriteStream(target, { flags: 'wx' }), { signal: limit.signal });
  progress.end();
}

function refusalIn(status: number): string {
  if (status >= 300 && status < 400) return 'redirects too often: name the address where it ends';
  if (status === 401 || status === 403)
    return 'lets nobody in without a login: download the file and name its folder';
  if (status === 404 || status === 410) return 'does not exist: is the address right?';
  if (status === 429 || status >= 500) return 'is busy or broken: try again later';
  return 'does not answer with a file: open it in a browser to see why';
}
