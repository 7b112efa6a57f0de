import fc from 'fast-check';
import { PostgresCatalogRepository } from '../../db/catalog/catalog-repository';
import { rowsOf, sql } from '../../db/core/sql';
import type { SuggestionQuery } from '../../models/catalog/suggestion';
import { type SearchedRow, writeCatalogRows } from '../support/catalog-rows';
import { useDatabase } from '../support/database';
import { naiveSuggest } from '../support/naive-search';
import { askedWords, SYNONYMS, word, writeGivenSynonyms } from './random-catalog';

const SEED = 20_261_124;
/** More rows of the taxonomy than are walked before those with the words are collected. */
const ROWS = 3_000;
const QUERIES = { postgres: 600, embedded: 200 } as const;

const row: fc.Arbitrary<Omit<SearchedRow, 'id'>> = fc
  .record({
    kind: fc.constantFrom('product', 'product', 'brand', 'model', 'style'),
    category: fc.constantFrom('handbags', 'handbags', 'watches'),
    popularity: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 500 })),
    facets: fc.constant([]),
    name: fc.array(word, { minLength: 1, maxLength: 3 }),
    words: fc.array(word, { maxLength: 3 }),
  })
  .map(({ name, words, ...rest }) => ({
    ...rest,
    name: name.join(' '),
    words: [...new Set([...name, ...words])],
  }));

const query: fc.Arbitrary<SuggestionQuery> = fc
  .record({
    words: fc.oneof({ weight: 5, arbitrary: askedWords }, { weight: 1, arbitrary: fc.constant(null) }),
    category: fc.constantFrom(null, null, 'handbags', 'watches', 'shoes'),
    size: fc.integer({ min: 1, max: 10 }),
  })
  .map((asked) => ({ ...asked, text: asked.words?.join(' ') ?? '' }));

const database = useDatabase();
let rows: SearchedRow[];

beforeAll(async () => {
  rows = fc
    .sample(row, { seed: SEED, numRuns: ROWS })
    .map((each, index) => ({ ...each, id: `${each.kind}_${(index * 7919) % ROWS}` }));
  await writeCatalogRows(database.knex, rows);
  await writeGivenSynonyms(database.knex);
  await rowsOf(database.knex, sql`ANALYZE`);
}, 120_000);
// contract 5.12
test('suggestions are those that reading every row would give, in their order', async () => {
  const catalog = new PostgresCatalogRepository(database.knex);
  await fc.assert(
    fc.asyncProperty(query, async (asked) => {
      const found = await catalog.suggest(asked);
      expect(found.map(({ id }) => id)).toEqual(naiveSuggest(rows, asked, SYNONYMS));
    }),
    { seed: SEED, numRuns: QUERIES[database.kind] },
  );
}, 600_000);
