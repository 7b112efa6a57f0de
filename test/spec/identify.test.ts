import type { Knex } from 'knex';
import { PORTS } from '../../models/ports';
import { useJobs } from '../support/photo-jobs';

/** contract 7, 8.6: what a photo is answered, in v3 and v2. The workers are replaced: each test says what they see. */
const { service, photo, ended } = useJobs({ VISION_DEADLINE_MS: '4000' });
type Seen = readonly (readonly [id: string | null, distance: number])[];

const CROC: Seen = [['product_birkin_croc', 0.05]];
const SUBMARINER: Seen = [['product_submariner', 0.05]];
/** Likeliest first: about 0.6, 0.3 and 0.05; then far away. */
const RIVALS: Seen = [
  ['product_birkin_togo', 0.1],
  ['product_submariner', 0.13],
  ['product_neverfull_damier', 0.25],
  ['product_neverfull_monogram', 1.2],
];
/** Two products of one model, as near as each other. */
const TWINS: Seen = [
  ['product_neverfull_monogram', 0.4],
  ['product_neverfull_damier', 0.401],
];
const FAR: Seen = [
  ['product_birkin_togo', 1.1],
  ['product_submariner', 1.2],
  ['product_neverfull_damier', 1.3],
];

const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

/** The v3 answer to a photo of which the workers see this. */
async function answerTo(seen: Seen, asked: object = {}) {
  await service.sees(...seen);
  return (await service.api.identify({ ...photo, ...asked })).body;
}

describe('an identification', () => {
  // contract 7.8, 7.9
  test('has at most ten rows, best first, each with its own confidence of at least 0.01', async () => {
    const { data, ...envelope } = await answerTo(RIVALS);
    expect(envelope).toEqual({
      ...{ success: true, results: 3, total_results: 3, page: 0, total_pages: 1, credits_used: 5 },
      ...{ includes: ['taxonomy'], resolved_taxonomy: { node: 'product', level: 3 } },
    });
    expect(idsOf(data)).toEqual(idsOf(RIVALS.slice(0, 3).map(([id]) => ({ id: String(id) }))));
    const confidences = data.map(({ confidence = 0 }) => confidence);
    expect(confidences).toEqual([...confidences].sort((left, right) => right - left));
    expect(confidences.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(1);
    expect(Math.min(...confidences)).toBeGreaterThanOrEqual(0.01);
  });

  test('gives attributes and variant fields with taxonomy, prices with pricing', async () => {
    const [bare = {}] = (await answerTo(CROC, { includes: [] })).data;
    expect(Object.keys(bare).sort()).toEqual(
      'confidence id images name popularity thumbnails variants'.split(' '),
    );
    const [full] = (await answerTo(CROC, { includes: ['taxonomy', 'pricing'] })).data;
    const variant = {
      fields: [{ field: 'size', name: '30' }],
      pricing: { market_estimates: expect.any(Array) },
    };
    expect(full).toMatchObject({
      attributes: expect.arrayContaining([{ field: 'brand', id: 'brand_hermes', name: 'Hermès' }]),
      variants: [variant, {}, {}],
    });
  });

  // contract 7.10
  test('whose neighbours agree about the model alone begins with it, then has its likeliest products', async () => {
    const { data, resolved_taxonomy } = await answerTo([...TWINS, ['product_submariner', 0.6]], {
      explain: true,
    });
    expect(idsOf(data).slice(0, 3)).toEqual(['model_neverfull', ...TWINS.map(([id]) => id)]);
    expect(resolved_taxonomy).toEqual({ node: 'model', level: 1 });
    expect(data[0]).not.toHaveProperty('variants');
    const [model = 0, ...products] = data.map(({ confidence = 0 }) => confidence);
    expect(model).toBeGreaterThanOrEqual((products[0] ?? 0) + (products[1] ?? 0));
    for (const { id, confidence = 0, evidence } of data) {
      const inwards = (evidence?.levels ?? []).map((level) => level.confidence).toReversed();
      const outwards = [...(id === 'model_neverfull' ? [] : [confidence]), ...inwards];
      expect(outwards).toEqual([...outwards].sort((left, right) => left - right));
    }
  });

  // contract 7.10
  test('whose neighbours agree about a model that was deleted begins with the brand', async () => {
    const rename = (from: string, to: string) =>
      service.resolve<Knex>(PORTS.Knex)('catalog_rows').where({ id: from }).update({ id: to });
    await rename('model_neverfull', 'model_out_of_the_way');
    const { data, resolved_taxonomy } = await answerTo(TWINS);
    await rename('model_out_of_the_way', 'model_neverfull');
    expect([data[0]?.id, resolved_taxonomy]).toEqual(['brand_vuitton', { node: 'brand', level: 0 }]);
  });

  test('ignores pictures that no row shows any more', async () => {
    expect(idsOf((await answerTo([[null, 0.01], ...SUBMARINER])).data)).toEqual(['product_submariner']);
  });

  // contract 7.11
  test('is recorded under its X-Prediction-Id, also when nothing was found', async () => {
    for (const seen of [SUBMARINER, []]) {
      await service.sees(...seen);
      const { headers, body } = await service.api.identify(photo);
      const recorded = await service.prediction(headers.get('X-Prediction-Id') ?? '');
      expect(idsOf(recorded?.rows ?? [])).toEqual(idsOf(body.data));
    }
  });

  // contract 7.8, 10.2
  test('that is sure of nothing is empty, free, and resolves to nothing, in v3 and v2', async () => {
    const { data, ...envelope } = await answerTo([['product_birkin_croc', 0.95]]);
    expect([data, envelope]).toMatchObject([
      [],
      {
        ...{ results: 0, total_results: 0, total_pages: 0, credits_used: 0 },
        resolved_taxonomy: { node: null, level: null },
      },
    ]);
    const v2 = await service.api.identifyV2(photo);
    expect([v2.body, v2.headers.get('X-Credits-Used')]).toMatchObject([{ success: true, results: [] }, '0']);
  });

  test('reports the time of each stage', async () => {
    await service.sees(...CROC);
    const timing = (await service.api.identify(photo)).headers.get('Server-Timing') ?? '';
    expect(timing.split(', ').map((stage) => stage.replace(/;dur=\d+(\.\d+)?$/, ''))).toEqual(
      'intake queue embed neighbours rows total'.split(' '),
    );
  });
});

// contract 7.8
describe('min_confidence', () => {
  test('takes the place of the floor for one call: less gives an answer, and it is charged', async () => {
    const { data, credits_used } = await answerTo(FAR, { min_confidence: 0.001 });
    expect([data.length, data[0]?.id, credits_used]).toEqual([3, 'product_birkin_togo', 5]);
    expect(await answerTo(FAR)).toMatchObject({ data: [], credits_used: 0 });
  });

  test('above the best row leaves nothing, free of charge; at its confidence, all rows', async () => {
    const { data } = await answerTo(RIVALS);
    const best = data[0]?.confidence ?? 0;
    expect(idsOf((await answerTo(RIVALS, { min_confidence: best })).data)).toEqual(idsOf(data));
    const more = await answerTo(RIVALS, { min_confidence: Math.min(1, best + 0.001) });
    // Where no product reaches it, a taxonomy row may.
    expect(idsOf(more.data)).not.toContain(data[0]?.id);
    expect(more.credits_used).toBe(0);
  });

  test('of 0 gives the nearest, whatever they are', async () => {
    const nearest: Seen = [...RIVALS.slice(0, 3), ['product_neverfull_monogram', 1.9]];
    const { data } = await answerTo(nearest, { min_confidence: 0 });
    expect(idsOf(data)).toEqual(nearest.map(([id]) => id));
    expect(data.at(-1)?.confidence).toBeLessThan(0.01);
  });

  // contract 16.1
  test('holds for its own entry of a job', async () => {
    await service.sees(...FAR);
    const entries = [photo, { ...photo, min_confidence: 0 }, { ...photo, min_confidence: 1 }];
    const { data } = await ended(await service.api.createJob({ entries }));
    const answers = data.map(({ answer }) => answer as { data: unknown[]; credits_used: number });
    expect(answers.map((answer) => [answer.data.length, answer.credits_used])).toEqual([
      [0, 0],
      [3, 5],
      [0, 0],
    ]);
  });
});

// contract 7.2
test.each<[string, (plain: string) => string]>([
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
])('base64 is taken %s', async (_how, form) => {
  const { data } = await answerTo(SUBMARINER, { base64: form(photo.base64) });
  expect(idsOf(data)).toEqual(['product_submariner']);
});

// contract 7.1, 7.3, 7.5
test.each<[string, object | (() => object), string]>([
  ['bytes of no known format', bytes('hello, this is no picture at all'), 'image_format'],
  ['a GIF', bytes('GIF89a\x01\x00\x01\x00\x00\x00\x00;'), 'image_format'],
  ['an SVG', bytes('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image_format'],
  ['a PDF', bytes('%PDF-1.7\n%âãÏÓ\n1 0 obj'), 'image_format'],
  [
    'a picture over the limit of bytes',
    () =>
      bytes(
        Buffer.from(photo.base64, 'base64')
          .toString('latin1')
          .padEnd(service.config.IMAGE_BYTES_MAX + 1),
      ),
    'image_too_large',
  ],
  [
    'a private address, whatever base64 is sent',
    { url: 'http://127.0.0.1:9/a.jpg', base64: '!' },
    'url_blocked',
  ],
])('%s is a 422 with its reason, free of charge', async (_what, sent, reason) => {
  const answer = await service.api.identify(typeof sent === 'function' ? sent() : sent);
  expect(answer).toMatchObject({ status: 422, body: { error: 'unprocessable', reason } });
  expect(answer.headers.get('X-Credits-Used')).toBe('0');
});

function bytes(text: string) {
  return { base64: Buffer.from(text, 'latin1').toString('base64') };
}

// contract 7.7
test('the deadline is a 504, free of charge', async () => {
  service.queue.neverAnswers();
  const answer = await service.api.identify(photo);
  expect(answer).toMatchObject({ status: 504, body: { success: false, error: 'timeout' } });
  expect(answer.headers.get('X-Credits-Used')).toBe('0');
});

test('a caller that hangs up gives its place in the queue back', async () => {
  service.queue.neverAnswers();
  const hangUp = new AbortController();
  const { signal } = hangUp;
  const call = service.api.send('POST', '/v3/vision/identify', { body: photo, signal });
  await service.queue.asked();
  hangUp.abort();
  await expect(call).rejects.toThrow();
  await service.queue.gaveUp();
});

// contract 8.6
describe('v2', () => {
  const identified = async (seen: Seen) => {
    await service.sees(...seen);
    return await service.api.identifyV2(photo);
  };

  test('answers success, results, processingTime and the predictionId of its record', async () => {
    const { body, headers } = await identified(SUBMARINER);
    expect(body).toEqual({
      ...{ success: true, processingTime: expect.any(Number), predictionId: headers.get('X-Prediction-Id') },
      results: [expect.objectContaining({ id: 'product_submariner', label: 'Rolex Submariner 124060' })],
    });
    // contract 7.11
    expect(await service.prediction(body.predictionId)).toMatchObject({
      ...{ id: body.predictionId, endpoint: 'v2.vision' },
      ...{ rows: [{ id: 'product_submariner' }], neighbours: [{ distance: 0.05 }] },
    });
  });

  test('answers the same rows and confidences as v3', async () => {
    for (const seen of [RIVALS, TWINS]) {
      const { results } = (await identified(seen)).body;
      const { data } = await answerTo(seen);
      const told = ({ id, confidence }: { id: string; confidence?: number | undefined }) => [id, confidence];
      expect(results.map(told)).toEqual(data.map(told));
    }
  });

  test('describes a match by its name and style, and its product with taxonomy and prices', async () => {
    const [match] = (await identified(CROC)).body.results;
    expect(match).toMatchObject({
      ...{ id: 'product_birkin_croc', label: 'Hermès Birkin Crocodile', confidence: expect.any(Number) },
      product: {
        ...{ id: 'product_birkin_croc', category_id: 'handbags', popularity: 100, deleted: false },
        attributes: expect.arrayContaining([{ field: 'style', id: 'style_birkin_croc', name: 'Crocodile' }]),
        nbWordsMatched: 0,
      },
    });
    expect(new Date(match?.product.updated_at ?? '').toISOString()).toBe(match?.product.updated_at);
    const lists = ['market_estimates', 'historical_estimates', 'pricing_data', 'images'];
    expect(match?.product.variants[0]).toEqual({
      ...{
        id: 'variant_birkin_croc_30',
        fields: [{ field: 'size', name: '30' }],
        popularity: 10,
        thumbnails: [],
      },
      ...Object.fromEntries(lists.map((name) => [name, expect.any(Array)])),
    });
    const [row] = (await identified(TWINS)).body.results;
    const keys = 'attributes category_id deleted id nbWordsMatched popularity updated_at variants'.split(' ');
    for (const { product } of [match, row].flatMap((each) => each ?? []))
      expect(Object.keys(product).sort()).toEqual(keys);
    expect(row).toMatchObject({ id: 'model_neverfull', product: { id: 'model_neverfull', variants: [] } });
  });
});
