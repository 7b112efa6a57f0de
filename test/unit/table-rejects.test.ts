import { readColumns } from '../../models/catalog/tables/columns';
import { plainText } from '../../models/catalog/tables/plain-text';
import { readPrice } from '../../models/catalog/tables/prices';
import { readTable } from '../support/table-records';

/** contract 13.21: rows that are broken, and rows that have one obvious reading. */

const HEADER = 'handle,title,brand,price,currency,image,link,sku,size,quote';
const GOOD = (id: string) =>
  `${id},Bag ${id},Gucci,1,EUR,https://a.example/${id}.jpg,https://a.example/${id},${id},,x`;
const LONG = 'x'.repeat(600);

/** What stands in line 3, between two good rows; the rejects; and the rows whose products come all the same. */
const BROKEN: readonly (readonly [
  kind: string,
  rows: string | Buffer,
  rejects: readonly string[],
  kept?: string,
])[] = [
  ['too few cells', 'a,Bag', ['3: line: has 2 cells, the header has 10']],
  ['too many cells', `${GOOD('a')},more`, ['3: line: has 11 cells, the header has 10']],
  ['blank cells beyond the header', `${GOOD('a')},,`, [], 'a'],
  ['blank cells alone', ',,,,,,,,,', []],
  ['an empty row', '', []],
  ['white space alone', '   ', []],
  [
    'no handle, id, SKU or link',
    ',Bag,Gucci,1,EUR,,,,,',
    ['3: id: is required: a handle, an id, a SKU or a link tells which product a row is of'],
  ],
  ['a title that is too long', `a,${LONG},Gucci,1,EUR,,,a,,`, ['3: title: is longer than 512 characters']],
  ['a SKU that is too long', `a,Bag,Gucci,1,EUR,,,${LONG},,`, ['3: sku: is longer than 128 characters']],
  ['a brand that is too long', `a,Bag,${LONG},1,EUR,,,a,,`, ['3: name: is longer than 500 characters'], 'a'],
  ['a link by http', 'a,Bag,Gucci,1,EUR,,http://a.example/a,a,,', ['3: url: is no https:// address']],
  ['a link that is none', 'a,Bag,Gucci,1,EUR,,see below,a,,', ['3: url: is no https:// address']],
  [
    'a picture by http',
    'a,Bag,Gucci,1,EUR,http://a.example/a.jpg,,a,,',
    ['3: images.0: is no https:// address'],
  ],
  [
    'the second of two pictures',
    'a,Bag,Gucci,1,EUR,https://a.example/a.jpg|ftp://a.example/b.jpg,,a,,',
    ['3: images.1: is no https:// address'],
  ],
  [
    'a picture outside the folder',
    'a,Bag,Gucci,1,EUR,../a.jpg,,a,,',
    ['3: images.0: is a path that leaves the bundle'],
  ],
  [
    'a picture at an absolute path',
    'a,Bag,Gucci,1,EUR,/etc/a.jpg,,a,,',
    ['3: images.0: is an absolute path'],
  ],
  [
    'a price in words',
    'a,Bag,Gucci,on request,EUR,,https://a.example/a,a,,',
    ['3: price: "on request" is no price'],
    'a',
  ],
  ['a negative price', 'a,Bag,Gucci,-5,EUR,,https://a.example/a,a,,', ['3: price: "-5" is no price'], 'a'],
  ['two prices', 'a,Bag,Gucci,5 - 7,EUR,,https://a.example/a,a,,', ['3: price: "5 - 7" is no price'], 'a'],
  [
    'a price with odd thousands',
    'a,Bag,Gucci,1.23.456,EUR,,https://a.example/a,a,,',
    ['3: price: "1.23.456" is no price'],
    'a',
  ],
  [
    'a variant that is named twice',
    'a,Bag,Gucci,1,EUR,,,S1,,\na,,,2,EUR,,,S1,,',
    ['4: variants: "S1" is a variant of this product in line 3 already'],
    'a',
  ],
  [
    'a size that is named twice',
    'a,Bag,Gucci,,,,,,L,\na,,,,,,,,L,',
    ['4: variants: "L" is a variant of this product in line 3 already'],
    'a',
  ],
  ['a quote within a cell', 'a,24" Bag,Gucci,1,EUR,,,a,,', [], 'a'],
  ['a quote that ends too early', 'a,"Big" bag,Gucci,1,EUR,,,a,,', [], 'a'],
  ['quotes within quotes', 'a,"A ""big"" bag",Gucci,1,EUR,,,a,,', [], 'a'],
  ['a line break within quotes', 'a,"Bag\nof two lines",Gucci,1,EUR,,,a,,', [], 'a'],
  [
    'a delimiter without quotes',
    'a,Bag, red,Gucci,1,EUR,,,a,,x',
    ['3: line: has 11 cells, the header has 10'],
  ],
  [
    'a quote that stays open over rows',
    `a,"Bag,Gucci,1,EUR,,,a,,\n${GOOD('c')}\nd,"Bag",Gucci,1,EUR,,,d,,`,
    ['3: line: a quote is open from here to line 5'],
  ],
  ['a NUL', 'a,B\0ag,Gucci,1,EUR,,,a,,', ['3: title: holds a character that can not be stored']],
  [
    'a byte that is no UTF-8',
    Buffer.concat([Buffer.from('a,Bäöü'), Buffer.of(0xe9), Buffer.from(',Gucci,1,EUR,,,a,,')]),
    ['3: title: holds bytes that are no character of the encoding of the file'],
  ],
  ['an older name of an image', 'a,Bag,Gucci,1,EUR,a.tiff,,a,,', [], 'a'],
  ['a handle with white space', 'a b,Bag,Gucci,1,EUR,,,a,,', [], 'a-b-c8687a08aa5d'],
  ['a handle of another script', '包,Bag,Gucci,1,EUR,,,a,,', [], '包-26b9c4d2448e'],
  ['a handle that is very long', `${LONG},Bag,Gucci,1,EUR,,,a,,`, [], `${'x'.repeat(60)}-5130b33e6b87`],
  ['a handle with a comma', '"a,b",Bag,Gucci,1,EUR,,,a,,', [], 'a-b-1eb7c54d5283'],
  ['HTML in a title', 'a,<b>Bag</b>,Gucci,1,EUR,,,a,,', [], 'a'],
  ['a currency without a market', 'a,Bag,Gucci,1,CHF,,https://a.example/a,a,,', [], 'a'],
  ['no currency', 'a,Bag,Gucci,1,,,https://a.example/a,a,,', [], 'a'],
  ['no link', 'a,Bag,Gucci,1,EUR,,,a,,', [], 'a'],
];

// contract 13.21
test.each(BROKEN.map(([kind, ...rest]) => [kind, rest] as const))('%s', async (_, [rows, rejects, kept]) => {
  const content = Buffer.concat([
    Buffer.from(`${HEADER}\n${GOOD('first')}\n`),
    Buffer.isBuffer(rows) ? rows : Buffer.from(rows),
    Buffer.from(`\n${GOOD('last')}\n`),
  ]);
  const table = await readTable('table.csv', content);
  const between = kept === undefined ? [] : [{ id: `product_${kept}` }];
  expect(table.rejects).toEqual(rejects);
  expect(table.products).toMatchObject([{ id: 'product_first' }, ...between, { id: 'product_last' }]);
});

// contract 13.21
test('rows of a handle that do not stand together are one product, at the end', async () => {
  const rows = [GOOD('a'), GOOD('b'), GOOD('a').replace(',a,,', ',a2,,'), GOOD('c')];
  const { products, listings, rejects } = await readTable('table.csv', [HEADER, ...rows].join('\n'));
  expect(rejects).toEqual([]);
  expect(products).toMatchObject([
    { id: 'product_b' },
    { id: 'product_c' },
    { id: 'product_a', variants: [{ id: 'variant_a.a' }, { id: 'variant_a.a2' }] },
  ]);
  expect(listings).toHaveLength(4);
});

// contract 13.21
test('prices that name no currency or have no page are counted once, and no rejects', async () => {
  const rows = [
    'a,Bag,Gucci,1,,,https://a.example/a,a,,',
    'b,Bag,Gucci,1,CHF,,https://a.example/b,b,,',
    'c,Bag,Gucci,1,EUR,,,c,,',
  ];
  const { notes, listings, rejects } = await readTable('table.csv', [HEADER, ...rows].join('\n'));
  expect([listings, rejects]).toEqual([[], []]);
  expect(notes).toEqual([
    '1 prices were left out: they name no currency; give it with --currency',
    '1 prices were left out: in CHF; markets are priced in usd, gbp and eur',
    '1 prices were left out: a listing needs the page of its product; give the address of the shop with --shop',
  ]);
});

const ITEM = (id: string, title: string) => `<item><g:id>${id}</g:id><title>${title}</title></item>`;
const RSS = (items: string) =>
  `<rss xmlns:g="http://base.google.com/ns/1.0"><channel>\n${items}\n</channel></rss>`;

// contract 13.21
test.each<
  [kind: string, name: string, content: string, rejects: readonly string[], products: readonly string[]]
>([
  ['a header alone', 'a.csv', HEADER, [], []],
  ['the line for Excel', 'a.csv', `sep=;\nid;title\na;Bag, red`, [], ['a']],
  ['pipes', 'a.csv', 'id|title\na|Bag; red', [], ['a']],
  ['lines that end as on old Macs', 'a.csv', 'id,title\ra,Bag', [], ['a']],
  [
    'a quote that is never closed',
    'a.csv',
    'id,title\na,Bag\nb,"Bag\nc,Bag',
    ['3: line: a quote that is opened here is never closed; the file is not read from here on'],
    ['a'],
  ],
  [
    'a row that is cut off',
    'a.csv',
    'id,title,brand\na,Bag,Gucci\nb,Ba',
    ['3: line: has 2 cells, the header has 3'],
    ['a'],
  ],
  ['a bare ampersand', 'a.xml', RSS(ITEM('a', 'Dolce & Gabbana')), [], ['a']],
  ['an entity of HTML', 'a.xml', RSS(ITEM('a', 'Dolce&nbsp;&eacute;')), [], ['a']],
  [
    'a tag that is not closed',
    'a.xml',
    RSS(`${ITEM('a', '<b>Bag')}\n${ITEM('b', 'Bag')}`),
    ['2: line: no well-formed XML: Unexpected close tag'],
    ['b'],
  ],
  [
    'a feed that is cut off',
    'a.xml',
    RSS(`${ITEM('a', 'Bag')}\n${ITEM('b', 'Bag')}`).slice(0, -60),
    ['3: line: no well-formed XML: Unclosed root tag'],
    ['a'],
  ],
  [
    'a feed that is cut off in an item',
    'a.xml',
    RSS(`${ITEM('a', 'Bag')}\n${ITEM('b', 'Bag')}`).slice(0, -40),
    ['3: line: no well-formed XML: Unclosed root tag'],
    ['a'],
  ],
  [
    'a feed that is no XML',
    'a.xml',
    'id,title',
    ['1: line: no well-formed XML: Non-whitespace before first tag.'],
    [],
  ],
  [
    'an entity that grows',
    'a.xml',
    `<!DOCTYPE r [<!ENTITY a "aaaa">]>${RSS(ITEM('a', '&a;&a;'))}`,
    [],
    ['a'],
  ],
])('%s', async (_, name, content, rejects, products) => {
  const table = await readTable(name, content);
  expect(table.rejects).toEqual(rejects);
  expect(table.products).toMatchObject(products.map((id) => ({ id: `product_${id}` })));
});

// contract 13.20
test.each<[map: Parameters<typeof readColumns>[2], message: string]>([
  [{ titel: 'a' }, 'unknown field "titel"'],
  [{ title: 'b' }, 'the column "b" for title, which the table does not have. It has: a, title.'],
  [{ data: ['c'] }, 'the column "c" for data'],
])('a map that names what there is not is refused', (map, message) => {
  expect(() => readColumns(['a', 'title'], null, map)).toThrow(message);
});

// contract 13.20
test('a map decides what columns mean, and null that one means nothing', () => {
  const columns = readColumns(['a', 'title', 'type', 'b'], null, { title: 'a', type: null, data: '*' });
  expect(Object.fromEntries(columns.of)).toEqual({ title: ['a'], type: [] });
  expect(columns.data).toEqual(['title', 'type', 'b']);
});

// contract 13.21
test.each<[text: string, amount: number | null, withPoint?: number | null]>([
  ['1200.00 EUR', 1200],
  ['€1.200,00', 1200],
  ['1 200,-', 1200],
  ["1'200.50", 1200.5],
  ['1,200', 1200],
  ['1.200', 1200, 1.2],
  ['0.500', 0.5],
  ['12,5', 12.5],
  ['1.234.567,89', 1234567.89],
  ['CHF 1’200.–', 1200],
  ['12.34.56', null],
  ['1,2,3', null],
  ['-5', null],
  ['1e5', null],
  ['', null],
])('a price: %s', (text, amount, ...[withPoint]) => {
  expect(readPrice(text, false)?.amount ?? null).toBe(amount);
  expect(readPrice(text, true)?.amount ?? null).toBe(withPoint ?? amount);
});

// contract 13.21
test.each([
  ['<p>A &amp; B</p><p>C<br/>D</p>', 'A & B\nC\nD'],
  ['1 < 2 and 3 > 2', '1 < 2 and 3 > 2'],
  ['<script>alert(1)</script>a<style>b</style>&#233;&#x20AC;&unknown;&#0;', 'aé€&unknown;'],
])('HTML becomes text: %s', (html, text) => {
  expect(plainText(html)).toBe(text);
});
