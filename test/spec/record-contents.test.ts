import { idsOf } from '../support/api-client';
import { bag, brandLine, fresh, price, pricedBag, RUN, variantOf } from '../support/record-lines';
import { useWrittenCatalog } from '../support/written-catalog';

/** contract 1.10, 1.11, 15.10: what a record may say, how it is shown, and how it is read back. */
const { writer, importFiles } = useWrittenCatalog();

const rowOf = async (id: string, includes?: string) => (await writer.item(id, includes)).body.data[0];
const lineOf = async (id: string) => (await writer.record(id)).body.data[0] ?? {};

describe('a product of a shop', () => {
  const OWN = {
    title: 'Vintage Birkin, Noir – “as new”',
    sku: 'LOU 535653/A',
    url: 'https://shop.example/p/535653?lang=fr#photos',
    data: { zebra: 1.5, ape: ['ä', null, { deep: true, '': '\0\ud800' }], 10: '1', '9': {} },
  };

  // contract 1.10
  test('is answered with its title, sku, url and data as written, by call and by import', async () => {
    const [called, imported] = [fresh('product'), fresh('product')];
    expect((await writer.write([bag(called, OWN)])).body.accepted).toBe(1);
    expect((await importFiles({ products: [bag(imported, OWN).products] })).accepted).toBe(1);
    const listed = (await writer.query({ query: 'Vintage', page_size: 50 })).body.data;
    for (const id of [called, imported]) {
      const row = await rowOf(id);
      expect(row).toMatchObject({ id, ...OWN });
      expect(JSON.stringify(row?.data)).toBe(JSON.stringify(OWN.data));
      expect(listed).toContainEqual(expect.objectContaining({ id, ...OWN }));
    }
    await writer.write([bag(called, { sku: 'other' })]);
    const replaced = await rowOf(called);
    expect(replaced).toMatchObject({ sku: 'other' });
    for (const field of ['title', 'url', 'data']) expect(replaced).not.toHaveProperty(field);
  });

  // contract 1.10, 1.3, 5.2
  test('is named by its title where no name is composed, is found by title and sku, and must have a title', async () => {
    const [titled, both, neither] = [fresh('product'), fresh('product'), fresh('product')];
    const word = both.replace('product_', 'w');
    const reason = 'is required of a product without any attribute that its name is made of, such as a brand';
    const { body } = await writer.write([
      bag(titled, { attributes: {}, title: ' Bag of no brand ' }),
      bag(both, { title: `Titled ${word}t`, sku: `${word}s` }),
      bag(neither, { attributes: {} }),
    ]);
    expect(body.data[2]).toMatchObject({ field: 'title', reason });
    const { products } = bag(neither, { attributes: {} });
    expect((await importFiles({ products: [products] })).rejected).toBe(1);
    expect(await rowOf(titled)).toMatchObject({ name: 'Bag of no brand', title: ' Bag of no brand ' });
    expect((await rowOf(both))?.name).toContain('Birkin');
    for (const query of [`${word}t`, `${word}s`])
      expect(idsOf(await writer.query({ query, page_size: 1 }))).toEqual([both]);
  });

  /** An object of this many bytes, and one of this many levels. */
  const ofBytes = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });
  const ofLevels = (levels: number): object => (levels === 1 ? {} : { a: ofLevels(levels - 1) });
  const HTTP = ['http://shop.example/', 'shop.example', 'https:shop', 'javascript:1', ''];

  // contract 1.10
  test.each<[field: string, values: readonly unknown[], fault: string | null]>([
    ['title', ['a', 'x'.repeat(512), '\u{1f45c}'.repeat(512)], null],
    ['title', ['x'.repeat(513), '\u{1f45c}'.repeat(513)], 'is longer than 512 characters'],
    ['title', ['', ' ', '\u200b \ufeff'], 'is blank'],
    ['sku', ['1', 'x'.repeat(128)], null],
    ['sku', ['x'.repeat(129)], 'is longer than 128 characters'],
    ['url', ['https://shop.example/', 'HTTPS://SHOP.example/é'], null],
    ['url', HTTP, 'is no https:// address'],
    ['url', [`https://shop.example/${'x'.repeat(2_000)}`], 'is longer than 2000 bytes'],
    ['data', [{}, ofBytes(16 * 1024), ofLevels(64), { __proto__: null, constructor: 1 }], null],
    ['data', [[], 'a', 7, null], 'is no object'],
    ['data', [ofBytes(16 * 1024 + 1), { é: 'é'.repeat(8 * 1024) }], 'is longer than 16384 bytes'],
    ['data', [ofLevels(65), ofLevels(2_000)], 'is nested deeper than 64 levels'],
    ['data', [{ a: [2 ** 53] }], 'holds a number of more digits than can be kept; write it as a text'],
  ])('a %s is accepted, or rejected with the reason: case %#', async (field, values, fault) => {
    const lines = values.map((value) => bag(fresh('product'), { [field]: value }));
    const { body } = await writer.write(lines);
    expect(body.data.map((each) => each.reason ?? null)).toEqual(values.map(() => fault));
    for (const [position, { products }] of lines.entries()) {
      if (fault === null) expect(await rowOf(products.id)).toMatchObject({ [field]: values[position] });
    }
  });
});

// contract 1.11
describe('a brand of several categories', () => {
  const BOTH = ['handbags', 'watches'];
  const nameOf = (id: string) => `Maison ${id.replace('brand_', '')}`;
  const brandOf = (id: string, category: string | readonly string[], rest: object = {}) => ({
    entities: { ...brandLine(id, nameOf(id), category).entities, ...rest },
  });
  type Entity = ReturnType<typeof brandOf>;
  const write = async (line: object) => (await writer.write([line])).body.data[0];
  const brands = async (id: string, scope: object) => {
    const { body } = await writer.query({ query: nameOf(id), taxonomy_node: 'brand', ...scope });
    return body.data.filter((row) => row.id === id);
  };
  const SCOPES = [{}, ...BOTH.map((category_id) => ({ category_id }))];
  const totalOf = async (scope: object) =>
    (await writer.query({ taxonomy_node: 'brand', ...scope })).body.total_results;
  const totals = () => Promise.all(SCOPES.map(totalOf));

  // contract 1.5, 1.9, 4.10, 15.10
  test('is one row that is found, suggested and counted once in each category and in all', async () => {
    for (const send of [
      (line: Entity) => writer.write([line]).then(({ body }) => body.accepted),
      ({ entities }: Entity) => importFiles({ entities: [entities] }).then(({ accepted }) => accepted),
    ]) {
      const [id, before] = [fresh('brand'), await totals()];
      expect(await send(brandOf(id, BOTH))).toBe(1);
      expect(await totals()).toEqual(before.map((total) => total + 1));
      for (const scope of SCOPES) {
        const [row, ...more] = await brands(id, scope);
        expect(more).toEqual([]);
        const attributes = [...BOTH, id].map((of) => expect.objectContaining({ id: of }));
        expect(row?.attributes).toEqual(attributes);
        expect(idsOf(await writer.suggest({ query: nameOf(id), ...scope }))).toContain(id);
      }
      expect((await writer.item(id)).body.resolved_taxonomy).toEqual({ node: 'brand', level: 0 });
      expect(await lineOf(id)).toMatchObject({ entities: { id, category: BOTH } });
    }
  });

  test('may gain categories but lose none', async () => {
    const id = fresh('brand');
    await write(brandOf(id, 'watches'));
    expect(await write(brandOf(id, BOTH))).toMatchObject({ status: 'accepted' });
    expect(await brands(id, { category_id: 'handbags' })).toHaveLength(1);
    const reason = `"${id}" belongs to the category "handbags" and "watches"`;
    expect(await write(brandOf(id, ['handbags']))).toMatchObject({ field: 'category', reason });
  });

  const NOT_OUTERMOST = 'is a list, but in "handbags" a model is not the outermost level of the hierarchy';
  test.each<[string, object, string]>([
    ['an inner kind', { id: 'model_shared', kind: 'model' }, NOT_OUTERMOST],
    ['an unknown category', { category: ['handbags', 'hats'] }, 'there is no category "hats"'],
    ['no category', { category: [] }, 'is no id and no list of ids'],
    ['a category that is no text', { category: [1] }, 'is no id and no list of ids'],
  ])('is rejected with %s', async (_, rest, reason) => {
    const rejected = await write(brandOf(fresh('brand'), BOTH, rest));
    expect(rejected).toMatchObject({ field: 'category', reason });
  });
});

// contract 15.10
describe('GET /v3/catalog/records/:id', () => {
  test('gives a record that, sent back, leaves its row as it was', async () => {
    const [brand, id] = [fresh('brand'), fresh('product')];
    const variants = [{ id: variantOf(id), fields: [{ field: 'size', name: '30' }] }];
    const { entities } = brandLine(brand, `Maison ${brand}`);
    await writer.write([
      { entities: { ...entities, keywords: ['maison'] } },
      { products: { id, category: 'handbags', attributes: { brand }, tags: ['material:exotic'], variants } },
      price(id, 1_000),
    ]);
    for (const each of [id, brand]) {
      const [row, line] = [await rowOf(each, 'taxonomy,pricing'), await lineOf(each)];
      expect((await writer.write([line])).body.data).toMatchObject([{ id: each, status: 'accepted' }]);
      expect(await lineOf(each)).toEqual(line);
      expect(await rowOf(each, 'taxonomy,pricing')).toEqual(row);
    }
  });

  test('gives everything that was written of a product, and the hierarchy of a category', async () => {
    const id = fresh('product');
    const rest = {
      ...{ title: 'Birkin 30', sku: `B-${RUN}`, url: 'https://shop.example/b', data: { shelf: 4 } },
      ...{ images: ['https://shop.example/b.jpg'], thumbnails: ['https://shop.example/s.jpg'] },
      ...{ keywords: ['croc'], popularity: 3.5 },
    };
    await writer.write(pricedBag(id, 58_000, rest));
    const attributes = { brand: ['brand_hermes'], model: ['model_birkin'], style: ['style_birkin_croc'] };
    const variant = { id: variantOf(id), fields: [], images: [], thumbnails: [], popularity: 0 };
    expect((await lineOf(id))['products']).toEqual({
      ...{ ...rest, id, category: 'handbags', attributes, tags: [], variants: [variant] },
    });
    const hierarchy = ['brand', 'model', 'style'];
    expect(await lineOf('handbags')).toMatchObject({ categories: { id: 'handbags', hierarchy } });
  });
});
