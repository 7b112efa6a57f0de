import type { Knex } from 'knex';
import type { ResolvedQuery } from '../models/catalog/catalog-query';
import { inScope, matchesFilter, matchesWords, restricts, type Scope } from './catalog-clauses';
import { MarkCounts } from './mark-counts';
import { countRows, pageOfIds, type Selection, type Window } from './page-of-ids';
import { matchingAny, matchingAnyWithout, type Scores, scoresOf, type Tier, tiersOf } from './relevance';
import { type Reading, type SearchTerm, termsOf, wordsListed } from './search-terms';
import { allOf, identifier, joined, rowsOf, type Sql, sql } from './sql';

/** Ids of a page in order of relevance. */
export interface TextMatches {
  readonly ids: readonly string[];
  readonly total: number;
  /** Words of the query matched by the best row of all. */
  readonly wordsMatched: number;
}

const NOTHING: TextMatches = { ids: [], total: 0, wordsMatched: 0 };

/** Finds the rows that match at least one of the words and pass the filters, and ranks them (decisions.md 7). */
export async function searchText(
  knex: Knex,
  query: Pick<ResolvedQuery, 'node' | 'categories' | 'filters'>,
  readings: readonly Reading[],
  window: Window,
): Promise<TextMatches> {
  const counts = await MarkCounts.read(knex, query, ...readings.flatMap(wordsListed));
  const terms = termsOf(readings, (word) => counts.of(word));
  if (terms.length === 0 || counts.total(query.filters) === 0) return NOTHING;
  const conditions = query.filters.filter(restricts).map(matchesFilter);
  const total = await countMatches(knex, counts, conditions, terms);
  return new RankedMatches(knex, counts.scope, conditions, terms, total).page(window);
}

/**
 * How many rows match at least one term. How many have the most frequent word is known, so only the others are counted:
 * a word that half of the catalog has would cost a look at half of the catalog.
 */
async function countMatches(
  knex: Knex,
  counts: MarkCounts,
  conditions: readonly Sql[],
  terms: readonly SearchTerm[],
): Promise<number> {
  const count = async (expression: string | null) =>
    expression === null
      ? 0
      : countRows(knex, { scope: counts.scope, conditions: [...conditions, matchesWords(expression)] });
  const frequent = counts.mostFrequent(terms.flatMap(wordsListed));
  if (conditions.length > 0 || !frequent) return count(matchingAny(terms));
  if (frequent.rows === counts.scope.rows) return frequent.rows;
  return frequent.rows + (await count(matchingAnyWithout(terms, frequent.word)));
}

/** One query's rows, tier after tier. */
class RankedMatches {
  private readonly scores: Scores;

  constructor(
    private readonly knex: Knex,
    private readonly scope: Scope,
    private readonly conditions: readonly Sql[],
    private readonly terms: readonly SearchTerm[],
    private readonly total: number,
  ) {
    this.scores = scoresOf(terms);
  }

  async page(window: Window): Promise<TextMatches> {
    const ids = await this.idsIn(window);
    const [best] = window.offset === 0 ? ids : await this.idsIn({ offset: 0, limit: 1 });
    const wordsMatched = best === undefined ? 0 : await this.wordsMatchedBy(best);
    return { ids, total: this.total, wordsMatched };
  }

  private async idsIn(window: Window): Promise<string[]> {
    const ids: string[] = [];
    let { offset } = window;
    if (offset >= this.total) return ids;
    for (const tier of tiersOf(this.terms, this.scope.rows)) {
      const found = await this.idsOf(tier, { offset, limit: window.limit - ids.length });
      ids.push(...found);
      if (ids.length >= window.limit) break;
      if (found.length > 0) offset = 0;
      else if (offset > 0) offset -= await countRows(this.knex, this.selectionOf(tier));
    }
    return ids;
  }

  private selectionOf(tier: Tier): Selection {
    const conditions = [...this.conditions, matchesWords(tier.expression)];
    const rowsMax = Math.min(this.total, tier.rowsMax);
    return { scope: this.scope, conditions, rowsMax, rowsLikely: Math.min(rowsMax, tier.rowsLikely) };
  }

  private async idsOf(tier: Tier, window: Window): Promise<string[]> {
    const selection = this.selectionOf(tier);
    if (!tier.mixed) return pageOfIds(this.knex, selection, 'popularity_desc', window);
    const rows = await rowsOf<{ id: string }>(
      this.knex,
      sql`WITH matches AS MATERIALIZED (
            SELECT id, popularity, ${this.scoreColumns()} FROM catalog_search
            WHERE ${allOf([inScope(this.scope), ...selection.conditions])}
          )
          SELECT id FROM matches ORDER BY ${this.byScore()}, popularity DESC, id
          LIMIT ${window.limit} OFFSET ${window.offset}`,
    );
    return rows.map(({ id }) => id);
  }

  private async wordsMatchedBy(id: string): Promise<number> {
    const [row] = await rowsOf<{ matched: number }>(
      this.knex,
      sql`SELECT ${countOf(this.scores[0] ?? [])} AS matched FROM catalog_search WHERE id = ${id}`,
    );
    return row?.matched ?? 0;
  }

  private scoreColumns(): Sql {
    const columns = this.scores.map(
      (expressions, index) => sql`${countOf(expressions)} AS ${identifier(`score_${index}`)}`,
    );
    return joined(columns, ', ');
  }

  private byScore(): Sql {
    return joined(
      this.scores.map((_, index) => sql`${identifier(`score_${index}`)} DESC`),
      ', ',
    );
  }
}

/** How many of the expressions a row satisfies. */
function countOf(expressions: readonly string[]): Sql {
  const ones = expressions.map((expression) => sql`(${matchesWords(expression)})::integer`);
  return ones.length === 0 ? sql`0` : joined(ones, ' + ');
}
