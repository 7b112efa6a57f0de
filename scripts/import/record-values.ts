import { z } from 'zod';
import { isBlank } from '../../models/catalog/fold-text';
import { storedImageOf } from '../../models/catalog/import/record-pictures';
import { pathFault } from '../../models/catalog/path-fault';
import { TAGS_FIELD } from '../../models/catalog/taxonomy';

const LABEL_LENGTH_MAX = 500;
export const ID_LENGTH_MAX = 200;
const FIELD_LENGTH_MAX = 60;
/** Addresses are keys in the database, whose entries must stay under 2,700 bytes. */
const ADDRESS_BYTES_MAX = 2_000;
/** Fields with a meaning of their own, which no kind of entity may take. */
const RESERVED_FIELDS = ['product', 'variant', 'category', TAGS_FIELD, 'keywords'];
const FIELD = /^\p{L}[\p{L}\p{N}_-]*$/u;
/** PostgreSQL can't store NUL and halves of a surrogate pair; JSON can write both. */
const UNSTORABLE = /\0|\p{Surrogate}/u;
const ID = /^[^\s\p{C},/?#%]+$/u;
const NO_ID = 'is no id: empty, or with white space or one of , / ? # %';
/** The form of most ids, checked first because it is fast. */
const PLAIN_ID = /^[\w:.-]{1,200}$/;

/** Storable text in which `faultOf` finds no fault; one check, for speed. */
function checked(faultOf: (text: string) => string | null) {
  const fault = (text: string) =>
    UNSTORABLE.test(text) ? 'holds a character that cannot be stored' : faultOf(text);
  return z
    .string()
    .refine((text) => fault(text) === null, { error: ({ input }) => fault(String(input)) ?? '' });
}

function lengthFault(text: string, lengthMax: number): string | null {
  const isLonger = text.length > lengthMax && Array.from(text).length > lengthMax;
  return isLonger ? `is longer than ${lengthMax} characters` : null;
}

export const label = checked((text) => lengthFault(text, LABEL_LENGTH_MAX));

export const textOf = (lengthMax: number) =>
  checked((text) => lengthFault(text, lengthMax) ?? (isBlank(text) ? 'is blank' : null));

export const name = textOf(LABEL_LENGTH_MAX);

/** Ids are parts of addresses and of comma-separated lists. */
export const id = checked((text) =>
  PLAIN_ID.test(text) ? null : (lengthFault(text, ID_LENGTH_MAX) ?? (ID.test(text) ? null : NO_ID)),
);

/** An id that begins with its kind (contract 1.1). */
export const prefixedId = (prefix: string) =>
  id.refine(
    (text) => text.startsWith(prefix) && text.length > prefix.length,
    `does not start with ${prefix}`,
  );

/** The name of an attribute, which is the kind of the entities in it. */
export const field = checked(
  (text) =>
    lengthFault(text, FIELD_LENGTH_MAX) ??
    (FIELD.test(text) ? null : 'is no field name') ??
    (RESERVED_FIELDS.includes(text) ? 'is a reserved field name' : null),
);

/** A picture as a bundle names it: an `https://` address or a path inside the bundle. */
export const picture = checked((reference) => {
  if (reference.includes('://')) {
    // The address of a stored picture may be http.
    const isStored = storedImageOf(reference) !== undefined;
    return addressFault(reference, isStored ? ['https:', 'http:'] : ['https:']);
  }
  const fault = pathFault(reference);
  return fault && `is ${fault}`;
});

export const linkBy = (...protocols: readonly string[]) =>
  checked((address) => addressFault(address, protocols));

function addressFault(address: string, protocols: readonly string[]): string | null {
  if (Buffer.byteLength(address) > ADDRESS_BYTES_MAX) return `is longer than ${ADDRESS_BYTES_MAX} bytes`;
  const starts = protocols.map((protocol) => `${protocol}//`);
  const isAllowed = starts.some((start) => address.toLowerCase().startsWith(start)) && URL.canParse(address);
  return isAllowed ? null : `is no ${starts.join(' or ')} address`;
}

const DATA_BYTES_MAX = 16 * 1024;
const DATA_DEPTH_MAX = 64;

/** A shop's own data on a product (contract 1.10): a JSON object, kept as text. Refused if it would not come back unchanged. */
export const ownData = z.unknown().transform((value, context): string => {
  const isObject = value instanceof Object && !Array.isArray(value);
  const fault = isObject ? faultIn(value, DATA_DEPTH_MAX) : 'is no object';
  const text = fault === null ? JSON.stringify(value) : '';
  const isLonger = Buffer.byteLength(text) > DATA_BYTES_MAX;
  const reason = fault ?? (isLonger ? `is longer than ${DATA_BYTES_MAX} bytes` : null);
  if (reason === null) return text;
  context.addIssue({ code: 'custom', message: reason });
  return z.NEVER;
});

function faultIn(value: unknown, depthLeft: number): string | null {
  if (typeof value === 'number') {
    const isExact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
    return isExact ? null : 'holds a number of more digits than can be kept; write it as a text';
  }
  if (!(value instanceof Object)) return null;
  if (depthLeft === 0) return `is nested deeper than ${DATA_DEPTH_MAX} levels`;
  for (const each of Object.values(value)) {
    const fault = faultIn(each, depthLeft - 1);
    if (fault !== null) return fault;
  }
  return null;
}
