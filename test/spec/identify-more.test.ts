import sharp from 'sharp';
import { jpegOf } from '../../models/vision/neighbours';
import { DAMAGED_PNG, useJobs } from '../support/photo-jobs';

/** contract 7.14 to 7.17: several photos, parts of photos, a scope and evidence. Each test says what the workers see. */
const { service, photo } = useJobs();
const photos = (count: number) => Array.from({ length: count }, () => photo);
const one = (background: string, width = 64, height = 64) =>
  sharp({ create: { width, height, channels: 3 as const, background } });
/** 1 for each channel that is full, of the photos that the workers were given. */
const coloursSeen = () =>
  Promise.all(
    (service.queue.request?.images ?? []).map(async (image) =>
      (await sharp(await jpegOf(image)).stats()).channels.map(({ mean }) => Math.round(mean / 255)),
    ),
  );

// contract 7.14
describe('several photos of an item', () => {
  test('have one answer, for the row that suits them all', async () => {
    await service.sees(['product_birkin_togo', [0.6, 0.1, 0.6]], ['product_birkin_croc', [0.05, 0.2, 0.05]]);
    const { body } = await service.api.identify({ images: photos(3) });
    expect(body.data[0]?.id).toBe('product_birkin_croc');
    expect(service.queue.request?.images).toHaveLength(3);
  });

  test('are answered although one of them shows something else', async () => {
    await service.sees(['product_submariner', [0.9, 0.9, 0.01]], ['product_birkin_croc', [0.2, 0.2, 0.95]]);
    const { body } = await service.api.identify({ images: photos(3), explain: true });
    expect(body.data[0]).toMatchObject({
      id: 'product_birkin_croc',
      evidence: { photos: [{ agrees: true }, { agrees: true }, { agrees: false }] },
    });
  });

  test('of two different items give each half, and no product more than 0.6', async () => {
    await service.sees(['product_birkin_togo', [0.02, 0.9]], ['product_submariner', [0.9, 0.01]]);
    const { data } = (await service.api.identify({ images: photos(2) })).body;
    expect(data).toHaveLength(2);
    for (const { confidence = 1 } of data) expect(Math.abs(confidence - 0.5)).toBeLessThanOrEqual(0.1);
  });

  test('are refused with the position of a damaged one, free of charge', async () => {
    const answer = await service.api.identify({ images: [...photos(3), { base64: DAMAGED_PNG }] });
    expect(answer).toMatchObject({ status: 422, body: { reason: 'image_undecodable', index: 3 } });
    expect([answer.headers.get('X-Credits-Used'), service.queue.calls]).toEqual(['0', 0]);
  });

  test('that are large keep their order', async () => {
    const images = await Promise.all(
      ['#ff0000', '#00ff00', '#0000ff'].map(async (colour) => {
        const padded = Buffer.concat([await one(colour).png().toBuffer(), Buffer.alloc(10_000)]);
        return { base64: padded.toString('base64') };
      }),
    );
    expect((await service.api.identify({ images })).status).toBe(200);
    expect((await coloursSeen()).map((channels) => channels.join(''))).toEqual(['100', '010', '001']);
  });
});

// contract 7.15
test.each([
  ['upper', 0, '001'],
  ['lower', 0.5, '100'],
])(
  'of a region, the %s half, only that part of the upright photo is looked at',
  async (_which, y, colour) => {
    // Red on the left, blue on the right; turned by its EXIF, blue is on top.
    const blue = await one('#0000ff', 100, 100).png().toBuffer();
    const both = one('#ff0000', 200, 100).composite([{ input: blue, left: 100, top: 0 }]);
    const turned = await both.jpeg({ quality: 100 }).withMetadata({ orientation: 8 }).toBuffer();
    const entry = { base64: turned.toString('base64'), region: { x: 0, y, width: 1, height: 0.5 } };
    for (const body of [entry, { images: [entry] }]) {
      expect((await service.api.identify(body)).status).toBe(200);
      expect((await coloursSeen()).map((channels) => channels.join(''))).toEqual([colour]);
    }
  },
);

// contract 7.16
describe('a scope', () => {
  const filters = (values: object) => ({ filters: [{ field: 'brand', ...values }] });
  const identify = (scope: object) => service.api.identify({ ...photo, ...scope });
  beforeEach(() => service.sees(['product_submariner', 0.05], ['product_birkin_croc', 0.1]));

  test.each<object>([
    { category_id: 'handbags' },
    { category_id: 'Handbags' },
    filters({ include: ['brand_hermes'] }),
    filters({ exclude: ['brand_rolex'] }),
  ])('%j leaves only rows that pass, also for the search of the workers', async (scope) => {
    const { body } = await identify(scope);
    expect(body.data.map(({ id }) => id)).toEqual(['product_birkin_croc']);
    const { category, filters: sent } = service.queue.request?.scope ?? {};
    expect([category ?? null, sent]).toMatchObject(
      'category_id' in scope
        ? ['handbags', []]
        : [null, [{ include: [], exclude: [], ...(scope as { filters: object[] }).filters[0] }]],
    );
  });

  // contract 4.7
  test('with the old name ids is answered with Deprecation: true, and refused with include', async () => {
    const answers = [
      await identify(filters({ ids: ['brand_hermes'] })),
      await identify(filters({ ids: ['brand_hermes'], include: ['brand_hermes'] })),
    ];
    const told = answers.map(({ status, headers }) => [status, headers.get('Deprecation')]);
    expect(told).toEqual([
      [200, 'true'],
      [400, 'true'],
    ]);
  });

  test('that no row passes has an empty answer, free of charge', async () => {
    const { status, body } = await identify(filters({ include: ['brand_nobody'] }));
    expect([status, body.data, body.credits_used]).toEqual([200, [], 0]);
  });
});

// contract 7.17
describe('an explanation', () => {
  test('says by which picture and photo a row was found, and how sure each level is', async () => {
    await service.sees(['product_birkin_croc', [0.3, 0.05]], ['product_birkin_togo', [0.4, 0.45]]);
    const [row] = (await service.api.identify({ images: photos(2), explain: true })).body.data;
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
  });

  test('of a taxonomy row is of it and those above it', async () => {
    await service.sees(['product_neverfull_monogram', 0.4], ['product_neverfull_damier', 0.401]);
    const [row] = (await service.api.identify({ ...photo, explain: true })).body.data;
    expect(row).toMatchObject({
      ...{ id: 'model_neverfull', confidence: row?.evidence?.levels.at(-1)?.confidence },
      evidence: { levels: [{ id: 'brand_vuitton' }, { id: 'model_neverfull' }] },
    });
  });

  test('is left out when it is not asked for', async () => {
    expect((await service.api.identify(photo)).body.data[0]).not.toHaveProperty('evidence');
  });
});
