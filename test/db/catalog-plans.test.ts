import type { Knex } from 'knex';
import { PostgresCatalogRepository } from '../../db/catalog/catalog-repository';
import { makeSearchSnapshot } from '../../db/catalog/search/make-snapshot';
import { rowsOf, Sql, sql } from '../../db/core/sql';
import { rowBefore } from '../../models/catalog/cursor';
import { wordsOf } from '../../models/catalog/fold-text';
import { SUGGESTIONS_MAX } from '../../models/catalog/suggestion';
import { hash, Random } from '../../models/random';
import { CatalogSample, changeProducts } from '../../scripts/lab/bench/catalog/catalog-sample';
import { QUESTION_KINDS, type Question } from '../../scripts/lab/bench/catalog/questions';
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

/** Tables that grow with the catalog: no question may read one of them from end to end. */
const CATALOG_TABLES = [
  ...['catalog_search', 'catalog_rows', 'search_words', 'entities', 'products', 'variants'],
  ...['market_estimates', 'estimate_history', 'listings', 'search_snapshot_bitmaps'],
];
/** PostgreSQL rightly reads a table of a few pages at once. */
const FEW_PAGES = 16;

async function largeTables(knex: Knex): Promise<string[]> {
  const tables = await rowsOf<{ name: string }>(
    knex,
    sql`SELECT relname AS name FROM pg_class
        WHERE relname = ANY(${CATALOG_TABLES}::text[]) AND relkind = 'r'
          AND pg_relation_size(oid) > ${FEW_PAGES} * current_setting('block_size')::integer`,
  );
  return tables.map(({ name }) => name);
}

async function answer(knex: Knex, question: Question): Promise<void> {
  const catalog = new PostgresCatalogRepository(knex);
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

/** The plan of every statement that a question takes, with prices where it has any. */
async function plansOf(knex: Knex, question: Question): Promise<string[]> {
  const asked: { sql: string; bindings: Sql['bindings'] }[] = [];
  const listen = (statement: { sql: string; bindings: Sql['bindings'] }) => {
    if (!/^(BEGIN|COMMIT)\b/.test(statement.sql)) asked.push(statement);
  };
  knex.client.on('query', listen);
  await answer(knex, question).finally(() => knex.client.off('query', listen));
  const plans: string[] = [];
  for (const { sql: statement, bindings } of asked) {
    const explained = new Sql(`EXPLAIN (ANALYZE, COSTS OFF) ${statement.replace(/\$\d+/g, '?')}`, bindings);
    const lines = await rowsOf<{ 'QUERY PLAN': string }>(knex, explained);
    plans.push([statement, ...lines.map((line) => line['QUERY PLAN'])].join('\n'));
  }
  return plans;
}

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
        const plans = await plansOf(database.knex, kind.draw(sample, random));
        expect(plans.length).toBeGreaterThan(0);
        const scanned = new RegExp(`Seq Scan on (${tables.join('|')})\\b`);
        expect(plans.filter((plan) => scanned.test(plan))).toEqual([]);
      }
    });
  });
});
