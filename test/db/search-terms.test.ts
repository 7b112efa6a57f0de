import fc from 'fast-check';
import { withinEdits } from '../../db/edit-distance';
import { editsAllowed, searchTerms } from '../../db/search-terms';
import { rowsOf, sql } from '../../db/sql';
import { type TestDatabase, testDatabase } from '../support/database';

const SEED = 20_260_301;

describe('an edit', () => {
  test.each([
    ['chanel', 'chanel', 0],
    ['chanel', 'chane', 1],
    ['chanel', 'cchanel', 1],
    ['chanel', 'chenel', 1],
    ['chanel', 'chnael', 1],
    ['hcanle', 'chanel', 2],
    ['ca', 'abc', 3],
    ['яхта', 'якта', 1],
    ['😀bag', 'bag', 1],
    ['', 'ab', 2],
  ])('leads from %s to %s %i times', (from, to, edits) => {
    expect([0, 1, 2, 3].map((editsMax) => withinEdits(from, to, editsMax))).toEqual(
      [0, 1, 2, 3].map((editsMax) => editsMax >= edits),
    );
    expect(withinEdits(to, from, edits)).toBe(true);
  });
});

describe('the words that a query word stands for', () => {
  let database: TestDatabase;
  const letters = fc.constantFrom(...'abcé9ж'.split(''));
  const anyWord = fc.string({ unit: letters, minLength: 1, maxLength: 12 });
  const vocabulary = [...new Set(fc.sample(anyWord, { seed: SEED, numRuns: 4_000 }))];

  beforeAll(async () => {
    database = await testDatabase();
    await rowsOf(database.knex, sql`INSERT INTO search_words SELECT unnest(${vocabulary}::text[])`);
  }, 60_000);
  afterAll(() => database.close());

  test('are all words within its edits, none lost and none too much', async () => {
    const asked = fc.uniqueArray(anyWord, { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(asked, async (words) => {
        const terms = await searchTerms(database.knex, words);
        const expected = words.map((word) => ({
          word,
          exact: vocabulary.includes(word),
          prefix: word === words.at(-1) && vocabulary.some((known) => known.startsWith(word)),
          misspelt: vocabulary
            .filter((known) => known !== word && editsAllowed(word) > 0)
            .filter((known) => withinEdits(word, known, editsAllowed(word)))
            .sort(),
        }));
        expect(terms.map((term) => ({ ...term, misspelt: [...term.misspelt].sort() }))).toEqual(
          expected.filter(({ exact, prefix, misspelt }) => exact || prefix || misspelt.length > 0),
        );
      }),
      { seed: SEED, numRuns: 25 },
    );
  }, 120_000);

  test('repeat no word, and only the last may be the beginning of others', async () => {
    await rowsOf(database.knex, sql`INSERT INTO search_words VALUES ('handbag'), ('handy')`);
    const terms = await searchTerms(database.knex, ['hand', 'handbag', 'hand']);
    expect(terms).toEqual([
      { word: 'hand', exact: false, prefix: true, misspelt: ['handy'] },
      { word: 'handbag', exact: true, prefix: false, misspelt: [] },
    ]);
    expect(await searchTerms(database.knex, ['hand', 'handbag'])).toMatchObject([
      { prefix: false },
      { prefix: true },
    ]);
  });
});
