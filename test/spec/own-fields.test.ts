import { PORTS } from '../../models/ports';
import { type ApiClient, idsOf } from '../support/api-client';
import { useService } from '../support/service';
import { StoredVectors } from '../support/stored-vectors';
import { bag, bundleImporter, fresh, WRITTEN, writerOf } from '../support/written-catalog';

/** contract 1.10: what a shop says of its products in words of its own. */
const vectors = new StoredVectors(() => service);
const service = useService({}, { [PORTS.IndexQueue]: vectors }, WRITTEN);
const importFiles = bundleImporter(service, vectors);
let writer: ApiClient;
beforeAll(async () => {
  writer = await writerOf(service);
});

const unnamed = (id: string, rest: object = {}) => bag(id, { attributes: {}, ...rest });
const rowOf = async (id: string) => (await writer.item(id)).body.data[0];
const OWN = {
  title: 'Vintage Birkin, Noir – “as new”',
  sku: 'LOU 535653/A',
  url: 'https://shop.example/p/535653?lang=fr#photos',
  data: { zebra: 1.5, ape: ['ä', null, { deep: true, '': '\0\ud800' }], 10: '1', '9': {} },
};

describe('a product of a shop', () => {
  // contract 1.10
  test('is answered with its title, sku, url and data as they were written, by call and by import', async () => {
    const [called, imported] = [fresh('product'), fresh('product')];
    expect((await writer.write([bag(called, OWN)])).body).toMatchObject({ accepted: 1 });
    expect(await importFiles({ 'products.jsonl': [bag(imported, OWN).products] })).toMatchObject({
      accepted: 1,
    });
    for (const id of [called, imported]) {
      const row = await rowOf(id);
      expect(row).toMatchObject({ id, ...OWN });
      expect(JSON.stringify(row?.data)).toBe(JSON.stringify(OWN.data));
      expect((await writer.query({ query: 'Vintage', page_size: 50 })).body.data).toContainEqual(
        expect.objectContaining({ id, ...OWN }),
      );
    }
    await writer.write([bag(called, { sku: 'other' })]);
    const replaced = await rowOf(called);
    expect(replaced).toMatchObject({ sku: 'other' });
    for (const field of ['title', 'url', 'data']) expect(replaced).not.toHaveProperty(field);
  });

  // contract 1.10, 1.3
  test('is called by its title where nothing composes a name, and by its name elsewhere', async () => {
    const [titled, both] = [fresh('product'), fresh('product')];
    await writer.write([unnamed(titled, { title: ' Bag of no brand ' }), bag(both, { title: 'Mine' })]);
    expect(await rowOf(titled)).toMatchObject({ name: 'Bag of no brand', title: ' Bag of no brand ' });
    expect((await rowOf(both))?.name).toContain('Birkin');
  });

  // contract 1.10, 5.2
  test('is found by its title and by its sku', async () => {
    const id = fresh('product');
    const word = id.replace('product_', 'w');
    await writer.write([bag(id, { title: `Titled ${word}t`, sku: `${word}s` })]);
    for (const query of [`${word}t`, `${word}s`]) {
      expect(idsOf(await writer.query({ query, page_size: 1 }))).toEqual([id]);
    }
  });

  // contract 1.10
  test('is a reject without a name and without a title, by call and by import', async () => {
    const id = fresh('product');
    const { body } = await writer.write([unnamed(id)]);
    expect(body.data).toMatchObject([
      {
        field: 'title',
        reason: 'is required of a product without any attribute that its name is made of, such as a brand',
      },
    ]);
    expect(await importFiles({ 'products.jsonl': [unnamed(id).products] })).toMatchObject({ rejected: 1 });
    expect((await writer.item(id)).status).toBe(404);
  });
});

/** An object of so many bytes, and one of so many levels. */
const ofBytes = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });
const ofLevels = (levels: number): object => (levels === 1 ? {} : { a: ofLevels(levels - 1) });

// contract 1.10
test.each<[field: string, values: readonly unknown[], fault: string | null]>([
  ['title', ['a', 'x'.repeat(512), '\u{1f45c}'.repeat(512)], null],
  ['title', ['x'.repeat(513), '\u{1f45c}'.repeat(513)], 'is longer than 512 characters'],
  ['title', ['', ' '], 'is blank'],
  ['title', [7, null, ['a']], 'is no string'],
  ['sku', ['1', 'x'.repeat(128)], null],
  ['sku', ['x'.repeat(129)], 'is longer than 128 characters'],
  ['sku', ['a\0'], 'holds a character that can not be stored'],
  ['url', ['https://shop.example/', 'HTTPS://SHOP.example/é'], null],
  [
    'url',
    ['http://shop.example/', 'shop.example', 'https:shop', 'javascript:1', ''],
    'is no https:// address',
  ],
  ['url', [`https://shop.example/${'x'.repeat(2_000)}`], 'is longer than 2000 bytes'],
  ['data', [{}, ofBytes(16 * 1024), ofLevels(64), { __proto__: null, constructor: 1 }], null],
  ['data', [[], 'a', 7, null], 'is no object'],
  ['data', [ofBytes(16 * 1024 + 1), { é: 'é'.repeat(8 * 1024) }], 'is longer than 16384 bytes'],
  ['data', [ofLevels(65), ofLevels(2_000)], 'is nested deeper than 64 levels'],
  ['data', [{ a: [2 ** 53] }], 'holds a number of more digits than can be kept; write it as a text'],
])('a %s is taken, or rejected with the reason: case %#', async (field, values, fault) => {
  const lines = values.map((value) => bag(fresh('product'), { [field]: value }));
  const { body } = await writer.write(lines);
  expect(body.data.map((each) => each.reason ?? null)).toEqual(values.map(() => fault));
  for (const [position, { products }] of lines.entries()) {
    if (fault === null) expect(await rowOf(products.id)).toMatchObject({ [field]: values[position] });
  }
});
