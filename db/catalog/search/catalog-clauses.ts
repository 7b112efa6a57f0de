import * as queries from '../../../models/catalog/catalog-query';
import { facetOf } from '../../../models/catalog/index-terms';
import { allOf, type Sql, sql } from '../../core/sql';

export type OrderKey = Omit<queries.RowPosition, 'rank'>;

/** A taxonomy row may name several categories (`joinCategories`): steps through an index find the texts that name one of these. */
export const inCategories = (kind: string, categories: readonly string[]): Sql =>
  kind === 'product'
    ? sql`category = ANY(${categories}::text[])`
    : sql`category = ANY(ARRAY(WITH RECURSIVE texts (category) AS (
        (SELECT category FROM catalog_search WHERE kind = ${kind} ORDER BY category LIMIT 1)
        UNION ALL
        SELECT (SELECT s.category FROM catalog_search s WHERE s.kind = ${kind} AND s.category > texts.category
          ORDER BY s.category LIMIT 1) FROM texts WHERE texts.category IS NOT NULL)
      SELECT category FROM texts WHERE string_to_array(category, ',') && ${categories}::text[]))`;

/** One filter object: at least one of `include` when it holds any, none of `exclude` (contract 4.4, 4.5). */
export function matchesFilter({ field, include, exclude }: queries.Filter): Sql {
  const carriesAny = (ids: readonly string[]) =>
    sql`facets && ${ids.map((id) => facetOf(field, id))}::text[]`;
  const conditions: Sql[] = [];
  if (include.length > 0) conditions.push(carriesAny(include));
  if (exclude.length > 0) conditions.push(sql`NOT ${carriesAny(exclude)}`);
  return allOf(conditions);
}

/** The product is of the sandbox (contract 9.8): in a large catalog that set is as small and as quickly found. */
export const inSandbox = sql`id IN (
  SELECT popular.id FROM categories CROSS JOIN LATERAL (
    SELECT s.id FROM catalog_search s WHERE s.kind = 'product' AND s.category = categories.id
    ORDER BY s.popularity DESC, s.id LIMIT ${queries.SANDBOX_PRODUCTS}) AS popular)`;

/** Conditions on a row of any kind, which may be in several categories, in that scope; empty for the whole catalog. */
export const conditionsOf = ({ sandbox, category, ...scope }: queries.SearchScope): Sql[] => [
  ...(category === null ? [] : [sql`${category} = ANY(string_to_array(category, ','))`]),
  ...conditionsOnProducts({ ...scope, category: null }),
  ...(sandbox ? [sql`(kind <> 'product' OR ${inSandbox})`] : []),
];

/** The same for products: a join can begin with the few of the sandbox. */
export const conditionsOnProducts = ({ category, filters, except, sandbox }: queries.SearchScope): Sql[] => [
  ...(category === null ? [] : [sql`category = ${category}`]),
  ...(except === undefined ? [] : [sql`id <> ${except}`]),
  ...filters.filter(restricts).map(matchesFilter),
  ...(sandbox ? [inSandbox] : []),
];

export const restricts = ({ include, exclude }: queries.Filter): boolean =>
  include.length > 0 || exclude.length > 0;

/** Orders of a listing; all end with the id ascending (contract 4.13). */
export const IN_ORDER: Readonly<Record<queries.Sort, Sql>> = {
  popularity_desc: sql`popularity DESC, id`,
  popularity_asc: sql`popularity, id`,
  name_asc: sql`sort_key, id`,
  name_desc: sql`sort_key DESC, id`,
};

export const COMES_AFTER: Readonly<Record<queries.Sort, (row: OrderKey) => Sql>> = {
  // A condition that an index can begin at, then the tie-breaker.
  popularity_desc: ({ popularity, id }) =>
    sql`popularity <= ${popularity} AND (popularity < ${popularity} OR id > ${id})`,
  popularity_asc: ({ popularity, id }) => sql`(popularity, id) > (${popularity}::float8, ${id})`,
  name_asc: ({ sortKey, id }) => sql`(sort_key, id) > (${sortKey}, ${id})`,
  name_desc: ({ sortKey, id }) => sql`sort_key <= ${sortKey} AND (sort_key < ${sortKey} OR id > ${id})`,
};
