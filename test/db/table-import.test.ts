import { join } from 'node:path';
import type { CatalogImportStore } from '../../models/ports';
import type { TableImport } from '../../scripts/import/tables/table-file';
import { NO_OPTIONS } from '../support/table-records';
import { picture, useImportBench, wrapped } from './catalog-import-support';

/** contract 13.20 to 13.23: tables of shops, from the file to the catalog. */
const bench = useImportBench();

const HEADER = 'handle,title,brand,category,price,currency,link,image';
const row = (id: string, cells: Readonly<Record<string, string>> = {}): string =>
  Object.values({
    ...{ id, title: `Bag ${id}`, brand: 'Gucci', category: 'Bags', price: '10', currency: 'EUR' },
    ...{ link: `https://a.example/${id}`, image: 'a.png', ...cells },
  }).join(',');
const rowsOf = (ids: string): string[] => [...ids].map((id) => row(id));

async function importRows(
  rows: readonly string[],
  options: Partial<TableImport> = {},
  rest: { dryRun?: boolean; wrap?: (store: CatalogImportStore) => CatalogImportStore } = {},
) {
  const content = Buffer.from([HEADER, ...rows].join('\n'));
  const folder = bench.write({ 'shop.csv': content, 'a.png': picture('a') });
  const { wrap, ...more } = rest;
  const table = { ...NO_OPTIONS, ...options };
  return await bench.import(join(folder, 'shop.csv'), { table, ...more }, wrap);
}

const products = async (): Promise<string> => {
  const rows = await bench.knex('catalog_rows').where({ kind: 'product' }).orderBy('id').pluck('id');
  return rows.map((id: string) => id.replace('product_', '')).join('');
};
const FEED = { feed: 'shop', removeMissing: true };

// contract 13.20, 13.21
test('a table becomes rows with pictures and prices, and its rejects name their lines', async () => {
  const result = await importRows([row('a'), row('b', { title: '' }), row('c', { price: '1x2' }), 'd,e']);
  expect(result).toMatchObject({ rejected: 3, table: { products: 3, removed: 0, notes: [] } });
  expect(bench.rejects()).toEqual([
    expect.stringMatching(/^shop\.csv:5: line: has 2 cells, the header has 8$/),
    expect.stringMatching(/^shop\.csv:3: title: is required of a product/),
    expect.stringMatching(/^shop\.csv:4: price: "1x2" is no price$/),
  ]);
  expect(await products()).toBe('ac');
  expect(await bench.row('product_a')).toMatchObject({
    name: 'Bag a',
    category: 'bags',
    facets: ['brand:brand_gucci', 'category:bags'],
    images: [expect.stringMatching(/^\/images\/[0-9a-f]{64}\.png$/)],
  });
  const listing = { variant_id: 'variant_a.default', price: 10, region: 'EU-IE' };
  expect(await bench.knex('listings')).toMatchObject([listing]);
});

// contract 13.20
test('the same table a day later changes nothing, and a changed row is an update', async () => {
  await importRows(rowsOf('ab'));
  const before = await bench.dump();
  await importRows(rowsOf('ab'));
  expect(await bench.dump()).toEqual(before);
  for (const price of ['12', 'POA', '13', '0.00', '14', '']) {
    await importRows([row('a', { price, title: 'New' }), row('b')]);
    expect(await bench.row('product_a')).toMatchObject({ name: 'New' });
    const prices = await bench.knex('listings').where({ variant_id: 'variant_a.default' }).pluck('price');
    expect(prices).toEqual(Number(price) > 0 ? [Number(price)] : []);
  }
  await importRows([row('b', { currency: 'GBP', link: 'https://a.example/uk' })]);
  expect(await bench.knex('listings').orderBy('region').pluck('region')).toEqual(['EU-IE', 'EU-UK']);
});

// contract 13.20
test.each([
  ['10 GBP /a', 'EU-UK /a'],
  ['10 EUR /new', 'EU-IE /new'],
  ['10 CHF /a', ''],
  ['POA - /a', ''],
  ['1x2 GBP /a', 'EU-IE /a'],
  ['1-2 GBP /a', ''],
  ['10 - /a', 'EU-IE /a'],
  ['10 GBP /uk', 'EU-UK /uk'],
  ['POA - /new', ''],
])('of a piece for 10 EUR at /a, a row that says %s leaves this of its shop: %s', async (says, left) => {
  const [price = '', currency = '', path = ''] = says.replace(' - ', '  ').split(' ');
  const shop = async () => {
    const found = await bench.knex('listings').whereNot({ vendor: '' }).orderBy('region');
    return found.map(({ region, link }) => `${region} ${link.slice('https://a.example'.length)}`).join(', ');
  };
  await importRows([row('a')], FEED);
  const other = { variant: 'variant_a.default', region: 'EU-IE', link: 'https://b.example/a' };
  await bench.accept({ 'listings.jsonl': [other] });
  await importRows([row('a', { price, currency, link: `https://a.example${path}` })], FEED);
  expect([await shop(), await bench.knex('listings').where({ vendor: '' })]).toMatchObject([left, [{}]]);
  // Another feed of the shop, for another market.
  await importRows([row('a', { currency: 'USD' })], { feed: 'other' });
  expect(await shop()).toBe([left, 'NA /a'].filter(Boolean).join(', '));
});

// contract 13.20
test('a product comes in without the pictures that cannot be used, unless none of the table is there', async () => {
  const rows = ['A.PNG|b.png', 'b.png', 'shop.csv'].map((image, at) => row('abc'[at] ?? '', { image }));
  const result = await importRows(rows);
  const notes = [`3 pictures left out: see ${result.report} for why (first: line 2)`];
  expect(result).toMatchObject({ rejected: 0, table: { products: 3, notes } });
  expect(bench.rejects().toSorted()).toEqual([
    'shop.csv:2: images.1: b.png: there is no such file beside the table',
    'shop.csv:3: images.0: b.png: there is no such file beside the table',
    expect.stringMatching(/^shop\.csv:4: images\.0: shop\.csv: /),
  ]);
  expect(await products()).toBe('abc');
  expect((await bench.row('product_a'))?.['images']).toHaveLength(1);
  expect(await bench.knex('listings')).toHaveLength(3);
  const missing = await importRows([row('a', { image: 'b.png' }), row('d', { image: 'b.png' })]);
  const none = [expect.stringContaining('none of the picture files')];
  expect(missing).toMatchObject({ rejected: 2, table: { notes: none } });
  expect((await bench.row('product_a'))?.['images']).toHaveLength(1);
});

// contract 13.20, 1.11
test('a brand of the catalog keeps what it has there and gains the categories of the table', async () => {
  await bench.accept({
    'categories.jsonl': [
      { id: 'shoes', name: 'D’été', hierarchy: ['brand'] },
      { id: 'summer', name: "D'Ete", hierarchy: ['brand'] },
      { id: 'rings', name: 'Rings', hierarchy: ['maison'] },
    ],
    'entities.jsonl': [
      { id: 'brand_gucci', kind: 'brand', name: 'Gucci', category: 'shoes', keywords: ['gg'], popularity: 7 },
    ],
  });
  const rows = [row('a'), row('b', { category: 'shoes' }), row('c', { category: 'd’Été' })];
  const other = row('d', { category: 'D-ÉTÉ', brand: 'Prada' });
  const ring = row('e', { category: 'Rings' });
  expect(await importRows([...rows, other, ring])).toMatchObject({ rejected: 0 });
  // There a brand is a facet, and is not shared.
  expect((await bench.row('product_e'))?.['facets']).toContain('brand:brand_rings-gucci');
  expect(['shoes', 'summer']).toContain((await bench.row('brand_prada'))?.['category']);
  expect(await bench.row('brand_gucci')).toMatchObject({ popularity: 7, category: 'shoes,bags' });
  expect((await bench.row('brand_gucci'))?.['words']).toContain('gg');
});

// contract 13.20
test('a brand or model that the catalog has under another id is recognised', async () => {
  await bench.accept({
    'categories.jsonl': [{ id: 'bags', name: 'Bags', hierarchy: ['brand', 'model'], name_fields: [] }],
    'entities.jsonl': [
      { id: 'brand_7', kind: 'brand', name: 'GÚCCI', category: 'bags' },
      { id: 'brand_8', kind: 'brand', name: 'Prada', category: 'bags' },
      { id: 'model_7', kind: 'model', name: 'Flap Bag', category: 'bags', parents: { brand: 'brand_7' } },
    ],
  });
  const rows = ['a,A,Gucci,flap-bag,Bags', 'b,B,prada,Flap Bag,Bags', 'c,C,New,,Bags'];
  const content = ['sku,title,brand,model,category', ...rows].join('\n');
  const folder = bench.write({ 'shop.csv': Buffer.from(content) });
  expect(await bench.import(join(folder, 'shop.csv'), { table: NO_OPTIONS })).toMatchObject({ rejected: 0 });
  for (const [id, facets] of [
    ['product_a', ['brand:brand_7', 'model:model_7']],
    ['product_b', ['brand:brand_8', 'model:model_bags-prada-flap-bag']],
  ] as const)
    expect((await bench.row(id))?.['facets']).toEqual(expect.arrayContaining([...facets]));
  const ids = ['brand_7', 'brand_8', 'brand_new', 'model_7', 'model_bags-prada-flap-bag'];
  expect(await bench.knex('entities').orderBy('id').pluck('id')).toEqual(ids);
});

// contract 13.22
test('a dry run shows how the columns are understood and the first records, and changes nothing', async () => {
  const before = await bench.dump();
  const result = await importRows([...rowsOf('abcd'), row('e', { price: '1x2' })], FEED, { dryRun: true });
  expect(result).toMatchObject({
    rejected: 1,
    table: { products: 5, preview: { encoding: 'utf-8', delimiter: ',' } },
  });
  expect(result.table?.preview?.columns.of['url']).toEqual(['link']);
  const first = ['product_a', 'product_b', 'product_c'].map((id) => ({ id }));
  expect(result.table?.preview?.records).toMatchObject(first);
  expect(await bench.dump()).toEqual(before);
  expect(await bench.knex('product_feeds')).toEqual([]);
});

describe('a feed', () => {
  // contract 13.23, 13.15
  test('loses what its file no longer has; a product that returns has its prices', async () => {
    await importRows(rowsOf('abcdef'), FEED);
    const own = { variant: 'variant_f.default', region: 'NA', link: 'https://b.example/f', price: 5 };
    await bench.accept({ 'listings.jsonl': [own] });
    expect(await importRows(rowsOf('abcde'), FEED)).toMatchObject({ table: { removed: 1, refused: false } });
    expect(await products()).toBe('abcde');
    await importRows(rowsOf('abcdef'), FEED);
    expect(await products()).toBe('abcdef');
    expect(await bench.knex('listings').where({ variant_id: 'variant_f.default' })).toHaveLength(2);
  });

  // contract 13.23
  test('loses no more than a fifth without force', async () => {
    await importRows(rowsOf('abcdefghij'), FEED);
    const why = 'no product was removed: 3 of 10 products of this feed are not in the file';
    const notes = [expect.stringContaining(why)];
    for (const dryRun of [true, false]) {
      const refused = await importRows(rowsOf('abcdefg'), FEED, { dryRun });
      expect(refused).toMatchObject({ table: { removed: 0, refused: true, notes } });
    }
    expect(await products()).toBe('abcdefghij');
    for (const dryRun of [true, false])
      expect(await importRows(rowsOf('abcdefgh'), FEED, { dryRun })).toMatchObject({ table: { removed: 2 } });
    // As after a change of the column that tells products apart.
    const other = importRows(rowsOf('uvwxyz'), FEED);
    await expect(other).rejects.toThrow('None of the 8 products of the feed "shop" is in the file');
    expect(await products()).toBe('abcdefgh');
    const forced = await importRows(rowsOf('abc'), { ...FEED, force: true });
    expect(forced).toMatchObject({ table: { removed: 5 } });
    expect(await products()).toBe('abc');
  });

  // contract 13.23
  test.each([
    ['a quote that is never closed', '"'],
    ['a row that is cut off', 'f,Bag'],
  ])('loses nothing to a file that is broken: %s', async (_, end) => {
    await importRows(rowsOf('abcdef'), FEED);
    const result = await importRows([...rowsOf('abcd'), end], { ...FEED, force: true });
    expect(result).toMatchObject({ table: { removed: 0, refused: true } });
    expect(await products()).toBe('abcdef');
  });

  // contract 13.23
  test('keeps products whose row is rejected, and products from another feed or from none', async () => {
    await importRows(rowsOf('abcdefghij'), FEED);
    await importRows(rowsOf('jk'), { feed: 'other' });
    await importRows(rowsOf('l'));
    const rejected = [row('h', { title: 'x'.repeat(600) }), ...Array<string>(2_001).fill(row('i'))];
    const result = await importRows([...rowsOf('abcdefg'), ...rejected], FEED);
    expect(result).toMatchObject({ rejected: 2, table: { removed: 0 } });
    expect(await products()).toBe('abcdefghijkl');
    // Neither feed has it any more.
    await importRows(rowsOf('k'), { ...FEED, feed: 'other', force: true });
    expect(await products()).toBe('abcdefghikl');
  });

  // contract 13.23, 13.8
  test('loses nothing when an import is killed midway, and its missing products with the next one', async () => {
    await importRows(rowsOf('abcdef'), FEED);
    const dying = (store: CatalogImportStore) =>
      wrapped(store, (name) => (name === 'transaction' ? () => Promise.reject(new Error('killed')) : null));
    await expect(importRows(rowsOf('abcde'), FEED, { wrap: dying })).rejects.toThrow('killed');
    expect(await products()).toBe('abcdef');
    expect(await importRows(rowsOf('abcde'), FEED)).toMatchObject({ table: { removed: 1 } });
    expect(await products()).toBe('abcde');
  });
});
