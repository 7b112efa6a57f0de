import type { RowPosition } from '../../../models/catalog/catalog-query';
import { isReference } from '../../../models/catalog/index-terms';
import { addTo } from '../../../models/multimap';
import { packed } from './packed-texts';

/** Ordinals of a chunk (the schema of `search_snapshot_bitmaps` has the same number). */
export const CHUNK = 32_768;

/** Longest prefix of words that has its own bitmap. */
export const BEGINNING_MAX = 3;

export const categoryTerm = (category: string): string => `@${category}`;

/** The term of the products that have a longer word with this beginning. */
export const beginningTerm = (beginning: string): string => `${beginning}*`;

/** Whether a term is a facet: only these hold a colon, as words are letters and digits. */
export const isFacet = (term: string): boolean => term.includes(':');

/** The terms by which a product is found, besides its facets and words: its category and the beginnings of its words. */
export const furtherTerms = (category: string, terms: readonly string[]): Set<string> =>
  new Set([categoryTerm(category), ...terms.flatMap(beginningsOf)]);

function beginningsOf(term: string): string[] {
  // References are looked up by longer beginnings only.
  if (isFacet(term) || isReference(term)) return [];
  const letters = Array.from(term).slice(0, BEGINNING_MAX + 1);
  return letters.slice(1).map((_, end) => beginningTerm(letters.slice(0, end + 1).join('')));
}

export interface SnapshotProduct extends Omit<RowPosition, 'rank'> {
  readonly category: string;
  /** Facets and words. */
  readonly terms: readonly string[];
}

export interface FacetCodes {
  readonly field: string;
  /** The lists of ids that occur, the empty one first. */
  readonly lists: readonly (readonly string[])[];
  /** For each ordinal of the chunk the position of its list, two bytes each, the lowest first. */
  readonly codes: Buffer;
}

/** Bytes of a code: a chunk has no more lists than ordinals, and the empty one. */
export const CODE_BYTES = 2;

/** How many products have a term, of those that many have. */
export type Frequencies = ReadonlyMap<string, number>;

/** Builds a snapshot chunk by chunk, in the memory that the terms of one chunk take. */
export class ChunkBuilder {
  #products: Omit<SnapshotProduct, 'category' | 'terms'>[] = [];
  #bitmaps = new Map<string, Uint8Array>();
  /** For each frequent term that occurred, the bitmaps of the products that have it. */
  #bitmapsByTerm = new Map<string, readonly Uint8Array[]>();
  #fields = new Map<string, { readonly lists: IdLists; readonly codes: Buffer }>();

  /** @param frequent facets and words that get a bitmap; all categories and beginnings do */
  constructor(private readonly frequent: Frequencies) {}

  get size(): number {
    return this.#products.length;
  }

  add({ category, terms, id, popularity, sortKey }: SnapshotProduct): void {
    const ordinal = this.#products.push({ id, popularity, sortKey }) - 1;
    setBit(this.#bitmap(categoryTerm(category)), ordinal);
    for (const term of terms) for (const bits of this.#bitmapsOf(term)) setBit(bits, ordinal);
    for (const [name, ids] of byField(terms)) {
      const field = this.#fields.get(name) ?? {
        lists: new IdLists(),
        codes: Buffer.alloc(CHUNK * CODE_BYTES),
      };
      this.#fields.set(name, field);
      field.codes.writeUInt16LE(field.lists.codeOf(ids), ordinal * CODE_BYTES);
    }
  }

  take() {
    const [products, bitmaps, fields] = [this.#products, this.#bitmaps, this.#fields];
    [this.#products, this.#bitmaps, this.#fields] = [[], new Map(), new Map()];
    this.#bitmapsByTerm = new Map();
    return {
      columns: {
        id: packed(products.map(({ id }) => id)),
        popularity: Buffer.from(Float64Array.from(products, ({ popularity }) => popularity).buffer),
        sort_key: packed(products.map(({ sortKey }) => sortKey)),
      },
      /** A bit for each ordinal, the first in the highest bit, as `bit` has them. */
      bitmaps,
      facets: Array.from(
        fields,
        ([field, { lists, codes }]): FacetCodes => ({ field, lists: lists.all, codes }),
      ),
    };
  }

  #bitmapsOf(term: string): readonly Uint8Array[] {
    const known = this.#bitmapsByTerm.get(term);
    if (known) return known;
    const isFrequent = this.frequent.has(term);
    const own = isFrequent ? [term] : [];
    const bitmaps = [...own, ...beginningsOf(term)].map((each) => this.#bitmap(each));
    if (isFrequent) this.#bitmapsByTerm.set(term, bitmaps);
    return bitmaps;
  }

  #bitmap(term: string): Uint8Array {
    const bits = this.#bitmaps.get(term) ?? new Uint8Array(CHUNK / 8);
    this.#bitmaps.set(term, bits);
    return bits;
  }
}

function setBit(bits: Uint8Array, ordinal: number): void {
  bits[ordinal >>> 3] = (bits[ordinal >>> 3] ?? 0) | (0x80 >>> (ordinal & 7));
}

export class IdLists {
  /** The empty one first. */
  readonly all: (readonly string[])[] = [[]];
  readonly #codes = new Map<string, number>([['', 0]]);

  codeOf(ids: readonly string[]): number {
    // No id holds a line feed.
    const key = ids.join('\n');
    const code = this.#codes.get(key) ?? this.all.length;
    if (code === this.all.length) {
      this.all.push(ids);
      this.#codes.set(key, code);
    }
    return code;
  }
}

export function byField(terms: readonly string[]): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  for (const term of terms) {
    const end = term.indexOf(':');
    if (end !== -1) addTo(fields, term.slice(0, end), term.slice(end + 1));
  }
  return fields;
}
