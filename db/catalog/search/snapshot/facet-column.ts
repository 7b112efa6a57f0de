import type { Bitset } from './bitset';
import { CHUNK } from './chunk-bitmaps';
import { CODE_BYTES, type FacetCodes, IdLists } from './facet-codes';

/** What all products of a snapshot have of a facet field, four bytes each and each list of ids once. */
export class FacetColumn {
  readonly #lists = new IdLists();
  readonly #codes: Uint32Array;

  /** @param chunks those that there are, by number */
  constructor(
    products: number,
    chunks: Iterable<Pick<FacetCodes, 'lists' | 'codes'> & { readonly chunk: number }>,
  ) {
    this.#codes = new Uint32Array(products);
    for (const { chunk, lists, codes } of chunks) {
      const own = lists.map((ids) => this.#lists.codeOf(ids));
      const first = chunk * CHUNK;
      const end = Math.min(products, first + CHUNK);
      for (let ordinal = first; ordinal < end; ordinal++) {
        this.#codes[ordinal] = own[codes.readUInt16LE((ordinal - first) * CODE_BYTES)] ?? 0;
      }
    }
  }

  /** How many members of a set have each id; those beyond the snapshot are not counted. */
  counts(set: Bitset): Map<string, number> {
    const codes = this.#codes;
    const byCode = new Uint32Array(this.#lists.all.length);
    set.forEach((ordinal) => {
      if (ordinal >= codes.length) return;
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
}
