import type { Knex } from 'knex';
import { workFor } from '../../../models/access/current-party';
import type { CatalogState } from '../../../models/ports';
import { Batcher } from '../../core/batcher';
import { Bitset } from './bitset';
import type { PostingRequest } from './changed-products';
import { readOpening } from './opening';
import { NO_ORDINALS, nameOf, type Posting, type SeenState, Snapshot } from './snapshot';

interface Opened {
  readonly state: CatalogState;
  /** Null where there is none yet, or more has changed than it can answer with. */
  readonly view: SnapshotView | null;
}

export interface SnapshotView {
  readonly snapshot: Snapshot;
  /** The ordinals of existing products. */
  readonly living: Bitset;
  /** The wanted sets by name, without those that have no product; they may hold ordinals that do not live. */
  readonly sets: ReadonlyMap<string, Bitset>;
}

/** A snapshot and the state that was seen last of it. */
export interface SeenSnapshot {
  readonly snapshot: Snapshot;
  readonly seen: SeenState;
}

/** How long a state that was seen is tried before it is read again: one beside a long transaction is costly to compare with. */
const TRIED_MS = 10_000;

export class SnapshotCache {
  #known: Snapshot | null = null;
  readonly #openings: Batcher<readonly PostingRequest[], Opened>;

  constructor(private readonly knex: Knex) {
    this.#openings = new Batcher((asks) =>
      workFor('catalog openings', async () => asks.map(await this.#openAll(knex, asks.flat()))),
    );
  }

  /**
   * The snapshot with the sets that a query wants; one statement serves many queries, but a transaction has its own.
   * @throws CatalogChanged when it goes meanwhile
   */
  async open(wanted: readonly PostingRequest[], knex = this.knex): Promise<Opened> {
    if (knex === this.knex) return this.#openings.submit(wanted);
    const openedFor = await this.#openAll(knex, wanted);
    return openedFor(wanted);
  }

  /** Null where no state is worth trying. */
  lastSeen(): SeenSnapshot | null {
    const snapshot = this.#known;
    if (!snapshot?.seen || snapshot.isOutgrown) return null;
    const { seen } = snapshot;
    return performance.now() - seen.at <= TRIED_MS ? { snapshot, seen } : null;
  }

  /** What `open` would give of a state that was seen, without a statement; null when something is not known. */
  viewAsKnown({ snapshot, seen }: SeenSnapshot, wanted: readonly PostingRequest[]): SnapshotView | null {
    const postings = snapshot.postingsOf(wanted);
    if (wanted.some((term) => !postings.has(nameOf(term)))) return null;
    return viewOf(snapshot, seen, wanted, postings);
  }

  /** What `open` gives to queries that want some of these sets. */
  async #openAll(
    knex: Knex,
    asked: readonly PostingRequest[],
    last = this.#known,
  ): Promise<(wanted: readonly PostingRequest[]) => Opened> {
    const seen = last?.seen ?? null;
    const terms = [...new Map(asked.map((term) => [nameOf(term), term])).values()];
    // A transaction's state may be older than that of postings that were kept.
    const kept = knex === this.knex ? last?.postingsOf(terms) : null;
    const postings = kept ?? new Map<string, Posting>();
    const unknown = terms.filter((term) => !postings.has(nameOf(term)));
    const wanted = unknown.map((term) => ({ ...term, name: nameOf(term) }));
    const opening = await readOpening(knex, wanted, last);
    const { state } = opening;
    if (!opening.snapshot) return () => ({ state, view: null });
    const { number, products } = opening.snapshot;
    const known = last?.number === number ? last : await Snapshot.load(knex, number, products);
    // Another opening may have seen a newer one meanwhile.
    if (number > (this.#known?.number ?? 0)) this.#known = known;
    const now = known.see(state, opening.snapshot, seen);
    // Too much has changed, or the postings at hand are of the snapshot before.
    if (!now || (known !== last && postings.size > 0)) return this.#openAll(knex, asked, known);
    known.read(postings, unknown, opening.snapshot);
    return (each) => ({ state, view: viewOf(known, now, each, postings) });
  }
}

function viewOf(
  snapshot: Snapshot,
  { living }: SeenState,
  wanted: readonly PostingRequest[],
  postings: ReadonlyMap<string, Posting>,
): SnapshotView {
  // Queries that saw later states have added ordinals beyond it.
  const { size } = living;
  const sets = new Map<string, Bitset>();
  for (const term of wanted) {
    const unchanged = postings.get(nameOf(term)) ?? NO_ORDINALS;
    const changed = snapshot.changes.matching(term);
    if (changed.length === 0 && unchanged instanceof Uint32Array && unchanged.length === 0) continue;
    const set = sets.get(term.name) ?? Bitset.empty(size);
    sets.set(term.name, set);
    if (unchanged instanceof Bitset) set.addAll(unchanged);
    else for (const ordinal of unchanged) set.add(ordinal);
    for (const ordinal of changed) if (ordinal < size) set.add(ordinal);
  }
  return { snapshot, living, sets };
}
