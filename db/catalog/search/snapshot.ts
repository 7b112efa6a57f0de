import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import type { Sort } from '../../../models/catalog/catalog-query';
import type { CatalogState } from '../../../models/ports';
import { rowsOf } from '../../core/sql';
import { Bitset } from './bitset';
import { CatalogChanged, CHANGES_MAX, type SnapshotRead } from './catalog-state';
import { ChangedProducts, FacetColumn, type PostingRequest } from './changed-products';
import { PackedTexts } from './packed-texts';
import { ProductOrder } from './product-order';
import { CHUNK, type Frequencies } from './snapshot-chunks';
import type { TermExpansion } from './term-expansion';

export const nameOf = ({ kind, term }: PostingRequest): string => `${kind} ${term}`;

/** The products of a snapshot that have a term; those that have changed since may or may not be in it. */
export type Posting = Bitset | Uint32Array;
export const NO_ORDINALS = new Uint32Array();

/** Bitmaps of a million products are 125,000 bytes each. */
const POSTING_BYTES_MAX = 64 * 1024 * 1024;
/** Overhead of an entry. */
const ENTRY_BYTES = 200;
/** Readings of the texts whose expansions are kept, about a hundred bytes each; a text takes as much as ten. */
const READINGS_MAX = 200_000;
/** `bit_send` puts the length before the bits. */
const LENGTH_BYTES = 4;

export class Snapshot {
  readonly changes: ChangedProducts;
  readonly #postings = new LRUCache<string, Posting>({
    maxSize: POSTING_BYTES_MAX,
    sizeCalculation: (ordinals) =>
      ENTRY_BYTES + (ordinals instanceof Bitset ? Math.ceil(ordinals.size / 8) : ordinals.byteLength),
  });
  readonly #orders = new Map<Sort, ProductOrder>();
  readonly #facets = new Map<string, FacetColumn>();
  #sortKeys: PackedTexts | null = null;
  readonly #reads = new Map<string, Promise<unknown>>();
  seen: SeenState | null = null;
  isOutgrown = false;

  private constructor(
    readonly number: number,
    private readonly ids: PackedTexts,
    private readonly popularity: Float64Array,
    /** Of words. */
    readonly frequencies: Frequencies,
  ) {
    this.changes = new ChangedProducts(ids.size, (id) => ids.positionOf(id));
  }

  /** @throws CatalogChanged when it no longer exists */
  static async load(knex: Knex, number: number, products: number): Promise<Snapshot> {
    const ids = await readColumn(knex, number, 'id', products);
    const popularity = await readColumn(knex, number, 'popularity', products);
    const frequencies = await readColumn(knex, number, 'frequencies', 0);
    return new Snapshot(
      number,
      new PackedTexts(ids, products),
      new Float64Array(bytesOf(popularity)),
      new Map(frequencies.flatMap((chunk) => JSON.parse(chunk.toString()))),
    );
  }

  /** Cached postings by name, for states at least as new as any seen: older ones may need products that they lack. */
  postingsOf(terms: readonly PostingRequest[]): Map<string, Posting> {
    const names = terms.map(nameOf);
    return new Map(
      names.flatMap((name) => {
        const posting = this.#postings.get(name);
        return posting ? [[name, posting]] : [];
      }),
    );
  }

  /** Adds the postings that a query has read to the cached ones. */
  read(
    postings: Map<string, Posting>,
    terms: readonly PostingRequest[],
    { bits, found }: SnapshotRead,
  ): void {
    const bitmaps = new Map<string, Bitset>();
    for (const { name, chunk, bytes } of bits) {
      const bitmap = bitmaps.get(name) ?? Bitset.empty(this.changes.products);
      bitmap.setBytes(chunk * CHUNK, bytes.subarray(LENGTH_BYTES));
      bitmaps.set(name, bitmap);
    }
    const rare = new Map(found.map(({ name, ids }) => [name, this.#postingOf(ids)]));
    for (const term of terms) {
      const name = nameOf(term);
      const posting = bitmaps.get(name) ?? rare.get(name) ?? NO_ORDINALS;
      postings.set(name, posting);
      this.#postings.set(name, posting);
    }
  }

  /** In the form that is smaller. */
  #postingOf(ids: readonly string[]): Posting {
    const { products } = this.changes;
    const ordinals = ids.flatMap((id) => this.ids.positionOf(id) ?? []);
    if (ordinals.length * 32 < products) return Uint32Array.from(ordinals);
    return Bitset.of(products, ordinals);
  }

  /** The live ordinals in a state, from those that its statement reported; null if too much has changed. */
  see(state: CatalogState, read: SnapshotRead, before: SeenState | null): SeenState | null {
    const { changes, continues, isUnchanged } = read;
    if (changes === null || this.changes.size > this.changes.products + CHANGES_MAX) {
      this.isOutgrown = true;
      return null;
    }
    for (const change of changes) this.changes.add(change);
    const last = continues ? before : null;
    const lived = last?.live ?? Bitset.full(this.changes.products);
    const live = changes.length === 0 ? lived : this.changes.liveAfter(lived, changes);
    const expansions: SeenState['expansions'] =
      last && isUnchanged
        ? last.expansions
        : new LRUCache({ maxSize: READINGS_MAX, sizeCalculation: countReadings });
    const now = { state, live, expansions, at: performance.now() };
    // A state that another load has seen meanwhile, or that does not continue in this one, may be newer.
    if (this.seen === last) this.seen = now;
    return now;
  }

  /** The order of a listing. @throws CatalogChanged when there is another snapshot by now */
  async order(knex: Knex, sort: Sort): Promise<ProductOrder> {
    return this.#orders.get(sort) ?? this.#shared(knex, sort, () => this.#readOrder(knex, sort));
  }

  /** One read for concurrent queries. A transaction reads for itself: others may be waiting for its connection. */
  #shared<Part>(knex: Knex, name: string, read: () => Promise<Part>): Promise<Part> {
    if (knex.isTransaction) return read();
    const known = this.#reads.get(name) as Promise<Part> | undefined;
    if (known) return known;
    const reading = read().finally(() => this.#reads.delete(name));
    this.#reads.set(name, reading);
    return reading;
  }

  async #readOrder(knex: Knex, sort: Sort): Promise<ProductOrder> {
    const ordinals = await this.#ordinalsBy(knex, sort);
    const sortKeys = sort.startsWith('name') ? this.#sortKeys : null;
    const keyOf = (ordinal: number) =>
      this.changes.rowAt(ordinal) ?? {
        id: this.ids.at(ordinal),
        popularity: this.popularity[ordinal] ?? 0,
        sortKey: sortKeys?.at(ordinal) ?? '',
      };
    const order = this.#orders.get(sort) ?? new ProductOrder(sort, this.changes, ordinals, keyOf);
    this.#orders.set(sort, order);
    return order;
  }

  async #ordinalsBy(knex: Knex, sort: Sort): Promise<Uint32Array | null> {
    const { popularity, number } = this;
    const { products } = this.changes;
    if (sort === 'popularity_desc') return null;
    if (sort === 'popularity_asc') {
      const falling = Uint32Array.from({ length: products }, (_, ordinal) => ordinal);
      return reversed(falling, (left, right) => popularity[left] === popularity[right]);
    }
    this.#sortKeys ??= new PackedTexts(await readColumn(knex, number, 'sort_key', products), products);
    const sortKeys = this.#sortKeys;
    const rising = new Uint32Array(bytesOf(await readColumn(knex, number, 'by_name', products)));
    return sort === 'name_asc' ? rising : reversed(rising, (left, right) => sortKeys.areEqual(left, right));
  }

  async facetCounts(knex: Knex, field: string, set: Bitset): Promise<ReadonlyMap<string, number>> {
    const column =
      this.#facets.get(field) ??
      (await this.#shared(knex, `facet ${field}`, () => this.#readFacet(knex, field)));
    const counts = column.counts(set);
    // A field that no product has is not cached: callers may name any.
    if (counts.size > 0) this.#facets.set(field, column);
    return counts;
  }

  async #readFacet(knex: Knex, field: string): Promise<FacetColumn> {
    const chunks = await rowsOf<{ chunk: number; lists: string[][]; codes: Buffer }>(knex)`
      SELECT chunk, lists, codes FROM search_snapshot_facets
      WHERE snapshot = ${this.number} AND field = ${field}`;
    return new FacetColumn(field, this.changes, chunks);
  }
}

export interface SeenState {
  readonly state: CatalogState;
  /** Of texts that were looked up since the last change that this process has seen. */
  readonly expansions: LRUCache<string, readonly TermExpansion[]>;
  readonly live: Bitset;
  readonly at: number;
}

const countReadings = (expansions: readonly TermExpansion[]): number =>
  expansions.reduce(
    (sum, { exact, near, misspelt }) => sum + exact.length + near.length + misspelt.length,
    10,
  );

async function readColumn(knex: Knex, snapshot: number, name: string, products: number): Promise<Buffer[]> {
  const chunks = await rowsOf<{ bytes: Buffer }>(knex)`
    SELECT bytes FROM search_snapshot_columns WHERE snapshot = ${snapshot} AND name = ${name} ORDER BY chunk`;
  if (chunks.length === 0 && products > 0) throw new CatalogChanged();
  return chunks.map(({ bytes }) => bytes);
}

/** A copy, aligned for typed arrays. */
const bytesOf = (chunks: readonly Buffer[]): ArrayBuffer => new Uint8Array(Buffer.concat(chunks)).buffer;

/** An order reversed, except within runs of equal rank, because every order ends with the id ascending (contract 4.13). */
function reversed(order: Uint32Array, areEqual: (left: number, right: number) => boolean): Uint32Array {
  const turned = new Uint32Array(order.length);
  for (let end = order.length; end > 0; ) {
    let start = end - 1;
    while (start > 0 && areEqual(order[start - 1] ?? 0, order[start] ?? 0)) start -= 1;
    turned.set(order.subarray(start, end), order.length - end);
    end = start;
  }
  return turned;
}
