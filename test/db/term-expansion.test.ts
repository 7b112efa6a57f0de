import fc from 'fast-check';
import { learnWords } from '../../db/catalog/import/derived-rows';
import { editsAllowed, editsBetween } from '../../db/catalog/search/misspellings';
import { expandTerms, LONGER_MAX } from '../../db/catalog/search/term-expansion';
import { lettersOf } from '../../models/catalog/index-terms';
import { useDatabase } from '../support/database';

const SEED = 20_260_301;

const withinEdits = (from: string, to: string, editsMax: number): boolean =>
  editsBetween(lettersOf(from), lettersOf(to), editsMax) <= editsMax;

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
    ['가방', '가발', 1],
    ['किताब', 'कताब', 1],
    ['น้ำหอม', 'นหอม', 1],
  ])('leads from %s to %s %i times', (from, to, edits) => {
    expect([0, 1, 2, 3].map((editsMax) => withinEdits(from, to, editsMax))).toEqual(
      [0, 1, 2, 3].map((editsMax) => editsMax >= edits),
    );
    expect(withinEdits(to, from, edits)).toBe(true);
  });
});

describe('the words that a query word stands for', () => {
  const database = useDatabase();
  const letters = fc.constantFrom(...'abcé9ж'.split(''));
  const anyWord = fc.string({ unit: letters, minLength: 1, maxLength: 12 });
  const vocabulary = [...new Set(fc.sample(anyWord, { seed: SEED, numRuns: 4_000 }))];

  beforeAll(async () => {
    await learn(vocabulary);
  }, 60_000);
  const learn = (words: readonly string[]) => database.knex.transaction((trx) => learnWords(trx, words));

  test('are all words within its edits, none lost and none too much', async () => {
    const asked = fc.uniqueArray(anyWord, { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(asked, async (words) => {
        const { expansions } = await expandTerms(database.knex, words);
        expect(expansions.map(({ word, misspelt }) => ({ word, misspelt: [...misspelt].sort() }))).toEqual(
          words.map((word) => ({
            word,
            misspelt: vocabulary
              .filter((known) => known !== word && editsAllowed(word) > 0)
              .filter((known) => withinEdits(word, known, editsAllowed(word)))
              .sort(),
          })),
        );
        const last = words.at(-1) ?? '';
        const longer = vocabulary
          .filter((known) => known !== last && known.startsWith(last))
          .sort(byCodePoint);
        const listed = longer.length > LONGER_MAX ? [] : longer;
        const [alone] = (await expandTerms(database.knex, [last])).expansions;
        const begun = (alone?.near ?? []).filter(
          ([term = '', ...others]) => others.length === 0 && term.startsWith(last),
        );
        expect(begun.flat().sort(byCodePoint)).toEqual(listed);
        expect(alone?.beginnings).toEqual(longer.length > LONGER_MAX ? [last] : []);
      }),
      { seed: SEED, numRuns: 25 },
    );
  }, 120_000);

  test('repeat no word, and only the last may be the beginning of others', async () => {
    await learn(['handbag', 'handy']);
    const { expansions } = await expandTerms(database.knex, ['hand', 'handbag', 'hand']);
    expect(expansions).toEqual([
      {
        word: 'hand',
        exact: [['hand']],
        near: [['handbag'], ['handy']],
        beginnings: [],
        misspelt: ['handy'],
      },
      { word: 'handbag', exact: [['handbag']], near: [], beginnings: [], misspelt: [] },
    ]);
    expect(await expandTerms(database.knex, [])).toEqual({ expansions: [], state: null });
  });
});

const byCodePoint = (left: string, right: string): number =>
  Buffer.compare(Buffer.from(left), Buffer.from(right));
