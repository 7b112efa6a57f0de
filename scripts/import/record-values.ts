import { z } from 'zod';
import { storedImageOf } from '../../models/catalog/import/record-pictures';
import { pathFault } from '../../models/catalog/path-fault';
import { TAGS_FIELD } from '../../models/catalog/taxonomy';

const LABEL_LENGTH_MAX = 500;
const ID_LENGTH_MAX = 200;
const FIELD_LENGTH_MAX = 60;
/** Addresses are keys in the database, whose entries must stay under 2,700 bytes. */
const ADDRESS_BYTES_MAX = 2_000;
/** Fields with a meaning of their own, which no kind of entity may take. */
const RESERVED_FIELDS = ['product', 'variant', 'category', TAGS_FIELD, 'keywords'];
const FIELD = /^\p{L}[\p{L}\p{N}_-]*$/u;
/** PostgreSQL can't hold these: NUL, and halves of a surrogate pair (JSON can write both). */
const UNSTORABLE = /\0|\p{Surrogate}/u;
const ID = /^[^\s\p{C},/?#%]+$/u;
const NO_ID = 'is no id: empty, or with white space or one of , / ? # %';
/** Most ids: one look tells that nothing is wrong. */
const PLAIN_ID = /^[\w:.-]{1,200}$/;

/** Any text, blank too. */
export const label = checked(labelFault);

/** Text that is not blank. */
export const textOf = (lengthMax: number) =>
  checked(
    (text) =>
      unstorableFault(text) ?? lengthFault(text, lengthMax) ?? (text.trim() === '' ? 'is blank' : null),
  );

export const name = textOf(LABEL_LENGTH_MAX);

/** Ids stand in addresses and in comma-separated lists. */
export const id = checked(idFault);

/** An id that begins with its kind (contract 1.1). */
export const prefixedId = (prefix: string) =>
  id.refine(
    (text) => text.startsWith(prefix) && text.length > prefix.length,
    `does not start with ${prefix}`,
  );

/** The name of an attribute, which is the kind of the entities in it. */
export const field = checked(fieldFault);

/** A picture as a bundle names it: an `https://` address or a path inside the bundle. */
export const picture = checked(pictureFault);

/** The address of a page. */
export const linkBy = (...protocols: readonly string[]) =>
  checked((address) => {
    const unstorable = unstorableFault(address);
    if (unstorable !== null) return unstorable;
    const fault = addressFault(address, protocols);
    return fault === null ? null : `is ${fault}`;
  });

/** What is wrong with a text as a label; null when nothing is. */
function labelFault(text: string): string | null {
  return unstorableFault(text) ?? lengthFault(text, LABEL_LENGTH_MAX);
}

/** What is wrong with a text as an id; null when nothing is. */
function idFault(text: string): string | null {
  if (PLAIN_ID.test(text)) return null;
  return unstorableFault(text) ?? lengthFault(text, ID_LENGTH_MAX) ?? (ID.test(text) ? null : NO_ID);
}

/** What is wrong with a text as the name of an attribute; null when nothing is. */
function fieldFault(text: string): string | null {
  return (
    unstorableFault(text) ??
    lengthFault(text, FIELD_LENGTH_MAX) ??
    (FIELD.test(text) ? null : 'is no field name') ??
    (RESERVED_FIELDS.includes(text) ? 'is a reserved field name' : null)
  );
}

/** What is wrong with a text as a picture; null when nothing is. */
function pictureFault(reference: string): string | null {
  const unstorable = unstorableFault(reference);
  if (unstorable !== null) return unstorable;
  // Where the service is reached by http, it names its own pictures so.
  const protocols = storedImageOf(reference) === undefined ? ['https:'] : ['https:', 'http:'];
  const fault = reference.includes('://') ? addressFault(reference, protocols) : pathFault(reference);
  return fault === null ? null : `is ${fault}`;
}

/** Text in which `faultOf` finds no fault: one check, as there are dozens of texts in a record. */
function checked(faultOf: (text: string) => string | null) {
  return z
    .string()
    .refine((text) => faultOf(text) === null, { error: ({ input }) => faultOf(String(input)) ?? '' });
}

function unstorableFault(text: string): string | null {
  return UNSTORABLE.test(text) ? 'holds a character that can not be stored' : null;
}

function lengthFault(text: string, lengthMax: number): string | null {
  const isLonger = text.length > lengthMax && Array.from(text).length > lengthMax;
  return isLonger ? `is longer than ${lengthMax} characters` : null;
}

function addressFault(address: string, protocols: readonly string[]): string | null {
  if (Buffer.byteLength(address) > ADDRESS_BYTES_MAX) return `longer than ${ADDRESS_BYTES_MAX} bytes`;
  const starts = protocols.map((protocol) => `${protocol}//`);
  const isAllowed = starts.some((start) => address.toLowerCase().startsWith(start)) && URL.canParse(address);
  return isAllowed ? null : `no ${starts.join(' or ')} address`;
}

const DATA_BYTES_MAX = 16 * 1024;
const DATA_DEPTH_MAX = 64;

/**
 * A shop's own data of a product (contract 1.10): a JSON object, which is kept as its text. What would not come back as it
 * was written is refused.
 */
export const ownData = z.unknown().transform((value, context): string => {
  const fault = isObject(value) ? faultIn(value, DATA_DEPTH_MAX) : 'is no object';
  const text = fault === null ? JSON.stringify(value) : '';
  const reason =
    fault ?? (Buffer.byteLength(text) > DATA_BYTES_MAX ? `is longer than ${DATA_BYTES_MAX} bytes` : null);
  if (reason === null) return text;
  context.addIssue({ code: 'custom', message: reason });
  return z.NEVER;
});

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function faultIn(value: unknown, depthLeft: number): string | null {
  if (typeof value === 'number') return numberFault(value);
  if (typeof value !== 'object' || value === null) return null;
  if (depthLeft === 0) return `is nested deeper than ${DATA_DEPTH_MAX} levels`;
  for (const each of Object.values(value)) {
    const fault = faultIn(each, depthLeft - 1);
    if (fault !== null) return fault;
  }
  return null;
}

function numberFault(value: number): string | null {
  const isExact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  return isExact ? null : 'holds a number of more digits than can be kept; write it as a text';
}
