import type { Knex } from 'knex';
import { rowsOf, sql } from '../../../core/sql';
import { Bitset } from './bitset';
import { CHUNK, rareBeginningTerm } from './chunk-bitmaps';

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

/** The newest snapshot, as far as it goes: what was read of it counts only if `idsAt` says so in the end. */
export class SnapshotReader {
  private constructor(
    private readonly knex: Knex,
    readonly number: number,
    readonly products: number,
  ) {}

  /** Null when there is none, or the catalog has changed since. */
  static async open(knex: Knex): Promise<SnapshotReader | null> {
    const [line] = await rowsOf<{ number: number; products: number }>(
      knex,
      sql`SELECT number, products FROM search_snapshots WHERE NOT EXISTS (SELECT FROM catalog_search_changes)`,
    );
    return line ? new SnapshotReader(knex, line.number, line.products) : null;
  }

  /** The wanted sets by name; those without a product are left out. */
  async sets({ carrying, beginnings }: WantedSets): Promise<ReadonlyMap<string, Bitset>> {
    const wanted = [...carrying].flatMap(([name, { kind, terms }]) =>
      terms.map((term): WantedTerm => ({ name, kind, term })),
    );
    for (const [name, letters] of beginnings) {
      wanted.push({ name, kind: 'other', term: rareBeginningTerm(letters) });
    }
    const sets = new Map<string, Bitset>();
    const setOf = (name: string): Bitset => {
      const set = sets.get(name) ?? Bitset.empty(this.products);
      sets.set(name, set);
      return set;
    };
    const frequent = await this.addBitmaps(wanted, setOf);
    await this.addRows(
      wanted.filter(({ kind, term }) => kind !== 'other' && !frequent.has(term)),
      setOf,
    );
    if (beginnings.size > 0) await this.addBeginnings(beginnings, setOf);
    return sets;
  }

  /** All ordinals in one of the orders that are not that of the ordinals; null when the snapshot is gone. */
  async order(sort: string): Promise<Uint32Array | null> {
    const [line] = await rowsOf<{ ordinals: Buffer }>(
      this.knex,
      sql`SELECT ordinals FROM search_snapshot_orders WHERE snapshot = ${this.number} AND sort = ${sort}`,
    );
    if (!line) return null;
    return Uint32Array.from({ length: line.ordinals.length / 4 }, (_, at) =>
      line.ordinals.readUInt32BE(at * 4),
    );
  }

  /**
   * The ids at ordinals, in their order. Null when the catalog has changed since the snapshot: as its number is never
   * given again, and changes vanish only with a new snapshot, everything read before this was of one state otherwise.
   */
  async idsAt(ordinals: readonly number[]): Promise<string[] | null> {
    const lines = await rowsOf<{ ordinal: number | null; id: string }>(
      this.knex,
      sql`SELECT p.ordinal, p.id FROM search_snapshots s
          LEFT JOIN search_snapshot_ordinals p ON p.snapshot = s.number AND p.ordinal = ANY(${ordinals}::integer[])
          WHERE s.number = ${this.number} AND NOT EXISTS (SELECT FROM catalog_search_changes)`,
    );
    if (lines.length === 0) return null;
    const ids = new Map(lines.map(({ ordinal, id }) => [ordinal, id]));
    return ordinals.flatMap((ordinal) => ids.get(ordinal) ?? []);
  }

  /** Resolves to the terms that have a bitmap. */
  private async addBitmaps(
    wanted: readonly WantedTerm[],
    setOf: (name: string) => Bitset,
  ): Promise<ReadonlySet<string>> {
    const frequent = new Set<string>();
    if (wanted.length === 0) return frequent;
    const lines = await rowsOf<{ name: string; chunk: number; bytes: Buffer; terms: string[] }>(
      this.knex,
      sql`SELECT w.name, b.chunk, bit_send(bit_or(b.bits)) AS bytes, array_agg(b.term) AS terms
          FROM unnest(${wanted.map(({ name }) => name)}::text[], ${wanted.map(({ term }) => term)}::text[])
            AS w (name, term)
          CROSS JOIN LATERAL (
            SELECT chunk, term, bits FROM search_snapshot_bitmaps
            WHERE snapshot = ${this.number} AND search_snapshot_bitmaps.term = w.term OFFSET 0) AS b
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
      this.knex,
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
            SELECT ordinal FROM search_snapshot_ordinals WHERE snapshot = ${this.number} AND id = f.id OFFSET 0) AS p`,
    );
    for (const { name, ordinal } of lines) setOf(name).add(ordinal);
  }

  /** Frequent terms that begin so; the rare ones are a term of their own. Terms hold no colon and no asterisk. */
  private async addBeginnings(
    beginnings: ReadonlyMap<string, string>,
    setOf: (name: string) => Bitset,
  ): Promise<void> {
    const lines = await rowsOf<{ name: string; chunk: number; bytes: Buffer }>(
      this.knex,
      sql`SELECT begun.name, b.chunk, bit_send(bit_or(b.bits)) AS bytes
          FROM unnest(${[...beginnings.keys()]}::text[], ${[...beginnings.values()]}::text[]) AS begun (name, letters)
          CROSS JOIN LATERAL (
            SELECT chunk, bits FROM search_snapshot_bitmaps
            WHERE snapshot = ${this.number} AND term > begun.letters AND term < begun.letters || ${'\u{10ffff}'}
              AND strpos(term, ':') = 0 AND strpos(term, '*') = 0 OFFSET 0) AS b
          GROUP BY begun.name, b.chunk`,
    );
    for (const { name, chunk, bytes } of lines)
      setOf(name).addBytes(chunk * CHUNK, bytes.subarray(LENGTH_BYTES));
  }
}
