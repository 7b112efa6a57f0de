import { isAscii, isUtf8 } from 'node:buffer';
import { badRequest } from '../../models/errors';

/** Nesting and numbers of values that no valid request comes near; more is an attack or a mistake. */
const DEPTH_MAX = 32;
const VALUES_MAX = 100_000;

/**
 * The JSON object of a body.
 * @throws AppError 400 for bytes that are not UTF-8, text that is not JSON, anything but an object, `__proto__` keys (contract 13.19),
 *   nesting beyond reason, and strings with NUL or half a surrogate pair, which no store can hold
 */
export function parseJsonObject(bytes: Buffer): Record<string, unknown> {
  if (bytes.length === 0) throw badRequest('The body is empty; send a JSON object.');
  if (holdsTooManyValues(bytes)) throw badRequest('The body holds too many values.');
  const isPlain = isAscii(bytes);
  if (!isPlain && !isUtf8(bytes)) throw badRequest('The body is not valid UTF-8.');
  // Photos are ASCII: this is faster, and the text is outside the heap, where it is freed sooner.
  const text = isPlain ? bytes.toString('latin1') : new TextDecoder().decode(bytes);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw badRequest('The body is not valid JSON.');
  }
  if (!isObject(body)) throw badRequest('The body must be a JSON object.');
  // Escapes are the only way to NUL and surrogates in decoded UTF-8, so the strings of most bodies need no check.
  refuseOddities(body, bytes.includes('\\u'));
  return body;
}

/** Counts separators, even within strings, before anything is parsed: millions of values take gigabytes and minutes. */
function holdsTooManyValues(bytes: Buffer): boolean {
  let seen = 0;
  for (const separator of [',', '[', '{']) {
    for (let at = bytes.indexOf(separator); at !== -1; at = bytes.indexOf(separator, at + 1)) {
      seen += 1;
      if (seen > VALUES_MAX) return true;
    }
  }
  return false;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Walks without recursion, so that deep nesting is an error and not a crash. */
function refuseOddities(body: Record<string, unknown>, lookAtStrings: boolean): void {
  const pending: { value: unknown; field: string; depth: number }[] = [{ value: body, field: '', depth: 0 }];
  let seen = 0;
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value, field, depth } = next;
    seen += 1;
    if (seen > VALUES_MAX || depth > DEPTH_MAX) {
      throw badRequest('The body holds too many or too deeply nested values.', { field });
    }
    if (typeof value === 'string' && lookAtStrings) refuseBrokenText(value, field);
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value)) {
      const childField = field === '' ? key : field;
      if (key === '__proto__') throw badRequest('There is no parameter "__proto__".', { field: '__proto__' });
      pending.push({ value: child, field: childField, depth: depth + 1 });
    }
  }
}

export function refuseBrokenText(text: string, field: string): void {
  if (/\0|\p{Surrogate}/u.test(text)) {
    throw badRequest(`${field}: holds a NUL character or half a surrogate pair.`, { field });
  }
}
