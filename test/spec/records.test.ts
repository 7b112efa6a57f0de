import { type ImageStore, PORTS } from '../../models/ports';
import { type ApiClient, idsOf } from '../support/api-client';
import { useService } from '../support/service';
import { StoredVectors } from '../support/stored-vectors';
import { bag, fresh, price, pricedBag, RUN, variantOf, WRITTEN, writerOf } from '../support/written-catalog';

/** contract 15: the catalog written over HTTP. */
const vectors = new StoredVectors(() => service);
const service = useService({}, { [PORTS.IndexQueue]: vectors }, WRITTEN);
let writer: ApiClient;
beforeAll(async () => {
  writer = await writerOf(service);
});

const accepted = (line: number, id: string | null) => ({ line, id, status: 'accepted' });

async function found(id: string, includes = 'taxonomy,pricing') {
  const { status, body } = await writer.item(id, includes);
  return status === 200 ? body.data[0] : status;
}

describe('PUT /v3/catalog/records', () => {
  // contract 15.1, 15.3, 15.4
  test('has what it accepts found by lookup, listing and text, with its price, when it answers', async () => {
    const id = fresh('product');
    const word = `zanzibar${RUN}`;
    const { status, body } = await writer.write(pricedBag(id, 58_000, { keywords: [word] }));
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      accepted: 2,
      rejected: 0,
      credits_used: 0,
      data: [accepted(1, id), accepted(2, null)],
    });
    expect(await found(id)).toMatchObject({
      id,
      name: 'Hermès Birkin Crocodile',
      variants: [{ id: variantOf(id), pricing: { market_estimates: [{ A: 58_000, currency: 'usd' }] } }],
    });
    expect(idsOf(await writer.query({ query: word }))).toEqual([id]);
  });

  // contract 15.2
  test('takes the address of a stored picture, as an answer gave it, for that picture', async () => {
    const id = fresh('product');
    const stored = await service.resolve<ImageStore>(PORTS.ImageStore).put(Buffer.from(RUN), 'png');
    const foreign = `https://shop.example/images/${'0'.repeat(64)}.png`;
    const { body } = await writer.write([bag(id, { images: [`https://cdn.example${stored}`, foreign] })]);
    expect(body.accepted).toBe(1);
    const row = await found(id);
    expect(row).toMatchObject({ images: [`${service.url}${stored}`, foreign] });
    // This service is reached by http.
    const { images } = row as { images: string[] };
    const elsewhere = `http://shop.example/images/${'0'.repeat(64)}.png`;
    const again = await writer.write([bag(id, { images }), bag(fresh('product'), { images: [elsewhere] })]);
    expect(again.body.data).toMatchObject([
      { status: 'accepted' },
      { status: 'rejected', field: 'images.0', reason: expect.stringContaining('is no https:// address') },
    ]);
    expect(await found(id)).toEqual(row);
  });

  // contract 15.1
  test('takes every file of a bundle by its name, and both names of JSON Lines', async () => {
    const id = fresh('product');
    const lines = [
      { tags: { id: `edition:${RUN}`, name: 'Run', categories: ['handbags'] } },
      { entities: { id: `colour_${RUN}`, kind: 'colour', name: 'Ochre', category: 'handbags' } },
      { categories: { id: `bags${RUN}`, name: `Bags ${RUN}`, hierarchy: ['brand'], name_fields: ['brand'] } },
      ...pricedBag(id, 1_000, { tags: [`edition:${RUN}`] }),
      {
        'estimate-history': {
          variant: variantOf(id),
          region: 'NA',
          date: '2026-01-02',
          source: 'ebay',
          A: 900,
        },
      },
      { listings: { variant: variantOf(id), region: 'NA', link: 'https://market.example/1', price: 950 } },
    ];
    const { body } = await writer.write(lines, { 'Content-Type': 'application/jsonl; charset=utf-8' });
    expect(body).toMatchObject({ accepted: lines.length, rejected: 0 });
    const row = await found(id);
    expect(row).toMatchObject({
      variants: [{ pricing: { historical_estimates: [{ region: 'NA' }], pricing_data: [{ region: 'NA' }] } }],
    });
    expect(await found(`bags${RUN}`)).toMatchObject({ name: `Bags ${RUN}` });
  });

  // contract 15.2
  test('writes the files in the order of a bundle, whatever the order of the lines', async () => {
    const id = fresh('product');
    const style = fresh('style');
    const parents = { brand: 'brand_hermes', model: 'model_birkin' };
    const { body } = await writer.write([
      price(id, 7),
      bag(id, { attributes: { brand: 'brand_hermes', style }, variants: [{ id: variantOf(id) }] }),
      { entities: { id: style, kind: 'style', name: 'Late', category: 'handbags', parents } },
    ]);
    expect(body.data).toEqual([accepted(1, null), accepted(2, id), accepted(3, style)]);
    expect(await found(id)).toMatchObject({ name: 'Hermès Late' });
  });

  // contract 15.2, 13.2
  test('lets the later of two lines of one id stand, whole', async () => {
    const id = fresh('product');
    const { body } = await writer.write([
      bag(id, { popularity: 1, keywords: ['first'], variants: [{ id: variantOf(id) }] }),
      bag(fresh('product')),
      bag(id, { popularity: 2 }),
    ]);
    expect(body).toMatchObject({ accepted: 3, rejected: 0 });
    expect(await found(id)).toMatchObject({ popularity: 2, variants: [] });
  });

  // contract 15.3, 13.6
  test('rejects a wrong line alone, by its number, field and reason, as an import does', async () => {
    const id = fresh('product');
    const { status, body } = await writer.write([
      bag(id, { category: 'cars' }),
      '',
      bag(id),
      '{"products": {"id": "product_half"',
      { products: { id: 'handbag_x', category: 'handbags', attributes: {} } },
      bag(id, { attributes: { brand: 'brand_nobody' } }),
      price('product_nobody', 5),
      { estimates: { variant: variantOf(id), source: 'ebay', region: 'NA', A: 1, B: 2 } },
      { handbags: { id } },
      { products: { id }, entities: {} },
      [id],
      {
        entities: {
          id: 'brand_x',
          kind: 'brand',
          name: 'X',
          category: 'handbags',
          tags: ['edition:limited'],
        },
      },
    ]);
    expect(status).toBe(200);
    expect(body).toMatchObject({ accepted: 1, rejected: 10 });
    const noFile =
      'is no object with one key, the file of the record in a bundle: categories, tags, synonyms, entities, products, estimates, estimate-history, listings';
    expect(body.data.map(({ line, id: of, field, reason }) => [line, of, field, reason])).toEqual([
      [1, id, 'category', 'there is no category "cars"'],
      [3, id, undefined, undefined],
      [4, null, 'line', 'not JSON'],
      [5, 'handbag_x', 'id', 'does not start with product_'],
      [6, id, 'attributes.brand', 'there is no entity "brand_nobody"'],
      [7, null, 'variant', 'there is no variant "variant_nobody"'],
      [8, null, 'B', 'grades do not descend'],
      [9, null, 'line', noFile],
      [10, null, 'line', noFile],
      [11, null, 'line', noFile],
      [12, 'brand_x', 'tags', 'a brand carries no tags, styles and products do'],
    ]);
    expect(await found(id)).toMatchObject({ id });
  });

  // contract 15.2
  test('rejects a picture that is a path, and says what to do', async () => {
    const id = fresh('product');
    const variants = [
      { id: variantOf(id), images: ['https://p.example/1.jpg'], thumbnails: ['small/1.jpg'] },
    ];
    const what = 'is a path in a bundle; give an https:// address here, or import the bundle';
    const { body } = await writer.write([
      bag(id, { images: ['https://p.example/1.jpg', 'images/a.jpg'] }),
      bag(id, { variants }),
    ]);
    expect(body.data).toEqual([
      { line: 1, id, status: 'rejected', field: 'images.1', reason: `images/a.jpg: ${what}` },
      { line: 2, id, status: 'rejected', field: 'variants.0.thumbnails.0', reason: `small/1.jpg: ${what}` },
    ]);
    expect(await found(id)).toBe(404);
  });

  // contract 15.3
  test('rejects lines that are no UTF-8, or hold what can not be stored, and takes a byte order mark', async () => {
    const id = fresh('product');
    const { body } = await writer.write(
      Buffer.concat([
        Buffer.from(`\uFEFF${JSON.stringify(bag(id))}\r\n`),
        Buffer.from('{"products":{"id":"product_'),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('"}}\n'),
        Buffer.from(
          '{"entities":{"id":"brand_nul","kind":"brand","name":"a\\u0000b","category":"handbags"}}',
        ),
      ]),
    );
    expect(body.data.map(({ line, status, reason }) => [line, status, reason])).toEqual([
      [1, 'accepted', undefined],
      [2, 'rejected', 'not UTF-8'],
      [3, 'rejected', 'holds a character that can not be stored'],
    ]);
  });

  // contract 15.1
  test('refuses more than 1,000 records or 10 MiB with 413, and nothing of them is written', async () => {
    const id = fresh('product');
    const many = [bag(id), ...Array.from({ length: 1_000 }, () => bag(fresh('product')))];
    expect(await writer.write(many)).toMatchObject({ status: 413, body: { error: 'payload_too_large' } });
    const large = Buffer.alloc(10 * 2 ** 20 + 1, `${JSON.stringify(bag(id))}\n`);
    expect(await writer.write(large)).toMatchObject({ status: 413, body: { error: 'payload_too_large' } });
    expect(await found(id)).toBe(404);
    const { body } = await writer.write(many.slice(1));
    expect(body).toMatchObject({ accepted: 1_000, rejected: 0 });
  }, 60_000);

  // contract 15.1, 11.2
  test('refuses another type with 415, and no line at all with 400', async () => {
    const wrong = await writer.write([bag(fresh('product'))], { 'Content-Type': 'application/json' });
    expect(wrong).toMatchObject({ status: 415, body: { error: 'unsupported_media_type' } });
    expect((wrong.body as unknown as { message: string }).message).toContain('application/x-ndjson');
    expect(
      (await writer.write([bag('x')], { 'Content-Type': 'application/x-ndjson; charset=latin1' })).status,
    ).toBe(415);
    for (const nothing of ['', '\n \r\n']) {
      expect(await writer.write(Buffer.from(nothing))).toMatchObject({ status: 400 });
    }
  });
});
