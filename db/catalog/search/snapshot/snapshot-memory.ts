import type { Knex } from 'knex';
import type { ResolvedQuery } from '../../../../models/catalog/catalog-query';
import type { CatalogState } from '../../../../models/ports';
import { Batcher } from '../../../core/batcher';
import { countedTerms, TermCounts } from '../term-counts';
import { type TermExpansion, wordsListed } from '../term-expansion';
import { Bitset } from './bitset';
import { CHUNK } from './chunk-bitmaps';
import { KnownSnapshot } from './known-snapshot';
import { CHANGES_MAX, readOpening } from './opening';
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
    this.#openings = this.openingsOn(knex);
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
    const openings = knex === this.knex ? this.#openings : this.openingsOn(knex);
    return openings.submit({ query, words, wanted: wantedSets(query, expansions) });
  }

  private openingsOn(knex: Knex): Batcher<Ask, Opened> {
    return new Batcher((asks) => this.openAll(knex, asks));
  }

  private async openAll(knex: Knex, asks: readonly Ask[]): Promise<Opened[]> {
    const last = this.#known;
    const seen = last?.seen ?? null;
    const terms = new Map(asks.flatMap(({ wanted }) => (wanted ?? []).map((term) => [nameOf(term), term])));
    const bitmaps = new Map<string, Bitset>();
    for (const name of terms.keys()) {
      const bitmap = last?.bitmaps.get(name);
      if (bitmap) bitmaps.set(name, bitmap);
    }
    const unknown = [...terms].filter(([name]) => !bitmaps.has(name));
    const { state, snapshot, counts } = await readOpening(knex, {
      wanted: asks.some(({ wanted }) => wanted)
        ? unknown.map(([name, { kind, term }]) => ({ name, kind, term }))
        : null,
      counted: countedFor(asks),
      known: last && { number: last.number, transactions: seen?.transactions ?? null },
      outgrown: last?.isOutgrown ? last.number : null,
    });
    const counted = ({ query }: Ask): Opened => ({ state, source: TermCounts.of(query, counts) });
    if (!snapshot) return asks.map(counted);
    const { number, products, changes } = snapshot;
    const known =
      [last, this.#known].find((each) => each?.number === number) ?? new KnownSnapshot(number, products);
    this.#known = known;
    if (changes === null || known.changes.size > products + CHANGES_MAX) {
      known.isOutgrown = true;
      return this.openAll(knex, asks);
    }
    // Of the snapshot that stood before.
    if (known !== last && bitmaps.size > 0) return this.openAll(knex, asks);
    for (const change of changes) known.changes.add(change);
    const before = (snapshot.continues && seen?.living) || Bitset.full(products);
    const living = changes.length === 0 ? before : known.changes.livingAfter(before, changes);
    known.seen = { transactions: state.transactions, living };
    for (const { name, chunk, bytes } of snapshot.bits) {
      const bitmap = bitmaps.get(name) ?? Bitset.empty(products);
      bitmap.addBytes(chunk * CHUNK, bytes.subarray(LENGTH_BYTES));
      bitmaps.set(name, bitmap);
    }
    for (const [name] of unknown) {
      const bitmap = bitmaps.get(name);
      if (bitmap) known.bitmaps.set(name, bitmap);
    }
    const rare = new Map<string, number[]>();
    for (const { name, ordinal } of snapshot.ordinals) rare.set(name, [...(rare.get(name) ?? []), ordinal]);
    const membersOf = (term: WantedTerm): Members => ({
      bitmap: bitmaps.get(nameOf(term)),
      ordinals: [
        ...(rare.get(nameOf(term)) ?? []),
        ...(term.kind === 'beginning' ? [] : known.changes.carrying(term.term)),
      ],
    });
    return asks.map((ask) =>
      ask.wanted === null
        ? counted(ask)
        : {
            state,
            source: new SnapshotReader(
              knex,
              known,
              state,
              living,
              setsOf(ask.wanted, membersOf, living.size),
            ),
          },
    );
  }
}

/** A term among those of all queries. */
const nameOf = ({ kind, term }: WantedTerm): string => `${kind} ${term}`;

/** The products that have a term. */
interface Members {
  readonly bitmap: Bitset | undefined;
  readonly ordinals: readonly number[];
}

/** The wanted sets by name; those without a product are left out. Ordinals that do not live may be in them. */
function setsOf(
  wanted: readonly WantedTerm[],
  membersOf: (term: WantedTerm) => Members,
  size: number,
): ReadonlyMap<string, Bitset> {
  const sets = new Map<string, Bitset>();
  for (const term of wanted) {
    const { bitmap, ordinals } = membersOf(term);
    // Queries that saw later states have added others.
    const living = ordinals.filter((ordinal) => ordinal < size);
    if (!bitmap && living.length === 0) continue;
    const set = sets.get(term.name) ?? Bitset.empty(size);
    sets.set(term.name, set);
    if (bitmap) set.addAll(bitmap);
    for (const ordinal of living) set.add(ordinal);
  }
  return sets;
}

function countedFor(asks: readonly Ask[]) {
  const counted = new Map<string, ReturnType<typeof countedTerms>[number] & { always: boolean }>();
  for (const { query, words, wanted } of asks) {
    for (const term of countedTerms(query, words)) {
      const key = `${term.kind} ${term.term}`;
      counted.set(key, { ...term, always: wanted === null || counted.get(key)?.always === true });
    }
  }
  return [...counted.values()];
}
