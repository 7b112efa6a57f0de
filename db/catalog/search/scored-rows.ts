import type { Knex } from 'knex';
import type { ResolvedQuery, RowPosition } from '../../../models/catalog/catalog-query';
import type { CatalogState } from '../../../models/ports';
import { allOf, rowsOf, type Sql, sql } from '../../core/sql';
import {
  comesAfter,
  inCategories,
  inOrder,
  inSandbox,
  matchesFilter,
  matchesWords,
  restricts,
} from './catalog-clauses';
import { CatalogChanged, STATE } from './catalog-state';
import type { FacetCounts, FoundPage, Window } from './found-page';
import { matchingAll, matchingAny, type TermExpansion, waysOf } from './term-expansion';

const PRODUCT = 'product';

type ScoredPage = FoundPage & { readonly state: CatalogState };

/**
 * A page of the rows of any kind that pass the filters, in one statement: a listing, or, with the expansions of a text,
 * the rows that match its words, each looked up in the index and counted (contract 5.4). Its cost grows with the rows that
 * match, so products are found here only where the snapshot can't tell.
 *
 * @param order of a text: by relevance, or the rows that match all words by popularity alone
 * @throws AppError 503
 */
export async function scoredRows(
  knex: Knex,
  query: ResolvedQuery,
  expansions: readonly TermExpansion[] | null,
  window: Window,
  order: 'relevance' | 'popularity' = 'relevance',
): Promise<ScoredPage> {
  const conditions = conditionsOf(query);
  const isRanked = expansions !== null && order === 'relevance';
  const match = isRanked && query.match !== 'all' ? matchingAny : matchingAll;
  const matching = expansions === null ? conditions : [...conditions, matchesWords(match(expansions))];
  const [line] = await rowsOf<{ total: number; best: number; ids: string[] } & CatalogState>(
    knex,
    isRanked ? ranked(conditions, query, expansions, window) : listed(matching, query, window),
  );
  if (!line) throw new Error('a statement that always has a line has none');
  const { total, best, ids, transactions, snapshot } = line;
  const facets = await countFacets(knex, matching, query);
  return { rows: ids, total, wordsMatched: best, facets, state: { transactions, snapshot } };
}

function conditionsOf({ node, categories, filters, sandbox }: ResolvedQuery): Sql[] {
  return [
    sql`kind = ${node}`,
    // What the indexes of the taxonomy begin at.
    ...(node === PRODUCT ? [] : [sql`kind <> 'product'`]),
    ...(categories === null ? [] : [inCategories(node, categories)]),
    ...filters.filter(restricts).map(matchesFilter),
    ...(sandbox && node === PRODUCT ? [inSandbox] : []),
  ];
}

function listed(conditions: readonly Sql[], { sort }: ResolvedQuery, { offset, limit, after }: Window): Sql {
  const begin = after ? [comesAfter(sort, after)] : [];
  return sql`SELECT (SELECT count(*) FROM catalog_search WHERE ${allOf(conditions)})::integer AS total, 0 AS best, ${STATE},
    ARRAY(SELECT id FROM catalog_search WHERE ${allOf([...conditions, ...begin])}
      ORDER BY ${inOrder(sort)} LIMIT ${limit} OFFSET ${offset}) AS ids`;
}

function ranked(
  conditions: readonly Sql[],
  { match }: ResolvedQuery,
  expansions: readonly TermExpansion[],
  { offset, limit, after }: Window,
): Sql {
  const least = match === 'all' ? expansions.length : 1;
  const begin = after ? ranksAfter(after) : sql`true`;
  // OFFSET 0: one look-up for each way.
  return sql`WITH ways AS MATERIALIZED (${waysIn(expansions)}),
    terms AS (
      SELECT id, popularity, term, max(rank) AS rank FROM ways CROSS JOIN LATERAL (
        SELECT id, popularity FROM catalog_search
        WHERE ${allOf(conditions)} AND words @@ expression::tsquery OFFSET 0) AS found
      GROUP BY id, popularity, term
    ),
    matches AS MATERIALIZED (
      SELECT id, popularity, ${RANKS} FROM terms GROUP BY id, popularity HAVING count(*) >= ${least}
    )
    SELECT (SELECT count(*) FROM matches)::integer AS total, coalesce((SELECT max(matched) FROM matches), 0)::integer AS best,
      ${STATE}, ARRAY(SELECT id FROM matches WHERE ${begin}
        ORDER BY matched DESC, exact DESC, longer DESC, popularity DESC, id LIMIT ${limit} OFFSET ${offset}) AS ids`;
}

/** The ways in which a row may match, as lines. */
function waysIn(expansions: readonly TermExpansion[]): Sql {
  const ways = waysOf(expansions);
  return sql`SELECT * FROM unnest(${ways.map(({ expression }) => expression)}::text[],
    ${ways.map(({ term }) => term)}::integer[], ${ways.map(({ rank }) => rank)}::integer[])
    AS way (expression, term, rank)`;
}

/** What rows are ranked by, of the best rank for each word. */
const RANKS = sql`count(*) AS matched, count(*) FILTER (WHERE rank = 3) AS exact, count(*) FILTER (WHERE rank = 2) AS longer`;

const ranksAfter = ({ rank: [matched = 0, exact = 0, longer = 0], ...row }: RowPosition): Sql =>
  sql`((matched, exact, longer) < (${matched}::bigint, ${exact}::bigint, ${longer}::bigint)
    OR ((matched, exact, longer) = (${matched}::bigint, ${exact}::bigint, ${longer}::bigint)
      AND ${comesAfter('popularity_desc', row)}))`;

/**
 * Where a row stands in a listing, or in the answer to a text.
 *
 * @param id an expression
 * @throws CatalogChanged when the row is gone
 */
export async function positionOf(
  knex: Knex,
  id: Sql,
  expansions: readonly TermExpansion[] | null,
): Promise<RowPosition> {
  const [row] = await rowsOf<{ id: string; popularity: number; sort_key: string; rank: number[] }>(
    knex,
    expansions === null
      ? sql`SELECT id, popularity, sort_key, '{}'::integer[] AS rank FROM catalog_search WHERE id = ${id}`
      : sql`SELECT s.id, s.popularity, s.sort_key, scored.rank FROM catalog_search s CROSS JOIN LATERAL (
            SELECT ARRAY[matched, exact, longer]::integer[] AS rank FROM (
              SELECT ${RANKS} FROM (
                SELECT term, max(rank) AS rank FROM (${waysIn(expansions)}) AS ways
                WHERE s.words @@ expression::tsquery GROUP BY term) AS best) AS ranks) AS scored
          WHERE s.id = ${id}`,
  );
  if (!row) throw new CatalogChanged();
  return { id: row.id, popularity: row.popularity, sortKey: row.sort_key, rank: row.rank };
}

/** How many rows that meet the conditions have each value of the facets that are asked for. */
async function countFacets(
  knex: Knex,
  conditions: readonly Sql[],
  { facets = [] }: ResolvedQuery,
): Promise<FacetCounts> {
  const counts = new Map(facets.map(({ field }) => [field, new Map<string, number>()]));
  if (counts.size === 0) return counts;
  const lines = await rowsOf<{ field: string; id: string; rows: number }>(
    knex,
    sql`SELECT field, substr(facet, length(field) + 2) AS id, count(*) AS rows
        FROM catalog_search CROSS JOIN LATERAL unnest(facets) AS facet
        CROSS JOIN LATERAL split_part(facet, ':', 1) AS field
        WHERE ${allOf(conditions)} AND field = ANY(${[...counts.keys()]}::text[])
        GROUP BY field, facet`,
  );
  for (const { field, id, rows } of lines) counts.get(field)?.set(id, rows);
  return counts;
}
