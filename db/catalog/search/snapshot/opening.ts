import type { Knex } from 'knex';
import type { CatalogState } from '../../../../models/ports';
import { constant, prepared, rowsOf, type Sql, sql } from '../../../core/sql';
import { STATE } from '../catalog-state';
import type { ChangedProduct, ChangedRow, WantedTerm } from './changed-products';

/** Changes with which a snapshot still answers; a process keeps them all. */
export const CHANGES_MAX = 50_000;

/** What is known of a snapshot before. */
interface KnownBefore {
  readonly number: number;
  readonly seen: { readonly transactions: string } | null;
}

/** What of a snapshot some queries need, as one state of the catalog has it. */
export interface OpenSnapshot {
  readonly number: number;
  readonly products: number;
  /** Whether the changes add to those of the state that was seen last. */
  readonly continues: boolean;
  /** Null if they are more than a snapshot can answer with. */
  readonly changes: readonly ChangedProduct[] | null;
  /** Of wanted terms by name the bits of a chunk, and ordinals one by one. */
  readonly bits: readonly { readonly name: string; readonly chunk: number; readonly bytes: Buffer }[];
  readonly ordinals: readonly { readonly name: string; readonly ordinal: number }[];
}

interface Opening {
  readonly state: CatalogState;
  /** Null where there is none, or only the outgrown one. */
  readonly snapshot: OpenSnapshot | null;
}

/**
 * One statement, so that all of it is of one state.
 *
 * @param wanted distinct terms whose bitmaps are not known
 * @param last what is known of a snapshot before
 * @param outgrown number of a snapshot that can't answer
 */
export async function readOpening(
  knex: Knex,
  wanted: readonly WantedTerm[],
  last: KnownBefore | null,
  outgrown: number | null,
): Promise<Opening> {
  const lines = await rowsOf<Line>(knex, prepared(openingStatement(wanted, last, outgrown)));
  const partsOf = <Part extends Line['part']>(part: Part) =>
    lines.filter((line): line is Extract<Line, { part: Part }> => line.part === part);
  const [first] = partsOf('state');
  if (!first) throw new Error('a statement that always has a line has none');
  const { transactions, snapshot: newest, number, products, continues, answers } = first.told;
  const state = { transactions, snapshot: newest };
  if (number === null) return { state, snapshot: null };
  const changes = partsOf('change').map(({ name, number: line, told: { ordinal, row } }) => ({
    id: name,
    line,
    ordinal,
    row: row && { ...row, id: name },
  }));
  const snapshot: OpenSnapshot = {
    number,
    products: products ?? 0,
    continues,
    changes: answers ? changes : null,
    bits: partsOf('bits').map(({ name, number: chunk, bytes }) => ({ name, chunk, bytes })),
    ordinals: partsOf('ordinal').map(({ name, number: ordinal }) => ({ name, ordinal })),
  };
  return { state, snapshot };
}

type Line =
  | { readonly part: 'state'; readonly told: StateTold }
  | { readonly part: 'change'; readonly name: string; readonly number: number; readonly told: ChangeTold }
  | { readonly part: 'bits'; readonly name: string; readonly number: number; readonly bytes: Buffer }
  | { readonly part: 'ordinal'; readonly name: string; readonly number: number };

interface StateTold extends CatalogState {
  readonly number: number | null;
  readonly products: number | null;
  readonly continues: boolean;
  readonly answers: boolean;
}

interface ChangeTold {
  readonly ordinal: number | null;
  readonly row: Omit<ChangedRow, 'id'> | null;
}

const CHANGES_READ = constant(CHANGES_MAX + 1);

/** Wanted terms are told as JSON, for which the planner assumes the same size however many they are: its plan can stay. */
function openingStatement(
  wanted: readonly WantedTerm[],
  last: KnownBefore | null,
  outgrown: number | null,
): Sql {
  const seen = last?.seen?.transactions ?? null;
  return sql`WITH state AS MATERIALIZED (SELECT ${STATE}),
    newest AS MATERIALIZED (
      SELECT s.number, s.products,
        CASE WHEN s.number = ${last?.number ?? null}::integer
          AND pg_snapshot_xmax(pg_current_snapshot()) >= pg_snapshot_xmax(${seen}::pg_snapshot)
          AND NOT EXISTS (SELECT FROM pg_snapshot_xip(pg_current_snapshot()) AS running
            WHERE pg_visible_in_snapshot(running, ${seen}::pg_snapshot))
          THEN ${seen}::pg_snapshot END AS seen
      FROM state JOIN search_snapshots s ON s.number = state.snapshot
      WHERE s.number IS DISTINCT FROM ${outgrown}::integer
    ),
    lines AS MATERIALIZED (
      SELECT c.id, c.number FROM newest CROSS JOIN LATERAL catalog_changes_since(newest.seen, ${CHANGES_READ}) AS c
      WHERE c.id IS DISTINCT FROM ''
    ),
    verdict AS MATERIALIZED (SELECT count(*) = count(id) AND count(*) <= ${constant(CHANGES_MAX)} AS answers FROM lines),
    changed AS MATERIALIZED (
      SELECT id, max(number) AS line FROM lines WHERE (SELECT answers FROM verdict) GROUP BY id
    ),
    wanted AS MATERIALIZED (
      SELECT w.* FROM newest CROSS JOIN json_to_recordset(${JSON.stringify(wanted)}::json)
        AS w (name text, kind text, term text)
    ),
    bitmaps AS MATERIALIZED (
      SELECT w.name, w.term, b.chunk, b.bits FROM newest CROSS JOIN wanted w CROSS JOIN LATERAL (
        SELECT chunk, bits FROM search_snapshot_bitmaps
        WHERE snapshot = newest.number AND search_snapshot_bitmaps.term = w.term OFFSET 0) AS b
      WHERE w.kind IN ('facet', 'word', 'other')
      UNION ALL
      SELECT w.name, NULL, b.chunk, b.bits FROM newest CROSS JOIN wanted w CROSS JOIN LATERAL (
        SELECT chunk, bits FROM search_snapshot_bitmaps
        WHERE snapshot = newest.number AND search_snapshot_bitmaps.term > w.term
          AND search_snapshot_bitmaps.term < w.term || ${'\u{10ffff}'}
          AND strpos(search_snapshot_bitmaps.term, ':') = 0 AND strpos(search_snapshot_bitmaps.term, '*') = 0
        OFFSET 0) AS b
      WHERE w.kind = 'beginning'
    ),
    rare AS MATERIALIZED (
      SELECT w.* FROM wanted w CROSS JOIN LATERAL (
        SELECT FROM term_counts WHERE kind = 'product' AND term_counts.term = w.term LIMIT 1) AS counted
      WHERE w.kind IN ('facet', 'word') AND (SELECT products FROM newest) > 0 AND NOT EXISTS (SELECT FROM bitmaps b WHERE b.term = w.term)
    ),
    found AS (
      SELECT w.name, s.id FROM rare w CROSS JOIN LATERAL (
        SELECT id FROM catalog_search WHERE kind = 'product' AND facets && ARRAY[w.term] OFFSET 0) AS s
      WHERE w.kind = 'facet'
      UNION ALL
      SELECT w.name, s.id FROM (
        SELECT name, '''' || term || '''' AS expression FROM rare WHERE kind = 'word'
        UNION ALL SELECT name, '''' || term || ''':*' FROM wanted
          WHERE kind = 'prefix' AND (SELECT products FROM newest) > 0
      ) AS w CROSS JOIN LATERAL (
        SELECT id FROM catalog_search WHERE kind = 'product' AND words @@ w.expression::tsquery OFFSET 0) AS s
    )
    SELECT 'state' AS part, NULL::text AS name, NULL::bigint AS number, NULL::bytea AS bytes,
      json_build_object('transactions', state.transactions, 'snapshot', state.snapshot, 'number', newest.number,
        'products', newest.products, 'continues', newest.seen IS NOT NULL, 'answers', verdict.answers) AS told
    FROM state CROSS JOIN verdict LEFT JOIN newest ON true
    UNION ALL
    SELECT 'change', changed.id, changed.line, NULL, json_build_object('ordinal', p.ordinal, 'row',
      CASE WHEN s.category IS NOT NULL THEN json_build_object('category', s.category, 'popularity', s.popularity,
        'sortKey', s.sort_key, 'terms', s.terms) END)
    FROM newest CROSS JOIN changed LEFT JOIN LATERAL (
      SELECT ordinal FROM search_snapshot_ordinals WHERE snapshot = newest.number AND id = changed.id OFFSET 0) AS p ON true
    LEFT JOIN LATERAL (
      SELECT category, popularity, sort_key, facets || tsvector_to_array(words) AS terms FROM catalog_search
      WHERE kind = 'product' AND id = changed.id OFFSET 0) AS s ON true
    UNION ALL
    SELECT 'bits', name, chunk, bit_send(bit_or(bits)), NULL FROM bitmaps GROUP BY name, chunk
    UNION ALL
    SELECT 'ordinal', f.name, p.ordinal, NULL, NULL FROM newest CROSS JOIN found f CROSS JOIN LATERAL (
      SELECT ordinal FROM search_snapshot_ordinals WHERE snapshot = newest.number AND id = f.id OFFSET 0) AS p`;
}
