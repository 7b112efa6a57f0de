import type { Knex } from 'knex';
import { rowsOf, sql } from '../sql';
import { Bitset } from './bitset';
import { CHUNK, rareBeginningMark } from './snapshot-marks';

/** Sets of products that a query needs, each by a name of the asker's. */
export interface WantedSets {
  /** Products with any of the marks. */
  readonly carrying: ReadonlyMap<string, Marks>;
  /** Products with a longer word that begins so; at most one. */
  readonly beginning: { readonly name: string; readonly letters: string } | null;
}

/** Facets and words without a bitmap are looked up in the indexes; other marks always have one, or no product. */
export interface Marks {
  readonly kind: 'facet' | 'word' | 'other';
  readonly marks: readonly string[];
}

interface WantedMark {
  readonly name: string;
  readonly kind: Marks['kind'];
  readonly mark: string;
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
  async sets({ carrying, beginning }: WantedSets): Promise<ReadonlyMap<string, Bitset>> {
    const wanted = [...carrying].flatMap(([name, { kind, marks }]) =>
      marks.map((mark): WantedMark => ({ name, kind, mark })),
    );
    if (beginning) {
      wanted.push({ name: beginning.name, kind: 'other', mark: rareBeginningMark(beginning.letters) });
    }
    const sets = new Map<string, Bitset>();
    const setOf = (name: string): Bitset => {
      const set = sets.get(name) ?? Bitset.empty(this.products);
      sets.set(name, set);
      return set;
    };
    const frequent = await this.addBitmaps(wanted, setOf);
    await this.addRows(
      wanted.filter(({ kind, mark }) => kind !== 'other' && !frequent.has(mark)),
      setOf,
    );
    if (beginning) await this.addBeginning(beginning.letters, setOf(beginning.name));
    return sets;
  }

  /** All places in one of the orders that are not that of the places; null when the snapshot is gone. */
  async order(sort: string): Promise<Uint32Array | null> {
    const [line] = await rowsOf<{ places: Buffer }>(
      this.knex,
      sql`SELECT places FROM search_snapshot_orders WHERE snapshot = ${this.number} AND sort = ${sort}`,
    );
    if (!line) return null;
    return Uint32Array.from({ length: line.places.length / 4 }, (_, at) => line.places.readUInt32BE(at * 4));
  }

  /**
   * The ids at places, in their order. Null when the catalog has changed since the snapshot: as its number is never
   * given again, and changes vanish only with a new snapshot, everything read before this was of one state otherwise.
   */
  async idsAt(places: readonly number[]): Promise<string[] | null> {
    const lines = await rowsOf<{ place: number | null; id: string }>(
      this.knex,
      sql`SELECT p.place, p.id FROM search_snapshots s
          LEFT JOIN search_snapshot_places p ON p.snapshot = s.number AND p.place = ANY(${places}::integer[])
          WHERE s.number = ${this.number} AND NOT EXISTS (SELECT FROM catalog_search_changes)`,
    );
    if (lines.length === 0) return null;
    const ids = new Map(lines.map(({ place, id }) => [place, id]));
    return places.flatMap((place) => ids.get(place) ?? []);
  }

  /** Resolves to the marks that have a bitmap. */
  private async addBitmaps(
    wanted: readonly WantedMark[],
    setOf: (name: string) => Bitset,
  ): Promise<ReadonlySet<string>> {
    const frequent = new Set<string>();
    if (wanted.length === 0) return frequent;
    const lines = await rowsOf<{ name: string; chunk: number; bytes: Buffer; marks: string[] }>(
      this.knex,
      sql`SELECT w.name, b.chunk, bit_send(bit_or(b.bits)) AS bytes, array_agg(b.mark) AS marks
          FROM unnest(${wanted.map(({ name }) => name)}::text[], ${wanted.map(({ mark }) => mark)}::text[])
            AS w (name, mark)
          CROSS JOIN LATERAL (
            SELECT chunk, mark, bits FROM search_snapshot_bits
            WHERE snapshot = ${this.number} AND search_snapshot_bits.mark = w.mark OFFSET 0) AS b
          GROUP BY w.name, b.chunk`,
    );
    for (const { name, chunk, bytes, marks } of lines) {
      setOf(name).addBytes(chunk * CHUNK, bytes.subarray(LENGTH_BYTES));
      for (const mark of marks) frequent.add(mark);
    }
    return frequent;
  }

  /** The rows of rare marks, one by one. */
  private async addRows(rare: readonly WantedMark[], setOf: (name: string) => Bitset): Promise<void> {
    if (rare.length === 0) return;
    const lines = await rowsOf<{ name: string; place: number }>(
      this.knex,
      sql`WITH wanted AS MATERIALIZED (
            SELECT * FROM unnest(${rare.map(({ name }) => name)}::text[], ${rare.map(({ kind }) => kind)}::text[],
              ${rare.map(({ mark }) => mark)}::text[]) AS w (name, kind, mark)
            WHERE EXISTS (SELECT FROM catalog_counts c WHERE c.kind = 'product' AND c.mark = w.mark)
          ),
          found AS (
            SELECT w.name, s.id FROM wanted w CROSS JOIN LATERAL (
              SELECT id FROM catalog_search WHERE kind = 'product' AND facets && ARRAY[w.mark] OFFSET 0) AS s
            WHERE w.kind = 'facet'
            UNION ALL
            SELECT w.name, s.id FROM wanted w CROSS JOIN LATERAL (
              SELECT id FROM catalog_search WHERE kind = 'product' AND words @@ ('''' || w.mark || '''')::tsquery
              OFFSET 0) AS s
            WHERE w.kind = 'word'
          )
          SELECT f.name, p.place FROM found f CROSS JOIN LATERAL (
            SELECT place FROM search_snapshot_places WHERE snapshot = ${this.number} AND id = f.id OFFSET 0) AS p`,
    );
    for (const { name, place } of lines) setOf(name).add(place);
  }

  /** Frequent words that begin so; the rare ones are a mark of their own. Words hold no colon and no asterisk. */
  private async addBeginning(letters: string, set: Bitset): Promise<void> {
    const lines = await rowsOf<{ chunk: number; bytes: Buffer }>(
      this.knex,
      sql`SELECT chunk, bit_send(bit_or(bits)) AS bytes FROM search_snapshot_bits
          WHERE snapshot = ${this.number} AND mark > ${letters} AND mark < ${`${letters}\u{10ffff}`}
            AND strpos(mark, ':') = 0 AND strpos(mark, '*') = 0
          GROUP BY chunk`,
    );
    for (const { chunk, bytes } of lines) set.addBytes(chunk * CHUNK, bytes.subarray(LENGTH_BYTES));
  }
}
