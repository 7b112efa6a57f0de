import type { Knex } from 'knex';
import type { Filter, ResolvedQuery } from '../../../models/catalog/catalog-query';
import { facetOf } from '../../../models/catalog/index-terms';
import type { Sql } from '../../core/sql';
import { carriesAny, inSandbox, matchesFilter, matchesWords, restricts } from './catalog-clauses';
import { countFacets, countRows, type FoundPage, pageOfIds, type Window } from './page-of-ids';
import { RankedRows, scoredMatches } from './ranked-rows';
import { matchingAny, matchingAnyWithout, tiersOf } from './relevance';
import type { TermCounts } from './term-counts';
import { type SearchTerm, type TermExpansion, termsOf, wordsAlone, wordsListed } from './term-expansion';

/** Kind of the rows that a sandbox narrows. */
const PRODUCT = 'product';

const NOTHING: FoundPage = { rows: [], total: 0, wordsMatched: 0, facets: new Map() };

/**
 * A page of the rows of a kind that pass the filters, found through the indexes of `catalog_search`: a listing
 * (contract 4.10), or, with the expansions of a text, those that match at least one of its words, ranked (contract 5).
 *
 * @param counts of the terms of the query
 */
export async function searchRows(
  knex: Knex,
  counts: TermCounts,
  query: ResolvedQuery,
  expansions: readonly TermExpansion[] | null,
  window: Window,
): Promise<FoundPage> {
  const { scope } = counts;
  const known = counts.total(query.filters);
  if (known === 0) return NOTHING;
  const filters = query.filters.filter(restricts).map(matchesFilter);
  const narrowed = query.sandbox === true && query.node === PRODUCT;
  const conditions = narrowed ? [inSandbox, ...filters] : filters;
  if (expansions === null) {
    const total = narrowed
      ? await countRows(knex, { scope, conditions })
      : (known ?? (await countListed(knex, counts, query.filters)));
    const selection = { scope, conditions, rowsMax: total, rowsLikely: total };
    const rows = await pageOfIds(knex, selection, query.sort, window);
    return { rows, total, wordsMatched: 0, facets: await countFacets(knex, selection, query.facets) };
  }
  const terms = termsOf(expansions, (word) => counts.of(word));
  const anyTerm = matchingAny(terms);
  if (anyTerm === null) return NOTHING;
  const termRows = terms.flatMap(wordsListed).reduce((sum, word) => sum + counts.of(word), 0);
  const tiers = tiersOf(terms, scope.rows, termRows);
  const found =
    tiers === null
      ? await scoredMatches(knex, scope, conditions, terms, window)
      : await new RankedRows(
          knex,
          scope,
          conditions,
          terms,
          tiers,
          await countMatches(knex, counts, conditions, terms),
        ).page(window);
  const matches = { scope, conditions: [...conditions, matchesWords(anyTerm)] };
  return { ...found, facets: await countFacets(knex, matches, query.facets) };
}

/**
 * Counts what the maintained counts don't tell, by reading the fewest rows: instead of the many that an exclusion leaves
 * the few that it drops, instead of those that either of two exclusions drops the few that both do.
 */
async function countListed(knex: Knex, counts: TermCounts, filters: readonly Filter[]): Promise<number> {
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

/**
 * How many rows match at least one term. How many have the most frequent word is known, so only the others are counted:
 * a word that half of the catalog has would cost a look at half of the catalog.
 */
async function countMatches(
  knex: Knex,
  counts: TermCounts,
  conditions: readonly Sql[],
  terms: readonly SearchTerm[],
): Promise<number> {
  const count = async (expression: string | null) =>
    expression === null
      ? 0
      : countRows(knex, { scope: counts.scope, conditions: [...conditions, matchesWords(expression)] });
  const frequent = counts.mostFrequent(terms.flatMap(wordsAlone));
  if (conditions.length > 0 || !frequent) return count(matchingAny(terms));
  if (frequent.rows === counts.scope.rows) return frequent.rows;
  return frequent.rows + (await count(matchingAnyWithout(terms, frequent.word)));
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
