import type { Knex } from 'knex';
import { allOf, identifier, joined, rowsOf, type Sql, sql } from '../../core/sql';
import { inScope, matchesWords, type Scope } from './catalog-clauses';
import { countRows, type FoundIds, pageOfIds, type Selection, type Window } from './page-of-ids';
import { type Scores, scoresOf, type Tier, waysOf } from './relevance';
import type { SearchTerm } from './term-expansion';

/** The window of the matches in tiers, best first (contract 5), each found in the order of popularity. */
export class RankedRows {
  private readonly scores: Scores;

  constructor(
    private readonly knex: Knex,
    private readonly scope: Scope,
    private readonly conditions: readonly Sql[],
    terms: readonly SearchTerm[],
    private readonly tiers: readonly Tier[],
    private readonly total: number,
  ) {
    this.scores = scoresOf(terms);
  }

  async page(window: Window): Promise<Omit<FoundIds, 'facets'>> {
    const ids = await this.idsIn(window);
    const [best] = window.offset === 0 ? ids : await this.idsIn({ offset: 0, limit: 1 });
    const wordsMatched = best === undefined ? 0 : await this.wordsMatchedBy(best);
    return { ids, total: this.total, wordsMatched };
  }

  private async idsIn(window: Window): Promise<string[]> {
    const ids: string[] = [];
    let { offset } = window;
    if (offset >= this.total) return ids;
    for (const tier of this.tiers) {
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

/**
 * The window of all matches by the rows of each word, which the index names: what that costs grows with those rows
 * alone, not with what the catalog holds beside them.
 */
export async function scoredMatches(
  knex: Knex,
  scope: Scope,
  conditions: readonly Sql[],
  terms: readonly SearchTerm[],
  { offset, limit }: Window,
): Promise<Omit<FoundIds, 'facets'>> {
  const ways = waysOf(terms);
  // OFFSET 0: one look-up for each way.
  const rows = await rowsOf<{ id: string; total: number; best: number }>(
    knex,
    sql`WITH ways AS MATERIALIZED (
          SELECT * FROM unnest(${ways.map(({ expression }) => expression)}::text[],
            ${ways.map(({ term }) => term)}::integer[], ${ways.map(({ rank }) => rank)}::integer[])
            AS way (expression, term, rank)
        ),
        terms AS (
          SELECT id, popularity, term, max(rank) AS rank FROM ways CROSS JOIN LATERAL (
            SELECT id, popularity FROM catalog_search
            WHERE ${allOf([inScope(scope), ...conditions])} AND words @@ expression::tsquery OFFSET 0) AS found
          GROUP BY id, popularity, term
        ),
        matches AS MATERIALIZED (
          SELECT id, popularity, count(*) AS words, count(*) FILTER (WHERE rank = 3) AS exact,
            count(*) FILTER (WHERE rank = 2) AS longer
          FROM terms GROUP BY id, popularity
        )
        SELECT totals.*, page.id FROM (SELECT count(*)::integer AS total, max(words)::integer AS best FROM matches) AS totals
        LEFT JOIN LATERAL (
          SELECT id FROM matches ORDER BY words DESC, exact DESC, longer DESC, popularity DESC, id
          LIMIT ${limit} OFFSET ${offset}) AS page ON true`,
  );
  const [first] = rows;
  return {
    ids: rows.flatMap(({ id }) => id ?? []),
    total: first?.total ?? 0,
    wordsMatched: first?.best ?? 0,
  };
}

/** How many of the expressions a row satisfies. */
function countOf(expressions: readonly string[]): Sql {
  const ones = expressions.map((expression) => sql`(${matchesWords(expression)})::integer`);
  return ones.length === 0 ? sql`0` : joined(ones, ' + ');
}
