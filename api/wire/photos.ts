import { randomUUID } from 'node:crypto';
import type { Request } from 'express';
import type { z } from 'zod';
import { badRequest } from '../../models/errors';
import { atPath, type ImageInput, type Region } from '../../models/vision/image-input';
import { parseJsonObject } from '../middleware/parse-json-object';
import { validate } from '../middleware/validate';
import { decodeBase64 } from './decode-base64';

interface ImageParameters {
  readonly url?: string | null | undefined;
  readonly base64?: string | null | undefined;
  readonly region?: Region | undefined;
}

/** Photos that were cut out of a body, by their placeholders there. */
export type ExtractedPhotos = ReadonlyMap<string, Buffer>;

/**
 * The body of a vision call, and the photos that were cut out of it. The request keeps neither: with the largest photos
 * that would be 27 MB until the answer.
 * @param notice sees the parameters before they are validated
 * @throws AppError 400 for anything but a JSON object, and one that names the parameter at fault
 */
export function readVisionBody<Body>(
  req: Request,
  schema: z.ZodType<Body>,
  notice: (given: Readonly<Record<string, unknown>>) => void = () => undefined,
): { readonly body: Body; readonly extracted: ExtractedPhotos } {
  const { json, photos } = extractPhotos(req.body);
  req.body = undefined;
  const given = parseJsonObject(json);
  notice(given);
  return { body: validate(schema, given), extracted: photos };
}

/** In the placeholder for a photo cut out of a body: that is not base64, and nothing that a caller could write. */
const MARK = randomUUID();

/** Shorter texts cost too little to matter. */
const LENGTH_MIN = 4096;

const NAME = Buffer.from('"base64"');
const QUOTE = 0x22;
const BETWEEN = /^\s*:\s*"/;
/** White space allowed between a name and its value. */
const BETWEEN_MAX = 32;
const DATA_URI = /^data:[a-z0-9.+/-]*;base64,/i;

const PADDING = /={0,2}$/;
/** Digits decoded at a time: a multiple of four, so that each piece decodes by itself. */
const PIECE = 256 * 1024;
const decoded = Buffer.allocUnsafeSlow((PIECE / 4) * 3);

/**
 * Takes the photos out of a JSON body without making strings of them: as text, as a value and as bytes they would take
 * three times their size. Only plainly written ones are cut out (base64 without white space or escapes, perhaps behind a
 * data URI's head); all others stay, and are parsed as usual.
 * @param body afterwards contains the bytes of photos in place of their texts
 * @returns the JSON, with a placeholder in place of each text, and the photos by placeholder
 */
export function extractPhotos(body: Buffer): { readonly json: Buffer; readonly photos: ExtractedPhotos } {
  const photos = new Map<string, Buffer>();
  const parts: Buffer[] = [];
  let kept = 0;
  for (let name = body.indexOf(NAME); name !== -1; ) {
    const behindName = name + NAME.length;
    const between = BETWEEN.exec(body.toString('latin1', behindName, behindName + BETWEEN_MAX));
    const from = behindName + (between?.[0].length ?? 0);
    const to = between ? body.indexOf(QUOTE, from) : from;
    const photo = to - from < LENGTH_MIN ? null : decodedInPlace(body.subarray(from, to));
    if (photo) {
      const placeholder = `(photo ${photos.size} of ${MARK})`;
      photos.set(placeholder, photo);
      parts.push(body.subarray(kept, from), Buffer.from(placeholder));
      kept = to;
    }
    name = to === -1 ? -1 : body.indexOf(NAME, to);
  }
  return { json: photos.size === 0 ? body : Buffer.concat([...parts, body.subarray(kept)]), photos };
}

/** Bytes are fewer than digits, so they overwrite digits that were already read. */
function decodedInPlace(text: Buffer): Buffer | null {
  const head = DATA_URI.exec(text.toString('latin1', 0, 256))?.[0].length ?? 0;
  const padding = PADDING.exec(text.toString('latin1', text.length - 2))?.[0].length ?? 0;
  const digits = text.subarray(head, text.length - padding);
  if (digits.length % 4 === 1) return null;
  let written = 0;
  for (let at = 0; at < digits.length; at += PIECE) {
    const piece = digits.toString('latin1', at, at + PIECE);
    const bytes = decoded.write(piece, 'base64');
    // Non-digits are skipped, so the length shows that they are missing.
    if (bytes !== Math.floor((piece.length * 3) / 4)) {
      digits.write(digits.toString('base64', 0, written), 'latin1');
      return null;
    }
    decoded.copy(digits, written, 0, bytes);
    written += bytes;
  }
  return digits.subarray(0, written);
}

/**
 * The photos that a body names: one, or in v3 a list. `url` takes precedence over `base64`, which is then ignored (contract 7.1).
 * @param at path of the object that names them, with a dot at its end, if that is not the body itself
 * @throws AppError 400 that names the field: a missing photo, a URL that is not an http(s) address or is too long, a text
 * that is not base64
 */
export function photosOf(
  { url, base64, region, images }: ImageParameters & { images?: readonly ImageParameters[] | undefined },
  extracted: ExtractedPhotos,
  at = '',
): readonly ImageInput[] {
  const alone = { url, base64, region };
  const beside = Object.entries(alone).find(([, value]) => value !== undefined)?.[0];
  if (images !== undefined && beside !== undefined) {
    const message = `${at}${beside}: send it in "images", or one photo without "images".`;
    throw badRequest(message, { field: `${at}${beside}` });
  }
  return (images ?? [alone]).map((photo, position): ImageInput => {
    const path = images ? `${at}images.${position}.` : at;
    const details = { region: photo.region, index: images && position };
    try {
      if (typeof photo.url === 'string')
        return { kind: 'url', url: toHttpUrl(photo.url, `${path}url`), ...details };
      if (typeof photo.base64 !== 'string')
        throw badRequest('Send the photo as "url" or as "base64".', { field: `${path}url` });
      const bytes = extracted.get(photo.base64) ?? decodeBase64(photo.base64, `${path}base64`);
      return { kind: 'bytes', bytes, ...details };
    } catch (failure) {
      throw images ? atPath('', failure, { index: position }) : failure;
    }
  });
}

/** Longer than browsers and servers accept; parsing the host name in a URL of megabytes takes seconds. */
const URL_LENGTH_MAX = 8192;

/**
 * A caller's address (contract 7.4). @throws AppError 400 that names the field: it is not an http(s) address, is too long, or contains
 * credentials
 */
export function toHttpUrl(text: string, field: string, expected = 'an http or https address'): URL {
  const wrong = (why: string) => badRequest(`${field}: ${why}.`, { field });
  if (text.length > URL_LENGTH_MAX) throw wrong(`must not be longer than ${URL_LENGTH_MAX} characters`);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw wrong(`must be ${expected}`);
  }
  if (url.username !== '' || url.password !== '') throw wrong('must not hold a user name or password');
  return url;
}
