import type { Knex } from 'knex';
import { rowsOf, sql } from '../sql';
import { Bitset } from './bitset';
import { CHUNK, rareBeginningMark } from './snapshot-marks';

/** Sets of products that a query needs, each by a name of the asker's. */
export interface WantedSets {
  /** Products with any of the facets, words or other marks. */
  readonly carrying: ReadonlyMap<string, Marks>;
  /** Products with a longer word that begins so; at most one. */
  readonly beginning: { readonly name: string; readonly letters: string } | null;
}

export interface Marks {
  readonly kind: 'facet' | 'word' | 'other';
  readonly marks: readonly string[];
}

/** A snapshot that was the state of the catalog when it was read. */
export interface ReadSnapshot {
  readonly number: number;
  readonly products: number;
  /** The set of a name; empty when nothing is in it. */
  set(name: string): Bitset;
}

interface Line {
  readonly what: 'snapshot' | 'bits' | 'row';
  readonly name: string | null;
  /** Number of the snapshot, of a chunk, or the place of a row. */
  readonly at: number;
  readonly products: number | null;
  readonly bytes: Buffer | null;
}

/** `bit_send` puts the length before the bits. */
const LENGTH_BYTES = 4;

/**
 * Reads sets of products in one statement, so that all are of one moment; null when there is no snapshot of that moment.
 * Marks without a bitmap are rare, and looked up in the indexes.
 */
export async function readSnapshot(knex: Knex, wanted: WantedSets): Promise<ReadSnapshot | null> {
  const asked = [...wanted.carrying].flatMap(([name, { kind, marks }]) =>
    marks.map((mark) => ({ name, kind, mark })),
  );
  const { beginning } = wanted;
  if (beginning) {
    asked.push({ name: beginning.name, kind: 'other', mark: rareBeginningMark(beginning.letters) });
  }
  const lines = await rowsOf<Line>(
    knex,
    sql`WITH current AS MATERIALIZED (
          SELECT number, products FROM search_snapshots WHERE NOT EXISTS (SELECT FROM catalog_search_changes)
        ),
        wanted AS MATERIALIZED (
          SELECT * FROM unnest(${asked.map(({ name }) => name)}::text[], ${asked.map(({ kind }) => kind)}::text[],
            ${asked.map(({ mark }) => mark)}::text[]) AS wanted (name, kind, mark)
        ),
        frequent AS (
          SELECT w.name, w.mark, b.chunk, b.bits FROM current c CROSS JOIN wanted w
          JOIN search_snapshot_bits b ON b.snapshot = c.number AND b.mark = w.mark
          UNION ALL
          SELECT ${beginning?.name ?? null}::text, b.mark, b.chunk, b.bits FROM current c
          JOIN search_snapshot_bits b ON b.snapshot = c.number
            AND b.mark > ${beginning?.letters ?? null}::text
            AND b.mark < ${beginning ? `${beginning.letters}\u{10ffff}` : null}::text
            AND strpos(b.mark, ':') = 0 AND strpos(b.mark, '*') = 0
        ),
        rare AS MATERIALIZED (
          SELECT w.* FROM current c CROSS JOIN wanted w
          WHERE w.kind <> 'other'
            AND NOT EXISTS (SELECT FROM search_snapshot_bits b WHERE b.snapshot = c.number AND b.mark = w.mark)
            AND EXISTS (SELECT FROM catalog_counts k WHERE k.kind = 'product' AND k.mark = w.mark)
        ),
        found AS (
          SELECT r.name, s.id FROM rare r CROSS JOIN LATERAL (
            SELECT id FROM catalog_search WHERE kind = 'product' AND facets && ARRAY[r.mark] OFFSET 0) AS s
          WHERE r.kind = 'facet'
          UNION ALL
          SELECT r.name, s.id FROM rare r CROSS JOIN LATERAL (
            SELECT id FROM catalog_search WHERE kind = 'product' AND words @@ ('''' || r.mark || '''')::tsquery
            OFFSET 0) AS s
          WHERE r.kind = 'word'
        )
        SELECT 'snapshot' AS what, NULL AS name, number AS at, products, NULL AS bytes FROM current
        UNION ALL
        SELECT 'bits', name, chunk, NULL, bit_send(bit_or(bits)) FROM frequent GROUP BY name, chunk
        UNION ALL
        SELECT 'row', f.name, p.place, NULL, NULL FROM current c CROSS JOIN found f
        JOIN search_snapshot_places p ON p.snapshot = c.number AND p.id = f.id`,
  );
  const header = lines.find(({ what }) => what === 'snapshot');
  if (!header) return null;
  const products = header.products ?? 0;
  const sets = setsOf(lines, products);
  return { number: header.at, products, set: (name) => sets.get(name) ?? Bitset.empty(products) };
}

function setsOf(lines: readonly Line[], products: number): Map<string, Bitset> {
  const sets = new Map<string, Bitset>();
  for (const { what, name, at, bytes } of lines) {
    if (what === 'snapshot' || name === null) continue;
    const set = sets.get(name) ?? Bitset.empty(products);
    sets.set(name, set);
    if (bytes) set.addBytes(at * CHUNK, bytes.subarray(LENGTH_BYTES));
    else set.add(at);
  }
  return sets;
}

/** All places of a snapshot in one of the orders that are not that of the places; null when it is gone. */
export async function readOrder(knex: Knex, number: number, sort: string): Promise<Uint32Array | null> {
  const [line] = await rowsOf<{ places: Buffer }>(
    knex,
    sql`SELECT places FROM search_snapshot_orders WHERE snapshot = ${number} AND sort = ${sort}`,
  );
  if (!line) return null;
  return Uint32Array.from({ length: line.places.length / 4 }, (_, at) => line.places.readUInt32BE(at * 4));
}

/** The ids at places of a snapshot, in their order; null when it is gone. */
export async function idsAt(knex: Knex, number: number, places: readonly number[]): Promise<string[] | null> {
  if (places.length === 0) return [];
  const lines = await rowsOf<{ place: number; id: string }>(
    knex,
    sql`SELECT place, id FROM search_snapshot_places WHERE snapshot = ${number} AND place = ANY(${places}::integer[])`,
  );
  const ids = new Map(lines.map(({ place, id }) => [place, id]));
  const found = places.flatMap((place) => ids.get(place) ?? []);
  return found.length === places.length ? found : null;
}
