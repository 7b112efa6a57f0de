import { PostgresCatalogRepository } from '../../db/catalog/catalog-repository';
import { wordsOf } from '../../models/catalog/fold-text';
import { writeCatalogRows } from '../support/catalog-rows';
import { useDatabase } from '../support/database';

const LONG = 'x'.repeat(120);
/** Rows and what they are found by. */
const ROWS = {
  ki: 'की',
  ka: 'का',
  bag: '가방',
  wig: '가발',
  ladies_bag: '여성가방끈',
  vuitton_bag: '路易威登speedy手袋',
  chanel: 'シャネルの鞄',
  perfume: 'น้ำหอม',
  long: LONG,
  longer: `${LONG}y`,
  longest: 'ﷲ'.repeat(500),
  cafe: 'cafe\u0301 Ёлка ΟΔΟΣ',
};

// contract 5.5, 5.6, 5.7; parts of words of Han alone: `catalog-search.test.ts`
describe('a text finds letters as a reader sees them', () => {
  const database = useDatabase();
  beforeAll(() => {
    const bag = { kind: 'product', category: 'handbags', popularity: 0, name: 'Bag', facets: [] };
    const rows = Object.entries(ROWS).map(([id, text]) => ({ ...bag, id, words: wordsOf(text) }));
    return writeCatalogRows(database.knex, rows);
  });

  test.each<[why: string, text: string, finds: (keyof typeof ROWS)[]]>([
    ['a mark of another script is part of its letter', 'की', ['ki']],
    ['a syllable of two is too short for an edit', '가발', ['wig']],
    ['in a word of four syllables one may be another', '여성가발끈', ['ladies_bag']],
    ['characters after another script are found', '手袋', ['vuitton_bag']],
    ['kana are found in a row', 'ネル', ['chanel']],
    ['Thai is found in a row', 'หอม', ['perfume']],
    ['a word of 120 letters finds itself and what begins so', LONG, ['long', 'longer']],
    ['a word is compared over its whole length', `${LONG}y`, ['long', 'longer']],
    ['decomposed and composed letters are the same', 'café', ['cafe']],
    ['accents of Latin and Cyrillic letters do not count', 'cafê елка', ['cafe']],
    ['a final sigma is a sigma', 'οδος', ['cafe']],
    ['a word beyond what an index holds finds itself alone', 'ﷲ'.repeat(500), ['longest']],
    ['a word beyond what an index holds is compared whole', 'ﷲ'.repeat(499), []],
    ['words that no row has find nothing', 'ж'.repeat(512), []],
  ])('%s', async (_why, text, finds) => {
    const { rows } = await new PostgresCatalogRepository(database.knex).search({
      ...{ node: 'product', categories: null, filters: [], sort: 'popularity_desc', page: 0, pageSize: 20 },
      words: wordsOf(text),
    });
    expect(rows.map(({ id }) => id).sort()).toEqual(finds);
  });
});
