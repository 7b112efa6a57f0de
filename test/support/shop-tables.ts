import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Catalog, lookOf } from '../../scripts/lab/generator/catalog';
import { renderProduct } from '../../scripts/lab/generator/render';

interface Offer {
  readonly sku: string;
  readonly title: string;
  readonly brand: string;
  readonly category: string;
  readonly colour: string;
  readonly price: number;
  readonly images: readonly [string, string];
}

interface ShopTables {
  readonly seed: number;
  readonly products: number;
  /** The bytes of a picture of product `index`. */
  readonly draw?: (index: number, view: number) => Promise<Buffer>;
}

/** The same products as shops export them, each with two drawn pictures in `images/`. */
export async function writeShopTables(
  folder: string,
  { seed, products, draw = (index, view) => renderProduct(lookOf(seed, index), { view }) }: ShopTables,
): Promise<void> {
  const catalog = new Catalog(seed);
  const names = new Map([...catalog.entities(products)].map(({ id, name }) => [id, name]));
  mkdirSync(join(folder, 'images'), { recursive: true });
  const offers: Offer[] = [];
  for (let index = 0; index < products; index += 1) {
    const { record, worths } = catalog.product(index, []);
    const sku = `S-${1000 + index}`;
    const images = [`images/${sku}-1.jpg`, `images/${sku}-2.jpg`] as const;
    for (const [view, image] of images.entries()) writeFileSync(join(folder, image), await draw(index, view));
    const named = (field: string) =>
      [record.attributes[field] ?? []].flat().map((id) => names.get(id) ?? '')[0] ?? '';
    const title = ['brand', 'model', 'style', 'dial'].map(named).filter(Boolean).join(' ');
    const category = record.category === 'handbags' ? 'Handbags' : 'Watches';
    const price = Math.round(worths[0] ?? 0) + 0.5;
    offers.push({ sku, title, brand: named('brand'), category, colour: named('colour'), price, images });
  }
  const write = (
    name: string,
    lines: readonly (readonly string[])[],
    delimiter: string,
    encoding: BufferEncoding,
  ) =>
    writeFileSync(
      join(folder, name),
      lines.map((cells) => `${cells.join(delimiter)}\r\n`).join(''),
      encoding,
    );
  write('shopify.csv', [SHOPIFY, ...offers.flatMap(shopifyRows)], ',', 'utf8');
  write('google.tsv', [GOOGLE, ...offers.map(googleRow)], '\t', 'utf8');
  write('stock.csv', [STOCK, ...offers.map(stockRow)], ';', 'latin1');
  const items = offers.map((offer) => `<item>${googleRow(offer).map(elementOf).join('')}</item>`);
  writeFileSync(
    join(folder, 'google.xml'),
    `<?xml version="1.0"?><rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel>${items.join('\n')}</channel></rss>`,
  );
}

const SHOPIFY = [
  ...[
    'Handle',
    'Title',
    'Body (HTML)',
    'Vendor',
    'Type',
    'Tags',
    'Published',
    'Option1 Name',
    'Option1 Value',
  ],
  ...['Variant SKU', 'Variant Price', 'Image Src', 'Image Position', 'Status'],
];
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const shopifyRows = ({ sku, title, brand, category, colour, price, images: [first, second] }: Offer) => {
  const handle = sku.toLowerCase();
  const body = quoted(`<p>${title},<br>"${colour}"</p>`);
  return [
    [
      handle,
      quoted(title),
      body,
      quoted(brand),
      category,
      quoted(`${colour}, new`),
      'true',
      'Title',
      'Default Title',
    ].concat([sku, price.toFixed(2), first, '1', 'active']),
    [handle, ...Array<string>(10).fill(''), second, '2', ''],
  ];
};

const GOOGLE = [
  ...[
    'id',
    'title',
    'link',
    'image_link',
    'additional_image_link',
    'price',
    'brand',
    'product_type',
    'color',
  ],
  'condition',
];
const googleRow = ({ sku, title, brand, category, colour, price, images }: Offer): string[] => [
  ...[sku, title, `https://shop.example/products/${sku}`, ...images, `${price.toFixed(2)} EUR`, brand],
  ...[`Fashion > ${category}`, colour, 'used'],
];
const elementOf = (value: string, position: number): string =>
  `<g:${GOOGLE[position]}>${value.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</g:${GOOGLE[position]}>`;

const STOCK = [
  'Artikelnr.',
  'Bezeichnung',
  'Marke',
  'Warengruppe',
  'Farbe',
  'Verkaufspreis (EUR)',
  'Bild 1',
  'Bild 2',
];
const stockRow = ({ sku, title, brand, category, colour, price, images }: Offer): string[] => [
  ...[sku, `${title} größer`, brand, category, colour, price.toFixed(2).replace('.', ','), ...images],
];
