import type { Knex } from 'knex';
import { workFor } from '../../../models/access/current-party';
import type { CatalogState } from '../../../models/ports';
import { Batcher } from '../../core/batcher';
import { Bitset } from './bitset';
import type { ChangedProducts, PostingRequest } from './changed-products';
import { readOpening } from './opening';
import { NO_ORDINALS, nameOf, type Posting, type SeenState, Snapshot } from './snapshot';

interface Opened {
  readonly state: CatalogState;
  /** Null where there is none yet, or more has changed than it can answer with. */
  readonly view: SnapshotView | null;
}

/** A snapshot and what has changed since, as one state of the catalog has them. */
export interface SnapshotView {
  readonly snapshot: Snapshot;
  /** The ordinals of existing products. */
  readonly living: Bitset;
  /** The wanted sets by name, without those that have no product; they may hold ordinals that do not live. */
  readonly sets: ReadonlyMap<string, Bitset>;
}

/** How long a state that was seen is tried before it is read again: one beside a long transaction is costly to compare with. */
const TRIED_MS = 10_000;

/** The newest snapshot as a process knows it. */
export class SnapshotCache {
  #known: Snapshot | null = null;
  readonly #openings: Batcher<readonly PostingRequest[], Opened>;

  constructor(private readonly knex: Knex) {
    this.#openings = new Batcher((asks) => workFor('catalog openings', () => this.#openAll(knex, asks)));
  }

  /** The snapshot with the sets that a query wants; one statement serves many queries. @throws CatalogChanged when it goes meanwhile */
  async open(knex: Knex, wanted: readonly PostingRequest[]): Promise<Opened> {
    if (knex === this.knex) return this.#openings.submit(wanted);
    const [opened] = await this.#openAll(knex, [wanted]);
    return opened as Opened;
  }

  /** The state that was seen last; null where none is worth trying. */
  lastSeen(): CatalogState | null {
    const seen = this.#known?.seen;
    return seen && performance.now() - seen.at <= TRIED_MS ? seen.state : null;
  }

  /** The same as `open` of the state that was seen last, without a statement; null when something is not known. */
  openAsKnown(wanted: readonly PostingRequest[]): Opened | null {
    const known = this.#known;
    if (!known?.seen || known.isOutgrown) return null;
    const postings = known.postingsOf(wanted, true);
    if (wanted.some((term) => !postings.has(nameOf(term)))) return null;
    return openedOf(known, known.seen, wanted, postings);
  }

  async #openAll(
    knex: Knex,
    asks: readonly (readonly PostingRequest[])[],
    last = this.#known,
  ): Promise<Opened[]> {
    const seen = last?.seen ?? null;
    const isNewest = knex === this.knex;
    const terms = [...new Map(asks.flat().map((term) => [nameOf(term), term])).values()];
    const postings = last?.postingsOf(terms, isNewest) ?? new Map<string, Posting>();
    const unknown = terms.filter((term) => !postings.has(nameOf(term)));
    const wanted = unknown.map((term) => ({ ...term, name: nameOf(term) }));
    const opening = await readOpening(knex, wanted, last);
    const { state } = opening;
    if (!opening.snapshot) return asks.map(() => ({ state, view: null }));
    const { number, products } = opening.snapshot;
    const known = await this.#snapshotOf(knex, number, products, last);
    const now = known.see(state, opening.snapshot, seen);
    // Too much has changed, or the postings at hand are of the snapshot before.
    if (!now || (known !== last && postings.size > 0)) return this.#openAll(knex, asks, known);
    known.read(postings, unknown, opening.snapshot, isNewest);
    return asks.map((each) => openedOf(known, now, each, postings));
  }

  async #snapshotOf(knex: Knex, number: number, products: number, last: Snapshot | null): Promise<Snapshot> {
    const known = () => [last, this.#known].find((each) => each?.number === number);
    const snapshot = known() ?? (await Snapshot.load(knex, number, products));
    // Another query may have read it meanwhile; a transaction may see one that is no longer the newest.
    if (number > (this.#known?.number ?? 0)) this.#known = snapshot;
    return known() ?? snapshot;
  }
}

const openedOf = (
  snapshot: Snapshot,
  { state, living }: SeenState,
  wanted: readonly PostingRequest[],
  postings: ReadonlyMap<string, Posting>,
): Opened => ({
  state,
  view: { snapshot, living, sets: setsOf(wanted, living.size, postings, snapshot.changes) },
});

/** @param size of each set; queries that saw later states have added ordinals beyond it */
function setsOf(
  wanted: readonly PostingRequest[],
  size: number,
  postings: ReadonlyMap<string, Posting>,
  changes: ChangedProducts,
): SnapshotView['sets'] {
  const sets = new Map<string, Bitset>();
  for (const term of wanted) {
    const unchanged = postings.get(nameOf(term))?.ordinals ?? NO_ORDINALS;
    const changed = changes.matching(term);
    if (changed.length === 0 && unchanged instanceof Uint32Array && unchanged.length === 0) continue;
    const set = sets.get(term.name) ?? Bitset.empty(size);
    sets.set(term.name, set);
    if (unchanged instanceof Bitset) set.addAll(unchanged);
    else for (const ordinal of unchanged) set.add(ordinal);
    for (const ordinal of changed) if (ordinal < size) set.add(ordinal);
  }
  return sets;
}
