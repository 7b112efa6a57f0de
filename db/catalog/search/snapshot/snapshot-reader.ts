import type { Knex } from 'knex';
import type { Sort } from '../../../../models/catalog/catalog-query';
import { rowsOf, sql } from '../../../core/sql';
import type { OrderKey } from '../order-key';
import { Bitset } from './bitset';
import type { ChangedProducts } from './changed-products';
import { CHUNK, rareBeginningTerm } from './chunk-bitmaps';
import { FacetColumn } from './facet-column';
import type { KnownSnapshot } from './known-snapshot';

/** Sets of products that a query needs, each by a name of the caller's. */
export interface WantedSets {
  /** Products with any of the terms. */
  readonly carrying: ReadonlyMap<string, IndexTerms>;
  /** Products with a longer term that begins with these letters. */
  readonly beginnings: ReadonlyMap<string, string>;
}

/** Facets and words without a bitmap are looked up in the indexes; other terms always have one, or no product. */
export interface IndexTerms {
  readonly kind: 'facet' | 'word' | 'other';
  readonly terms: readonly string[];
}

interface WantedTerm {
  readonly name: string;
  readonly kind: IndexTerms['kind'];
  readonly term: string;
}

/** `bit_send` puts the length before the bits. */
const LENGTH_BYTES = 4;

/** A snapshot and what has changed since it was made, as one state of the database has them. */
export class SnapshotReader {
  /** @param living the ordinals of products that there are */
  constructor(
    private readonly trx: Knex,
    private readonly known: KnownSnapshot,
    readonly living: Bitset,
  ) {}

  get changes(): ChangedProducts {
    return this.known.changes;
  }

  /** The wanted sets by name; those without a product are left out. Ordinals that do not live may be in them. */
  async sets({ carrying, beginnings }: WantedSets): Promise<ReadonlyMap<string, Bitset>> {
    const wanted = [...carrying].flatMap(([name, { kind, terms }]) =>
      terms.map((term): WantedTerm => ({ name, kind, term })),
    );
    for (const [name, letters] of beginnings) {
      wanted.push({ name, kind: 'other', term: rareBeginningTerm(letters) });
    }
    const sets = new Map<string, Bitset>();
    const setOf = (name: string): Bitset => {
      const set = sets.get(name) ?? Bitset.empty(this.living.size);
      sets.set(name, set);
      return set;
    };
    const frequent = await this.addBitmaps(wanted, setOf);
    await this.addRows(
      wanted.filter(({ kind, term }) => kind !== 'other' && !frequent.has(term)),
      setOf,
    );
    if (beginnings.size > 0) await this.addBeginnings(beginnings, setOf);
    for (const { name, term } of wanted) this.addChanged(this.changes.carrying(term), name, setOf);
    for (const [name, letters] of beginnings) {
      this.addChanged(this.changes.carryingLonger(letters), name, setOf);
    }
    return sets;
  }

  /** The ordinals of the snapshot in an order; null for that of the ordinals themselves. */
  async order(sort: Sort): Promise<Uint32Array | null> {
    if (sort === 'popularity_desc') return null;
    const known = this.known.orders.get(sort);
    if (known) return known;
    const [line] = await rowsOf<{ ordinals: Buffer }>(
      this.trx,
      sql`SELECT ordinals FROM search_snapshot_orders WHERE snapshot = ${this.known.number} AND sort = ${sort}`,
    );
    const bytes = line?.ordinals ?? Buffer.alloc(0);
    const order = Uint32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readUInt32BE(at * 4));
    this.known.orders.set(sort, order);
    return order;
  }

  /** How many members of a set have each value of a facet field. */
  async facetCounts(field: string, set: Bitset): Promise<ReadonlyMap<string, number>> {
    const counts = (await this.facetColumn(field)).counts(set);
    for (const id of this.changes.facetIds(field, set)) counts.set(id, (counts.get(id) ?? 0) + 1);
    return counts;
  }

  /** Where the products at ordinals of the snapshot stand in listings. */
  async keysAt(ordinals: readonly number[]): Promise<ReadonlyMap<number, OrderKey>> {
    if (ordinals.length === 0) return new Map();
    const lines = await rowsOf<{ ordinal: number; id: string; popularity: number; sort_key: string }>(
      this.trx,
      sql`SELECT p.ordinal, s.* FROM search_snapshot_ordinals p CROSS JOIN LATERAL (
            SELECT id, popularity, sort_key FROM catalog_search WHERE id = p.id OFFSET 0) AS s
          WHERE p.snapshot = ${this.known.number} AND p.ordinal = ANY(${ordinals}::integer[])`,
    );
    return new Map(
      lines.map(({ ordinal, sort_key: sortKey, ...key }) => [ordinal, { ...key, sortKey }] as const),
    );
  }

  private async facetColumn(field: string): Promise<FacetColumn> {
    const known = this.known.facets.get(field);
    if (known) return known;
    const chunks = await rowsOf<{ chunk: number; lists: string[][]; codes: Buffer }>(
      this.trx,
      sql`SELECT chunk, lists, codes FROM search_snapshot_facets
          WHERE snapshot = ${this.known.number} AND field = ${field}`,
    );
    const column = new FacetColumn(this.known.products, chunks);
    // A field that no product has is not kept: callers name any.
    if (chunks.length > 0) this.known.facets.set(field, column);
    return column;
  }

  private addChanged(ordinals: Iterable<number>, name: string, setOf: (name: string) => Bitset): void {
    for (const ordinal of ordinals) {
      // Queries that saw later states have added others.
      if (ordinal < this.living.size) setOf(name).add(ordinal);
    }
  }

  /** Resolves to the terms that have a bitmap. */
  private async addBitmaps(
    wanted: readonly WantedTerm[],
    setOf: (name: string) => Bitset,
  ): Promise<ReadonlySet<string>> {
    const frequent = new Set<string>();
    if (wanted.length === 0) return frequent;
    const lines = await rowsOf<{ name: string; chunk: number; bytes: Buffer; terms: string[] }>(
      this.trx,
      sql`SELECT w.name, b.chunk, bit_send(bit_or(b.bits)) AS bytes, array_agg(b.term) AS terms
          FROM unnest(${wanted.map(({ name }) => name)}::text[], ${wanted.map(({ term }) => term)}::text[])
            AS w (name, term)
          CROSS JOIN LATERAL (
            SELECT chunk, term, bits FROM search_snapshot_bitmaps
            WHERE snapshot = ${this.known.number} AND search_snapshot_bitmaps.term = w.term OFFSET 0) AS b
          GROUP BY w.name, b.chunk`,
    );
    for (const { name, chunk, bytes, terms } of lines) {
      setOf(name).addBytes(chunk * CHUNK, bytes.subarray(LENGTH_BYTES));
      for (const term of terms) frequent.add(term);
    }
    return frequent;
  }

  /** The rows of rare terms, one by one. */
  private async addRows(rare: readonly WantedTerm[], setOf: (name: string) => Bitset): Promise<void> {
    if (rare.length === 0) return;
    const lines = await rowsOf<{ name: string; ordinal: number }>(
      this.trx,
      sql`WITH wanted AS MATERIALIZED (
            SELECT * FROM unnest(${rare.map(({ name }) => name)}::text[], ${rare.map(({ kind }) => kind)}::text[],
              ${rare.map(({ term }) => term)}::text[]) AS w (name, kind, term)
            WHERE EXISTS (SELECT FROM term_counts c WHERE c.kind = 'product' AND c.term = w.term)
          ),
          found AS (
            SELECT w.name, s.id FROM wanted w CROSS JOIN LATERAL (
              SELECT id FROM catalog_search WHERE kind = 'product' AND facets && ARRAY[w.term] OFFSET 0) AS s
            WHERE w.kind = 'facet'
            UNION ALL
            SELECT w.name, s.id FROM wanted w CROSS JOIN LATERAL (
              SELECT id FROM catalog_search WHERE kind = 'product' AND words @@ ('''' || w.term || '''')::tsquery
              OFFSET 0) AS s
            WHERE w.kind = 'word'
          )
          SELECT f.name, p.ordinal FROM found f CROSS JOIN LATERAL (
            SELECT ordinal FROM search_snapshot_ordinals WHERE snapshot = ${this.known.number} AND id = f.id OFFSET 0) AS p`,
    );
    for (const { name, ordinal } of lines) setOf(name).add(ordinal);
  }

  /** Frequent terms that begin so; the rare ones are a term of their own. Terms hold no colon and no asterisk. */
  private async addBeginnings(
    beginnings: ReadonlyMap<string, string>,
    setOf: (name: string) => Bitset,
  ): Promise<void> {
    const lines = await rowsOf<{ name: string; chunk: number; bytes: Buffer }>(
      this.trx,
      sql`SELECT begun.name, b.chunk, bit_send(bit_or(b.bits)) AS bytes
          FROM unnest(${[...beginnings.keys()]}::text[], ${[...beginnings.values()]}::text[]) AS begun (name, letters)
          CROSS JOIN LATERAL (
            SELECT chunk, bits FROM search_snapshot_bitmaps
            WHERE snapshot = ${this.known.number} AND term > begun.letters AND term < begun.letters || ${'\u{10ffff}'}
              AND strpos(term, ':') = 0 AND strpos(term, '*') = 0 OFFSET 0) AS b
          GROUP BY begun.name, b.chunk`,
    );
    for (const { name, chunk, bytes } of lines)
      setOf(name).addBytes(chunk * CHUNK, bytes.subarray(LENGTH_BYTES));
  }
}
