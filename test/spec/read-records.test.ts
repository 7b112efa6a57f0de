import { PORTS } from '../../models/ports';
import type { ApiClient } from '../support/api-client';
import { useService } from '../support/service';
import { StoredVectors } from '../support/stored-vectors';
import { bag, fresh, price, pricedBag, RUN, variantOf, WRITTEN, writerOf } from '../support/written-catalog';

/** contract 15.10: records are read, changed and sent back. */
const vectors = new StoredVectors(() => service);
const service = useService({}, { [PORTS.IndexQueue]: vectors }, WRITTEN);
let writer: ApiClient;
beforeAll(async () => {
  writer = await writerOf(service);
});

const read = (id: string, api = writer) =>
  api.send<{ data: Record<string, { id: string }>[] }>('GET', `/v3/catalog/records/${id}`);
const lineOf = async (id: string) => (await read(id)).body.data[0] ?? {};

test('a record that is read and sent back leaves its row as it was', async () => {
  const brand = fresh('brand');
  const id = fresh('product');
  const variants = [{ id: variantOf(id), fields: [{ field: 'size', name: '30' }] }];
  await writer.write([
    {
      entities: {
        id: brand,
        kind: 'brand',
        name: `Maison ${brand}`,
        category: 'handbags',
        keywords: ['maison'],
      },
    },
    { products: { id, category: 'handbags', attributes: { brand }, tags: ['material:exotic'], variants } },
    price(id, 1_000),
  ]);
  for (const each of [id, brand]) {
    const row = (await writer.item(each, 'taxonomy,pricing')).body.data;
    const line = await lineOf(each);
    expect((await writer.write([line])).body.data).toMatchObject([{ id: each, status: 'accepted' }]);
    expect(await lineOf(each)).toEqual(line);
    expect((await writer.item(each, 'taxonomy,pricing')).body.data).toEqual(row);
  }
});

test('a category is given back with its hierarchy', async () => {
  expect(await lineOf('handbags')).toMatchObject({
    categories: { id: 'handbags', hierarchy: ['brand', 'model', 'style'] },
  });
});

test('a product is given back with all that was written of it', async () => {
  const id = fresh('product');
  const own = {
    title: 'Birkin 30',
    sku: `B-${RUN}`,
    url: 'https://shop.example/b',
    data: { shelf: 4, of: ['a'] },
  };
  const pictures = { images: ['https://shop.example/b.jpg'], thumbnails: ['https://shop.example/s.jpg'] };
  const rest = { ...own, ...pictures, keywords: ['croc'], popularity: 3.5 };
  await writer.write(pricedBag(id, 58_000, rest));
  const { products } = await lineOf(id);
  const attributes = { brand: ['brand_hermes'], model: ['model_birkin'], style: ['style_birkin_croc'] };
  const variant = { id: variantOf(id), fields: [], images: [], thumbnails: [], popularity: 0 };
  expect(products).toEqual({ ...rest, id, category: 'handbags', attributes, tags: [], variants: [variant] });
  await writer.write([{ products: { ...products, title: 'Birkin 30 in croc' } }]);
  expect((await writer.item(id, 'pricing')).body.data[0]).toMatchObject({
    title: 'Birkin 30 in croc',
    variants: [{ pricing: { market_estimates: [{ A: 58_000 }] } }],
  });
});

test('an entity of several categories is given back with them all', async () => {
  const id = `brand_${RUN}`;
  const category = ['handbags', 'watches'];
  await writer.write([{ entities: { id, kind: 'brand', name: `Brand ${RUN}`, category } }]);
  expect(await lineOf(id)).toMatchObject({ entities: { id, category } });
});

test('what is unknown or deleted is not found, and a key that may not write reads none', async () => {
  const id = fresh('product');
  await writer.write([bag(id)]);
  const { api: reader } = await service.newKey();
  expect((await read(id, reader)).status).toBe(403);
  await writer.remove(id);
  for (const each of [id, 'product_unknown', 'variant_birkin_croc_30']) {
    expect((await read(each)).status).toBe(404);
  }
});
