import type { Knex } from 'knex';
import type { ResolvedQuery } from '../../models/catalog/catalog-query';
import { nameSortKey } from '../../models/catalog/fold-text';
import type { SuggestedRow, SuggestionQuery } from '../../models/catalog/suggestion';
import { inOneState, lines, prepared, rowsOf, sql } from '../core/sql';
import type { Window } from './search/scored-rows';
import { expandTerms, expandTyped, matchingAll, type TermExpansion } from './search/term-expansion';

/** Rows of the taxonomy, which have indexes of their own. */
const NODES = sql`catalog_search WHERE kind <> 'product'`;
/** The most popular of them, which are looked at first. */
const POPULAR = sql`(SELECT id, category, popularity, sort_key, words FROM ${NODES}
  ORDER BY popularity DESC, id LIMIT 1000) AS popular`;
/** Where so many of those match, far more of the others do than could be sorted in time, and none is needed. */
const MANY = sql`50`;

/** The ids of the products that match all words, by falling popularity. */
type FindPopular = (
  knex: Knex,
  query: ResolvedQuery,
  expansions: readonly TermExpansion[] | null,
  window: Window,
) => Promise<readonly string[]>;

/**
 * The rows that complete a query, in the order of contract 5.12. Each sort of them is looked for if it has to be, the dearest
 * last: products, then words that are misspelt. What is typed first is answered by one statement, names that begin so.
 */
export async function suggestedRows(
  knex: Knex,
  query: SuggestionQuery,
  find: FindPopular,
): Promise<readonly SuggestedRow[]> {
  if (query.words?.length === 0) return [];
  const named = await nodes(knex, query, []);
  return named.length < query.size ? inOneState(knex, (trx) => matchingRows(trx, query, find)) : named;
}

async function matchingRows(
  knex: Knex,
  query: SuggestionQuery,
  find: FindPopular,
): Promise<readonly SuggestedRow[]> {
  const { words, size } = query;
  const found = new Map<string, SuggestedRow>();
  const take = async (expansions: readonly TermExpansion[]) => {
    for (const sort of [nodes, products]) {
      if (found.size < size)
        for (const row of await sort(knex, query, expansions, find)) found.set(row.id, row);
    }
  };
  await take(words === null ? [] : await expandTyped(knex, words));
  if (words !== null && found.size < size) {
    const { expansions: terms } = await expandTerms(knex, words);
    if (terms.some(({ misspelt }) => misspelt.length > 0)) await take(terms);
  }
  return [...found.values()].slice(0, size);
}

/**
 * Rows of the taxonomy: as many as are wanted of those whose name begins with the text, then as many that match all terms;
 * of these those first whose own name holds the last word as far as it is typed. A row may come twice.
 */
function nodes(
  knex: Knex,
  { text, words, category, size }: SuggestionQuery,
  terms: readonly TermExpansion[],
): Promise<SuggestedRow[]> {
  const begins = nameSortKey(text);
  const within = sql`(${category}::text IS NULL OR ${category} = ANY(string_to_array(category, ',')))`;
  const isNamed = sql`sort_key >= ${begins} AND sort_key < ${`${begins}\u{10ffff}`} AND ${within}`;
  const expression = matchingAll(terms) || null;
  const matches = sql`${expression}::tsquery IS NOT NULL AND words @@ ${expression}::tsquery AND ${within}`;
  const popularFirst = sql`popularity DESC, id LIMIT ${size}`;
  return rowsOf<SuggestedRow>(
    knex,
    prepared(
      sql`WITH named_popular AS MATERIALIZED (
            SELECT id, popularity FROM ${POPULAR} WHERE ${isNamed} ORDER BY ${popularFirst}
          ),
          named AS (
            SELECT * FROM named_popular WHERE (SELECT count(*) FROM named_popular) >= ${size}
            UNION ALL
            SELECT id, popularity FROM ${NODES} AND ${isNamed} AND (SELECT count(*) FROM named_popular) < ${size}
          ),
          popular_matches AS MATERIALIZED (SELECT id, popularity, sort_key FROM ${POPULAR} WHERE ${matches}),
          matches AS (
            SELECT * FROM popular_matches WHERE (SELECT count(*) FROM popular_matches) >= ${MANY}
            UNION ALL
            SELECT id, popularity, sort_key FROM ${NODES} AND ${matches}
              AND (SELECT count(*) FROM popular_matches) < ${MANY}
          )
          SELECT r.id, r.kind, r.name, r.attributes FROM (
            (SELECT 1 AS turn, id, popularity, true AS says FROM named ORDER BY ${popularFirst})
            UNION ALL
            (SELECT 2, id, popularity, strpos(sort_key, ${nameSortKey(words?.at(-1) ?? '')}) > 0 AS says FROM matches
              ORDER BY says DESC, ${popularFirst})
          ) AS found JOIN catalog_rows r USING (id) ORDER BY turn, says DESC, found.popularity DESC, id`,
    ),
  );
}

/** As many products as are wanted that match all terms, by falling popularity. */
async function products(
  knex: Knex,
  { category, words, size, sandbox }: SuggestionQuery,
  terms: readonly TermExpansion[],
  find: FindPopular,
): Promise<SuggestedRow[]> {
  const query: ResolvedQuery = {
    ...{ node: 'product', categories: category === null ? null : [category], filters: [], words },
    ...{ sort: 'popularity_desc', page: 0, pageSize: size, ...(sandbox && { sandbox }) },
  };
  const ids = await find(knex, query, words === null ? null : terms, { offset: 0, limit: size });
  if (ids.length === 0) return [];
  const found = await rowsOf<SuggestedRow>(
    knex,
    prepared(
      sql`SELECT id, kind, name, attributes FROM catalog_rows WHERE id = ANY(ARRAY(SELECT * FROM ${lines(ids)}))`,
    ),
  );
  const byId = new Map(found.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
