import fc from 'fast-check';
import { learnWords } from '../../db/catalog/import/derived-rows';
import { editsAllowed, editsBetween } from '../../db/catalog/search/misspellings';
import { expandTerms, LONGER_MAX } from '../../db/catalog/search/term-expansion';
import { lettersOf } from '../../models/catalog/index-terms';
import { useDatabase } from '../support/database';

const SEED = 20_260_301;

const withinEdits = (from: string, to: string, editsMax: number): boolean =>
  editsBetween(lettersOf(from), lettersOf(to), editsMax) <= editsMax;

// contract 5.6
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
])('%s becomes %s by %i edits', (from, to, edits) => {
  for (const editsMax of [0, 1, 2, 3]) expect(withinEdits(from, to, editsMax)).toBe(editsMax >= edits);
  expect(withinEdits(to, from, edits)).toBe(true);
});

describe('the words that a query word stands for', () => {
  const database = useDatabase();
  const letters = fc.constantFrom(...'abcé9ж'.split(''));
  const anyWord = fc.string({ unit: letters, minLength: 1, maxLength: 12 });
  const vocabulary = [...new Set(fc.sample(anyWord, { seed: SEED, numRuns: 4_000 }))];

  beforeAll(() => database.knex.transaction((trx) => learnWords(trx, vocabulary)), 60_000);

  test('are all words within its edits, and of the last one all that begin with it, none lost and none too much', async () => {
    const asked = fc.uniqueArray(anyWord, { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(asked, async (words) => {
        const { expansions } = await expandTerms(database.knex, words);
        expect(expansions.map(({ word, misspelt }) => [word, [...misspelt].sort()])).toEqual(
          words.map((word) => {
            const near = vocabulary.filter((known) => withinEdits(word, known, editsAllowed(word)));
            return [word, near.filter((known) => known !== word && editsAllowed(word) > 0).sort()];
          }),
        );
        const last = words.at(-1) ?? '';
        const longer = vocabulary.filter((known) => known !== last && known.startsWith(last));
        const isListed = longer.length <= LONGER_MAX;
        const [alone] = (await expandTerms(database.knex, [last])).expansions;
        const begun = (alone?.near ?? []).filter((terms) => terms.length === 1 && terms[0]?.startsWith(last));
        expect(begun.flat().sort()).toEqual(isListed ? longer.sort() : []);
        expect(alone?.beginnings).toEqual(isListed ? [] : [last]);
      }),
      { seed: SEED, numRuns: 25 },
    );
  }, 120_000);
});
