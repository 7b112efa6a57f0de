import type { Bitset } from './bitset';
import type { ChangedProducts } from './changed-products';
import { CHUNK } from './chunk-bitmaps';
import { CODE_BYTES, type FacetCodes, IdLists } from './facet-codes';

/** Changes for which there is room before a column is copied. */
const GROWTH = 4_096;

/**
 * What all products of a snapshot, and those that have changed since, have of a facet field: four bytes each, and each
 * list of ids once.
 */
export class FacetColumn {
  readonly #lists = new IdLists();
  #codes: Uint32Array;
  #size: number;

  /** @param chunks those that there are, by number */
  constructor(
    private readonly field: string,
    private readonly changes: ChangedProducts,
    chunks: Iterable<Pick<FacetCodes, 'lists' | 'codes'> & { readonly chunk: number }>,
  ) {
    this.#size = changes.products;
    this.#codes = new Uint32Array(this.#size);
    for (const { chunk, lists, codes } of chunks) {
      const own = lists.map((ids) => this.#lists.codeOf(ids));
      const first = chunk * CHUNK;
      const end = Math.min(this.#size, first + CHUNK);
      for (let ordinal = first; ordinal < end; ordinal++) {
        this.#codes[ordinal] = own[codes.readUInt16LE((ordinal - first) * CODE_BYTES)] ?? 0;
      }
    }
  }

  /** How many members of a set have each id. */
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

  /** Takes in what has changed since the last time. */
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
