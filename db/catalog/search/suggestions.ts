import type { Knex } from 'knex';
import { nameSortKey } from '../../../models/catalog/fold-text';
import type { SuggestionQuery } from '../../../models/catalog/suggestion';
import { allOf, rowsOf, type Sql, sql } from '../../core/sql';
import { inSandbox, matchesWords } from './catalog-clauses';
import { pageOfIds } from './page-of-ids';
import { matchingAll } from './relevance';
import { TermCounts } from './term-counts';
import { expandTerms, type SearchTerm, wordsListed } from './term-expansion';

/** The most popular rows of the taxonomy, which are looked at first. */
const POPULAR = 1_000;
/** Where so many of them match, far more of the others do than could be sorted in time, and none is needed. */
const MANY = 50;
/** Rows of the taxonomy, which have indexes of their own. */
const NODES = sql`SELECT * FROM catalog_search WHERE kind <> 'product'`;

/** Ids of the rows that complete a query, in the order of contract 5.12: each sort of them is looked for if it has to be. */
export async function suggestedIds(knex: Knex, query: SuggestionQuery): Promise<string[]> {
  const { words, size } = query;
  if (words?.length === 0) return [];
  const search = new SuggestionSearch(knex, query);
  const found = new Set<string>();
  const take = async (sort: Promise<readonly string[]>) => {
    for (const id of await sort) found.add(id);
  };
  const takeMatching = async (terms: readonly SearchTerm[]) => {
    if (found.size < size) await take(search.nodes(terms));
    if (found.size < size) await take(search.products(terms));
  };
  if (words === null) await takeMatching([]);
  else {
    const { expansions } = await expandTerms(knex, productsOf(query), words);
    const terms = expansions.map((term) => ({ ...term, rows: 1 }));
    await take(search.nodesNamed());
    await takeMatching(terms.map((term) => ({ ...term, misspelt: [] })));
    if (terms.some(({ misspelt }) => misspelt.length > 0)) await takeMatching(terms);
  }
  return [...found].slice(0, size);
}

/** The sorts of rows, each by falling popularity, as many as one answer holds. */
class SuggestionSearch {
  constructor(
    private readonly knex: Knex,
    private readonly query: SuggestionQuery,
  ) {}

  /** Rows of the taxonomy whose name begins with the text. */
  async nodesNamed(): Promise<string[]> {
    const begins = nameSortKey(this.query.text);
    const named = sql`sort_key >= ${begins} AND sort_key < ${`${begins}\u{10ffff}`}`;
    return idsOf(await this.#best(NODES, [named]));
  }

  /** Rows of the taxonomy that match all terms, those first whose own name holds the last word as far as it is typed. */
  async nodes(terms: readonly SearchTerm[]): Promise<string[]> {
    const conditions = matchingTerms(terms);
    const popular = await this.#best(sql`${NODES} ORDER BY popularity DESC, id LIMIT ${POPULAR}`, conditions);
    return idsOf((popular[0]?.of ?? 0) < MANY ? await this.#best(NODES, conditions) : popular);
  }

  /** Products that match all terms. */
  async products(terms: readonly SearchTerm[]): Promise<string[]> {
    const counts = await TermCounts.read(this.knex, productsOf(this.query), ...terms.flatMap(wordsListed));
    const { scope } = counts;
    const rowsOfTerm = (term: SearchTerm) =>
      term.anyLonger ? scope.rows : wordsListed(term).reduce((sum, word) => sum + counts.of(word), 0);
    const rowsMax = Math.min(scope.rows, ...terms.map(rowsOfTerm));
    const conditions = [...(this.query.sandbox ? [inSandbox] : []), ...matchingTerms(terms)];
    const selection = { scope, conditions, rowsMax, rowsLikely: rowsMax };
    return pageOfIds(this.knex, selection, 'popularity_desc', { offset: 0, limit: this.query.size });
  }

  /** The first of some rows that meet the conditions, and how many do. */
  #best(rows: Sql, conditions: readonly Sql[]): Promise<Found[]> {
    const { category, words, size } = this.query;
    const all = [...conditions, ...(category === null ? [] : [sql`category = ${category}`])];
    return rowsOf<Found>(
      this.knex,
      sql`SELECT id, count(*) OVER () AS of FROM (${rows}) AS rows WHERE ${allOf(all)}
          ORDER BY strpos(sort_key, ${nameSortKey(words?.at(-1) ?? '')}) > 0 DESC, popularity DESC, id LIMIT ${size}`,
    );
  }
}

const productsOf = ({ category }: SuggestionQuery) => ({
  node: 'product',
  categories: category === null ? null : [category],
  filters: [],
});

interface Found {
  readonly id: string;
  readonly of: number;
}

const idsOf = (found: readonly Found[]): string[] => found.map(({ id }) => id);

function matchingTerms(terms: readonly SearchTerm[]): Sql[] {
  const expression = terms.length === 0 ? null : matchingAll(terms);
  return expression === null ? [] : [matchesWords(expression)];
}
