import type { Knex } from 'knex';
import type { FacetAsked, RowPosition, Sort } from '../../../models/catalog/catalog-query';
import type { FoundRows } from '../../../models/ports';
import { allOf, joined, rowsOf, type Sql, sql } from '../../core/sql';
import { comesAfter, inOrder, inScope, type Scope } from './catalog-clauses';

/** Rows of a scope that meet all conditions. */
export interface Selection {
  readonly scope: Scope;
  readonly conditions: readonly Sql[];
  /** At most so many rows are selected. */
  readonly rowsMax: number;
  /** So many are selected as far as can be told. */
  readonly rowsLikely: number;
}

/** A part of an ordered answer. */
export interface Window {
  readonly offset: number;
  readonly limit: number;
  /** It begins behind this row; then there is no offset. */
  readonly after?: RowPosition | null;
}

/** A page and the totals of its whole answer. */
export interface FoundPage {
  /** Ids, or ordinals of the snapshot that answers. */
  readonly rows: FoundRows['rows'];
  readonly total: number;
  /** Words of the query matched by the best row of all; 0 in a listing. */
  readonly wordsMatched: number;
  /** How many rows of the whole answer have each value, by facet field; those that were asked for. */
  readonly facets: FacetCounts;
}

/** Numbers of rows by field and id. */
export type FacetCounts = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Up to so many rows it is never slower to read them all and sort. */
const COLLECTED_MAX = 2_000;
/** How far a walk goes beyond what evenly spread rows would need, before it gives up. */
const WALK_SLACK = 4;
const WALK_MIN = 2_000;

/** How many rows meet the conditions, by counting them. */
export async function countRows(
  knex: Knex,
  { scope, conditions }: Pick<Selection, 'scope' | 'conditions'>,
): Promise<number> {
  const [line] = await rowsOf<{ rows: number }>(
    knex,
    sql`SELECT count(*) AS rows FROM catalog_search WHERE ${allOf([inScope(scope), ...conditions])}`,
  );
  return Number(line?.rows ?? 0);
}

/** How many rows that meet the conditions have each value of some facet fields. */
export async function countFacets(
  knex: Knex,
  { scope, conditions }: Pick<Selection, 'scope' | 'conditions'>,
  asked: readonly FacetAsked[] = [],
): Promise<FacetCounts> {
  const counts = new Map(asked.map(({ field }) => [field, new Map<string, number>()]));
  if (counts.size === 0) return counts;
  const lines = await rowsOf<{ field: string; id: string; rows: number }>(
    knex,
    sql`SELECT field, substr(facet, length(field) + 2) AS id, count(*) AS rows
        FROM catalog_search CROSS JOIN LATERAL unnest(facets) AS facet
        CROSS JOIN LATERAL split_part(facet, ':', 1) AS field
        WHERE ${allOf([inScope(scope), ...conditions])} AND field = ANY(${[...counts.keys()]}::text[])
        GROUP BY field, facet`,
  );
  for (const { field, id, rows } of lines) counts.get(field)?.set(id, rows);
  return counts;
}

/**
 * The ids of a window of the selected rows, in order.
 *
 * Many rows are found by walking the scope in order until the window is full, few by collecting all of them through
 * the indexes of the conditions and sorting. Which is cheaper follows from the counts; a walk has a budget, so that
 * rows which all lie at the far end cost a bounded detour, not a scan of the catalog.
 */
export async function pageOfIds(
  knex: Knex,
  selection: Selection,
  sort: Sort,
  window: Window,
): Promise<string[]> {
  const wanted = Math.min(window.limit, selection.rowsMax - window.offset);
  if (wanted <= 0) return [];
  const budget = walkBudget(selection, window);
  if (budget !== null) {
    const ids = await walk(knex, selection, sort, window, budget);
    if (ids.length >= wanted || budget >= selection.scope.rows) return ids;
  }
  return collect(knex, selection, sort, window);
}

/** Rows to visit at most when walking; null when collecting costs less. */
function walkBudget({ scope, conditions, ...selection }: Selection, window: Window): number | null {
  if (conditions.length === 0) return scope.rows;
  if (selection.rowsMax <= COLLECTED_MAX) return null;
  const visits = (scope.rows * (window.offset + window.limit)) / Math.max(1, selection.rowsLikely);
  if (visits > selection.rowsLikely) return null;
  return Math.min(scope.rows, Math.max(WALK_MIN, Math.ceil(visits * WALK_SLACK)));
}

async function walk(
  knex: Knex,
  { scope, conditions }: Selection,
  sort: Sort,
  { offset, limit, after }: Window,
  budget: number,
): Promise<string[]> {
  const bound = conditions.length === 0 ? offset + limit : budget;
  const ordered = sql`ORDER BY ${inOrder(sort)} LIMIT ${bound}`;
  const begin = after ? [comesAfter(sort, after)] : [];
  const columns = conditions.length === 0 ? sql`id, popularity, sort_key` : sql`*`;
  // Each category in its own order, then merged: no index has the order across several categories.
  const perCategory = scope.categories.map(
    (category) =>
      sql`(SELECT ${columns} FROM catalog_search
        WHERE ${allOf([sql`kind = ${scope.kind} AND category = ${category}`, ...begin])} ${ordered})`,
  );
  return idsOf(
    knex,
    sql`SELECT id FROM (SELECT * FROM (${joined(perCategory, ' UNION ALL ')}) AS merged ${ordered}) AS walked
        WHERE ${allOf(conditions)} ORDER BY ${inOrder(sort)} LIMIT ${limit} OFFSET ${offset}`,
  );
}

function collect(
  knex: Knex,
  { scope, conditions }: Selection,
  sort: Sort,
  { offset, limit, after }: Window,
): Promise<string[]> {
  const begin = after ? [comesAfter(sort, after)] : [];
  return idsOf(
    knex,
    sql`WITH collected AS MATERIALIZED (
          SELECT id, popularity, sort_key FROM catalog_search
          WHERE ${allOf([inScope(scope), ...conditions, ...begin])}
        )
        SELECT id FROM collected ORDER BY ${inOrder(sort)} LIMIT ${limit} OFFSET ${offset}`,
  );
}

async function idsOf(knex: Knex, statement: Sql): Promise<string[]> {
  return (await rowsOf<{ id: string }>(knex, statement)).map(({ id }) => id);
}
