import type { Knex } from 'knex';
import type { Filter, ResolvedQuery } from '../models/catalog/catalog-query';
import { carriesAny, facetOf, matchesFilter, restricts } from './catalog-clauses';
import { MarkCounts } from './mark-counts';
import { countRows, pageOfIds, type Window } from './page-of-ids';
import type { Sql } from './sql';

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
  const total = counts.total(query.filters) ?? (await countListed(knex, counts, query.filters));
  const ids = await pageOfIds(
    knex,
    { scope, conditions, rowsMax: total, rowsLikely: total },
    query.sort,
    window,
  );
  return { ids, total, wordsMatched: 0 };
}

/**
 * Counts what the maintained counts don't tell, by reading the fewest rows: instead of the many that an exclusion leaves
 * the few that it drops, instead of those that either of two exclusions drops the few that both do.
 */
async function countListed(knex: Knex, counts: MarkCounts, filters: readonly Filter[]): Promise<number> {
  const { scope } = counts;
  const count = (...conditions: readonly Sql[]) => countRows(knex, { scope, conditions });
  const [included, ...others] = filters.filter(({ include }) => include.length > 0);
  const all = included ? counts.union(included.field, included.include) : scope.rows;
  if (others.length > 0 || all === null) return count(...filters.filter(restricts).map(matchesFilter));

  const excluded = excludedByField(filters);
  const anyExcluded = carriesAny(excluded.flatMap(facetsOf));
  if (included)
    return all - (await count(carriesAny(facetsOf([included.field, included.include])), anyExcluded));
  const [first, second, ...further] = excluded;
  const [byFirst, bySecond] = [first, second].map((each) => (each ? counts.union(...each) : null));
  if (!first || !second || further.length > 0 || byFirst == null || bySecond == null) {
    return all - (await count(anyExcluded));
  }
  const byBoth = await count(carriesAny(facetsOf(first)), carriesAny(facetsOf(second)));
  return all - (byFirst + bySecond - byBoth);
}

type FieldValues = readonly [field: string, ids: readonly string[]];

/** A row with any excluded value of any object is dropped, so the objects of a field are as good as one. */
function excludedByField(filters: readonly Filter[]): FieldValues[] {
  const fields = new Map<string, string[]>();
  for (const { field, exclude } of filters) {
    if (exclude.length > 0) fields.set(field, [...(fields.get(field) ?? []), ...exclude]);
  }
  return [...fields];
}

const facetsOf = ([field, ids]: FieldValues): string[] => ids.map((id) => facetOf(field, id));
