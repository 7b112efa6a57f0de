import type { Knex } from 'knex';
import { nameSortKey } from '../../../models/catalog/fold-text';
import type { SuggestionQuery } from '../../../models/catalog/suggestion';
import { allOf, rowsOf, type Sql, sql } from '../../core/sql';
import { matchesWords } from './catalog-clauses';
import { nearWords } from './near-words';
import { pageOfIds } from './page-of-ids';
import { matchingAll } from './relevance';
import { readingsOf } from './synonyms';
import { TermCounts } from './term-counts';
import { beginningOf, MISSPELT_MAX, type SearchTerm, wordsListed } from './term-expansion';

/** Rows of the taxonomy, the most popular first, that are looked at before those with the words are collected. */
const WALKED_MAX = 1_000;
/** Written out, so that the planner knows the indexes of these rows. */
const IS_NODE = sql`kind <> 'product'`;

/** Ids of the rows that complete a query, in the order of contract 5.12: each sort of them is looked for if it has to be. */
export async function suggestedIds(knex: Knex, query: SuggestionQuery): Promise<string[]> {
  const { words, size } = query;
  if (words?.length === 0) return [];
  const search = new SuggestionSearch(knex, query);
  const terms = words && (await termsAsTyped(knex, words));
  const found = new Set<string>();
  const take = async (sorts: readonly (() => Promise<readonly string[]>)[]) => {
    for (const sort of sorts) {
      if (found.size < size) for (const id of await sort()) found.add(id);
    }
  };
  const matching = (all: readonly SearchTerm[]) => [
    () => search.nodesThatSay(all),
    () => search.nodes(all),
    () => search.products(all),
  ];
  if (terms === null) await take([() => search.nodes([]), () => search.products([])]);
  else await take([() => search.nodesNamed(), ...matching(terms)]);
  if (terms !== null && found.size < size) await take(matching(await alsoMisspelt(knex, terms)));
  return [...found].slice(0, size);
}

/** What each word stands for when it is spelt right; the last may be the beginning of one. */
async function termsAsTyped(knex: Knex, words: readonly string[]): Promise<SearchTerm[]> {
  const synonyms = await readingsOf(knex, words);
  return [...new Set(words)].map((word) => {
    const beginning = beginningOf(word, words);
    const listed = { synonyms: synonyms.get(word) ?? [], longer: [], misspelt: [] };
    return { word, ...listed, beginning, anyLonger: beginning !== null, rows: 1 };
  });
}

async function alsoMisspelt(knex: Knex, terms: readonly SearchTerm[]): Promise<SearchTerm[]> {
  const near = await nearWords(
    knex,
    terms.map(({ word }) => word),
  );
  return terms.map((term) => ({
    ...term,
    misspelt: (near.get(term.word) ?? []).slice(0, MISSPELT_MAX).map(({ word }) => word),
  }));
}

/** The sorts of rows, each by falling popularity, as many as one answer holds. */
class SuggestionSearch {
  constructor(
    private readonly knex: Knex,
    private readonly query: SuggestionQuery,
  ) {}

  /** Rows of the taxonomy whose name begins with the text. */
  nodesNamed(): Promise<string[]> {
    const begins = nameSortKey(this.query.text);
    return this.#popular(
      sql`(SELECT * FROM catalog_search WHERE ${IS_NODE} AND sort_key >= ${begins}
            AND sort_key < ${`${begins}\u{10ffff}`} OFFSET 0)`,
      this.#inCategory(),
    );
  }

  /** Rows of the taxonomy that match all terms and whose own name holds the last word, as far as it is typed. */
  nodesThatSay(terms: readonly SearchTerm[]): Promise<string[]> {
    const last = nameSortKey(this.query.words?.at(-1) ?? '');
    return this.nodes(terms, [sql`strpos(sort_key, ${last}) > 0`]);
  }

  /** Rows of the taxonomy that match all terms. */
  async nodes(terms: readonly SearchTerm[], more: readonly Sql[] = []): Promise<string[]> {
    const conditions = [...this.#inCategory(), ...matchingTerms(terms), ...more];
    const walked = await this.#popular(
      sql`(SELECT * FROM catalog_search WHERE ${IS_NODE} ORDER BY popularity DESC, id LIMIT ${WALKED_MAX})`,
      conditions,
    );
    if (walked.length >= this.query.size) return walked;
    // OFFSET 0: through the index of words; in order, all rows might have to be read.
    return this.#popular(
      sql`(SELECT * FROM catalog_search WHERE ${allOf([IS_NODE, ...conditions])} OFFSET 0)`,
    );
  }

  /** Products that match all terms. */
  async products(terms: readonly SearchTerm[]): Promise<string[]> {
    const { category, size } = this.query;
    const categories = category === null ? null : [category];
    const listed = terms.flatMap(wordsListed);
    const counts = await TermCounts.read(this.knex, { node: 'product', categories, filters: [] }, ...listed);
    const { scope } = counts;
    const rowsOfTerm = (term: SearchTerm) =>
      term.anyLonger ? scope.rows : wordsListed(term).reduce((sum, word) => sum + counts.of(word), 0);
    const rowsMax = Math.min(scope.rows, ...terms.map(rowsOfTerm));
    const selection = { scope, conditions: matchingTerms(terms), rowsMax, rowsLikely: rowsMax };
    return pageOfIds(this.knex, selection, 'popularity_desc', { offset: 0, limit: size });
  }

  #inCategory(): Sql[] {
    return this.query.category === null ? [] : [sql`category = ${this.query.category}`];
  }

  async #popular(rows: Sql, conditions: readonly Sql[] = []): Promise<string[]> {
    const found = await rowsOf<{ id: string }>(
      this.knex,
      sql`SELECT id FROM ${rows} AS rows WHERE ${allOf(conditions)} ORDER BY popularity DESC, id
          LIMIT ${this.query.size}`,
    );
    return found.map(({ id }) => id);
  }
}

function matchingTerms(terms: readonly SearchTerm[]): Sql[] {
  const expression = terms.length === 0 ? null : matchingAll(terms);
  return expression === null ? [] : [matchesWords(expression)];
}
