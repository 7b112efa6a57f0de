import type { Knex } from 'knex';
import type { CatalogState } from '../../../../models/ports';
import { constant, prepared, rowsOf, type Sql, sql } from '../../../core/sql';
import { STATE } from '../catalog-state';
import { type CountedTerm, countsOf, type TermCount } from '../term-counts';
import type { ChangedProduct, ChangedRow } from './changed-products';
import type { WantedTerm } from './wanted-sets';

/** Changes with which a snapshot still answers; a process keeps them all. */
export const CHANGES_MAX = 50_000;
const CHANGES_READ = constant(CHANGES_MAX + 1);

/** What is known of a snapshot before a query. */
interface KnownState {
  readonly number: number;
  /** The state that was seen last, as a `pg_snapshot`. */
  readonly transactions: string | null;
}

/** What answers begin with: the state of the catalog, and from the snapshot, or else of the rows, what the queries need. */
interface Opening {
  readonly state: CatalogState;
  /** Null where all are to be answered without one. */
  readonly snapshot: OpenSnapshot | null;
  /** How many rows have the terms that are counted. */
  readonly counts: readonly TermCount[];
}

/** What of a snapshot the queries need. */
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

/** One statement, so that all of it is of one state. */
interface Asked {
  /** Distinct terms whose products are wanted; null if no snapshot is to answer. */
  readonly wanted: readonly WantedTerm[] | null;
  /** Distinct terms that are counted, always or where there is no snapshot to answer. */
  readonly counted: readonly (CountedTerm & { readonly always: boolean })[];
  readonly known: KnownState | null;
  /** Number of a snapshot that can't answer. */
  readonly outgrown: number | null;
}

/** Reads the opening of one or more answers. */
export async function readOpening(knex: Knex, asked: Asked): Promise<Opening> {
  const lines = await rowsOf<Line>(knex, prepared(openingStatement(asked)));
  const state = lines.find((line) => line.part === 'state');
  if (!state) throw new Error('a statement that always has a line has none');
  const { transactions, snapshot: newest, number, products, continues, answers } = state.told;
  const snapshot =
    number === null ? null : { number, products: products ?? 0, continues, ...partsOf(lines, answers) };
  const counts = lines
    .filter((line) => line.part === 'count')
    .map(({ name, number: rows, told }) => ({ ...told, term: name, rows }));
  return { state: { transactions, snapshot: newest }, snapshot, counts };
}

/** What the lines tell of a snapshot. */
const partsOf = (lines: readonly Line[], answers: boolean) => ({
  changes: answers
    ? lines
        .filter((line) => line.part === 'change')
        .map(({ name, number, told }) => ({
          id: name,
          line: number,
          ordinal: told.ordinal,
          row: told.row && { ...told.row, id: name },
        }))
    : null,
  bits: lines
    .filter((line) => line.part === 'bits')
    .map(({ name, number, bytes }) => ({ name, chunk: number, bytes })),
  ordinals: lines
    .filter((line) => line.part === 'ordinal')
    .map(({ name, number }) => ({ name, ordinal: number })),
});

type Line =
  | { readonly part: 'state'; readonly told: StateTold }
  | { readonly part: 'change'; readonly name: string; readonly number: number; readonly told: ChangeTold }
  | { readonly part: 'bits'; readonly name: string; readonly number: number; readonly bytes: Buffer }
  | { readonly part: 'ordinal'; readonly name: string; readonly number: number }
  | { readonly part: 'count'; readonly name: string; readonly number: number; readonly told: CountTold };

type CountTold = Pick<TermCount, 'kind' | 'category'>;

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

/** Wanted terms are told as JSON, of which the planner takes the same for granted however many they are: its plan can stand. */
function openingStatement({ wanted, counted, known, outgrown }: Asked): Sql {
  const seen = known?.transactions ?? null;
  return sql`WITH state AS MATERIALIZED (SELECT ${STATE}),
    newest AS MATERIALIZED (
      SELECT s.number, s.products,
        CASE WHEN s.number = ${known?.number ?? null}::integer
          AND pg_snapshot_xmax(pg_current_snapshot()) >= pg_snapshot_xmax(${seen}::pg_snapshot)
          AND NOT EXISTS (SELECT FROM pg_snapshot_xip(pg_current_snapshot()) AS running
            WHERE pg_visible_in_snapshot(running, ${seen}::pg_snapshot))
          THEN ${seen}::pg_snapshot END AS seen
      FROM state JOIN search_snapshots s ON s.number = state.snapshot
      WHERE ${wanted !== null}::boolean AND s.number IS DISTINCT FROM ${outgrown}::integer
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
      SELECT w.* FROM newest CROSS JOIN json_to_recordset(${JSON.stringify(wanted ?? [])}::json)
        AS w (name text, kind text, term text)
    ),
    counted AS MATERIALIZED (
      SELECT kind, term FROM json_to_recordset(${JSON.stringify(counted)}::json)
        AS c (kind text, term text, always boolean)
      WHERE always OR NOT EXISTS (SELECT FROM newest)
    ),
    bitmaps AS MATERIALIZED (
      SELECT w.name, w.term, b.chunk, b.bits FROM newest CROSS JOIN wanted w CROSS JOIN LATERAL (
        SELECT chunk, bits FROM search_snapshot_bitmaps
        WHERE snapshot = newest.number AND search_snapshot_bitmaps.term = w.term OFFSET 0) AS b
      WHERE w.kind <> 'beginning'
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
      WHERE w.kind IN ('facet', 'word') AND NOT EXISTS (SELECT FROM bitmaps b WHERE b.term = w.term)
    ),
    found AS (
      SELECT w.name, s.id FROM rare w CROSS JOIN LATERAL (
        SELECT id FROM catalog_search WHERE kind = 'product' AND facets && ARRAY[w.term] OFFSET 0) AS s
      WHERE w.kind = 'facet'
      UNION ALL
      SELECT w.name, s.id FROM rare w CROSS JOIN LATERAL (
        SELECT id FROM catalog_search WHERE kind = 'product' AND words @@ ('''' || w.term || '''')::tsquery
        OFFSET 0) AS s
      WHERE w.kind = 'word'
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
      SELECT ordinal FROM search_snapshot_ordinals WHERE snapshot = newest.number AND id = f.id OFFSET 0) AS p
    UNION ALL
    SELECT 'count', term, rows, NULL, json_build_object('kind', kind, 'category', category)
    FROM (${countsOf(sql`counted AS asked`)}) AS counts`;
}
