import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encode } from 'iconv-lite';
import { REPOSITORY_ROOT } from '../../scripts/lab/service-processes';
import { readTable } from '../support/table-records';

/** contract 13.20: the result of a shop's whole file. */

const EXPORTS = join(REPOSITORY_ROOT, 'test/fixtures/exports');
const WITHOUT_OPTIONS = 'prices-left-out.csv';
const expectedOf = (file: string): object =>
  JSON.parse(readFileSync(join(EXPORTS, file.replace(/\.\w+$/, '.json')), 'utf8'));

async function readExport(file: string, content = readFileSync(join(EXPORTS, file))) {
  const map = file === 'german.csv' ? { data: ['Lager'] } : {};
  const options = file === WITHOUT_OPTIONS ? {} : { currency: 'eur', shop: 'https://shop.example', map };
  const { columns, encoding, delimiter, ...read } = await readTable(file, content, options);
  const { categories, entities, products, listings, rejects, notes } = read;
  const { format, unread } = columns;
  const records = { format, unread, categories, entities, products, listings, rejects, notes };
  return { encoding, delimiter, records: JSON.parse(JSON.stringify(records)) };
}

// contract 13.20, 13.21
const FILES = readdirSync(EXPORTS).filter((file) => !file.endsWith('.json'));
test.each(FILES)('the export %s becomes the records beside it', async (file) => {
  expect((await readExport(file)).records).toEqual(expectedOf(file));
});

// contract 13.20
test('addresses without their scheme or host, and pages named by a column', async () => {
  const rows = ['a,/a/,/a.jpg,', 'b,www.b.example/b,,', 'c,//c.example/c,,', 'd,,,d d', 'e,/\\[,,', 'f,,,-'];
  const text = ['sku,link,image,at,title', ...rows.map((each) => `${each},Bag`)].join('\n');
  const shop = 'https://shop.example/en/{at}?k={key}';
  const { products, rejects } = await readTable('a.csv', text, { shop });
  const urls = ['shop.example/a/', 'www.b.example/b', 'c.example/c', 'shop.example/en/d%20d?k=d'];
  expect(products).toMatchObject([...urls.map((url) => ({ url: `https://${url}` })), { id: 'product_f' }]);
  expect(products[4]).not.toHaveProperty('url');
  expect(products[0]).toMatchObject({ images: ['https://shop.example/a.jpg'] });
  expect(rejects).toEqual(['6: url: is no https:// address']);
  const without = await readTable('a.csv', text);
  expect([without.rejects, without.products[0]]).toMatchObject([[], { id: 'product_a', images: [] }]);
  const why =
    'without the pictures that begin with http:// (https only), with / (give --shop to complete them), or with C:\\ or ../ (give paths below the folder of the table) (line 2)';
  expect(without.notes).toContain(`1 row ${why}`);
  const misspelt = readTable('a.csv', text, { shop: 'https://shop.example/{SKU}' });
  await expect(misspelt).rejects.toThrow('--shop names the column "SKU", which the table does not have.');
});

// contract 13.20
test.each([
  ['EUR', '2/3/26, 28/3/26, 2026-03-01', []],
  ['EUR', '3/2/26, 3/28/2026, 2.3.26', []],
  ['EUR', '02/03/2026, 2/3/26', ['day/month']],
  ['USD', '03/02/2026, 3/2/26, 2026/03/28', ['month/day']],
])('sales in %s with the last days %s last', async (currency, days, order) => {
  const header = 'id,title,link,price,sale price,date sale price ends';
  const priced = `Bag,https://a.example,10 ${currency},9 ${currency}`;
  const rows = days.split(', ').map((day, id) => `${id},${priced},${day}`);
  const { listings, notes } = await readTable('a.csv', [header, ...rows].join('\n'));
  expect(listings).toMatchObject(rows.map(() => ({ price: 9 })));
  const read = order.map((each) => expect.stringMatching(`^sale dates .* are read as ${each}: .*line 2`));
  expect(notes).toEqual([...read, expect.stringContaining('no column is read as images')]);
});

const GERMAN = readFileSync(join(EXPORTS, 'german.csv'), 'utf8');

// contract 13.21
test.each<[encoding: BufferEncoding, name: string, mark: string]>([
  ['latin1', 'windows-1252', ''],
  ['utf8', 'utf-8', ''],
  ['utf8', 'utf-8', '\ufeff'],
  ['utf16le', 'utf-16le', '\ufeff'],
  ['utf16le', 'utf-16le', ''],
])('a German table with semicolons and decimal commas, in %s', async (encoding, name, mark) => {
  // Latin-1 of Node has no quotation marks; Windows-1252 has them at these places.
  const text = encoding === 'latin1' ? GERMAN.replace('„', '\x84').replace('“', '\x93') : GERMAN;
  const table = await readExport('german.csv', Buffer.from(mark + text, encoding));
  expect(table).toEqual({ encoding: name, delimiter: ';', records: expectedOf('german.csv') });
});

// contract 13.21
test.each([
  ['windows-1251', 'Сумка красная', 'windows-1251'],
  ['ISO-8859-2', 'Torba skórzana łódź', 'iso-8859-2'],
  ['Shift_JIS', 'バッグ 赤', 'shift_jis'],
  ['EUC-KR', '가방', 'euc-kr'],
  ['UTF-8', 'Tasche größer', 'utf-8'],
  ['windows-1251', 'Сумка красная', 'utf-8', 'UTF-8'],
])('a feed is read in its declared encoding: %s', async (declared, title, encoding, written = declared) => {
  const item = `<item><id>a</id><title>${title}</title></item>`;
  const feed = `<?xml version="1.0" encoding="${declared}"?><rss><channel>${item}</channel></rss>`;
  const table = await readTable('feed.xml', encode(feed, written));
  expect([table.encoding, table.products]).toMatchObject([encoding, [{ title }]]);
});
