import type { Knex } from 'knex';
import type { ResolvedQuery } from '../../models/catalog/catalog-query';
import { nameSortKey } from '../../models/catalog/fold-text';
import type { CatalogState, FoundRows, SuggestedRow, SuggestionQuery } from '../../models/ports';
import { lines, prepared, rowsOf, type Sql, sql } from '../core/sql';
import { CatalogChanged, isUnchangedSince, STATE } from './search/catalog-state';
import type { FoundPage } from './search/scored-rows';
import type { SnapshotCache } from './search/snapshot-cache';
import { matchingAll, type TermExpansion } from './search/term-expansion';

/** Rows of the taxonomy, which have indexes of their own. */
const NODES = sql`catalog_search WHERE kind <> 'product'`;
const POPULAR = sql`(SELECT id, category, popularity, sort_key, words FROM ${NODES}
  ORDER BY popularity DESC, id LIMIT 1000) AS popular`;
/** If this many popular rows match, too many match to be sorted in time, and no others are needed. */
const MANY = sql`50`;
/** Of fewer names that begin so, the most popular are found sooner by sorting them than among the popular rows. */
const MANY_NAMES = sql`250`;
/** Reads at most that many rows of `all`. */
const areMany = (all: Sql, many: Sql) =>
  sql`(SELECT count(*) FROM (SELECT FROM ${all} LIMIT ${many}) AS few) = ${many}`;

/** @param known whether the expansions may be known from before the answer's first read */
type Expand = (isTyped: boolean, known: boolean) => ReturnType<SnapshotCache['expand']>;
/** The products that match all words, by popularity, and the state of this and earlier reads, which must still be current. */
type FindPopular = (
  query: ResolvedQuery,
  expansions: readonly TermExpansion[] | null,
  before: CatalogState,
) => Promise<Pick<FoundPage, 'rows'> & Pick<FoundRows, 'state'>>;

/**
 * The rows that complete a query, in the order of contract 5.12. Products and misspelt words, the most expensive, are looked
 * up only if needed. @throws CatalogChanged when the rows would not be of one state
 */
export async function suggestedRows(
  knex: Knex,
  query: SuggestionQuery,
  expand: Expand,
  find: FindPopular,
): Promise<readonly SuggestedRow[]> {
  const { words, size } = query;
  if (words?.length === 0) return [];
  const found = new Map<string, SuggestedRow>();
  /** Of the first read: the last one tells whether it is still current. */
  let since: CatalogState | null = null;
  const take = async (select: Sql) => {
    const { rows, state } = await readRows(knex, select, since);
    for (const row of rows) found.set(row.id, row);
    since ??= state;
    return since;
  };
  const takeMatches = async (expansions: readonly TermExpansion[]) => {
    const before = await take(nodes(query, expansions));
    if (found.size >= size || (words !== null && matchingAll(expansions) === '')) return;
    const { rows, state } = await find(productQuery(query), words && expansions, before);
    since = state;
    await take(rowsInOrder(rows.map(({ id }) => id)));
  };
  const typed = words && (await expand(true, true));
  since = typed?.state ?? null;
  await takeMatches(typed?.expansions ?? []);
  if (words !== null && found.size < size) {
    const { expansions } = await expand(false, typed?.isKnown === true);
    if (expansions.some(({ misspelt }) => misspelt.length > 0)) await takeMatches(expansions);
  }
  return [...found.values()].slice(0, size);
}

interface ReadRows extends Pick<FoundRows, 'state'> {
  readonly rows: readonly SuggestedRow[];
}

/** Reads the rows that `select` has (`id`, `kind`, `name`, `attributes`), of one state with what was read before, if anything. */
async function readRows(knex: Knex, select: Sql, before: CatalogState | null): Promise<ReadRows> {
  const [line] = await rowsOf<ReadRows & { readonly still: boolean }>(
    knex,
    prepared(sql`SELECT coalesce((SELECT json_agg(selected) FROM (${select}) AS selected), '[]') AS rows,
        ${before}::text IS NULL OR ${isUnchangedSince(sql`${before}`)} AS still, ${STATE}`),
  );
  if (!line?.still) throw new CatalogChanged();
  return line;
}

/** Rows whose name begins with the text, then rows that match all terms, first those with the last word in their own name; some come twice. */
function nodes({ text, words, category, size }: SuggestionQuery, terms: readonly TermExpansion[]): Sql {
  const begins = nameSortKey(text);
  const within = sql`(${category}::text IS NULL OR ${category} = ANY(string_to_array(category, ',')))`;
  const isNamed = sql`sort_key >= ${begins} AND sort_key < ${`${begins}\u{10ffff}`} AND ${within}`;
  const expression = matchingAll(terms) || null;
  const matches = sql`${expression}::tsquery IS NOT NULL AND words @@ ${expression}::tsquery AND ${within}`;
  const popularFirst = sql`popularity DESC, id LIMIT ${size}`;
  // Each is read as far as it is needed; the popular rows, which cost the most, only beside many others.
  return sql`WITH all_named AS MATERIALIZED (SELECT id, popularity FROM ${NODES} AND ${isNamed}),
      named_popular AS MATERIALIZED (
        SELECT id, popularity FROM ${POPULAR}
        WHERE ${areMany(sql`all_named`, MANY_NAMES)} AND ${isNamed} ORDER BY ${popularFirst}
      ),
      named AS (
        SELECT * FROM named_popular WHERE (SELECT count(*) FROM named_popular) >= ${size}
        UNION ALL
        SELECT * FROM all_named WHERE (SELECT count(*) FROM named_popular) < ${size}
      ),
      all_matches AS MATERIALIZED (
        SELECT id, popularity, sort_key FROM ${NODES} AND ${matches} AND NOT ${areMany(sql`all_named`, sql`${size}`)}
      ),
      popular_matches AS MATERIALIZED (
        SELECT id, popularity, sort_key FROM ${POPULAR}
        WHERE ${areMany(sql`all_matches`, MANY)} AND ${matches}
      ),
      matches AS (
        SELECT * FROM popular_matches WHERE (SELECT count(*) FROM popular_matches) >= ${MANY}
        UNION ALL
        SELECT * FROM all_matches WHERE (SELECT count(*) FROM popular_matches) < ${MANY}
      )
      SELECT r.id, r.kind, r.name, r.attributes FROM (
        (SELECT 1 AS turn, id, popularity, true AS says FROM named ORDER BY ${popularFirst})
        UNION ALL
        (SELECT 2, id, popularity, strpos(sort_key, ${nameSortKey(words?.at(-1) ?? '')}) > 0 AS says FROM matches
          ORDER BY says DESC, ${popularFirst})
      ) AS found JOIN catalog_rows r USING (id) ORDER BY turn, says DESC, found.popularity DESC, id`;
}

const productQuery = ({ category, words, size, sandbox }: SuggestionQuery): ResolvedQuery => ({
  ...{ node: 'product', categories: category === null ? null : [category], filters: [], words },
  ...{ sort: 'popularity_desc', page: 0, pageSize: size, ...(sandbox && { sandbox }) },
});

const rowsInOrder = (ids: readonly string[]): Sql =>
  sql`SELECT id, kind, name, attributes FROM ${lines(ids)} WITH ORDINALITY AS asked (id, place)
    JOIN catalog_rows USING (id) ORDER BY place`;
