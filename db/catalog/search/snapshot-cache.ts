import type { Knex } from 'knex';
import { runAsParty } from '../../../models/access/fair-budget';
import type { CatalogState } from '../../../models/ports';
import { Batcher } from '../../core/batcher';
import { VersionedCache } from '../../core/versioned-cache';
import { Bitset } from './bitset';
import { readCatalogState } from './catalog-state';
import type { PostingRequest } from './changed-products';
import { readCommonDeletions } from './misspellings';
import { NO_ORDINALS, nameOf, type Posting, type SeenState, Snapshot } from './snapshot';
import { expandTerms } from './term-expansion';

interface LoadedQueryState {
  readonly state: CatalogState;
  /** Null without a snapshot, or with too many changes since. */
  readonly view: SnapshotView | null;
}

export interface SnapshotView {
  readonly snapshot: Snapshot;
  /** The ordinals of existing products, each in its newest form. */
  readonly live: Bitset;
  /** The wanted sets by name, without those that have no product; they may contain ordinals of deleted or changed products. */
  readonly sets: ReadonlyMap<string, Bitset>;
}

export interface SeenSnapshot {
  readonly snapshot: Snapshot;
  readonly seen: SeenState;
}

/** How long a seen state is tried before it is read again: comparing with an old one is expensive while a long transaction runs. */
export const TRIED_MS = 10_000;

/** How long common deletions are kept: they change when the vocabulary is analysed. */
const COMMON_MS = 60_000;

export class SnapshotCache {
  readonly #commonDeletions = new VersionedCache(() => readCommonDeletions(this.knex));
  #known: Snapshot | null = null;
  readonly #loads: Batcher<readonly PostingRequest[], LoadedQueryState>;

  constructor(private readonly knex: Knex) {
    this.#loads = new Batcher((asks) =>
      runAsParty('catalog state', async () => asks.map(await this.#load(knex, asks.flat()))),
    );
  }

  /** The snapshot with the sets that a query wants; concurrent queries share a statement. @throws CatalogChanged if it is replaced meanwhile */
  async load(wanted: readonly PostingRequest[], knex = this.knex): Promise<LoadedQueryState> {
    if (knex === this.knex) return this.#loads.submit(wanted);
    const loadedFor = await this.#load(knex, wanted);
    return loadedFor(wanted);
  }

  /** What a text may stand for, also if it is misspelt or `isTyped` so, and in which state; `isKnown` from before. */
  async expand(knex: Knex, words: readonly string[], from: SeenSnapshot | null, isTyped = false) {
    const text = `${isTyped} ${words.join(' ')}`;
    const expansions = from?.seen.expansions.get(text);
    if (from && expansions) return { expansions, state: from.seen.state, isKnown: true };
    if (!this.#known) await this.load([], knex);
    const { frequencies = new Map<string, number>() } = this.#known ?? {};
    // In a transaction, other connections may be waiting for its end.
    const common = knex.isTransaction
      ? await readCommonDeletions(knex)
      : await this.#commonDeletions.at(Math.floor(performance.now() / COMMON_MS));
    const found = await expandTerms(knex, words, { frequencies, commonDeletions: common }, isTyped);
    from?.seen.expansions.set(text, found.expansions);
    return { ...found, isKnown: false };
  }

  /** Null if no seen state is recent enough to try. */
  lastSeen(): SeenSnapshot | null {
    const snapshot = this.#known;
    if (!snapshot?.seen || snapshot.isOutgrown) return null;
    const { seen } = snapshot;
    return performance.now() - seen.at <= TRIED_MS ? { snapshot, seen } : null;
  }

  /** The result of `load` for a state seen earlier, without a statement; null when something is not in memory. */
  cached({ snapshot, seen }: SeenSnapshot, wanted: readonly PostingRequest[]): LoadedQueryState | null {
    const postings = snapshot.postingsOf(wanted);
    if (wanted.some((term) => !postings.has(nameOf(term)))) return null;
    return { state: seen.state, view: viewOf(snapshot, seen, wanted, postings) };
  }

  /** Reads the state once for queries that want some of these sets. */
  async #load(
    knex: Knex,
    asked: readonly PostingRequest[],
    last = this.#known,
  ): Promise<(wanted: readonly PostingRequest[]) => LoadedQueryState> {
    const seen = last?.seen ?? null;
    const terms = [...new Map(asked.map((term) => [nameOf(term), term])).values()];
    // A transaction's state may be older than that of postings that were kept.
    const kept = knex === this.knex ? last?.postingsOf(terms) : null;
    const postings = kept ?? new Map<string, Posting>();
    const unknown = terms.filter((term) => !postings.has(nameOf(term)));
    const wanted = unknown.map((term) => ({ ...term, name: nameOf(term) }));
    const read = await readCatalogState(knex, wanted, last);
    const { state } = read;
    if (!read.snapshot) return () => ({ state, view: null });
    const { number, products } = read.snapshot;
    const known = last?.number === number ? last : await Snapshot.load(knex, number, products);
    // Another load may have seen a newer one meanwhile.
    if (number > (this.#known?.number ?? 0)) this.#known = known;
    const now = known.see(state, read.snapshot, seen);
    // Too much has changed, or the cached postings are of the previous snapshot.
    if (!now || (known !== last && postings.size > 0)) return this.#load(knex, asked, known);
    known.read(postings, unknown, read.snapshot);
    return (each) => ({ state, view: viewOf(known, now, each, postings) });
  }
}

function viewOf(
  snapshot: Snapshot,
  { live }: SeenState,
  wanted: readonly PostingRequest[],
  postings: ReadonlyMap<string, Posting>,
): SnapshotView {
  // Queries that saw later states have added ordinals beyond it.
  const { size } = live;
  const sets = new Map<string, Bitset>();
  const own = new Set<Bitset>();
  for (const term of wanted) {
    const unchanged = postings.get(nameOf(term)) ?? NO_ORDINALS;
    const changed = snapshot.changes.matching(term);
    if (changed.length === 0 && unchanged instanceof Uint32Array && unchanged.length === 0) continue;
    const known = sets.get(term.name);
    if (!known && changed.length === 0 && unchanged instanceof Bitset && unchanged.size === size) {
      sets.set(term.name, unchanged);
      continue;
    }
    const set = known && own.has(known) ? known : (known?.copy() ?? Bitset.empty(size));
    sets.set(term.name, set);
    own.add(set);
    if (unchanged instanceof Bitset) set.addAll(unchanged);
    else for (const ordinal of unchanged) set.add(ordinal);
    for (const ordinal of changed) if (ordinal < size) set.add(ordinal);
  }
  return { snapshot, live, sets };
}
