import type { Knex } from 'knex';
import type { Filter, ResolvedQuery } from '../models/catalog/catalog-query';
import { carriesAny, facetOf, matchesFilter, restricts, type Scope } from './catalog-clauses';
import { MarkCounts } from './mark-counts';
import { countRows, pageOfIds, type Window } from './page-of-ids';

/** Ids of a page in the order of the listing. */
export interface Listing {
  readonly ids: readonly string[];
  readonly total: number;
  /** There are no words to match. */
  readonly wordsMatched: 0;
}

/** The rows of a kind that pass the filters, with their exact number (decisions.md 7). */
export async function listRows(
  knex: Knex,
  query: Omit<ResolvedQuery, 'words'>,
  window: Window,
): Promise<Listing> {
  const counts = await MarkCounts.read(knex, query);
  const { scope } = counts;
  const conditions = query.filters.filter(restricts).map(matchesFilter);
  const total = counts.total(query.filters) ?? (await countListed(knex, scope, query.filters));
  const ids = await pageOfIds(knex, { scope, conditions, rowsMax: total }, query.sort, window);
  return { ids, total, wordsMatched: 0 };
}

/** What filters drop is mostly less than what they leave: when they only drop, that is counted instead. */
async function countListed(knex: Knex, scope: Scope, filters: readonly Filter[]): Promise<number> {
  const restricting = filters.filter(restricts);
  if (restricting.some(({ include }) => include.length > 0)) {
    return countRows(knex, { scope, conditions: restricting.map(matchesFilter) });
  }
  const dropped = restricting.flatMap(({ field, exclude }) => exclude.map((id) => facetOf(field, id)));
  return scope.rows - (await countRows(knex, { scope, conditions: [carriesAny(dropped)] }));
}
