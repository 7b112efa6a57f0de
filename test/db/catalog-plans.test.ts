import { makeSearchSnapshot } from '../../db/catalog/search/make-snapshot';
import { rowsOf, sql } from '../../db/core/sql';
import { hash, Random } from '../../models/random';
import { CatalogSample } from '../../scripts/lab/bench/catalog/catalog-sample';
import {
  changeProducts,
  explain,
  largeTables,
  scansAny,
} from '../../scripts/lab/bench/catalog/explain-questions';
import { QUESTION_KINDS } from '../../scripts/lab/bench/catalog/questions';
import { type SearchedRow, writeCatalogRows } from '../support/catalog-rows';
import { useDatabase } from '../support/database';

const SEED = 11;
const PRODUCTS = 12_000;
const MODELS = 600;
const BATCH = 2_000;
const TAGS = ['material:exotic', 'edition:limited'];
const WORDS = 'leather canvas black golden jumbo classic quartz silver caviar strap'.split(' ');

/** Not near each other, as names are. */
const nameOfModel = (number: number): string => hash(number, 'model').toString(36);

/** Marks from rare to frequent, none of which is in every row. */
function productRow(number: number, random: Random): SearchedRow {
  const model = Math.floor(MODELS * random.next() ** 2);
  return {
    id: `product_${number}`,
    kind: 'product',
    category: random.pick(['handbags', 'watches']),
    popularity: random.zipf(10_000),
    name: `House ${model % 20} Model ${model} Bag`,
    facets: [
      `brand:brand_${model % 20}`,
      `colour:colour_${random.integer(0, 9)}`,
      `model:model_${model}`,
      ...(random.chance(0.05) ? [`tags:${random.pick(TAGS)}`] : []),
    ],
    words: [
      ...new Set([nameOfModel(model), `n${number}`, ...Array.from({ length: 6 }, () => random.pick(WORDS))]),
    ],
  };
}

const modelRow = (number: number): SearchedRow => ({
  id: `model_${number}`,
  kind: 'model',
  category: 'handbags',
  popularity: number,
  name: `Model ${number}`,
  facets: [`brand:brand_${number % 20}`, ...(number % 9 === 0 ? [`tags:${TAGS[0]}`] : [])],
  words: [nameOfModel(number)],
});

describe('no query of the benchmark reads a whole table', () => {
  const database = useDatabase();
  let sample: CatalogSample;
  let tables: readonly string[];

  beforeAll(async () => {
    const random = new Random(SEED, 'plans');
    const rows = [
      ...Array.from({ length: PRODUCTS }, (_, number) => productRow(number, random)),
      ...Array.from({ length: MODELS }, (_, number) => modelRow(number)),
    ];
    for (let from = 0; from < rows.length; from += BATCH) {
      await writeCatalogRows(database.knex, rows.slice(from, from + BATCH));
    }
    for (const tag of TAGS) {
      await rowsOf(database.knex, sql`INSERT INTO tags (id, "group", name) VALUES (${tag}, 'group', ${tag})`);
    }
    expect(await makeSearchSnapshot(database.knex, { rowsMin: 100 })).toBe(true);
    await rowsOf(database.knex, sql`VACUUM (ANALYZE)`);
    sample = await CatalogSample.read(database.knex, SEED);
    tables = await largeTables(database.knex);
  }, 120_000);
  test('of which there are some', () => {
    expect(tables).toEqual(expect.arrayContaining(['catalog_search', 'catalog_rows', 'search_words']));
  });

  describe.each([0, 300])('when %i products have changed since the snapshot', (changes) => {
    beforeAll(() => changeProducts(database.knex, changes, SEED));

    test.each(QUESTION_KINDS)('$name', async (kind) => {
      const random = new Random(SEED, 'plans', kind.name);
      for (let drawn = 0; drawn < 5; drawn++) {
        const explained = await explain(database.knex, kind.draw(sample, random));
        expect(explained.length).toBeGreaterThan(0);
        expect(explained.filter((each) => scansAny(each, tables))).toEqual([]);
      }
    });
  });
});
