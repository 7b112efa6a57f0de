import { createHash } from 'node:crypto';

const SLUG_LENGTH_MAX = 60;

/** The same value for all spellings of a name that differ only in case, accents and punctuation. */
export function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .normalize('NFC');
  return slug === '' || slug.length > SLUG_LENGTH_MAX ? withDigest(slug, name.trim()) : slug;
}

export const productId = (key: string): string => `product_${idPart(key)}`;

export const variantId = (key: string, name: string): string => `variant_${idPart(key)}.${idPart(name)}`;

/** A shop's key as a part of an id: unchanged if valid; else a unique substitute for each. */
const idPart = (key: string): string => (/^[\w.-]{1,80}$/.test(key) ? key : withDigest(slugOf(key), key));

const withDigest = (slug: string, text: string): string =>
  `${slug.slice(0, SLUG_LENGTH_MAX)}${slug === '' ? '' : '-'}${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
