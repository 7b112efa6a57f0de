import { readColumns } from '../../models/catalog/tables/columns';
import { plainText } from '../../models/catalog/tables/plain-text';
import { readPrice } from '../../models/catalog/tables/prices';
import { readTable } from '../support/table-records';

/** contract 13.21: broken rows, and rows that have one obvious reading. */
const HEADER = 'handle,title,brand,price,currency,image,link,sku,size,quote';
const LONG = 'x'.repeat(600);

const row = (cells: Readonly<Record<string, string>> = {}): string =>
  Object.values({
    ...{ handle: 'a', title: 'Bag', brand: 'Gucci', price: '1', currency: 'EUR' },
    ...{ image: '', link: '', sku: 'a', size: '', quote: '' },
    ...cells,
  }).join(',');
const page = { link: 'https://a.example/a' };
const TOO_MANY = 'line: has 11 cells, the header has 10';
const NO_ADDRESS = 'is no https:// address';
const IN_LINE_3 = 'is a variant of this product in line 3 already';
const PICTURES = 'https://a.example/a.jpg|ftp://a.example/b.jpg';
const NO_ID = 'id: is required: a handle, an id, a SKU or a link tells which product a row is of';
const NO_CHARACTER = 'title: holds bytes that are no character of the encoding of the file';
const OPEN = [row({ title: '"Bag' }), row({ handle: 'c' }), row({ handle: 'd', title: '"Bag"' })].join('\n');
/** Two rows, the second of which names no title. */
const twice = (cells: Readonly<Record<string, string>>) => `${row(cells)}\n${row({ ...cells, title: '' })}`;

/** Line 3, between two good rows; what is rejected there; and the row whose product is imported nevertheless. */
test.each<[kind: string, rows: string | Buffer, reject: string | null, kept?: string]>([
  ['too few cells', 'a,Bag', 'line: has 2 cells, the header has 10'],
  ['too many cells', `${row()},more`, TOO_MANY],
  ['blank cells beyond the header', `${row()},,`, null, 'a'],
  ['blank cells alone', ',,,,,,,,,', null],
  ['an empty row', '', null],
  ['white space alone', '   ', null],
  ['no handle, id, SKU or link', row({ handle: '', sku: '' }), NO_ID],
  ['a title that is too long', row({ title: LONG }), 'title: is longer than 512 characters'],
  ['a brand that is too long', row({ brand: LONG }), 'name: is longer than 500 characters', 'a'],
  ['a link that is none', row({ link: 'see below' }), `url: ${NO_ADDRESS}`],
  ['a picture by http', row({ image: 'http://a.example/a.jpg' }), null, 'a'],
  ['paths as on Windows', row({ image: 'b\\a.jpg|C:\\a.jpg|\\\\nas\\a.jpg' }), null, 'a'],
  ['the second of two pictures', row({ image: PICTURES }), `images.1: ${NO_ADDRESS}`],
  ['a picture outside the folder', row({ image: '../a.jpg|b/../../c.jpg' }), null, 'a'],
  ['a picture at an absolute path', row({ image: '/etc/a.jpg' }), null, 'a'],
  ['a price in words', row({ price: 'on request', ...page }), null, 'a'],
  ['a price that is none', row({ price: '5x', ...page }), 'price: "5x" is no price', 'a'],
  ['a range of prices', row({ price: '5円〜7円', ...page }), null, 'a'],
  ['pictures with commas between', row({ image: '"b/a.JPG,c d.png,e.webp"' }), null, 'a'],
  ["Excel's form of text", row({ handle: '="007"' }), null, '007'],
  ["a blank row in Excel's form of text", `${row()}\n${'="",'.repeat(9)}`, null, 'a'],
  ['a row that is there twice', `${row()}\n${row()}`, null, 'a'],
  ['a variant that is named twice', twice({}), `4: variants: "a" ${IN_LINE_3}`, 'a'],
  ['a size that is named twice', twice({ sku: '', size: 'L' }), `4: variants: "L" ${IN_LINE_3}`, 'a'],
  ['a quote within a cell', row({ title: '24" Bag' }), null, 'a'],
  ['a quote that ends too early', row({ title: '"Big" bag' }), null, 'a'],
  ['quotes within quotes', row({ title: '"A ""big"" bag"' }), null, 'a'],
  ['a line break within quotes', row({ title: '"Bag\nof two lines"' }), null, 'a'],
  ['a delimiter without quotes', row({ title: 'Bag, red', quote: 'x' }), TOO_MANY],
  ['a quote that stays open over rows', OPEN, 'line: a quote is open from here to line 5'],
  ['a byte that is no UTF-8', Buffer.from(row({ title: '\xc3\xa4\xe9' }), 'latin1'), NO_CHARACTER],
  ['an older name of an image', row({ image: 'a.tiff' }), null, 'a'],
  ['a handle with white space', row({ handle: 'a b' }), null, 'a-b-c8687a08aa5d'],
  ['a handle of another script', row({ handle: '包' }), null, '包-26b9c4d2448e'],
  ['a handle that is very long', row({ handle: LONG }), null, `${'x'.repeat(60)}-5130b33e6b87`],
  ['a handle with a comma', row({ handle: '"a,b"' }), null, 'a-b-1eb7c54d5283'],
  ['HTML in a title', row({ title: '<b>Bag</b>' }), null, 'a'],
])('%s', async (_kind, rows, reject, kept = '') => {
  const content = Buffer.concat([
    Buffer.from(`${HEADER}\n${row({ handle: 'first' })}\n`),
    Buffer.from(rows),
    Buffer.from(`\n${row({ handle: 'last' })}\n`),
  ]);
  const table = await readTable('table.csv', content);
  const between = kept === '' ? [] : [{ id: `product_${kept}` }];
  expect(table.rejects).toEqual(reject === null ? [] : [reject.replace(/^(?!\d)/, '3: ')]);
  expect(table.products).toMatchObject([{ id: 'product_first' }, ...between, { id: 'product_last' }]);
});

const ITEM = (id: string, title: string) => `<item><g:id>${id}</g:id><title>${title}</title></item>`;
const RSS = (items: string) =>
  `<rss xmlns:g="http://base.google.com/ns/1.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>\n${items}\n</channel></rss>`;

const TWO = RSS(`${ITEM('a', 'Bag')}\n${ITEM('b', 'Bag')}`);
const NO_TAG = RSS(`${ITEM('a', '<b>Bag')}\n${ITEM('b', 'Bag')}`);
const OTHER_PREFIXES = `<a:feed xmlns:a="http://www.w3.org/2005/Atom" xmlns:m="http://base.google.com/ns/1.0" xmlns:x="urn:x">
<a:entry><m:id>a</m:id><x:id>b</x:id><a:title>Bag</a:title><a:link rel="self" href="no page"/></a:entry></a:feed>`;
const ATOM_IN_RSS = `<atom:id>urn:1</atom:id><atom:link rel="alternate" href="no page"/>`;
const LINK_IN_RSS = `<link rel="self" href="https://a.example"/><link rel="canonical" href="no page"/>`;
const GROWING = `<!DOCTYPE r [<!ENTITY a "aaaa">]>${RSS(ITEM('a', '&a;&a;'))}`;
const BAG = '<products><product><id>a</id></product></products>';
const GOES_ON = '<items><item><product><title>Bag</title></product><id>a</id></item></items>';
/** As of BigCommerce. */
const NO_PRODUCT = 'Item,ID,SKU,Bin Picking Number\nVariant,1,v,\nProduct,b,b,';
const BROKEN_XML = 'line: no well-formed XML:';
const NEVER_CLOSED = 'a quote that is opened here is never closed; the file is not read from here on';

// contract 13.21
test.each<[file: string, kind: string, content: string, reject: string | null, product?: string]>([
  ['a.csv', 'a header alone', HEADER, null],
  ['a.csv', 'the line for Excel', `sep=;\nid;title\na;Bag, red`, null, 'a'],
  ['a.csv', 'a title above the header', 'Stock, of March\n;;\nid;title;brand\na;Bag;Gucci', null, 'a'],
  ['a.csv', 'groups of columns above the header', 'Article,,\n"id",title,brand\na,Bag,Gucci', null, 'a'],
  ['a.csv', 'a header in Polish above values that are headers', 'sku,Nazwa,Typ\na,Title,Brand', null, 'a'],
  ['a.csv', 'a name that is a header in a row', 'id,x,y\nPrice,Title,Brand', null, 'Price'],
  ['a.csv', 'a variant above the first product', NO_PRODUCT, `2: ${NO_ID}`, 'b'],
  ['a.csv', 'pipes', 'id|title\na|Bag; red', null, 'a'],
  ['a.csv', 'lines that end as on old Macs', 'id,title\ra,Bag', null, 'a'],
  ['a.csv', 'an open quote', 'id,title\na,Bag\nb,"Bag\nc,Bag', `3: line: ${NEVER_CLOSED}`, 'a'],
  ['a.csv', 'a cut off row', 'id,title,x\na,Bag,y\nb,Ba', '3: line: has 2 cells, the header has 3', 'a'],
  ['a.xml', 'a bare ampersand', RSS(ITEM('a', 'Dolce & Gabbana')), null, 'a'],
  ['a.xml', 'an entity of HTML', RSS(ITEM('a', 'Dolce&nbsp;&eacute;')), null, 'a'],
  ['a.xml', 'a tag that is not closed', NO_TAG, `2: ${BROKEN_XML} Unexpected close tag`, 'b'],
  ['a.xml', 'a cut off feed', TWO.slice(0, -60), `3: ${BROKEN_XML} Unclosed root tag`, 'a'],
  ['a.xml', 'a feed cut off in an item', TWO.slice(0, -40), `3: ${BROKEN_XML} Unclosed root tag`, 'a'],
  ['a.xml', 'no XML', 'id,title', `1: ${BROKEN_XML} Non-whitespace before first tag.`],
  ['a.xml', 'other prefixes of the namespaces', OTHER_PREFIXES, null, 'a'],
  ['a.xml', 'elements of Atom', RSS(ITEM('a', `Bag</title>${ATOM_IN_RSS}<title>`)), null, 'a'],
  ['a.xml', 'a canonical link', RSS(ITEM('a', `Bag</title>${LINK_IN_RSS}<title>`)), `2: url: ${NO_ADDRESS}`],
  ['a.xml', 'an entity that grows', GROWING, null, 'a'],
  ['a.xml', 'keys that are attributes', '<x><product id="a"><name>Bag</name></product></x>', null, 'a'],
  ['a.xml', 'offers', '<offers><offer id="b" x=""><id>a</id><name>Bag</name></offer></offers>', null, 'a'],
  ['a.xml', 'an offer with a link', '<offer id="a"><url>https://a.example</url></offer>', null, 'a'],
  ['a.xml', 'products in an offer', `<offer><name>Bags</name>${BAG}</offer>`, null, 'a'],
  ['a.xml', 'an offer in a product', '<product><offer><id>b</id></offer><id>a</id></product>', null, 'a'],
  ['a.xml', 'an item that goes on after another in it', GOES_ON, null, 'a'],
])('%s with %s', async (file, _kind, content, reject, product = '') => {
  const table = await readTable(file, content);
  expect(table.rejects).toEqual(reject === null ? [] : [reject]);
  expect(table.products).toMatchObject(product === '' ? [] : [{ id: `product_${product}` }]);
});

// contract 13.21
test('a row with very many columns of one name is read in reasonable time', async () => {
  const [header, row] = ['id,title', 'a,Bag'].map((start, at) => start + `,${'x1'[at]}`.repeat(1_000_000));
  expect((await readTable('a.csv', `${header}\n${row}`)).products).toMatchObject([{ id: 'product_a' }]);
});

// contract 13.20, 13.21
test.each([
  ['xlsx', 'PK\x03\x04', 'is not a text file; save a spreadsheet as CSV'],
  ['csv', Buffer.from([0x1f, 0x8b]), 'is gzipped'],
  ['csv', '\ufeff \n<!DOCTYPE html><title>Log in</title>', 'is a web page'],
  ['xml', '<?xml version="1.0"?>\n<html xmlns="x"/>', 'is a web page'],
  ['csv', '{"error":"unauthorized"}', 'is JSON'],
  [
    'xml',
    '<rss xmlns:wp="http://wordpress.org/export/1.2/"/>',
    'is an export of WordPress; export the products',
  ],
  ['csv', 'Numer,Nazwa,Marka\n1,Title,Brand', 'what tells products apart: a handle, an id, a SKU or a link'],
  ['csv', 'id,"title\na,Bag', 'cannot be read: a quote that is opened here is never closed'],
  ['csv', 'x'.repeat(2 ** 23), 'cannot be read: longer than 4194304 characters; a quote may be open'],
])(
  'a %s file that is no table, or without a header that can be read, is refused with the reason: case %#',
  async (type, content, reason) => {
    await expect(readTable(`a.${type}`, content)).rejects.toThrow(reason);
  },
);

// contract 13.20
test.each<[map: Parameters<typeof readColumns>[2], message: string]>([
  [{ titel: 'a' }, 'unknown field "titel"'],
  [{ title: 'b' }, 'the column "b" for title, which the table does not have. It has: a, title.'],
  [{ data: ['c'] }, 'the column "c" for data'],
])('a map that names an unknown field or column is refused', (map, message) => {
  expect(() => readColumns(['a', 'title'], null, map)).toThrow(message);
});

// contract 13.20
test('a map decides what columns mean, and null ignores a column', () => {
  const columns = readColumns(['a', 'title', 'type', 'b'], null, { title: 'a', type: null, data: '*' });
  expect(Object.fromEntries(columns.of)).toEqual({ title: ['a'], type: [] });
  expect(readColumns(['id', 'item'], null, { brand: 'item' }).of.get('title')).toBeUndefined();
  expect(columns.data).toEqual(['title', 'type', 'b']);
  // The second title is not read; the second picture is.
  expect(readColumns(['id', 'title', 'title', 'image', 'image']).unread).toEqual(['title']);
  expect(readColumns(['sku', 'Title (de)', 'Item title', 'Title']).of.get('title')).toEqual(['Title']);
  for (const title of ['Title (de)', 'Item title'])
    expect(readColumns(['sku', title, 'Main image']).unread).toEqual([]);
  // In France, not in Swiss francs.
  expect(readColumns(['sku', 'Prix FR']).currency).toBeNull();
  // Of an export of Odoo 1.200 would be 1.2.
  expect(readColumns(['sku', 'category', 'Internal reference']).format).toBe('generic');
});

// contract 13.21
const AROUND_THEM = ['$1,200.00 USD', 'CHF 1’200.–', 'Fr. 1’200.–', 'A$1,200 (incl. VAT)'];
test.each<[amount: number | null, texts: readonly string[], withPoint?: number | null]>([
  [1200, ['1200.00 EUR', '€1.200,00', '1 200,-', '1,200', ...AROUND_THEM]],
  [1200, ['1.200', '1.200 Euro VB', '1.200 €,-'], 1.2],
  [1200.5, ["1'200.50", '١٬٢٠٠٫٥ €']],
  [1234567, ['1.234.567,00', '12,34,567', '₹12,34,567.00', '₹ 12,34,567/-', '1 234 567 €']],
  [198000, ['￥１９８，０００-', '198,000円（税込）']],
  [0.5, ['0.500', '0,5']],
  [12.5, ['12,5', '12.50']],
  [null, ['12.34.56', '1,2,3', '1,23,45', '-5', '1e5', '']],
  [null, ['12€50', '950 €\n1200 €', '1200\n950', '950,00 800']],
])('a price of %s: %j', (amount, texts, ...[withPoint = amount]) => {
  const read = (isPoint: boolean) => texts.map((text) => readPrice(text, isPoint)?.amount ?? null);
  expect([read(false), read(true)]).toEqual([texts.map(() => amount), texts.map(() => withPoint)]);
});

// contract 13.21
test.each([
  ['<p>A &amp; B</p><p>C<br/>D</p>', 'A & B\nC\nD'],
  ['1 < 2 and 3 > 2', '1 < 2 and 3 > 2'],
  ['<script>alert(1)</script>a<style>b</style>&#233;&Eacute;&#x20AC;&unknown;&#0;', 'aéÉ€&unknown;'],
])('HTML becomes text: %s', (html, text) => {
  expect(plainText(html)).toBe(text);
});
