import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { workFor } from '../../../../models/access/current-party';
import type { Sort } from '../../../../models/catalog/catalog-query';
import type { CatalogState } from '../../../../models/ports';
import { Batcher } from '../../../core/batcher';
import { rowsOf, sql } from '../../../core/sql';
import { CatalogChanged, isStill } from '../catalog-state';
import type { OrderKey } from '../order-key';
import { Bitset } from './bitset';
import { ChangedProducts, FacetColumn, type WantedTerm } from './changed-products';
import { CHUNK } from './chunks';
import { CHANGES_MAX, type OpenSnapshot, readOpening } from './opening';
import { SnapshotOrder } from './snapshot-order';

/** What a query is answered from. */
interface Opened {
  readonly state: CatalogState;
  /** Null where there is none yet, or more has changed than it can answer with. */
  readonly snapshot: SnapshotReader | null;
}

/** The newest snapshot as a process knows it, with the products that have changed since. */
export class SnapshotMemory {
  #known: KnownSnapshot | null = null;
  readonly #openings: Batcher<readonly WantedTerm[], Opened>;

  constructor(private readonly knex: Knex) {
    this.#openings = new Batcher((asks) => workFor('catalog openings', () => this.#openAll(knex, asks)));
  }

  /**
   * The snapshot with the sets that a query wants and the changes of the state, of which only those are read that no query
   * has seen before. In a flood one statement opens many answers; within a transaction it is one of its own.
   */
  open(knex: Knex, wanted: readonly WantedTerm[]): Promise<Opened> {
    if (knex === this.knex) return this.#openings.submit(wanted);
    return this.#openAll(knex, [wanted]).then(([opened]) => opened as Opened);
  }

  async #openAll(knex: Knex, asks: readonly (readonly WantedTerm[])[]): Promise<Opened[]> {
    const last = this.#known;
    const seen = last?.seen ?? null;
    const terms = [
      ...new Map(asks.flat().map((term) => [nameOf(term), { ...term, name: nameOf(term) }])).values(),
    ];
    const bitmaps = last?.bitmapsOf(terms) ?? new Map<string, Bitset>();
    const unknown = terms.filter(({ name }) => !bitmaps.has(name));
    const outgrown = last?.isOutgrown ? last.number : null;
    const { state, snapshot } = await readOpening(knex, unknown, last, outgrown);
    if (!snapshot) return asks.map(() => ({ state, snapshot: null }));
    const known = this.#knownOf(snapshot, last);
    const living = known.see(state, snapshot, seen);
    // Too much has changed, or the bitmaps at hand are of the snapshot that stood before.
    if (!living || (known !== last && bitmaps.size > 0)) return this.#openAll(knex, asks);
    known.read(bitmaps, unknown, snapshot.bits);
    const rare = new Map<string, number[]>();
    for (const { name, ordinal } of snapshot.ordinals) {
      const others = rare.get(name);
      if (others) others.push(ordinal);
      else rare.set(name, [ordinal]);
    }
    return asks.map((wanted) => {
      const sets = setsOf(wanted, living.size, { bitmaps, rare, changes: known.changes });
      return { state, snapshot: new SnapshotReader(knex, known, state, living, sets) };
    });
  }

  #knownOf({ number, products }: OpenSnapshot, last: KnownSnapshot | null): KnownSnapshot {
    const known = [last, this.#known].find((each) => each?.number === number);
    this.#known = known ?? new KnownSnapshot(number, products);
    return this.#known;
  }
}

/** A term among those of all queries. */
const nameOf = ({ kind, term }: WantedTerm): string => `${kind} ${term}`;

/** Products by terms: in the snapshot, by bitmaps or one by one, and among what has changed. */
interface TermProducts {
  readonly bitmaps: ReadonlyMap<string, Bitset>;
  readonly rare: ReadonlyMap<string, readonly number[]>;
  readonly changes: ChangedProducts;
}

/**
 * The wanted sets by name; those without a product are left out. Ordinals that do not live may be in them.
 *
 * @param size of each set; queries that saw later states have added ordinals beyond it
 */
function setsOf(
  wanted: readonly WantedTerm[],
  size: number,
  { bitmaps, rare, changes }: TermProducts,
): ReadonlyMap<string, Bitset> {
  const sets = new Map<string, Bitset>();
  for (const term of wanted) {
    const bitmap = bitmaps.get(nameOf(term));
    const unchanged = rare.get(nameOf(term)) ?? [];
    const changed = changes.matching(term).filter((ordinal) => ordinal < size);
    if (!bitmap && unchanged.length === 0 && changed.length === 0) continue;
    const set = sets.get(term.name) ?? Bitset.empty(size);
    sets.set(term.name, set);
    if (bitmap) set.addAll(bitmap);
    for (const ordinal of unchanged) set.add(ordinal);
    for (const ordinal of changed) set.add(ordinal);
  }
  return sets;
}

/**
 * A snapshot and what has changed since it was made, as one state of the catalog has them. What it reads later is of that
 * state or throws `CatalogChanged`; some of it may also be of another state, which the last statement of an answer rules out.
 */
export class SnapshotReader {
  /**
   * @param living the ordinals of products that there are
   * @param sets the sets that were wanted, by name, without those that have no product; what does not live may be in them
   */
  constructor(
    private readonly knex: Knex,
    private readonly known: KnownSnapshot,
    private readonly state: CatalogState,
    readonly living: Bitset,
    readonly sets: ReadonlyMap<string, Bitset>,
  ) {}

  get changes(): ChangedProducts {
    return this.known.changes;
  }

  /** The order of a listing, in which all products of the state have their places. */
  async order(sort: Sort): Promise<SnapshotOrder> {
    const order =
      this.known.orders.get(sort) ?? new SnapshotOrder(sort, this.changes, await this.#readOrder(sort));
    this.known.orders.set(sort, order);
    await order.placeChanges(this.living.size, this.#readKeys);
    return order;
  }

  /** The place of a row in an order. */
  async placeOf(row: OrderKey, order: SnapshotOrder): Promise<number> {
    const [place = 0] = await order.placesOf([row], this.#readKeys);
    return place;
  }

  /** How many members of a set have each value of a facet field. */
  async facetCounts(field: string, set: Bitset): Promise<ReadonlyMap<string, number>> {
    const known = this.known.facets.get(field);
    if (known) return known.counts(set);
    const chunks = await rowsOf<{ chunk: number; lists: string[][]; codes: Buffer }>(
      this.knex,
      sql`SELECT chunk, lists, codes FROM search_snapshot_facets
          WHERE snapshot = ${this.known.number} AND field = ${field}`,
    );
    const column = new FacetColumn(field, this.changes, chunks);
    const counts = column.counts(set);
    // A field that no product has is not kept: callers name any.
    if (counts.size > 0) this.known.facets.set(field, column);
    return counts;
  }

  async #readOrder(sort: Sort): Promise<Uint32Array | null> {
    if (sort === 'popularity_desc') return null;
    const [line] = await rowsOf<{ ordinals: Buffer }>(
      this.knex,
      sql`SELECT ordinals FROM search_snapshot_orders WHERE snapshot = ${this.known.number} AND sort = ${sort}`,
    );
    if (!line) throw new CatalogChanged();
    return Uint32Array.from({ length: line.ordinals.length / 4 }, (_, at) =>
      line.ordinals.readUInt32BE(at * 4),
    );
  }

  /** What has not changed by this state stands where the snapshot has it. */
  readonly #readKeys = async (ordinals: readonly number[]): Promise<ReadonlyMap<number, OrderKey>> => {
    if (ordinals.length === 0) return new Map();
    const lines = await rowsOf<{ ordinal: number; id: string; popularity: number; sort_key: string }>(
      this.knex,
      sql`WITH wanted AS MATERIALIZED (
            SELECT p.* FROM unnest(${ordinals}::integer[]) AS asked (ordinal) CROSS JOIN LATERAL (
              SELECT ordinal, id FROM search_snapshot_ordinals
              WHERE snapshot = ${this.known.number} AND ordinal = asked.ordinal OFFSET 0) AS p
          )
          SELECT wanted.ordinal, s.* FROM wanted CROSS JOIN LATERAL (
            SELECT id, popularity, sort_key FROM catalog_search WHERE id = wanted.id OFFSET 0) AS s
          WHERE ${isStill(this.state, sql`SELECT id FROM wanted`)}`,
    );
    if (lines.length < ordinals.length) throw new CatalogChanged();
    return new Map(
      lines.map(({ ordinal, sort_key: sortKey, ...key }) => [ordinal, { ...key, sortKey }] as const),
    );
  };
}

/** Bitmaps of a million products are 125,000 bytes each. */
const BITMAP_BYTES_MAX = 64 * 1024 * 1024;
/** `bit_send` puts the length before the bits. */
const LENGTH_BYTES = 4;

/** What is kept of a snapshot between queries. */
class KnownSnapshot {
  readonly changes: ChangedProducts;
  /** The bitmaps of terms that were asked for, by name. */
  readonly #bitmaps = new LRUCache<string, Bitset>({
    maxSize: BITMAP_BYTES_MAX,
    sizeCalculation: ({ size }) => Math.ceil(size / 8) + 1,
  });
  /** The orders that were asked for. */
  readonly orders = new Map<Sort, SnapshotOrder>();
  /** The facet fields that were counted, by name. */
  readonly facets = new Map<string, FacetColumn>();
  /** What a query saw last. */
  seen: SeenState | null = null;
  /** Whether more has changed than it can answer with. */
  isOutgrown = false;

  constructor(
    readonly number: number,
    readonly products: number,
  ) {
    this.changes = new ChangedProducts(products);
  }

  /** The bitmaps that are kept of terms, by name. */
  bitmapsOf(terms: readonly { readonly name: string }[]): Map<string, Bitset> {
    const kept = terms.flatMap(({ name }): [string, Bitset][] => {
      const bitmap = this.#bitmaps.get(name);
      return bitmap ? [[name, bitmap]] : [];
    });
    return new Map(kept);
  }

  /** Puts the bitmaps of terms that a query has read beside those that were kept, and keeps them too. */
  read(
    bitmaps: Map<string, Bitset>,
    terms: readonly { readonly name: string }[],
    bits: OpenSnapshot['bits'],
  ): void {
    for (const { name, chunk, bytes } of bits) {
      const bitmap = bitmaps.get(name) ?? Bitset.empty(this.products);
      bitmap.addBytes(chunk * CHUNK, bytes.subarray(LENGTH_BYTES));
      bitmaps.set(name, bitmap);
    }
    for (const { name } of terms) {
      const bitmap = bitmaps.get(name);
      if (bitmap) this.#bitmaps.set(name, bitmap);
    }
  }

  /**
   * The ordinals that live in a state; null if too much has changed for an answer.
   *
   * @param opening whose changes add to those of the state before, if it `continues`
   * @param before the state that its statement was told of
   */
  see(
    { transactions }: CatalogState,
    { changes, continues }: OpenSnapshot,
    before: SeenState | null,
  ): Bitset | null {
    if (changes === null || this.changes.size > this.products + CHANGES_MAX) {
      this.isOutgrown = true;
      return null;
    }
    for (const change of changes) this.changes.add(change);
    const lived = (continues && before?.living) || Bitset.full(this.products);
    const living = changes.length === 0 ? lived : this.changes.livingAfter(lived, changes);
    this.seen = { transactions, living };
    return living;
  }
}

/** A state of the database, in which some ordinals of a snapshot and its changes live. */
interface SeenState {
  /** A `pg_snapshot`: which transactions it has. */
  readonly transactions: string;
  readonly living: Bitset;
}
