import type { Knex } from 'knex';
import type { ResolvedQuery, RowPosition } from '../../../models/catalog/catalog-query';
import type { CatalogState } from '../../../models/ports';
import { allOf, rowsOf, type Sql, sql } from '../../core/sql';
import { COMES_AFTER, IN_ORDER, inCategories, inSandbox, matchesFilter, restricts } from './catalog-clauses';
import { STATE } from './catalog-state';
import { matchesOf, matchingAll, matchingAny, type TermExpansion } from './term-expansion';

const PRODUCT = 'product';

export interface Window {
  readonly offset: number;
  readonly limit: number;
  /** It begins after this row; then there is no offset. */
  readonly after?: RowPosition | null;
}

/** Of a text: by relevance, or the rows that match all words by popularity alone. */
export type RankOrder = 'relevance' | 'popularity';
export type FacetCounts = ReadonlyMap<string, ReadonlyMap<string, number>>;

export interface FoundPage {
  /** Each key only where the order depends on it: the name in an order by name, popularity in all others. */
  readonly rows: readonly RowPosition[];
  readonly total: number;
  /** Words of the query matched by the best row of all; 0 in a listing. */
  readonly wordsMatched: number;
  readonly facets: FacetCounts;
}
export type FoundInState = FoundPage & { readonly state: CatalogState };

/**
 * A page of the rows of any kind that pass the filters, in one statement: a listing, or, with the expansions of a text,
 * the rows that match its words, each looked up in the index and counted (contract 5.4). Its cost grows with the rows that
 * match, so products are searched here only when the snapshot can't answer.
 * @throws AppError 503
 */
export async function scoredRows(
  knex: Knex,
  query: ResolvedQuery,
  expansions: readonly TermExpansion[] | null,
  window: Window,
  order: RankOrder = 'relevance',
): Promise<FoundInState> {
  const conditions = queryConditions(query);
  const isRanked = expansions !== null && order === 'relevance';
  const match = isRanked && query.match !== 'all' ? matchingAny : matchingAll;
  const matching =
    expansions === null ? conditions : [...conditions, sql`words @@ ${match(expansions)}::tsquery`];
  const [line] = await rowsOf<Omit<FoundInState, 'facets'>>(
    knex,
    isRanked ? ranked(conditions, query, expansions, window) : listed(matching, query, window),
  );
  if (!line) throw new Error('a statement that always has a line has none');
  return { ...line, facets: await countFacets(knex, matching, query) };
}

function queryConditions({ node, categories, filters, sandbox }: ResolvedQuery): Sql[] {
  return [
    sql`kind = ${node}`,
    // The condition that the taxonomy indexes begin with.
    ...(node === PRODUCT ? [] : [sql`kind <> 'product'`]),
    ...(categories === null ? [] : [inCategories(node, categories)]),
    ...filters.filter(restricts).map(matchesFilter),
    ...(sandbox && node === PRODUCT ? [inSandbox] : []),
  ];
}

function listed(conditions: readonly Sql[], { sort }: ResolvedQuery, { offset, limit, after }: Window): Sql {
  const begin = after ? [COMES_AFTER[sort](after)] : [];
  return sql`SELECT (SELECT count(*) FROM catalog_search WHERE ${allOf(conditions)})::integer AS total, 0 AS "wordsMatched", ${STATE},
    to_json(ARRAY(SELECT ${position(sql`sort_key`, sql`'{}'::integer[]`)} FROM catalog_search
      WHERE ${allOf([...conditions, ...begin])} ORDER BY ${IN_ORDER[sort]} LIMIT ${limit} OFFSET ${offset})) AS rows`;
}

function ranked(
  conditions: readonly Sql[],
  { match }: ResolvedQuery,
  expansions: readonly TermExpansion[],
  { offset, limit, after }: Window,
): Sql {
  const wordMatches = matchesOf(expansions);
  // OFFSET 0: one look-up for each of them.
  return sql`WITH terms AS (
      SELECT id, popularity, term, max(rank) AS rank
      FROM unnest(${wordMatches.map(({ expression }) => expression)}::text[], ${wordMatches.map(({ term }) => term)}::integer[],
        ${wordMatches.map(({ rank }) => rank)}::integer[]) AS word_match (expression, term, rank)
      CROSS JOIN LATERAL (SELECT id, popularity FROM catalog_search
        WHERE ${allOf(conditions)} AND words @@ expression::tsquery OFFSET 0) AS found
      GROUP BY id, popularity, term
    ),
    matches AS MATERIALIZED (
      SELECT id, popularity, ARRAY[count(*), count(*) FILTER (WHERE rank = 3), count(*) FILTER (WHERE rank = 2)] AS rank
      FROM terms GROUP BY id, popularity HAVING count(*) >= ${match === 'all' ? expansions.length : 1}
    )
    SELECT (SELECT count(*) FROM matches)::integer AS total, coalesce((SELECT max(rank[1]) FROM matches), 0)::integer AS "wordsMatched",
      ${STATE}, to_json(ARRAY(SELECT ${position(sql`''`, sql`rank`)} FROM matches WHERE ${after ? ranksAfter(after) : sql`true`}
        ORDER BY rank DESC, ${IN_ORDER.popularity_desc} LIMIT ${limit} OFFSET ${offset})) AS rows`;
}

const position = (sortKey: Sql, rank: Sql): Sql =>
  sql`json_build_object('id', id, 'popularity', popularity, 'sortKey', ${sortKey}, 'rank', ${rank})`;

const ranksAfter = ({ rank, ...row }: RowPosition): Sql =>
  sql`(rank < ${rank}::bigint[] OR (rank = ${rank}::bigint[] AND ${COMES_AFTER.popularity_desc(row)}))`;

async function countFacets(
  knex: Knex,
  conditions: readonly Sql[],
  { facets = [] }: ResolvedQuery,
): Promise<FacetCounts> {
  const counts = new Map(facets.map(({ field }) => [field, new Map<string, number>()]));
  if (counts.size === 0) return counts;
  const lines = await rowsOf<{ field: string; id: string; rows: number }>(knex)`
    SELECT field, substr(facet, length(field) + 2) AS id, count(*) AS rows
    FROM catalog_search CROSS JOIN LATERAL unnest(facets) AS facet
    CROSS JOIN LATERAL split_part(facet, ':', 1) AS field
    WHERE ${allOf(conditions)} AND field = ANY(${[...counts.keys()]}::text[])
    GROUP BY field, facet`;
  for (const { field, id, rows } of lines) counts.get(field)?.set(id, rows);
  return counts;
}
