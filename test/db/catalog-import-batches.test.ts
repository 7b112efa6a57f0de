import { rowsOf, sql } from '../../db/core/sql';
import { CATALOG, CROC_BAG, ENTITIES, estimate, HANDBAGS, product, TAGS } from './catalog-import-sample';
import { type BundleFiles, NO_RECORDS, useImportBench } from './catalog-import-support';

const bench = useImportBench();

/** More records than fit into a first batch, and into the second. */
const COUNT = 260;
const numbers = Array.from({ length: COUNT }, (_, number) => number);

const bag = (number: number, rest: object = {}) =>
  product(`bag${number}`, number % 3 === 0 ? 'style_croc' : 'style_togo', {
    popularity: number % 17,
    keywords: [`Réf. X${number}`, 'two words'],
    images: number % 50 === 0 ? [`https://pictures.example/${number % 100}.jpg`] : [],
    tags: number % 7 === 0 ? ['material:canvas'] : [],
    ...rest,
  });

const price = (number: number, A: number, rest: object = {}) => estimate(`bag${number}_30`, A, rest);

const TAXONOMY = { 'categories.jsonl': [HANDBAGS], 'tags.jsonl': TAGS, 'entities.jsonl': ENTITIES };
const MANY: BundleFiles = {
  ...TAXONOMY,
  'products.jsonl': numbers.map((number) => bag(number)),
  'estimates.jsonl': numbers.flatMap((number) => [
    price(number, 100 + ((number * 7) % 90)),
    price(number, 80, { source: 'google', B: 70, confidence: 0.5 }),
  ]),
};

/** Faults and repetitions of every sort among records that are new. */
const MIXED: BundleFiles = {
  ...TAXONOMY,
  'products.jsonl': [
    ...numbers.slice(0, 150).map((number) => bag(number)),
    bag(150, { attributes: { style: 'style_unknown' } }),
    bag(151, { variants: CROC_BAG.variants }),
    '{"id":"product_half"',
    bag(5, { keywords: ['later'] }),
    { id: 'product_bag6', deleted: true },
    ...numbers.slice(152).map((number) => bag(number)),
    bag(259, { keywords: ['last'] }),
  ],
  'estimates.jsonl': [
    ...numbers.slice(0, 140).map((number) => price(number, 50 + number)),
    estimate('nowhere_30', 7),
    price(6, 9),
    ...numbers.slice(152).map((number) => price(number, 400 - number)),
    price(259, 1_000),
    price(259, 3),
  ],
};

/** Everything that an import writes and what the database derives from it. */
async function state(): Promise<unknown> {
  const searched = await rowsOf(bench.knex, sql`SELECT * FROM catalog_search ORDER BY id`);
  return { ...(await bench.dump()), searched };
}

/** Batches become as small as they can be. */
const SMALL = { transactionMs: 0 };

/** The state and the rejects that small batches leave; `before` is there already, and is again afterwards. */
async function leftBySmallBatches(files: BundleFiles, before: BundleFiles = NO_RECORDS) {
  await bench.import(before, SMALL);
  await bench.import(files, SMALL);
  const expected = { state: await state(), rejects: bench.rejects().sort() };
  await bench.clear();
  await bench.import(before);
  return expected;
}

describe('batches of any size', () => {
  test('leave the same of new records', async () => {
    const expected = await leftBySmallBatches(MANY);
    await bench.import(MANY);
    expect(await state()).toEqual(expected.state);
  }, 120_000);

  test('leave the same of faults, repetitions, deletions and variants of others', async () => {
    const expected = await leftBySmallBatches(MIXED, CATALOG);
    await bench.import(MIXED);
    expect(await state()).toEqual(expected.state);
    expect(bench.rejects().sort()).toEqual(expected.rejects);
    expect(bench.rejects()).toHaveLength(5);
  }, 120_000);

  test('leave the same of records that are there already, some changed', async () => {
    const changed = { 'products.jsonl': numbers.map((number) => bag(number, { popularity: number % 5 })) };
    const expected = await leftBySmallBatches(changed, MANY);
    await bench.import(changed);
    expect(await state()).toEqual(expected.state);
  }, 120_000);
});

test('a transaction that dies at its end leaves nothing, and the next import ends in the same state', async () => {
  await bench.import(MANY);
  const expected = await state();
  await bench.clear();
  await bench.knex.raw(`
    CREATE OR REPLACE FUNCTION kill() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF (SELECT count(*) FROM products) > 100 THEN RAISE 'killed'; END IF;
      RETURN NULL;
    END $$;
    CREATE OR REPLACE TRIGGER kill AFTER INSERT ON catalog_rows EXECUTE FUNCTION kill()`);
  await expect(bench.import(MANY)).rejects.toThrow('killed');
  await bench.knex.raw('DROP TRIGGER kill ON catalog_rows; DROP FUNCTION kill()');
  const [halves] = await rowsOf<{ products: number; rows: number; searched: number }>(
    bench.knex,
    sql`SELECT (SELECT count(*) FROM products) AS products,
          (SELECT count(*) FROM catalog_rows WHERE kind = 'product') AS rows,
          (SELECT count(*) FROM catalog_search WHERE kind = 'product') AS searched`,
  );
  const { products = -1, ...others } = halves ?? {};
  expect(Number(products)).toBeLessThanOrEqual(100);
  expect(others).toEqual({ rows: products, searched: products });
  await bench.import(MANY);
  expect(await state()).toEqual(expected);
}, 120_000);
