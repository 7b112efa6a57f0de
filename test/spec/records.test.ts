import { PORTS } from '../../models/ports';
import { idsOf } from '../support/api-client';
import {
  bag,
  brandLine,
  fresh,
  price,
  pricedBag,
  RUN,
  useWrittenCatalog,
  variantOf,
} from '../support/written-catalog';

/**
 * contract 15: the catalog written over HTTP: what is accepted, what is rejected, and when it is visible;
 * 1.10, 1.11, 15.10: what a record may say, how it is shown, and how it is read back.
 */
const { service, vectors, writer, found, importFiles } = useWrittenCatalog();

const accepted = (line: number, id: string | null) => ({ line, id, status: 'accepted' });
const rowOf = async (id: string, includes?: string) => (await writer.item(id, includes)).body.data[0];
const read = (id: string) =>
  writer.send<{ data: Record<string, { id: string }>[] }>('GET', `/v3/catalog/records/${id}`);
const lineOf = async (id: string) => (await read(id)).body.data[0] ?? {};

describe('PUT /v3/catalog/records', () => {
  // contract 15.1, 15.3, 15.4
  test('makes accepted records available by lookup, listing and text, with their price, when it answers', async () => {
    const [id, word] = [fresh('product'), `zanzibar${RUN}`];
    const { status, body } = await writer.write(pricedBag(id, 58_000, { keywords: [word] }));
    const data = [accepted(1, id), accepted(2, null)];
    expect([status, body]).toEqual([200, { success: true, accepted: 2, rejected: 0, credits_used: 0, data }]);
    expect(await found(id)).toMatchObject({
      ...{ id, name: 'Hermès Birkin Crocodile' },
      variants: [{ id: variantOf(id), pricing: { market_estimates: [{ A: 58_000, currency: 'usd' }] } }],
    });
    expect(idsOf(await writer.query({ query: word }))).toEqual([id]);
  });

  // contract 15.2
  test('recognises the address of a stored picture, as an answer gave it', async () => {
    const id = fresh('product');
    const stored = await service.resolve(PORTS.ImageStore).put(Buffer.from(RUN), 'png');
    const foreign = `https://shop.example/images/${'0'.repeat(64)}.png`;
    await writer.write([bag(id, { images: [`https://cdn.example${stored}`, foreign] })]);
    const row = await found(id);
    expect(row).toMatchObject({ images: [`${service.url}${stored}`, foreign] });
    // This service is reached by http.
    const { images } = row as { images: string[] };
    const elsewhere = bag(fresh('product'), { images: [foreign.replace('https', 'http')] });
    const { body } = await writer.write([bag(id, { images }), elsewhere]);
    const reason = expect.stringContaining('is no https:// address');
    expect(body.data).toMatchObject([{ status: 'accepted' }, { field: 'images.0', reason }]);
    expect(await found(id)).toEqual(row);
  });

  // contract 15.1
  test('accepts every file of a bundle by its name, and both names of JSON Lines', async () => {
    const [id, bags] = [fresh('product'), `bags${RUN}`];
    const region = { variant: variantOf(id), region: 'NA' };
    const lines = [
      { tags: { id: `edition:${RUN}`, name: 'Run', categories: ['handbags'] } },
      { entities: { id: `colour_${RUN}`, kind: 'colour', name: 'Ochre', category: 'handbags' } },
      { categories: { id: bags, name: `Bags ${RUN}`, hierarchy: ['brand'], name_fields: ['brand'] } },
      ...pricedBag(id, 1_000, { tags: [`edition:${RUN}`] }),
      { 'estimate-history': { ...region, date: '2026-01-02', source: 'ebay', A: 900 } },
      { listings: { ...region, link: 'https://market.example/1', price: 950 } },
    ];
    const { body } = await writer.write(lines, { 'Content-Type': 'application/jsonl; charset=utf-8' });
    expect(body).toMatchObject({ accepted: lines.length, rejected: 0 });
    const pricing = { historical_estimates: [{ region: 'NA' }], pricing_data: [{ region: 'NA' }] };
    expect(await found(id)).toMatchObject({ variants: [{ pricing }] });
    expect(await found(bags)).toMatchObject({ name: `Bags ${RUN}` });
  });

  // contract 15.2, 13.2
  test('writes the files in the order of a bundle; of two lines of one id the later one wins, whole', async () => {
    const [id, style, twice] = [fresh('product'), fresh('style'), fresh('product')];
    const parents = { brand: 'brand_hermes', model: 'model_birkin' };
    const { body } = await writer.write([
      price(id, 7),
      bag(id, { attributes: { brand: 'brand_hermes', style }, variants: [{ id: variantOf(id) }] }),
      { entities: { id: style, kind: 'style', name: 'Late', category: 'handbags', parents } },
      bag(twice, { popularity: 1, keywords: ['first'], variants: [{ id: variantOf(twice) }] }),
      bag(twice, { popularity: 2 }),
    ]);
    expect(body.data).toEqual([null, id, style, twice, twice].map((each, at) => accepted(at + 1, each)));
    expect(await found(id)).toMatchObject({ name: 'Hermès Late' });
    expect(await found(twice)).toMatchObject({ popularity: 2, variants: [] });
  });

  const NO_FILE =
    'must be an object with one key, the file of the record in a bundle: categories, tags, synonyms, entities, products, estimates, estimate-history, listings';
  const NO_PATH = 'is a path in a bundle; give an https:// address here, or import the bundle';
  const P = 'product_rejected';
  const PICTURE = 'https://p.example/1.jpg';
  const ofVariant = bag(P, { variants: [{ id: 'variant_x', images: [PICTURE], thumbnails: ['a.jpg'] }] });

  // contract 15.2, 15.3, 13.6
  test.each<[line: unknown, id: string | null, field: string, reason: string]>([
    [bag(P, { attributes: { brand: 'brand_x' } }), P, 'attributes.brand', 'there is no entity "brand_x"'],
    [price('product_nobody', 5), null, 'variant', 'there is no variant "variant_nobody"'],
    ['{"products": {"id": "product_half"', null, 'line', 'not JSON'],
    [{ handbags: { id: P } }, null, 'line', NO_FILE],
    [{ products: { id: P }, entities: {} }, null, 'line', NO_FILE],
    [[P], null, 'line', NO_FILE],
    [bag(P, { images: [PICTURE, 'a.jpg'] }), P, 'images.1', `a.jpg: ${NO_PATH}`],
    [ofVariant, P, 'variants.0.thumbnails.0', `a.jpg: ${NO_PATH}`],
  ])('rejects %j alone, by its number, field and reason', async (line, of, field, reason) => {
    const id = fresh('product');
    const { status, body } = await writer.write([line, '', bag(id)]);
    expect([status, body]).toMatchObject([200, { accepted: 1, rejected: 1 }]);
    expect(body.data).toEqual([{ line: 1, id: of, status: 'rejected', field, reason }, accepted(3, id)]);
    expect([await found(P), await found(id)]).toMatchObject([404, { id }]);
  });

  // contract 15.3
  test('rejects lines that are not UTF-8 or cannot be stored, and accepts a byte order mark', async () => {
    const lines = [
      Buffer.from(`\uFEFF${JSON.stringify(bag(fresh('product')))}\r\n`),
      Buffer.from('{"products":{"id":"product_\xff\xfe"}}\n', 'latin1'),
      Buffer.from(JSON.stringify(brandLine('brand_nul', 'a\0b'))),
    ];
    const { body } = await writer.write(Buffer.concat(lines));
    expect(body.data.map(({ status, reason }) => [status, reason])).toEqual([
      ['accepted', undefined],
      ['rejected', 'not UTF-8'],
      ['rejected', 'holds a character that cannot be stored'],
    ]);
  });

  // contract 15.1, 11.2
  test('refuses more than 1,000 records or 10 MiB, another type, or no line at all, and writes none of it', async () => {
    const id = fresh('product');
    const many = [bag(id), ...Array.from({ length: 1_000 }, () => bag(fresh('product')))];
    const large = Buffer.alloc(10 * 2 ** 20 + 1, `${JSON.stringify(bag(id))}\n`);
    for (const body of [many, large]) expect((await writer.write(body)).status).toBe(413);
    for (const type of ['application/json', 'application/x-ndjson; charset=latin1']) {
      const message = expect.stringContaining('application/x-ndjson');
      const wrong = await writer.write([bag(id)], { 'Content-Type': type });
      expect(wrong).toMatchObject({ status: 415, body: { message } });
    }
    for (const nothing of ['', '\n \r\n'])
      expect((await writer.write(Buffer.from(nothing))).status).toBe(400);
    expect(await found(id)).toBe(404);
    expect((await writer.write(many.slice(1))).body).toMatchObject({ accepted: 1_000, rejected: 0 });
  });

  // contract 15.4
  test('of an entity is visible soon in the rows that name it where they are very many', async () => {
    const brand = fresh('brand');
    await writer.write([brandLine(brand, 'Before')]);
    await writer.write(Array.from({ length: 600 }, () => bag(fresh('product'), { attributes: { brand } })));
    expect((await writer.write([brandLine(brand, 'Late')])).body.accepted).toBe(1);
    const filters = [{ field: 'brand', include: [brand] }];
    const names = async () =>
      new Set((await writer.query({ filters, page_size: 100, page: 5 })).body.data.map(({ name }) => name));
    while (!(await names()).has('Late')) await new Promise(setImmediate);
    expect(await names()).toEqual(new Set(['Late']));
  });
});

describe('DELETE /v3/catalog/records/:id', () => {
  // contract 15.6, 13.4
  test('removes a product, and the next full record brings it back', async () => {
    const id = fresh('product');
    await writer.write(pricedBag(id, 9));
    const { status, body } = await writer.remove(id);
    expect([status, body]).toEqual([200, { success: true, id, deleted: true, credits_used: 0 }]);
    expect(await found(id)).toBe(404);
    const { body: late } = await writer.write([price(id, 8)]);
    expect(late.data).toMatchObject([{ field: 'variant', reason: `${id}, its product, is deleted` }]);
    await writer.write(pricedBag(id, 10));
    expect(await found(id)).toMatchObject({ variants: [{ pricing: { market_estimates: [{ A: 10 }] } }] });
    await writer.write([{ products: { id, deleted: true } }]);
    expect(await found(id)).toBe(404);
  });

  // contract 15.6, 1.8
  test('removes an entity, and is a 404 for anything unknown or deleted, a category, a tag or a variant', async () => {
    const [brand, id] = [fresh('brand'), fresh('product')];
    const variants = [{ id: variantOf(id) }];
    await writer.write([brandLine(brand, 'Gone'), bag(id, { attributes: { brand }, variants })]);
    expect((await writer.remove(brand)).status).toBe(200);
    expect([await found(brand), await found(id)]).toMatchObject([404, { name: 'Gone' }]);
    for (const none of [brand, 'product_nobody', 'handbags', 'edition:limited', variantOf(id)])
      expect([none, (await writer.remove(none)).status]).toEqual([none, 404]);
    expect((await writer.remove('a\0b')).status).toBe(400);
  });
});

describe('GET /v3/catalog/records/:id/status', () => {
  afterEach(() => vectors.release());

  const until = async (id: string, state: 'pending' | 'failed') => {
    for (;;) {
      const { body } = await writer.recordStatus(id);
      if (body.pictures[state] === 0) return body;
      await new Promise(setImmediate);
    }
  };

  // contract 15.4, 15.7
  test('reports pictures that wait, that are embedded, and that failed, which the next record retries', async () => {
    const id = fresh('product');
    const [own, lost, ofVariant] = ['a', 'b', 'c'].map((name) => `https://p.example/${id}/${name}.jpg`);
    const variants = [{ id: variantOf(id), images: [ofVariant, own] }];
    const record = bag(id, { images: [own, lost], variants });
    vectors.hold();
    vectors.unreachable.add(String(lost));
    await writer.write([record]);
    const { status, body } = await writer.recordStatus(id);
    const waiting = { identifiable: false, pictures: { embedded: 0, pending: 3, failed: 0 }, failures: [] };
    const row = { success: true, id, searchable: true, credits_used: 0 };
    expect([status, body]).toEqual([200, { ...row, ...waiting }]);
    vectors.release();
    expect(await until(id, 'pending')).toMatchObject({
      ...{ identifiable: true, pictures: { embedded: 2, pending: 0, failed: 1 } },
      failures: [{ image: lost, reason: expect.any(String) }],
    });
    vectors.unreachable.clear();
    await writer.write([record]);
    expect(await until(id, 'failed')).toMatchObject({
      pictures: { embedded: 3, pending: 0, failed: 0 },
      failures: [],
    });
  });

  // contract 15.7, 15.10
  test('reports on entities and categories; anything unknown or deleted is a 404, as is its record', async () => {
    const row = { identifiable: false, pictures: { embedded: 0, pending: 0, failed: 0 } };
    // A facet is not a row of its own.
    for (const id of ['brand_hermes', 'handbags', 'colour_noir']) {
      const searchable = id !== 'colour_noir';
      expect((await writer.recordStatus(id)).body).toMatchObject({ ...row, id, searchable });
    }
    for (const none of ['product_nobody', 'product_deleted', 'variant_birkin_croc_30']) {
      for (const { status } of [await writer.recordStatus(none), await read(none)])
        expect([none, status]).toEqual([none, 404]);
    }
  });
});

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
