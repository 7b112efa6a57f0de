import { badRequest } from '../../models/errors';

const DATA_URI = /^\s*data:[^,]*;\s*base64\s*,/i;

/**
 * The bytes of a base64 text (decisions.md 8): a data URI, also a percent-encoded one, or raw base64; in the ordinary
 * or URL-safe alphabet, with or without padding, white space anywhere.
 *
 * @throws AppError 400 naming `field` when nothing is left, or when it is no base64
 */
export function decodeBase64(text: string, field: string): Buffer {
  const digits = withoutPadding(withoutWhiteSpace(withoutDataPrefix(text, field)));
  if (digits === '') throw badRequest(`${field}: is empty.`, { field });
  if (digits.length % 4 === 1 || /[^A-Za-z0-9+/_-]/.test(digits)) throw noBase64(field);
  return Buffer.from(digits, 'base64');
}

function withoutDataPrefix(text: string, field: string): string {
  // The separators of a data URI may be percent-encoded as well, hence decoding before looking.
  const head = text.slice(0, 256);
  if (!/^\s*data(:|%3a)/i.test(head)) return text;
  const plain = text.includes('%') ? percentDecoded(text, field) : text;
  const prefix = DATA_URI.exec(plain.slice(0, 256));
  if (!prefix) throw noBase64(field);
  return plain.slice(prefix[0].length);
}

function percentDecoded(text: string, field: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw noBase64(field);
  }
}

const withoutWhiteSpace = (text: string): string => (/\s/.test(text) ? text.replace(/\s+/g, '') : text);

const withoutPadding = (text: string): string => text.replace(/={1,2}$/, '');

const noBase64 = (field: string) =>
  badRequest(`${field}: must be base64, or a data URI with ";base64,".`, { field });
