import sharp from 'sharp';
import { viewSizeOf } from '../../models/vision/embedding-model';
import { useJobs } from '../support/photo-jobs';
import type { Seen } from '../support/service';

/** contract 7: the answers to photos. The workers are replaced: each test says what they see. */
const { service, photo } = useJobs({ VISION_DEADLINE_MS: '4000' });
/** Products with how far their picture is from each photo: `birkin_togo 0.6/0.1, submariner 0.9/0.2`. */
const seen = (text: string): Seen[] =>
  text.split(', ').map((each) => {
    const [name, distances = ''] = each.split(' ');
    return [`product_${name}`, distances.split('/').map(Number)];
  });

const CROC = seen('birkin_croc 0.05');
const SUBMARINER = seen('submariner 0.05');
/** Likeliest first: about 0.6, 0.3 and 0.05; then far away. */
const RIVALS = seen('birkin_togo 0.1, submariner 0.13, neverfull_damier 0.25, neverfull_monogram 1.2');
/** Two products of one model, as near as each other. */
const TWINS = seen('neverfull_monogram 0.4, neverfull_damier 0.401');
const FAR = seen('birkin_togo 1.1, submariner 1.2, neverfull_damier 1.3');

const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
const rename = (from: string, to: string) =>
  service.knex('catalog_rows').where({ id: from }).update({ id: to });
const photos = (count: number) => Array.from({ length: count }, () => photo);

async function answerTo(given: readonly Seen[], asked: object = photo) {
  await service.sees(...given);
  return (await service.api.identify('images' in asked ? asked : { ...photo, ...asked })).body;
}

describe('an identification', () => {
  // contract 7.8, 7.9
  test('has at most ten rows, best first, each with its own confidence of at least 0.01', async () => {
    const { data, ...envelope } = await answerTo(RIVALS);
    expect(envelope).toEqual({
      ...{ success: true, results: 3, total_results: 3, page: 0, total_pages: 1, credits_used: 5 },
      ...{ includes: ['taxonomy'], resolved_taxonomy: { node: 'product', level: 3 } },
    });
    expect(idsOf(data)).toEqual(RIVALS.slice(0, 3).map(([id]) => id));
    const confidences = data.map(({ confidence = 0 }) => confidence);
    expect(confidences).toEqual([...confidences].sort((left, right) => right - left));
    expect(confidences.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(1);
    expect(Math.min(...confidences)).toBeGreaterThanOrEqual(0.01);
  });

  test('gives attributes and variant fields with taxonomy, prices with pricing', async () => {
    const [bare = {}] = (await answerTo(CROC, { includes: [] })).data;
    const keys = 'confidence id images name popularity thumbnails variants';
    expect(Object.keys(bare).sort().join(' ')).toBe(keys);
    const [full] = (await answerTo(CROC, { includes: ['taxonomy', 'pricing'] })).data;
    const pricing = { market_estimates: expect.any(Array) };
    expect(full).toMatchObject({
      attributes: expect.arrayContaining([{ field: 'brand', id: 'brand_hermes', name: 'Hermès' }]),
      variants: [{ fields: [{ field: 'size', name: '30' }], pricing }, {}, {}],
    });
  });

  // contract 7.10
  test('whose neighbours agree only about the model begins with it, then has its likeliest products', async () => {
    const photographed = [...TWINS, ...seen('submariner 0.6')];
    const { data, resolved_taxonomy } = await answerTo(photographed, { explain: true });
    expect(idsOf(data).slice(0, 3)).toEqual(['model_neverfull', ...TWINS.map(([id]) => id)]);
    expect(resolved_taxonomy).toEqual({ node: 'model', level: 1 });
    expect(data[0]).not.toHaveProperty('variants');
    const [model = 0, ...products] = data.map(({ confidence = 0 }) => confidence);
    expect(model).toBeGreaterThanOrEqual((products[0] ?? 0) + (products[1] ?? 0));
    // contract 7.17
    expect(data[0]).toMatchObject({
      confidence: data[0]?.evidence?.levels.at(-1)?.confidence,
      evidence: { levels: [{ id: 'brand_vuitton' }, { id: 'model_neverfull' }] },
    });
  });

  // contract 7.10, 1.11
  test('whose neighbours agree about a model that was deleted begins with the brand, of one category or two', async () => {
    await rename('model_neverfull', 'model_out_of_the_way');
    for (const category of ['handbags,watches', 'handbags']) {
      await service.knex('catalog_rows').where({ id: 'brand_vuitton' }).update({ category });
      const { data, resolved_taxonomy } = await answerTo(TWINS, { category_id: 'handbags' });
      expect([data[0]?.id, resolved_taxonomy]).toEqual(['brand_vuitton', { node: 'brand', level: 0 }]);
    }
    await rename('model_out_of_the_way', 'model_neverfull');
  });

  // contract 7.11
  test('is recorded under its X-Prediction-Id, also when nothing was found', async () => {
    // A picture that no row shows any more is ignored.
    for (const given of [[[null, 0.01], ...SUBMARINER], []] as const) {
      await service.sees(...given);
      const { headers, body } = await service.api.identify(photo);
      const recorded = await service.prediction(headers.get('X-Prediction-Id') ?? '');
      const ids = idsOf(body.data);
      expect([ids, idsOf(recorded?.rows ?? [])]).toEqual(
        Array(2).fill(given.length > 0 ? ['product_submariner'] : []),
      );
    }
  });

  // contract 7.11, 10.2
  test.each([
    ['is empty, free, and recorded so', {}, []],
    ['also with evidence', { explain: true }, []],
    ['unless a runner-up reaches the floor', { min_confidence: 0.001 }, ['product_birkin_croc']],
  ])('of a product that is deleted after the search %s', async (_what, asked, ids) => {
    await service.sees(...SUBMARINER, ...seen('birkin_croc 0.15'));
    const search = service.queue.neighbours.bind(service.queue);
    jest.spyOn(service.queue, 'neighbours').mockImplementationOnce(async (request) => {
      const found = await search(request);
      await rename('product_submariner', 'product_out_of_the_way');
      return found;
    });
    const { headers, body } = await service.api.identify({ ...photo, ...asked });
    await rename('product_out_of_the_way', 'product_submariner');
    expect([idsOf(body.data), body.credits_used]).toEqual([ids, 5 * ids.length]);
    const recorded = await service.prediction(headers.get('X-Prediction-Id') ?? '');
    expect(idsOf(recorded?.rows ?? [])).toEqual(ids);
  });

  // contract 7.8, 10.2
  test('with nothing sure is empty, free, and resolves to nothing, in v3 and v2', async () => {
    expect(await answerTo(seen('birkin_croc 0.95'))).toMatchObject({
      ...{ data: [], results: 0, total_results: 0, total_pages: 0, credits_used: 0 },
      resolved_taxonomy: { node: null, level: null },
    });
    const v2 = await service.api.identifyV2(photo);
    expect([v2.body, v2.headers.get('X-Credits-Used')]).toMatchObject([{ success: true, results: [] }, '0']);
  });

  test('reports the time of each stage', async () => {
    const timing = (await service.api.identify(photo)).headers.get('Server-Timing') ?? '';
    const stages = timing.split(', ').map((stage) => stage.replace(/;dur=\d+(\.\d+)?$/, ''));
    expect(stages.join(' ')).toBe('intake queue embed neighbours rows total');
  });
});

// contract 7.8
describe('min_confidence', () => {
  test('replaces the floor for one call: a lower one gives an answer, and it is charged', async () => {
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
    const nearest = [...RIVALS.slice(0, 3), ...seen('neverfull_monogram 1.9')];
    const { data } = await answerTo(nearest, { min_confidence: 0 });
    expect(idsOf(data)).toEqual(nearest.map(([id]) => id));
    expect(data.at(-1)?.confidence).toBeLessThan(0.01);
  });
});

// contract 7.7
test('the deadline is a 504, free of charge', async () => {
  service.queue.behaviour = 'never answers';
  const answer = await service.api.identify(photo);
  expect(answer).toMatchObject({ status: 504, body: { success: false, error: 'timeout' } });
  expect(answer.headers.get('X-Credits-Used')).toBe('0');
});

const one = (background: string, width = 64, height = 64) =>
  sharp({ create: { width, height, channels: 3 as const, background } });
/** 1 for each full channel of the photos that the workers received. */
const coloursSeen = () =>
  Promise.all(
    (service.queue.request?.images ?? []).map(async (image) => {
      const picture =
        'pixels' in image ? sharp(image.pixels, { raw: { ...image, channels: 3 } }) : sharp(image.jpeg);
      return (await picture.stats()).channels.map(({ mean }) => Math.round(mean / 255)).join('');
    }),
  );

test.each([
  ['as the live model sees it', false, 'pixels'],
  ['of 640 pixels if its account keeps photos', true, 'jpeg'],
])('a photo reaches the queue %s', async (_size, keepPhotos, form) => {
  const { api, accountId } = await service.newKey({ credits: 100 });
  await service.knex('accounts').where({ id: accountId }).update({ keep_photos: keepPhotos });
  const large = await one('#ff0000', 1_440, 1_080).png().toBuffer();
  expect((await api.identify({ base64: large.toString('base64') })).status).toBe(200);
  const { side } = viewSizeOf((await service.liveVersion()).manifest, 'query');
  const [image] = service.queue.request?.images ?? [];
  expect(image).toMatchObject({ [form]: expect.any(Buffer), width: keepPhotos ? 640 : Math.round(side) });
});

// contract 7.14
describe('several photos of an item', () => {
  test('have one answer, the row that fits them all, although one of them shows something else', async () => {
    const togo = seen('birkin_togo 0.6/0.1/0.6, birkin_croc 0.05/0.2/0.05');
    expect((await answerTo(togo, { images: photos(3) })).data[0]?.id).toBe('product_birkin_croc');
    expect(service.queue.request?.images).toHaveLength(3);
    const odd = seen('submariner 0.9/0.9/0.01, birkin_croc 0.2/0.2/0.95');
    expect((await answerTo(odd, { images: photos(3), explain: true })).data[0]).toMatchObject({
      id: 'product_birkin_croc',
      evidence: { photos: [{ agrees: true }, { agrees: true }, { agrees: false }] },
    });
  });

  test('of two different items give each half, and no product more than 0.6', async () => {
    const different = seen('birkin_togo 0.02/0.9, submariner 0.9/0.01');
    const { data } = await answerTo(different, { images: photos(2) });
    expect(data).toHaveLength(2);
    for (const { confidence = 1 } of data) expect(Math.abs(confidence - 0.5)).toBeLessThanOrEqual(0.1);
  });

  test.each([{ base64: 'AAAA' }, { url: 'http://127.0.0.1/' }])('name the unusable one: %j', async (bad) => {
    const { status, body } = await service.api.identify({ images: [service.photo, bad] });
    expect([status, body]).toMatchObject([422, { index: 1 }]);
  });

  test('keep their order', async () => {
    const drawn = ['#ff0000', '#00ff00', '#0000ff'].map(async (colour) => {
      const padded = Buffer.concat([await one(colour).png().toBuffer(), Buffer.alloc(10_000)]);
      return { base64: padded.toString('base64') };
    });
    expect((await service.api.identify({ images: await Promise.all(drawn) })).status).toBe(200);
    expect(await coloursSeen()).toEqual(['100', '010', '001']);
  });
});

// contract 7.15
test.each([
  ['upper', 0, '001'],
  ['lower', 0.5, '100'],
])('of a region, the %s half, only that part of the upright photo is used', async (_which, y, colour) => {
  // Red on the left, blue on the right; turned by its EXIF, blue is on top.
  const blue = await one('#0000ff', 100, 100).png().toBuffer();
  const both = one('#ff0000', 200, 100).composite([{ input: blue, left: 100, top: 0 }]);
  const turned = await both.jpeg({ quality: 100 }).withMetadata({ orientation: 8 }).toBuffer();
  const entry = { base64: turned.toString('base64'), region: { x: 0, y, width: 1, height: 0.5 } };
  for (const body of [entry, { images: [entry] }]) {
    expect((await service.api.identify(body)).status).toBe(200);
    expect(await coloursSeen()).toEqual([colour]);
  }
});

const brands = (values: object) => ({ filters: [{ field: 'brand', ...values }] });
const both = [...SUBMARINER, ...seen('birkin_croc 0.1')];

// contract 7.16
test.each<[object, sent: object]>([
  [{ category_id: 'Handbags' }, { category: 'handbags', filters: [] }],
  [brands({ include: ['brand_hermes'] }), { filters: [{ include: ['brand_hermes'], exclude: [] }] }],
  [brands({ exclude: ['brand_rolex'] }), { filters: [{ include: [], exclude: ['brand_rolex'] }] }],
])('the scope %j leaves only rows that pass, also for the search of the workers', async (scope, sent) => {
  expect(idsOf((await answerTo(both, scope)).data)).toEqual(['product_birkin_croc']);
  expect(service.queue.request?.scope).toMatchObject(sent);
  const nothing = { data: [], credits_used: 0 };
  expect(await answerTo(SUBMARINER, scope)).toMatchObject(nothing);
});

// contract 7.17
test('an explanation says by which picture and photo a row was found, and how sure each level is', async () => {
  const sides = seen('birkin_croc 0.3/0.05, birkin_togo 0.4/0.45');
  const [row] = (await answerTo(sides, { images: photos(2), explain: true })).data;
  const evidence = row?.evidence;
  expect(evidence).toMatchObject({
    ...{ photo: 1, similarity: expect.closeTo(0.825), margin: expect.closeTo(0.25) },
    photos: [0.7, 0.95].map((similarity) => ({ similarity: expect.closeTo(similarity), agrees: true })),
    levels: [
      { field: 'brand', id: 'brand_hermes', name: 'Hermès' },
      { field: 'model', id: 'model_birkin' },
      { field: 'style' },
    ],
  });
  expect((await fetch(evidence?.image ?? '')).status).toBe(200);
  const sure = [...(evidence?.levels ?? []).map(({ confidence }) => confidence), row?.confidence ?? 1];
  expect(sure).toEqual([...sure].sort((left, right) => right - left));
  expect((await answerTo(CROC)).data[0]).not.toHaveProperty('evidence');
});
