import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encode } from 'iconv-lite';
import { REPOSITORY_ROOT } from '../../scripts/lab/service-processes';
import { readTable } from '../support/table-records';

/** contract 13.20: the result of a shop's whole file. */

const SHOPIFY = `Handle,Title,Body (HTML),Vendor,Product Category,Type,Tags,Published,Option1 Name,Option1 Value,Variant SKU,Variant Price,Image Src,Image Position,Variant Image,Status,Color (product.metafields.shopify.color-pattern),Cost
neverfull,Neverfull MM,"<p>Coated canvas &amp; leather.</p><p>A ""good"" bag,
used.</p>",Louis Vuitton,Apparel & Accessories > Handbags,Tote,"tote, monogram",TRUE,Size,MM,LV-1,"1,250.00",//cdn.example/b.jpg,2,,active,Brown/Beige,1
neverfull,,,,,,,,,GM,LV-2,1350.00,https://cdn.example/a.jpg,1,https://cdn.example/gm.jpg,,,
neverfull,,,,,,,,,,,,https://cdn.example/c.jpg,3,,,,
boy-bag,Boy Bag,,CHANEL,Apparel & Accessories > Handbags,Flap,,TRUE,Title,Default Title,CH-9,4000,https://cdn.example/d.jpg,1,,active,Black,2
old,Old one,,Chanel,Apparel & Accessories > Handbags,,,TRUE,Title,Default Title,X,1,,,,archived,,
hidden,Hidden one,,Chanel,Apparel & Accessories > Handbags,,,FALSE,Title,Default Title,Y,1,,,,active,,
`;

// contract 13.20, 13.21
test('a Shopify export: a product for each handle, with its variants, pictures, brand and prices', async () => {
  const options = { currency: 'usd', shop: 'https://shop.example/' };
  const table = await readTable('export.csv', SHOPIFY, options);
  expect(table.columns).toMatchObject({ format: 'shopify', unread: ['Cost'] });
  expect(table.rejects).toEqual([]);
  expect(table.notes).toEqual(['2 products left out: draft, archived or unpublished']);
  const handbags = { id: 'handbags', name: 'Handbags', hierarchy: ['brand'], name_fields: [] };
  expect(table.categories).toMatchObject([handbags]);
  expect(table.entities).toMatchObject([
    { id: 'brand_louis-vuitton', kind: 'brand', name: 'Louis Vuitton', category: 'handbags' },
    { id: 'type_handbags-tote', kind: 'type', name: 'Tote' },
    { id: 'colour_handbags-brown', name: 'Brown' },
    { id: 'colour_handbags-beige', name: 'Beige' },
    { id: 'brand_chanel', name: 'CHANEL' },
    { id: 'type_handbags-flap' },
    { id: 'colour_handbags-black' },
  ]);
  expect(table.products).toMatchObject([
    {
      id: 'product_neverfull',
      category: 'handbags',
      title: 'Neverfull MM',
      sku: 'LV-1',
      url: 'https://shop.example/products/neverfull',
      data: JSON.stringify({ description: 'Coated canvas & leather.\nA "good" bag,\nused.' }),
      attributes: {
        brand: ['brand_louis-vuitton'],
        type: ['type_handbags-tote'],
        colour: ['colour_handbags-brown', 'colour_handbags-beige'],
      },
      keywords: ['tote', 'monogram', 'LV-2'],
      images: ['https://cdn.example/a.jpg', 'https://cdn.example/b.jpg', 'https://cdn.example/c.jpg'],
      variants: [
        { id: 'variant_neverfull.LV-1', fields: [{ field: 'size', name: 'MM' }] },
        {
          id: 'variant_neverfull.LV-2',
          fields: [{ field: 'size', name: 'GM' }],
          images: ['https://cdn.example/gm.jpg'],
        },
      ],
    },
    { id: 'product_boy-bag', variants: [{ id: 'variant_boy-bag.CH-9', fields: [] }] },
  ]);
  const link = 'https://shop.example/products/neverfull';
  expect(table.listings).toEqual([
    listing('variant_neverfull.LV-1', link, 'Neverfull MM MM', 1250),
    listing('variant_neverfull.LV-2', link, 'Neverfull MM GM', 1350),
    listing('variant_boy-bag.CH-9', 'https://shop.example/products/boy-bag', 'Boy Bag', 4000),
  ]);
});

const listing = (variant_id: string, link: string, variant_name: string, price: number, where = 'NA usd') => {
  const [region, currency] = where.split(' ');
  const sold = { region, currency, vendor: 'shop.example', date: '2026-03-01' };
  return { variant_id, link, variant_name, price, ...sold };
};

const VARIANTS = [
  { id: 'variant_B.B-1', fields: [{ field: 'size', name: '80' }] },
  { id: 'variant_B.B-2', fields: [{ field: 'size', name: '90' }] },
];
const LEFT_OUT = ['1 product left out: draft, archived or unpublished'];

// contract 13.20
test.each([
  ['woocommerce', '?p=45'],
  ['shopify', 'products/B'],
  ['square', 'products/B'],
  ['ebay', 'itm/B'],
  ['bigcommerce', 'belt/'],
  ['bigcommerce-legacy', 'belt/'],
  ['lightspeed', 'products/B'],
  ['lightspeed-ecom', 'products/B'],
  ['magento', 'belt.html'],
])('an export of %s: products, variants, prices and pages of what is on sale', async (system, page) => {
  const text = readFileSync(join(REPOSITORY_ROOT, `test/fixtures/exports/${system}.csv`));
  const options = { currency: 'eur', shop: 'https://shop.example' };
  const { columns, products, listings, rejects, notes } = await readTable('export.csv', text, options);
  expect([columns.format, rejects, notes]).toEqual([system.split('-')[0], [], LEFT_OUT]);
  const own = { title: 'D&G Belt', category: 'belts', url: `https://shop.example/${page}` };
  expect(products).toMatchObject([{ id: 'product_B', ...own, variants: VARIANTS }]);
  expect(listings).toMatchObject([{ price: 350 }, { price: 299 }]);
});

// contract 13.20
test('addresses without their scheme or host, and pages named by a column', async () => {
  const rows = ['a,/bag-a/,/a.jpg', 'b,www.b.example/b,', 'c,//c.example/c,', 'd d,,', 'e,/\\[,'];
  const text = ['sku,link,image,title', ...rows.map((each) => `${each},Bag`)].join('\n');
  const shop = 'https://shop.example/en/{sku}?k={key}';
  const { products, rejects } = await readTable('a.csv', text, { shop });
  const urls = ['shop.example/bag-a/', 'www.b.example/b', 'c.example/c', 'shop.example/en/d%20d?k=d%20d'];
  expect(products).toMatchObject(urls.map((url) => ({ url: `https://${url}` })));
  expect(products[0]).toMatchObject({ images: ['https://shop.example/a.jpg'] });
  expect(rejects).toEqual(['6: url: is no https:// address']);
  expect((await readTable('a.csv', text)).rejects).toEqual(['2: images.0: is an absolute path']);
});

const WATCH = {
  id: 'W1',
  title: 'Submariner A & B',
  link: 'https://shop.example/w1?a=1&b=2',
  image_link: 'https://shop.example/w1.jpg',
  additional_image_link: 'https://shop.example/w2.jpg,https://shop.example/w3.jpg',
  brand: 'Rolex',
  google_product_category: '201',
  product_type: 'Jewellery > Watches',
  price: '9500.00 EUR',
  sale_price: '9000.00 EUR',
  sale_price_effective_date: '2026-02-01T13:00-0800/2026-03-01T23:59-0800',
  condition: 'used',
  gender: 'male',
  availability: 'in_stock',
};
const RING = {
  ...{ ...WATCH, id: 'R1-50', title: 'Ring', brand: 'rolex', price: '100,00 GBP', sale_price: '' },
  ...{ item_group_id: 'R1', size: '50' },
};
const ITEMS: readonly Readonly<Record<string, string>>[] = [
  WATCH,
  RING,
  {
    ...{ ...RING, id: 'R1-52', size: '52', link: 'https://shop.example/r52' },
    ...{ sale_price: '90,00 GBP', sale_price_effective_date: '2026-03-02/2026-03-09' },
  },
];
const COLUMNS = Object.keys(RING);
const TSV = [COLUMNS, ...ITEMS.map((item) => COLUMNS.map((column) => item[column] ?? ''))]
  .map((cells) => cells.join('\t'))
  .join('\r\n');
const RSS = `<?xml version="1.0"?>
<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><title>Shop</title>
${ITEMS.map(
  (item) =>
    `<item>${Object.entries(item)
      .map(([name, value]) => `<g:${name}>${name === 'title' ? `<![CDATA[${value}]]>` : value}</g:${name}>`)
      .join('\n')}<g:shipping><g:price>5 EUR</g:price></g:shipping></item>`,
).join('\n')}
</channel></rss>`;

// contract 13.20
test.each([
  ['feed.tsv', TSV],
  ['feed.xml', RSS],
])('a Google Merchant feed, %s: items, groups of variants, prices by market', async (name, content) => {
  const { categories, entities, products, listings, rejects, columns } = await readTable(name, content);
  expect([columns.format, rejects]).toEqual(['google', []]);
  expect(categories).toMatchObject([{ id: 'watches', name: 'Watches' }]);
  expect(entities).toMatchObject([
    { id: 'brand_rolex', name: 'Rolex' },
    { id: 'gender_watches-male' },
    { id: 'condition_watches-used' },
  ]);
  expect(products).toMatchObject([
    {
      id: 'product_W1',
      title: 'Submariner A & B',
      url: 'https://shop.example/w1?a=1&b=2',
      images: ['https://shop.example/w1.jpg', 'https://shop.example/w2.jpg', 'https://shop.example/w3.jpg'],
      data: JSON.stringify({ availability: 'in_stock' }),
      variants: [{ id: 'variant_W1.default', fields: [] }],
    },
    {
      id: 'product_R1',
      attributes: { brand: ['brand_rolex'] },
      variants: [
        { id: 'variant_R1.R1-50', fields: [{ field: 'size', name: '50' }] },
        { id: 'variant_R1.R1-52', fields: [{ field: 'size', name: '52' }] },
      ],
    },
  ]);
  expect(listings).toEqual([
    listing('variant_W1.default', WATCH.link, WATCH.title, 9000, 'EU-IE eur'),
    listing('variant_R1.R1-50', WATCH.link, 'Ring 50', 100, 'EU-UK gbp'),
    listing('variant_R1.R1-52', 'https://shop.example/r52', 'Ring 52', 100, 'EU-UK gbp'),
  ]);
});

// contract 13.20
test.each([
  [10, '2026-02-01T13:00-0800/2026-02-28T23:59-0800, 20260201/20260228, 2026-03-02/.., ../2026-02-28'],
  [9, ', 20260201T0000/20260309T0000, 2026-02-01/.., /2026-03-01, 2026-02-01/03-09, 0000-00-00/0000-00-00'],
  [9, '02/01/2026 - 03/09/2026, Feb 1/Mar 9'],
])('a price of %d, as sale dates are: %s', async (price, ranges) => {
  const header = 'id,title,link,price,sale price,sale price effective date';
  const rows = ranges.split(', ').map((days, id) => `${id},Bag,https://a.example,10 EUR,9 EUR,${days}`);
  const { listings } = await readTable('a.csv', [header, ...rows].join('\n'));
  expect(listings).toMatchObject(rows.map(() => ({ price })));
});

const GERMAN = `Artikelnummer;Bezeichnung;Marke;Warengruppe;Modell;Beschreibung;Preis (EUR);Größe;Farbe;Bild 1;Bild 2;Produktlink;Lager
4711;Jackie 1961 „klein“;Gucci;Taschen;Jackie;Gebraucht;1.250,50;;Rot;a.jpg;b.jpg;https://laden.example/4711;A
4712;Jackie groß;GUCCI;Taschen;jackie;;2 000,-;L;Blau;c.jpg;;https://laden.example/4712;B
`;

// contract 13.20, 13.21
test.each<[encoding: BufferEncoding, name: string, mark: string]>([
  ['latin1', 'windows-1252', ''],
  ['utf8', 'utf-8', ''],
  ['utf8', 'utf-8', '\ufeff'],
  ['utf16le', 'utf-16le', '\ufeff'],
  ['utf16le', 'utf-16le', ''],
])('a German table with semicolons and decimal commas, in %s', async (encoding, name, mark) => {
  // Latin-1 of Node has no quotation marks; Windows-1252 has them at these places.
  const text = encoding === 'latin1' ? GERMAN.replace('„', '\x84').replace('“', '\x93') : GERMAN;
  const content = Buffer.from(mark + text, encoding);
  const table = await readTable('preise.csv', content, { map: { data: ['Lager'] } });
  expect([table.encoding, table.delimiter, table.rejects]).toEqual([name, ';', []]);
  expect(table.categories).toMatchObject([{ id: 'taschen', hierarchy: ['brand', 'model'] }]);
  expect(table.entities).toMatchObject([
    { id: 'brand_gucci', name: 'Gucci' },
    { id: 'model_taschen-gucci-jackie', name: 'Jackie', parents: { brand: 'brand_gucci' } },
    { id: 'colour_taschen-rot' },
    { id: 'colour_taschen-blau' },
  ]);
  expect(table.products).toMatchObject([
    {
      id: 'product_4711',
      title: 'Jackie 1961 „klein“',
      sku: '4711',
      images: ['a.jpg', 'b.jpg'],
      data: JSON.stringify({ description: 'Gebraucht', Lager: 'A' }),
    },
    { id: 'product_4712', variants: [{ fields: [{ field: 'size', name: 'L' }] }] },
  ]);
  expect(table.listings).toMatchObject([
    { price: 1250.5, region: 'EU-IE', currency: 'eur' },
    { price: 2000, currency: 'eur' },
  ]);
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
