import type { Knex } from 'knex';
import type { ResolvedQuery } from '../../../../models/catalog/catalog-query';
import type { CatalogState } from '../../../../models/ports';
import { TermCounts } from '../term-counts';
import { type TermExpansion, wordsListed } from '../term-expansion';
import { Bitset } from './bitset';
import type { ChangedProducts } from './changed-products';
import { CHUNK } from './chunk-bitmaps';
import { KnownSnapshot } from './known-snapshot';
import { CHANGES_MAX, type OpenSnapshot, readOpening } from './opening';
import { SnapshotReader } from './snapshot-reader';
import { type WantedTerm, wantedSets } from './wanted-sets';

/** `bit_send` puts the length before the bits. */
const LENGTH_BYTES = 4;

/** What a query is answered from, as one state of the catalog has it. */
interface Opened {
  readonly state: CatalogState;
  /** The snapshot, or how many rows have which terms. */
  readonly source: SnapshotReader | TermCounts;
}

/** The newest snapshot as a process knows it, with the products that have changed since. */
export class SnapshotMemory {
  #known: KnownSnapshot | null = null;

  /**
   * The snapshot with the sets that a query wants and the changes of the state, of which only those are read that no query
   * has seen before; or the counts of its terms where there is none, it can't answer, or too much has changed.
   *
   * @param expansions of a text
   */
  async open(knex: Knex, query: ResolvedQuery, expansions: readonly TermExpansion[] | null): Promise<Opened> {
    const last = this.#known;
    const seen = last?.seen ?? null;
    const wanted = wantedSets(query, expansions);
    const { state, snapshot, counts } = await readOpening(knex, {
      query,
      words: (expansions ?? []).flatMap(wordsListed),
      wanted,
      known: last && { number: last.number, transactions: seen?.transactions ?? null },
      outgrown: last?.isOutgrown ? last.number : null,
    });
    if (!snapshot) return { state, source: TermCounts.of(query.node, counts) };
    const { number, products, changes } = snapshot;
    const known =
      [last, this.#known].find((each) => each?.number === number) ?? new KnownSnapshot(number, products);
    this.#known = known;
    if (changes === null || known.changes.size > products + CHANGES_MAX) {
      known.isOutgrown = true;
      return this.open(knex, query, expansions);
    }
    for (const change of changes) known.changes.add(change);
    const before = (snapshot.continues && seen?.living) || Bitset.full(products);
    const living = changes.length === 0 ? before : known.changes.livingAfter(before, changes);
    known.seen = { transactions: state.transactions, living };
    const sets = setsOf(wanted ?? [], snapshot, known.changes, living.size);
    return { state, source: new SnapshotReader(knex, known, state, living, sets) };
  }
}

/** The wanted sets by name; those without a product are left out. Ordinals that do not live may be in them. */
function setsOf(
  wanted: readonly WantedTerm[],
  { bits, ordinals }: OpenSnapshot,
  changes: ChangedProducts,
  size: number,
): ReadonlyMap<string, Bitset> {
  const sets = new Map<string, Bitset>();
  const setOf = (name: string): Bitset => {
    const set = sets.get(name) ?? Bitset.empty(size);
    sets.set(name, set);
    return set;
  };
  for (const { name, chunk, bytes } of bits) {
    setOf(name).addBytes(chunk * CHUNK, bytes.subarray(LENGTH_BYTES));
  }
  for (const { name, ordinal } of ordinals) setOf(name).add(ordinal);
  for (const { name, kind, term } of wanted) {
    if (kind === 'beginning') continue;
    for (const ordinal of changes.carrying(term)) {
      // Queries that saw later states have added others.
      if (ordinal < size) setOf(name).add(ordinal);
    }
  }
  return sets;
}
