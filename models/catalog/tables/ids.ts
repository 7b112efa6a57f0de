import { createHash } from 'node:crypto';
import { ACCENTS, WORDS } from '../fold-text';

const SLUG_LENGTH_MAX = 60;
/** Accents (contract 5.5), and variation selectors (contract 5.15). */
const MARKS = new RegExp(`${ACCENTS.source}|\\p{VS}`, 'gu');

/** The same value for all spellings of a name that differ only in case, accents (contract 5.5) and punctuation. */
export function slugOf(name: string, marks = MARKS): string {
  const plain = name.toLowerCase().normalize('NFKD').replace(marks, '');
  const slug = (plain.match(WORDS) ?? []).join('-').normalize('NFC');
  return slug === '' || slug.length > SLUG_LENGTH_MAX ? withDigest(slug, name.trim()) : slug;
}

export const productId = (key: string): string => `product_${idPart(key)}`;

export const variantId = (key: string, name: string): string => `variant_${idPart(key)}.${idPart(name)}`;

/** A shop's key as a part of an id: unchanged if valid; else a unique substitute for each, in which marks never counted. */
const idPart = (key: string): string =>
  /^[\w.-]{1,80}$/.test(key) ? key : withDigest(slugOf(key, /\p{M}/gu), key);

const withDigest = (slug: string, text: string): string =>
  `${slug.slice(0, SLUG_LENGTH_MAX)}${slug === '' ? '' : '-'}${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
