import type { Knex } from 'knex';
import { PORTS } from '../../models/ports';
import { useService } from '../support/service';
import { words } from '../support/words';

/** contract 7.1, 7: identification. The workers are replaced: what they see is said by each test. */
const service = useService({ VISION_DEADLINE_MS: '8000' });

/** The smallest of the fixture's pictures; what it shows is up to `service.queue`. */
const photo = async (): Promise<string> => (await service.photo()).toString('base64');

beforeEach(() => service.queue.reset());

describe('an identification', () => {
  // contract 7.8
  test('answers the envelope with matching rows, best first, each with its confidence', async () => {
    await service.sees(['product_birkin_croc', 0.1], ['product_birkin_togo', 0.2]);
    const { status, body } = await service.api.identify({ base64: await photo() });
    const { data, ...envelope } = body;
    expect(status).toBe(200);
    expect(envelope).toEqual({
      success: true,
      results: data.length,
      total_results: data.length,
      page: 0,
      total_pages: 1,
      credits_used: 5,
      includes: ['taxonomy'],
      resolved_taxonomy: { node: 'product', level: 3 },
    });
    expect(data.map(({ id }) => id)).toEqual(['product_birkin_croc', 'product_birkin_togo']);
    for (const row of data) {
      expect(row.confidence).toBeGreaterThanOrEqual(0);
      expect(row.confidence).toBeLessThanOrEqual(1);
    }
    expect(data[0]?.confidence).toBeGreaterThan(data[1]?.confidence ?? 1);
  });

  test('gives attributes and variant fields with taxonomy, prices with pricing', async () => {
    await service.sees(['product_birkin_croc', 0.05]);
    const [bare] = (await service.api.identify({ base64: await photo(), includes: [] })).body.data;
    expect(Object.keys(bare ?? {}).sort()).toEqual(
      ['confidence', 'id', 'images', 'name', 'popularity', 'thumbnails', 'variants'].sort(),
    );
    const full = await service.api.identify({ base64: await photo(), includes: ['taxonomy', 'pricing'] });
    expect(full.body.data[0]).toMatchObject({
      attributes: expect.arrayContaining([{ field: 'brand', id: 'brand_hermes', name: 'Hermès' }]),
      variants: [
        { fields: [{ field: 'size', name: '30' }], pricing: { market_estimates: expect.any(Array) } },
        {},
        {},
      ],
    });
  });

  // contract 7.10
  test('of neighbours that agree about the model only answers the model first, without variants', async () => {
    await service.sees(['product_neverfull_monogram', 0.4], ['product_neverfull_damier', 0.401]);
    const { body } = await service.api.identify({ base64: await photo() });
    expect(body.data[0]).toMatchObject({ id: 'model_neverfull', name: 'Neverfull' });
    expect(body.data[0]).not.toHaveProperty('variants');
    expect(body.resolved_taxonomy).toEqual({ node: 'model', level: 1 });
  });

  test('of neighbours that agree about a model that was deleted answers the brand first', async () => {
    await service.sees(['product_neverfull_monogram', 0.4], ['product_neverfull_damier', 0.401]);
    const rename = (from: string, to: string) =>
      service.resolve<Knex>(PORTS.Knex)('catalog_rows').where({ id: from }).update({ id: to });
    await rename('model_neverfull', 'model_out_of_the_way');
    const { body } = await service.api.identify({ base64: await photo() });
    await rename('model_out_of_the_way', 'model_neverfull');
    expect(body.data[0]).toMatchObject({ id: 'brand_vuitton' });
    expect(body.resolved_taxonomy).toEqual({ node: 'brand', level: 0 });
  });

  test('skips pictures that no row shows any more', async () => {
    await service.sees([null, 0.01], ['product_submariner', 0.05]);
    const { body } = await service.api.identify({ base64: await photo() });
    expect(body.data.map(({ id }) => id)).toEqual(['product_submariner']);
  });

  test('names its record in a header, also when nothing was found', async () => {
    await service.sees(['product_submariner', 0.05]);
    const found = await service.api.identify({ base64: await photo() });
    await service.sees();
    const nothing = await service.api.identify({ base64: await photo() });
    for (const answer of [found, nothing]) {
      const id = answer.headers.get('X-Prediction-Id') ?? '';
      const rows = answer.body.data.map((row) => row.id);
      const recorded = (await service.prediction(id))?.rows.map((row) => row.id);
      expect([answer.status, recorded]).toEqual([200, rows]);
    }
  });

  // contract 7.8, 10.2
  test('that is sure of nothing is empty, free, and resolves to nothing', async () => {
    await service.sees(['product_birkin_croc', 0.95]);
    const answer = await service.api.identify({ base64: await photo() });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        data: [],
        results: 0,
        total_results: 0,
        total_pages: 0,
        credits_used: 0,
        resolved_taxonomy: { node: null, level: null },
      },
    });
    expect(answer.headers.get('X-Credits-Used')).toBe('0');
  });

  test('tells the time of each stage', async () => {
    await service.sees(['product_birkin_croc', 0.05]);
    const timing = (await service.api.identify({ base64: await photo() })).headers.get('Server-Timing') ?? '';
    expect(timing.split(', ').map((stage) => stage.replace(/;dur=\d+(\.\d+)?$/, ''))).toEqual(
      words('intake queue embed neighbours rows total'),
    );
  });
});

// contract 7.2
describe('base64 is taken', () => {
  const forms: [string, (plain: string) => string][] = [
    ['as it is', (plain) => plain],
    ['as a data URI', (plain) => `data:image/png;base64,${plain}`],
    ['as a data URI of another type than it is', (plain) => `data:image/heic;base64,${plain}`],
    ['as a data URI with parameters, in other case', (plain) => `DATA:image/png;name=a.png;BASE64,${plain}`],
    ['as a percent-encoded data URI', (plain) => `data:image/png;base64,${encodeURIComponent(plain)}`],
    [
      'as a data URI that is percent-encoded as a whole',
      (plain) => encodeURIComponent(`data:image/png;base64,${plain}`),
    ],
    ['in the URL-safe alphabet', (plain) => plain.replaceAll('+', '-').replaceAll('/', '_')],
    ['without padding', (plain) => plain.replace(/=+$/, '')],
    ['with white space', (plain) => `\n ${plain.replace(/.{60}/g, '$&\r\n\t')} \n`],
  ];
  test.each(forms)('%s', async (_how, form) => {
    await service.sees(['product_submariner', 0.05]);
    expect(await service.api.identify({ base64: form(await photo()) })).toMatchObject({
      status: 200,
      body: { data: [{ id: 'product_submariner' }] },
    });
  });
});

// contract 7.3
describe('a 422 with its reason answers', () => {
  const bytes = (text: string) => Buffer.from(text, 'latin1').toString('base64');
  test.each([
    ['bytes of no known format', bytes('hello, this is no picture at all'), 'image_format'],
    ['a GIF', bytes('GIF89a\x01\x00\x01\x00\x00\x00\x00;'), 'image_format'],
    ['an SVG', bytes('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image_format'],
    ['a PDF', bytes('%PDF-1.7\n%âãÏÓ\n1 0 obj'), 'image_format'],
  ])('%s', async (_what, base64, reason) => {
    expect(await service.api.identify({ base64 })).toMatchObject({
      status: 422,
      body: { error: 'unprocessable', reason },
    });
  });

  test('an image over the byte limit', async () => {
    const large = Buffer.concat([await service.photo(), Buffer.alloc(service.config.IMAGE_BYTES_MAX)]);
    expect(await service.api.identify({ base64: large.toString('base64') })).toMatchObject({
      status: 422,
      body: { reason: 'image_too_large' },
    });
  });
});

// contract 7.1
test('url wins when both are sent, and base64 is not looked at', async () => {
  expect(await service.api.identify({ url: 'http://127.0.0.1:9/a.jpg', base64: '!' })).toMatchObject({
    status: 422,
    body: { reason: 'url_blocked' },
  });
});

// contract 7.7
test('the deadline is a 504, free of charge', async () => {
  service.queue.neverAnswers();
  const answer = await service.api.identify({ base64: await photo() });
  expect(answer).toMatchObject({ status: 504, body: { success: false, error: 'timeout' } });
  expect(answer.headers.get('X-Credits-Used')).toBe('0');
});

test('a caller that hangs up gives its place in the queue back', async () => {
  service.queue.neverAnswers();
  const hangUp = new AbortController();
  const call = fetch(`${service.url}/v3/vision/identify`, {
    method: 'POST',
    signal: hangUp.signal,
    headers: { Authorization: `Bearer ${service.api.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ base64: await photo() }),
  });
  await service.queue.asked();
  hangUp.abort();
  await expect(call).rejects.toThrow();
  await service.queue.gaveUp();
});
