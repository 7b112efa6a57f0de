import { PostgresCatalogRepository } from '../../db/catalog/catalog-repository';
import { makeSearchSnapshot } from '../../db/catalog/search/make-snapshot';
import { rowsOf, sql } from '../../db/core/sql';
import { rowBefore } from '../../models/catalog/cursor';
import { wordsOf } from '../../models/catalog/fold-text';
import { SUGGESTIONS_MAX } from '../../models/catalog/suggestion';
import { hash, Random } from '../../models/random';
import { CatalogSample } from '../../scripts/lab/bench/catalog/catalog-sample';
import { QUESTION_KINDS, type Question } from '../../scripts/lab/bench/catalog/questions';
import { writeCatalogRows } from '../support/catalog-rows';
import { useDatabase } from '../support/database';
import { explainedStatements } from './explained-statements';

const SEED = 11;
const PRODUCTS = 12_000;
const MODELS = 600;
const TAGS = ['material:exotic', 'edition:limited'];
const WORDS = 'leather canvas black golden jumbo classic quartz silver caviar strap'.split(' ');
const LARGE_TABLES = ['catalog_search', 'catalog_rows', 'search_words'];
/** PostgreSQL rightly reads a table of a few pages at once. */
const FEW_PAGES = 16;

const database = useDatabase();
const random = new Random(SEED, 'plans');

/** Not near each other, as names are. */
const nameOfModel = (number: number): string => hash(number, 'model').toString(36);

/** Marks from rare to frequent, none of which is in every row. */
function productRow(number: number) {
  const model = Math.floor(MODELS * random.next() ** 2);
  const facets = [
    `brand:brand_${model % 20}`,
    `colour:colour_${random.integer(0, 9)}`,
    `model:model_${model}`,
  ];
  const words = [nameOfModel(model), `n${number}`, ...Array.from({ length: 6 }, () => random.pick(WORDS))];
  return {
    ...{ id: `product_${number}`, kind: 'product', category: random.pick(['handbags', 'watches']) },
    ...{ popularity: random.zipf(10_000), name: `House ${model % 20} Model ${model} Bag` },
    facets: [...facets, ...(random.chance(0.05) ? [`tags:${random.pick(TAGS)}`] : [])],
    words: [...new Set(words)],
  };
}

const modelRow = (number: number) => ({
  ...{ id: `model_${number}`, kind: 'model', category: 'handbags', popularity: number },
  ...{ name: `Model ${number}`, words: [nameOfModel(number)] },
  facets: [`brand:brand_${number % 20}`, ...(number % 9 === 0 ? [`tags:${TAGS[0]}`] : [])],
});

/** With prices where it has any. */
async function answer(question: Question): Promise<void> {
  const catalog = new PostgresCatalogRepository(database.knex);
  if ('suggest' in question) {
    const { suggest: text } = question;
    await catalog.suggest({ text, words: wordsOf(text), category: null, size: SUGGESTIONS_MAX });
  } else if ('item' in question) await catalog.itemsById([question.item], true);
  else {
    const { text, cursor, ...rest } = question.query;
    const query = { ...rest, words: text === null ? null : wordsOf(text) };
    await catalog.search(cursor === undefined ? query : { ...query, after: rowBefore(query, cursor) }, true);
  }
}

describe('no query of the benchmark reads a whole table', () => {
  let sample: CatalogSample;
  let tables: readonly string[];

  beforeAll(async () => {
    const { knex } = database;
    const rows = [...Array(PRODUCTS).keys()].map(productRow);
    await writeCatalogRows(knex, [...rows, ...[...Array(MODELS).keys()].map(modelRow)]);
    await knex('tags').insert(TAGS.map((tag) => ({ id: tag, group: 'group', name: tag })));
    expect(await makeSearchSnapshot(knex, { rowsMin: 100 })).toBe(true);
    await rowsOf(knex, sql`VACUUM (ANALYZE)`);
    sample = await CatalogSample.read(knex, SEED);
    const found = await rowsOf<{ name: string }>(
      knex,
      sql`SELECT relname AS name FROM pg_class
          WHERE relname = ANY(${[...LARGE_TABLES, 'search_snapshot_bitmaps']}::text[]) AND relpages > ${FEW_PAGES}`,
    );
    tables = found.map(({ name }) => name);
    expect(tables).toEqual(expect.arrayContaining(LARGE_TABLES));
  }, 120_000);

  describe.each([0, 300])('when %i products have changed since the snapshot', (changes) => {
    beforeAll(() =>
      rowsOf(
        database.knex,
        sql`UPDATE catalog_rows SET popularity = popularity + 1, words = words || array_to_tsvector(ARRAY['changed'])
            WHERE id IN (SELECT id FROM catalog_search WHERE kind = 'product' ORDER BY hashtextextended(id, ${SEED}), id LIMIT ${changes})`,
      ),
    );

    test.each(QUESTION_KINDS)('$name', async (kind) => {
      const drawing = new Random(SEED, 'plans', kind.name);
      for (let drawn = 0; drawn < 3; drawn++) {
        const question = kind.draw(sample, drawing);
        const statements = await explainedStatements(database.knex, () => answer(question));
        expect(statements.length).toBeGreaterThan(0);
        const scanning = statements.filter(({ nodes }) =>
          nodes.some(
            (node) => node['Node Type'] === 'Seq Scan' && tables.includes(node['Relation Name'] ?? ''),
          ),
        );
        expect(scanning.map(({ statement }) => statement)).toEqual([]);
      }
    });
  });
});
