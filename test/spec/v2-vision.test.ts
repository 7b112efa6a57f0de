import { useService } from '../support/service';
import { words } from '../support/words';

/** contract 8.6, 7: the legacy identification. */
const service = useService();
const identify = async (body: object = {}) =>
  service.api.identifyV2({ base64: (await service.photo()).toString('base64'), ...body });

beforeEach(() => service.queue.reset());

// contract 8.6
test('answers success, results, processingTime and predictionId', async () => {
  await service.sees(['product_submariner', 0.05]);
  const { status, body } = await identify();
  expect(status).toBe(200);
  expect(Object.keys(body).sort()).toEqual(['predictionId', 'processingTime', 'results', 'success']);
  expect(body.success).toBe(true);
  expect(body.processingTime).toBeGreaterThanOrEqual(0);
  expect(body.predictionId).toMatch(/^\S{8,}$/);
});

test('describes each match as 2.5 says, always with taxonomy and prices', async () => {
  await service.sees(['product_birkin_croc', 0.05]);
  const [match] = (await identify()).body.results;
  expect(match).toMatchObject({ id: 'product_birkin_croc', confidence: expect.any(Number) });
  expect(Object.keys(match?.product ?? {}).sort()).toEqual(
    words('attributes category_id deleted id nbWordsMatched popularity updated_at variants').sort(),
  );
  expect(match?.product).toMatchObject({
    id: 'product_birkin_croc',
    category_id: 'handbags',
    popularity: 100,
    deleted: false,
    nbWordsMatched: 0,
    attributes: expect.arrayContaining([{ field: 'style', id: 'style_birkin_croc', name: 'Crocodile' }]),
  });
  expect(new Date(match?.product.updated_at ?? '').toISOString()).toBe(match?.product.updated_at);
  expect(match?.product.variants[0]).toEqual({
    id: 'variant_birkin_croc_30',
    fields: [{ field: 'size', name: '30' }],
    market_estimates: expect.any(Array),
    historical_estimates: expect.any(Array),
    pricing_data: expect.any(Array),
    popularity: 10,
    images: expect.any(Array),
    thumbnails: [],
  });
});

test("labels a match with the item's name and its style", async () => {
  await service.sees(['product_birkin_croc', 0.05]);
  expect((await identify()).body.results[0]?.label).toBe('Hermès Birkin Crocodile');
  await service.sees(['product_submariner', 0.05]);
  expect((await identify()).body.results[0]?.label).toBe('Rolex Submariner 124060');
});

// contract 8.6
test('gives a taxonomy row the keys of a product, with no variants', async () => {
  await service.sees(['product_neverfull_monogram', 0.4], ['product_neverfull_damier', 0.401]);
  const [match] = (await identify()).body.results;
  expect(match).toMatchObject({ id: 'model_neverfull', product: { id: 'model_neverfull', variants: [] } });
  expect(Object.keys(match?.product ?? {})).toHaveLength(8);
});

test('sure of nothing answers no results, free of charge', async () => {
  await service.sees();
  const answer = await identify();
  expect(answer).toMatchObject({ status: 200, body: { success: true, results: [] } });
  expect(answer.headers.get('X-Credits-Used')).toBe('0');
});

test('ignores parameters that it does not know, includes among them, and null', async () => {
  await service.sees(['product_submariner', 0.05]);
  expect((await identify({ includes: ['catalog'], foo: 1, url: null })).status).toBe(200);
});

test('names its record in a header too', async () => {
  const answer = await identify();
  expect(answer.headers.get('X-Prediction-Id')).toBe(answer.body.predictionId);
});

// contract 7.11
test('keeps a record under its predictionId', async () => {
  await service.sees(['product_submariner', 0.05]);
  const { predictionId } = (await identify()).body;
  expect(await service.prediction(predictionId)).toMatchObject({
    id: predictionId,
    endpoint: 'v2.vision',
    rows: [{ id: 'product_submariner' }],
    neighbours: [{ distance: 0.05 }],
  });
});
