import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, type ZlibOptions } from 'node:zlib';
import { unprocessable } from '../../models/errors';
import { codeOf } from '../../models/store-fault';

type Decode = (bytes: Buffer, options: ZlibOptions) => Promise<Buffer>;

const gunzipped: Decode = promisify<Buffer, ZlibOptions, Buffer>(gunzip);
const inflated: Decode = promisify<Buffer, ZlibOptions, Buffer>(inflate);
const inflatedRaw: Decode = promisify<Buffer, ZlibOptions, Buffer>(inflateRaw);

const DECODERS: Readonly<Record<string, Decode>> = {
  gzip: gunzipped,
  'x-gzip': gunzipped,
  br: promisify<Buffer, ZlibOptions, Buffer>(brotliDecompress),
  deflate: (bytes, options) => (hasZlibHeader(bytes) ? inflated : inflatedRaw)(bytes, options),
};

/** As many as a picture could be wrapped in by mistake; each costs a pass over all of the bytes. */
const CODINGS_MAX = 4;

/**
 * Decodes the content codings of a body, the last one first (RFC 9110, 8.4; contract 7.6). @param codings of `Content-Encoding`
 * @param bytesMax of the decoded body, and of each step
 * @throws AppError 422 `image_too_large` at the limit; `image_undecodable` for an unknown coding or damaged bytes
 */
export async function decodeContent(
  bytes: Buffer,
  codings: string | readonly string[] | undefined,
  bytesMax: number,
): Promise<Buffer> {
  const named = codingsOf(codings);
  if (named.length > CODINGS_MAX) throw undecodable(`more than ${CODINGS_MAX} content codings`);
  let decoded = bytes;
  for (const coding of named.reverse()) {
    const decode = Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined;
    if (!decode) throw undecodable('a content coding other than gzip, br and deflate');
    decoded = await decode(decoded, { maxOutputLength: bytesMax }).catch((failure: unknown) => {
      throw codeOf(failure) === 'ERR_BUFFER_TOO_LARGE'
        ? unprocessable('image_too_large', `The image is larger than ${bytesMax} bytes.`)
        : undecodable(`damaged ${coding}`, failure);
    });
  }
  return decoded;
}

const codingsOf = (header: string | readonly string[] | undefined): string[] =>
  [header ?? []]
    .flat()
    .flatMap((value) => value.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');

/** `deflate` means the zlib format; some hosts send it without header and checksum (RFC 9110, 8.4.1.2). */
const hasZlibHeader = (bytes: Buffer): boolean =>
  bytes.length >= 2 && (bytes.readUInt8(0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;

const undecodable = (what: string, cause?: unknown) =>
  unprocessable('image_undecodable', `The address sends the image with ${what}.`, cause);
