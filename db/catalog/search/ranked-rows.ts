import type { Knex } from 'knex';
import type { RowPosition } from '../../../models/catalog/catalog-query';
import { allOf, identifier, joined, rowsOf, type Sql, sql } from '../../core/sql';
import { inScope, matchesWords, ranksAfter, type Scope } from './catalog-clauses';
import { CatalogChanged } from './catalog-state';
import { countRows, type FoundPage, pageOfIds, type Selection, type Window } from './page-of-ids';
import { scoresOf, type Tier, waysOf } from './relevance';
import type { SearchTerm, TermExpansion } from './term-expansion';

/** The window of the matches in tiers, best first (contract 5), each found in the order of popularity. */
export class RankedRows {
  private readonly scores: readonly Sql[];

  constructor(
    private readonly knex: Knex,
    private readonly scope: Scope,
    private readonly conditions: readonly Sql[],
    private readonly terms: readonly SearchTerm[],
    private readonly tiers: readonly Tier[],
    private readonly total: number,
  ) {
    this.scores = scoresOf(terms).map(countOf);
  }

  async page(window: Window): Promise<Omit<FoundPage, 'facets'>> {
    const ids = await this.idsIn(window);
    const isFirst = window.offset === 0 && !window.after;
    const [best] = isFirst ? ids : await this.idsIn({ offset: 0, limit: 1 });
    const position = best === undefined ? null : await positionOf(this.knex, sql`${best}`, this.terms);
    return { rows: ids, total: this.total, wordsMatched: position?.rank[0] ?? 0 };
  }

  private async idsIn(window: Window): Promise<string[]> {
    const ids: string[] = [];
    let { offset } = window;
    if (offset >= this.total) return ids;
    for (const tier of this.tiers) {
      const found = await this.idsOf(tier, { ...window, offset, limit: window.limit - ids.length });
      ids.push(...found);
      if (ids.length >= window.limit) break;
      if (found.length > 0) offset = 0;
      else if (offset > 0) offset -= await countRows(this.knex, this.selectionOf(tier));
      // More than it had a statement ago.
      if (offset < 0) throw new CatalogChanged();
    }
    return ids;
  }

  private selectionOf(tier: Tier): Selection {
    const conditions = [...this.conditions, matchesWords(tier.expression)];
    const rowsMax = Math.min(this.total, tier.rowsMax);
    return { scope: this.scope, conditions, rowsMax, rowsLikely: Math.min(rowsMax, tier.rowsLikely) };
  }

  private async idsOf(tier: Tier, { after, ...window }: Window): Promise<string[]> {
    const selection = this.selectionOf(tier);
    const conditions = [...selection.conditions, ...(after ? [ranksAfter(this.scores, after)] : [])];
    if (!tier.mixed) return pageOfIds(this.knex, { ...selection, conditions }, 'popularity_desc', window);
    const rows = await rowsOf<{ id: string }>(
      this.knex,
      sql`WITH matches AS MATERIALIZED (
            SELECT id, popularity, ${this.scoreColumns()} FROM catalog_search
            WHERE ${allOf([inScope(this.scope), ...conditions])}
          )
          SELECT id FROM matches ORDER BY ${this.byScore()}, popularity DESC, id
          LIMIT ${window.limit} OFFSET ${window.offset}`,
    );
    return rows.map(({ id }) => id);
  }

  private scoreColumns(): Sql {
    const columns = this.scores.map((score, index) => sql`${score} AS ${identifier(`score_${index}`)}`);
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
 * Where a row stands in a listing, or in the answer to a text.
 *
 * @param id an expression
 * @param expansions of the text
 */
export async function positionOf(
  knex: Knex,
  id: Sql,
  expansions: readonly TermExpansion[] | null,
): Promise<RowPosition> {
  // A word that no row has matches nothing, so all may be taken for words that some row has.
  const scores = expansions ? scoresOf(expansions.map((each) => ({ ...each, rows: 1 }))).map(countOf) : [];
  const [row] = await rowsOf<{ id: string; popularity: number; sort_key: string; rank: number[] }>(
    knex,
    sql`SELECT id, popularity, sort_key, ARRAY[${joined(scores, ', ')}]::integer[] AS rank
        FROM catalog_search WHERE id = ${id}`,
  );
  if (!row) throw new CatalogChanged();
  return { id: row.id, popularity: row.popularity, sortKey: row.sort_key, rank: row.rank };
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
  { offset, limit, after }: Window,
): Promise<Omit<FoundPage, 'facets'>> {
  const begin = after ? ranksAfter([sql`words`, sql`exact`, sql`longer`], after) : sql`true`;
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
          SELECT id FROM matches WHERE ${begin} ORDER BY words DESC, exact DESC, longer DESC, popularity DESC, id
          LIMIT ${limit} OFFSET ${offset}) AS page ON true`,
  );
  const [first] = rows;
  return {
    rows: rows.flatMap(({ id }) => id ?? []),
    total: first?.total ?? 0,
    wordsMatched: first?.best ?? 0,
  };
}

/** How many of the expressions a row satisfies. */
function countOf(expressions: readonly string[]): Sql {
  const ones = expressions.map((expression) => sql`(${matchesWords(expression)})::integer`);
  return ones.length === 0 ? sql`0` : joined(ones, ' + ');
}
