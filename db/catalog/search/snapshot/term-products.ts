import { Bitset } from './bitset';
import type { ChangedProducts } from './changed-products';
import type { OpenSnapshot } from './opening';
import type { WantedTerm } from './wanted-sets';

/** A term among those of all queries. */
export const nameOf = ({ kind, term }: WantedTerm): string => `${kind} ${term}`;

/** Which products have the terms that queries want: in the snapshot, by bitmaps or one by one, and among what has changed. */
export class TermProducts {
  readonly #rare = new Map<string, number[]>();

  /**
   * @param bitmaps by the names of their terms
   * @param ordinals those of rarer terms
   */
  constructor(
    private readonly bitmaps: ReadonlyMap<string, Bitset>,
    ordinals: OpenSnapshot['ordinals'],
    private readonly changes: ChangedProducts,
  ) {
    for (const { name, ordinal } of ordinals) {
      const others = this.#rare.get(name);
      if (others) others.push(ordinal);
      else this.#rare.set(name, [ordinal]);
    }
  }

  /**
   * The wanted sets by name; those without a product are left out. Ordinals that do not live may be in them.
   *
   * @param size of each set; queries that saw later states have added ordinals beyond it
   */
  sets(wanted: readonly WantedTerm[], size: number): ReadonlyMap<string, Bitset> {
    const sets = new Map<string, Bitset>();
    for (const term of wanted) {
      const bitmap = this.bitmaps.get(nameOf(term));
      const ordinals = this.ordinalsOf(term).filter((ordinal) => ordinal < size);
      if (!bitmap && ordinals.length === 0) continue;
      const set = sets.get(term.name) ?? Bitset.empty(size);
      sets.set(term.name, set);
      if (bitmap) set.addAll(bitmap);
      for (const ordinal of ordinals) set.add(ordinal);
    }
    return sets;
  }

  private ordinalsOf(term: WantedTerm): number[] {
    const changed = term.kind === 'beginning' ? [] : this.changes.carrying(term.term);
    return [...(this.#rare.get(nameOf(term)) ?? []), ...changed];
  }
}
