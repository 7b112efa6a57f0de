import { join } from 'node:path';
import { writeShopTables } from '../support/shop-tables';
import { NO_OPTIONS } from '../support/table-records';
import { temporaryFolder } from '../support/temporary-folder';
import { picture, useImportBench } from './catalog-import-support';

/** contract 13.20, 13.21: what shops export, with pictures beside it, comes in without a reject. */
const bench = useImportBench();
const folder = temporaryFolder();
const PRODUCTS = 12;
const draw = async (index: number, view: number) => picture(`${index} ${view}`);
beforeAll(() => writeShopTables(folder, { seed: 3, products: PRODUCTS, draw }));

test.each([
  ['shopify.csv', { shop: 'https://shop.example', currency: 'eur' }],
  ['google.tsv', {}],
  ['google.xml', {}],
  ['stock.csv', { shop: 'https://shop.example' }],
])('%s', async (file, options) => {
  const table = { ...NO_OPTIONS, ...options };
  const result = await bench.import(join(folder, file), { table });
  expect([bench.rejects(), result.table?.notes]).toEqual([[], []]);
  expect(result.table).toMatchObject({ products: PRODUCTS });
  const [counted] = (
    await bench.knex.raw(`SELECT
    (SELECT count(*)::int FROM catalog_rows WHERE kind = 'product') AS products,
    (SELECT count(*)::int FROM listings) AS prices,
    (SELECT min(cardinality(images)) FROM products) AS pictures,
    (SELECT count(DISTINCT category)::int FROM products) AS categories`)
  ).rows;
  expect(counted).toEqual({ products: PRODUCTS, prices: PRODUCTS, pictures: 2, categories: 2 });
});
