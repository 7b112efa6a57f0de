import { badRequest } from '../../models/errors';

const DATA_URI = /^\s*data:[^,]*;\s*base64\s*,/i;

/** Any character that is not a digit of either alphabet, padding or white space. */
const FOREIGN = /[^A-Za-z0-9+/_=\t\n\v\f\r -]/;
/** Written so that no text takes more than one pass over its characters. */
const PADDING = /^=\s*(?:=\s*)?$/;

/**
 * The bytes of a base64 text (contract 7.2): a data URI, also a percent-encoded one, or raw base64; in the ordinary or
 * URL-safe alphabet, with or without padding, white space anywhere. The time depends only on the length, not on the
 * content: a photo's worth of single spaces blocks the process no longer than a photo does.
 * @throws AppError 400 naming `field` when nothing is left, or when it is not base64
 */
export function decodeBase64(text: string, field: string): Buffer {
  const data = withoutDataPrefix(text, field);
  if (FOREIGN.test(data)) throw noBase64(field);
  const digits = withoutPadding(data, field);
  const count = digits.length - spacesIn(digits);
  if (count === 0) throw badRequest(`${field}: is empty.`, { field });
  if (count % 4 === 1) throw noBase64(field);
  // Node's decoder accepts both alphabets and skips white space.
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

/** The text before the padding; padding anywhere but at the end is a mistake. */
function withoutPadding(data: string, field: string): string {
  const end = data.indexOf('=');
  if (end === -1) return data;
  if (!PADDING.test(data.slice(end))) throw noBase64(field);
  return data.slice(0, end);
}

/** How many of the characters are white space; the text contains only digits and white space. */
function spacesIn(digits: string): number {
  if (!/\s/.test(digits)) return 0;
  let spaces = 0;
  for (let at = 0; at < digits.length; at += 1) if (digits.charCodeAt(at) <= 0x20) spaces += 1;
  return spaces;
}

const noBase64 = (field: string) =>
  badRequest(`${field}: must be base64, or a data URI with ";base64,".`, { field });
