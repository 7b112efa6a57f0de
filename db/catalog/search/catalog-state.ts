import type { Knex } from 'knex';
import type { CatalogState } from '../../../models/ports';
import { constant, prepared, rowsOf, type Sql, sql } from '../../core/sql';
import type { ChangedProduct, PostingRequest } from './changed-products';
import type { SnapshotProduct } from './snapshot-chunks';

/** The catalog changed between the statements of an answer, which then belongs to no single state. */
export class CatalogChanged extends Error {
  override readonly name = 'CatalogChanged';
}

export const STATE = sql`pg_current_snapshot()::text AS state`;

export const isUnchangedSince = (state: Sql): Sql =>
  sql`NOT EXISTS (SELECT FROM catalog_changes_since(${state}::pg_snapshot, 1))`;

/** Changes up to which a snapshot is used; a process keeps all of them in memory. */
export const CHANGES_MAX = 50_000;

interface KnownBefore {
  readonly number: number;
  readonly seen: { readonly state: CatalogState } | null;
  readonly isOutgrown: boolean;
}

export interface SnapshotRead {
  readonly number: number;
  readonly products: number;
  /** Whether the changes add to those of the state that was seen last. */
  readonly continues: boolean;
  /** Whether nothing at all has changed since that state, synonyms and rows of the taxonomy included. */
  readonly isUnchanged: boolean;
  /** Null if they are more than a snapshot can answer with. */
  readonly changes: readonly ChangedProduct[] | null;
  /** For wanted terms by name: the bits of a chunk, and single products. */
  readonly bits: readonly { readonly name: string; readonly chunk: number; readonly bytes: Buffer }[];
  readonly found: readonly { readonly name: string; readonly ids: readonly string[] }[];
}

/** Reads the state of the catalog, what has changed since the last, and distinct terms, all in one statement, so of one state. */
export async function readCatalogState(
  knex: Knex,
  wanted: readonly PostingRequest[],
  last: KnownBefore | null,
): Promise<{ readonly state: CatalogState; readonly snapshot: SnapshotRead | null }> {
  const lines = await rowsOf<Line>(knex, prepared(stateStatement(wanted, last)));
  const partsOf = <Part extends Line['part']>(part: Part) =>
    lines.filter((line): line is Extract<Line, { part: Part }> => line.part === part);
  const [first] = partsOf('state');
  if (!first) throw new Error('a statement that always has a line has none');
  const { state, number, products, continues, unchanged, answers } = first.told;
  if (number === null) return { state, snapshot: null };
  const changes = partsOf('change').map(({ name, number: line, told }) => ({
    id: name,
    line,
    row: told && { ...told, id: name },
  }));
  const snapshot: SnapshotRead = {
    number,
    products: products ?? 0,
    continues,
    isUnchanged: continues && unchanged,
    changes: answers ? changes : null,
    bits: partsOf('bits').map(({ name, number: chunk, bytes }) => ({ name, chunk, bytes })),
    found: partsOf('found').map(({ name, told }) => ({ name, ids: told })),
  };
  return { state, snapshot };
}

type Line =
  | { readonly part: 'state'; readonly told: StateTold }
  | {
      readonly part: 'change';
      readonly name: string;
      readonly number: number;
      readonly told: Omit<SnapshotProduct, 'id'> | null;
    }
  | { readonly part: 'bits'; readonly name: string; readonly number: number; readonly bytes: Buffer }
  | { readonly part: 'found'; readonly name: string; readonly told: readonly string[] };

interface StateTold {
  readonly state: CatalogState;
  readonly number: number | null;
  readonly products: number | null;
  readonly continues: boolean;
  readonly unchanged: boolean;
  readonly answers: boolean;
}

/** Wanted terms are passed as JSON, for which the planner assumes one size however many there are: its plan can be kept. */
function stateStatement(wanted: readonly PostingRequest[], last: KnownBefore | null): Sql {
  const seen = last?.seen?.state ?? null;
  return sql`WITH state AS MATERIALIZED (SELECT ${STATE}),
    newest AS MATERIALIZED (
      SELECT s.number, s.products,
        CASE WHEN s.number = ${last?.number ?? null}::integer
          AND pg_snapshot_xmax(pg_current_snapshot()) >= pg_snapshot_xmax(${seen}::pg_snapshot)
          AND NOT EXISTS (SELECT FROM pg_snapshot_xip(pg_current_snapshot()) AS running
            WHERE pg_visible_in_snapshot(running, ${seen}::pg_snapshot))
          THEN ${seen}::pg_snapshot END AS seen
      FROM search_snapshots s
      WHERE s.number = (SELECT max(number) FROM search_snapshots)
        AND s.number IS DISTINCT FROM ${last?.isOutgrown ? last.number : null}::integer
    ),
    lines AS MATERIALIZED (
      SELECT c.id, c.number
      FROM newest CROSS JOIN LATERAL catalog_changes_since(newest.seen, ${constant(CHANGES_MAX + 1)}) AS c
    ),
    verdict AS MATERIALIZED (
      SELECT count(*) = 0 AS unchanged, count(*) = count(id) AND count(*) <= ${constant(CHANGES_MAX)} AS answers FROM lines
    ),
    changed AS MATERIALIZED (
      SELECT id, max(number) AS line FROM lines WHERE (SELECT answers FROM verdict) AND id <> '' GROUP BY id
    ),
    wanted AS MATERIALIZED (
      SELECT w.* FROM newest CROSS JOIN json_to_recordset(${JSON.stringify(wanted)}::json)
        AS w (name text, kind text, term text)
    ),
    bitmaps AS MATERIALIZED (
      SELECT w.name, b.chunk, b.bits FROM newest CROSS JOIN wanted w CROSS JOIN LATERAL (
        SELECT chunk, bits FROM search_snapshot_bitmaps
        WHERE snapshot = newest.number AND search_snapshot_bitmaps.term = w.term OFFSET 0) AS b
      WHERE w.kind <> 'prefix'
    ),
    rare AS MATERIALIZED (
      SELECT name, kind, term, '''' || term || CASE kind WHEN 'prefix' THEN ''':*' ELSE '''' END AS expression
      FROM wanted WHERE kind <> 'bitmap' AND (SELECT products FROM newest) > 0 AND name NOT IN (SELECT name FROM bitmaps)
    ),
    found AS (
      SELECT w.name, s.id FROM rare w CROSS JOIN LATERAL (
        SELECT id FROM catalog_search WHERE kind = 'product' AND facets && ARRAY[w.term] OFFSET 0) AS s
      WHERE w.kind = 'facet'
      UNION ALL
      SELECT w.name, s.id FROM rare w CROSS JOIN LATERAL (
        SELECT id FROM catalog_search WHERE kind = 'product' AND words @@ w.expression::tsquery OFFSET 0) AS s
      WHERE w.kind <> 'facet'
    )
    SELECT 'state' AS part, NULL::text AS name, NULL::bigint AS number, NULL::bytea AS bytes,
      json_build_object('state', state.state, 'number', newest.number, 'products', newest.products, 'continues', newest.seen IS NOT NULL, 'unchanged', verdict.unchanged, 'answers', verdict.answers) AS told
    FROM state CROSS JOIN verdict LEFT JOIN newest ON true
    UNION ALL
    SELECT 'change', changed.id, changed.line, NULL, s.told FROM changed LEFT JOIN LATERAL (
      SELECT json_build_object('category', category, 'popularity', popularity, 'sortKey', sort_key,
        'terms', facets || tsvector_to_array(words)) AS told FROM catalog_search
      WHERE kind = 'product' AND id = changed.id OFFSET 0) AS s ON true
    UNION ALL
    SELECT 'bits', name, chunk, bit_send(bits), NULL FROM bitmaps
    UNION ALL
    SELECT 'found', name, NULL, NULL, json_agg(id) FROM found GROUP BY name`;
}
