import { PORTS } from '../../models/ports';
import { idsOf } from '../support/api-client';
import { bag, brandLine, fresh, price, pricedBag, RUN, variantOf } from '../support/record-lines';
import { useWrittenCatalog } from '../support/written-catalog';

/** contract 15: the catalog written over HTTP: what is accepted, what is rejected, and when it is visible. */
const { service, vectors, writer, found } = useWrittenCatalog();

const accepted = (line: number, id: string | null) => ({ line, id, status: 'accepted' });

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
      for (const { status } of [await writer.recordStatus(none), await writer.record(none)])
        expect([none, status]).toEqual([none, 404]);
    }
  });
});
