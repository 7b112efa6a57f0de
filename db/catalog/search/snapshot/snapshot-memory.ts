import type { Knex } from 'knex';
import { workFor } from '../../../../models/access/current-party';
import type { ResolvedQuery } from '../../../../models/catalog/catalog-query';
import type { CatalogState } from '../../../../models/ports';
import { Batcher } from '../../../core/batcher';
import { type CountedTerm, countedTerms, TermCounts } from '../term-counts';
import { type TermExpansion, wordsListed } from '../term-expansion';
import type { Bitset } from './bitset';
import { KnownSnapshot } from './known-snapshot';
import { type OpenSnapshot, readOpening } from './opening';
import { SnapshotReader } from './snapshot-reader';
import { nameOf, TermProducts } from './term-products';
import { type WantedTerm, wantedSets } from './wanted-sets';

/** What a query is answered from, as one state of the catalog has it. */
interface Opened {
  readonly state: CatalogState;
  /** The snapshot, or how many rows have which terms. */
  readonly source: SnapshotReader | TermCounts;
}

interface Ask {
  readonly query: ResolvedQuery;
  /** Null if no snapshot can answer. */
  readonly wanted: readonly WantedTerm[] | null;
  /** Terms of a text beside those of the filters. */
  readonly words: readonly string[];
}

/** The newest snapshot as a process knows it, with the products that have changed since. */
export class SnapshotMemory {
  #known: KnownSnapshot | null = null;
  readonly #openings: Batcher<Ask, Opened>;

  constructor(private readonly knex: Knex) {
    this.#openings = new Batcher((asks) => workFor('catalog openings', () => this.openAll(knex, asks)));
  }

  /**
   * The snapshot with the sets that a query wants and the changes of the state, of which only those are read that no query
   * has seen before; or the counts of its terms where there is none, it can't answer, or too much has changed. In a flood
   * one statement opens many answers; within a transaction it is one of its own.
   *
   * @param expansions of a text
   */
  open(knex: Knex, query: ResolvedQuery, expansions: readonly TermExpansion[] | null): Promise<Opened> {
    const words = (expansions ?? []).flatMap(wordsListed);
    const openings =
      knex === this.knex ? this.#openings : new Batcher((asks: readonly Ask[]) => this.openAll(knex, asks));
    return openings.submit({ query, words, wanted: wantedSets(query, expansions) });
  }

  private async openAll(knex: Knex, asks: readonly Ask[]): Promise<Opened[]> {
    const last = this.#known;
    const seen = last?.seen ?? null;
    const terms = distinctTerms(asks);
    const bitmaps = last?.bitmapsOf(terms) ?? new Map<string, Bitset>();
    const unknown = terms.filter(({ name }) => !bitmaps.has(name));
    const { state, snapshot, counts } = await readOpening(knex, {
      wanted: asks.some(({ wanted }) => wanted) ? unknown : null,
      counted: countedFor(asks),
      known: last && { number: last.number, transactions: seen?.transactions ?? null },
      outgrown: last?.isOutgrown ? last.number : null,
    });
    const counted = ({ query }: Ask): Opened => ({ state, source: TermCounts.of(query, counts) });
    if (!snapshot) return asks.map(counted);
    const known = this.knownOf(snapshot, last);
    const living = known.see(state, snapshot, seen);
    // Too much has changed, or the bitmaps at hand are of the snapshot that stood before.
    if (!living || (known !== last && bitmaps.size > 0)) return this.openAll(knex, asks);
    known.read(bitmaps, unknown, snapshot.bits);
    const products = new TermProducts(bitmaps, snapshot.ordinals, known.changes);
    return asks.map((ask) => {
      if (!ask.wanted) return counted(ask);
      const sets = products.sets(ask.wanted, living.size);
      return { state, source: new SnapshotReader(knex, known, state, living, sets) };
    });
  }

  private knownOf({ number, products }: OpenSnapshot, last: KnownSnapshot | null): KnownSnapshot {
    const known = [last, this.#known].find((each) => each?.number === number);
    this.#known = known ?? new KnownSnapshot(number, products);
    return this.#known;
  }
}

const distinctTerms = (asks: readonly Ask[]): WantedTerm[] => {
  const terms = asks.flatMap(({ wanted }) => wanted ?? []);
  return Array.from(new Map(terms.map((term) => [nameOf(term), term])), ([name, term]) => ({
    ...term,
    name,
  }));
};

/** The terms whose rows are counted for the asks, each once: always if one of them can't be answered from a snapshot. */
function countedFor(asks: readonly Ask[]): (CountedTerm & { readonly always: boolean })[] {
  const counted = new Map<string, CountedTerm & { readonly always: boolean }>();
  for (const { query, words, wanted } of asks) {
    for (const term of countedTerms(query, words)) {
      const key = `${term.kind} ${term.term}`;
      counted.set(key, { ...term, always: wanted === null || counted.get(key)?.always === true });
    }
  }
  return [...counted.values()];
}
