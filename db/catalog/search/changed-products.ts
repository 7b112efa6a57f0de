import { addTo } from '../../../models/multimap';
import { Bitset } from './bitset';
import * as stored from './snapshot-chunks';

/**
 * A term whose products are wanted, as a part of the set of that name. Where a facet or a word has no bitmap, and for any
 * word of a `prefix`, products are looked up in the indexes; other terms have a `bitmap`, or no product.
 */
export interface PostingRequest {
  readonly name: string;
  readonly kind: 'facet' | 'word' | 'prefix' | 'bitmap';
  readonly term: string;
}

/** A product after a change; of several changes of one, each has a higher `line`. */
export interface ChangedProduct {
  readonly id: string;
  readonly line: number;
  readonly row: stored.SnapshotProduct | null;
}

const NONE: readonly number[] = [];

/**
 * The products changed since a snapshot was made. Each change of a product has an ordinal beyond those of the snapshot. Ordinals
 * are only added, so queries that see different states share them: `liveAfter` tells which are current for a query.
 */
export class ChangedProducts {
  readonly #rows: stored.SnapshotProduct[] = [];
  readonly #facets: ReadonlyMap<string, readonly string[]>[] = [];
  /** All ordinals that a product ever had, and the one after each change. */
  readonly #ordinalsById = new Map<string, number[]>();
  readonly #ordinalAt = new Map<number, number | null>();
  readonly #ordinalsByTerm = new Map<string, number[]>();

  /** @param products how many the snapshot has @param ordinalOf the ordinal that it has for a product, if any */
  constructor(
    readonly products: number,
    private readonly ordinalOf: (id: string) => number | undefined,
  ) {}

  /** Ordinals, those of the snapshot among them. */
  get size(): number {
    return this.products + this.#rows.length;
  }

  add({ id, line, row }: ChangedProduct): void {
    if (this.#ordinalAt.has(line)) return;
    this.#ordinalAt.set(line, row ? this.size : null);
    const first = this.ordinalOf(id);
    const ordinals = this.#ordinalsById.get(id) ?? (first === undefined ? [] : [first]);
    this.#ordinalsById.set(id, ordinals);
    if (!row) return;
    const own = this.size;
    this.#rows.push(row);
    this.#facets.push(stored.byField(row.terms));
    ordinals.push(own);
    for (const term of [...row.terms, ...stored.furtherTerms(row.category, row.terms)]) {
      addTo(this.#ordinalsByTerm, term, own);
    }
  }

  /** The live ordinals after further changes, all of which were added. */
  liveAfter(live: Bitset, changes: readonly Omit<ChangedProduct, 'row'>[]): Bitset {
    const after = live.copy(this.size);
    for (const { id, line } of changes) {
      for (const ordinal of this.#ordinalsById.get(id) ?? NONE) after.remove(ordinal);
      const ordinal = this.#ordinalAt.get(line);
      if (typeof ordinal === 'number') after.add(ordinal);
    }
    return after;
  }

  matching({ kind, term }: Pick<PostingRequest, 'kind' | 'term'>): readonly number[] {
    if (kind !== 'prefix') return this.#ordinalsByTerm.get(term) ?? NONE;
    return Array.from(this.#ordinalsByTerm)
      .filter(([word]) => word.startsWith(term) && !stored.isFacet(word))
      .flatMap(([, ordinals]) => ordinals);
  }

  /** Of an ordinal beyond those of the snapshot. */
  rowAt(ordinal: number): stored.SnapshotProduct | undefined {
    return this.#rows[ordinal - this.products];
  }

  facetIdsAt(ordinal: number, field: string): readonly string[] {
    return this.#facets[ordinal - this.products]?.get(field) ?? [];
  }
}

/** Spare room for changes before a column is copied. */
const GROWTH = 4_096;

/** The values of a facet field for all products of a snapshot and those changed since: four bytes each, and each list of ids once. */
export class FacetColumn {
  readonly #lists = new stored.IdLists();
  #codes: Uint32Array;
  #size: number;

  /** @param chunks those that exist, by number */
  constructor(
    private readonly field: string,
    private readonly changes: ChangedProducts,
    chunks: Iterable<Pick<stored.FacetCodes, 'lists' | 'codes'> & { readonly chunk: number }>,
  ) {
    this.#size = changes.products;
    this.#codes = new Uint32Array(this.#size);
    for (const { chunk, lists, codes } of chunks) {
      const own = lists.map((ids) => this.#lists.codeOf(ids));
      const first = chunk * stored.CHUNK;
      const end = Math.min(this.#size, first + stored.CHUNK);
      for (let ordinal = first; ordinal < end; ordinal++) {
        this.#codes[ordinal] = own[codes.readUInt16LE((ordinal - first) * stored.CODE_BYTES)] ?? 0;
      }
    }
  }

  counts(set: Bitset): Map<string, number> {
    this.#grow();
    const codes = this.#codes;
    const byCode = new Uint32Array(this.#lists.all.length);
    set.forEach((ordinal) => {
      const code = codes[ordinal] ?? 0;
      byCode[code] = (byCode[code] ?? 0) + 1;
    });
    const counts = new Map<string, number>();
    byCode.forEach((count, code) => {
      if (count === 0) return;
      for (const id of this.#lists.all[code] ?? []) counts.set(id, (counts.get(id) ?? 0) + count);
    });
    return counts;
  }

  #grow(): void {
    const { size } = this.changes;
    if (size > this.#codes.length) {
      const larger = new Uint32Array(size + GROWTH);
      larger.set(this.#codes);
      this.#codes = larger;
    }
    for (; this.#size < size; this.#size++) {
      this.#codes[this.#size] = this.#lists.codeOf(this.changes.facetIdsAt(this.#size, this.field));
    }
  }
}
