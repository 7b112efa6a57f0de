import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { inject, injectable } from 'tsyringe';
import { AppError, unprocessable } from '../../models/errors';
import type { ImageSource, MemoryLease } from '../../models/ports';
import { decodeContent } from './decode-content';
import { BlockedAddressError, type ConnectionSettings, GuardedConnections } from './guarded-connections';

/** How a caller's address is fetched (contract 7.7). */
export interface ImageFetchSettings extends ConnectionSettings {
  readonly timeoutMs: number;
  readonly bytesMax: number;
  readonly redirectsMax: number;
}

export const IMAGE_FETCH_SETTINGS = Symbol.for('ImageFetchSettings');

const HEADERS = {
  accept: 'image/jpeg, image/png, image/webp',
  'accept-encoding': 'identity',
  'user-agent': 'Loupe',
};
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Fetches a caller's address, never from internal hosts, also after redirects. Time, bytes and redirects are limited; no
 * credentials or cookies are sent or kept. A content coding is not requested, but decoded if used.
 */
@injectable()
export class HttpImageSource implements ImageSource {
  private readonly connections: GuardedConnections;

  constructor(@inject(IMAGE_FETCH_SETTINGS) private readonly settings: ImageFetchSettings) {
    this.connections = new GuardedConnections(settings);
  }

  async fetch(url: URL, signal?: AbortSignal, lease?: MemoryLease): Promise<Buffer> {
    const deadline = AbortSignal.timeout(this.settings.timeoutMs);
    const either = signal ? AbortSignal.any([deadline, signal]) : deadline;
    try {
      return await this.follow(url, either, lease);
    } catch (failure) {
      if (failure instanceof AppError) throw failure;
      if (failure instanceof BlockedAddressError) throw blocked();
      const late = `The address did not answer within ${this.settings.timeoutMs} ms.`;
      if (deadline.aborted) throw unprocessable('url_timeout', late, failure);
      throw unprocessable('url_unreachable', 'The address cannot be reached.', failure);
    }
  }

  async close(): Promise<void> {
    this.connections.close();
  }

  private async follow(start: URL, signal: AbortSignal, lease?: MemoryLease): Promise<Buffer> {
    let url = start;
    for (let redirects = 0; redirects <= this.settings.redirectsMax; redirects += 1) {
      const answer = await this.connections.request(url, { method: 'GET', signal, headers: HEADERS });
      const next = REDIRECTS.has(answer.statusCode ?? 0) ? answer.headers.location : undefined;
      // Browsers do not treat an empty one as a redirect, either.
      if (!next) return await this.read(answer, lease);
      answer.on('error', () => undefined).destroy();
      url = redirectTarget(next, url);
    }
    throw unprocessable('url_status', `The address redirects more than ${this.settings.redirectsMax} times.`);
  }

  private async read(answer: IncomingMessage, lease?: MemoryLease): Promise<Buffer> {
    const { headers, statusCode = 0 } = answer;
    const isSuccess = statusCode >= 200 && statusCode <= 299;
    if (!isSuccess || Number(headers['content-length'] ?? 0) > this.settings.bytesMax) {
      answer.on('error', () => undefined).destroy();
      if (isSuccess) throw this.tooLarge();
      throw unprocessable('url_status', `The address answered with HTTP status ${statusCode}.`);
    }
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of answer) {
      const bytes = Buffer.from(chunk);
      length += bytes.length;
      if (length > this.settings.bytesMax) throw this.tooLarge();
      await lease?.resize(length);
      chunks.push(bytes);
    }
    const coding = headers['content-encoding'];
    if (coding !== undefined) await lease?.resize(length + this.settings.bytesMax);
    const body = Buffer.concat(chunks, length);
    return coding === undefined ? body : await decodeContent(body, coding, this.settings.bytesMax);
  }

  private tooLarge(): AppError {
    return unprocessable('image_too_large', `The image is larger than ${this.settings.bytesMax} bytes.`);
  }
}

/** Where a redirect leads, read as browsers read it (contract 7.20). @throws AppError 422 */
function redirectTarget(header: string, from: URL): URL {
  const location = textOf(header);
  if (!URL.canParse(location, from.href))
    throw unprocessable('url_status', 'The address redirects to no address.');
  const target = new URL(location, from.href);
  if (!['http:', 'https:'].includes(target.protocol) || target.username !== '' || target.password !== '')
    throw blocked();
  return target;
}

/** Node gives each byte of a header as a character. Bytes that are no UTF-8 stay what they are, percent-encoded. */
function textOf(header: string): string {
  const bytes = Buffer.from(header, 'latin1');
  if (isUtf8(bytes)) return bytes.toString('utf8');
  return header.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
}

const blocked = (): AppError =>
  unprocessable('url_blocked', 'The address leads to a place that may not be fetched from here.');
