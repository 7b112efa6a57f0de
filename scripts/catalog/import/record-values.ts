import { z } from 'zod';
import { TAGS_FIELD } from '../../../models/catalog/taxonomy';
import { pathFault } from './bundle-paths';

const NAME_LENGTH_MAX = 500;
const ID_LENGTH_MAX = 200;
const FIELD_LENGTH_MAX = 60;
/** Addresses are keys in the database, whose entries must stay under 2,700 bytes. */
const ADDRESS_BYTES_MAX = 2_000;
/** Fields with a meaning of their own, which no kind of entity may take. */
const RESERVED_FIELDS = ['product', 'variant', 'category', TAGS_FIELD, 'keywords'];
/** PostgreSQL can't hold these: NUL, and halves of a surrogate pair (JSON can write both). */
const UNSTORABLE = /\0|\p{Surrogate}/u;

const storable = z
  .string()
  .refine((text) => !UNSTORABLE.test(text), 'holds a character that can not be stored');

/** Any text, blank too. */
export const label = storable.max(NAME_LENGTH_MAX);

export const name = label.refine((text) => text.trim() !== '', 'is blank');

/** Ids stand in addresses and in comma-separated lists. */
export const id = storable
  .max(ID_LENGTH_MAX)
  .regex(/^[^\s\p{C},/?#%]+$/u, 'is no id: empty, or with white space or one of , / ? # %');

/** An id that begins with its kind (interface.md 2.1). */
export const prefixedId = (prefix: string) =>
  id.refine(
    (text) => text.startsWith(prefix) && text.length > prefix.length,
    `does not start with ${prefix}`,
  );

/** The name of an attribute, which is the kind of the entities in it. */
export const field = storable
  .max(FIELD_LENGTH_MAX)
  .regex(/^\p{L}[\p{L}\p{N}_-]*$/u, 'is no field name')
  .refine((text) => !RESERVED_FIELDS.includes(text), 'is a reserved field name');

/** A picture as a bundle names it: an `https://` address or a path inside the bundle. */
export const picture = storable.superRefine((reference, context) => {
  const fault = reference.includes('://') ? addressFault(reference, ['https:']) : pathFault(reference);
  if (fault !== null) context.addIssue({ code: 'custom', message: `is ${fault}` });
});

/** The address of a page. */
export const link = storable.superRefine((address, context) => {
  const fault = addressFault(address, ['https:', 'http:']);
  if (fault !== null) context.addIssue({ code: 'custom', message: `is ${fault}` });
});

function addressFault(address: string, protocols: readonly string[]): string | null {
  if (Buffer.byteLength(address) > ADDRESS_BYTES_MAX) return `longer than ${ADDRESS_BYTES_MAX} bytes`;
  const allowed = protocols.map((protocol) => `${protocol}//`).join(' or ');
  const isAllowed = URL.canParse(address) && protocols.includes(new URL(address).protocol);
  return isAllowed ? null : `no ${allowed} address`;
}
