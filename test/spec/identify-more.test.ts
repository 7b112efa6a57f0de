import sharp from 'sharp';
import { useService } from '../support/service';

/** Several photos, parts of photos, a scope and evidence. The workers are replaced: what they see is said by each test. */
const service = useService();
const photo = async (): Promise<string> => (await service.photo()).toString('base64');
const damaged = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]).toString('base64');

/** So many photos, each as an entry of `images`. */
const photos = async (count: number): Promise<{ base64: string }[]> => {
  const base64 = await photo();
  return Array.from({ length: count }, () => ({ base64 }));
};

beforeEach(() => service.queue.reset());

// contract 7.14
describe('several photos of an item', () => {
  test('have one answer, on which they agree', async () => {
    await service.sees(['product_birkin_togo', [0.6, 0.1, 0.6]], ['product_birkin_croc', [0.05, 0.2, 0.05]]);
    const { status, body } = await service.api.identify({ images: await photos(3) });
    expect([status, body.data[0]?.id]).toEqual([200, 'product_birkin_croc']);
    expect(service.queue.request?.images).toHaveLength(3);
  });

  test('are answered though one of them shows something else', async () => {
    await service.sees(['product_submariner', [0.9, 0.9, 0.01]], ['product_birkin_croc', [0.2, 0.2, 0.95]]);
    const { body } = await service.api.identify({ images: await photos(3), explain: true });
    expect(body.data[0]).toMatchObject({
      id: 'product_birkin_croc',
      evidence: { photos: [{ agrees: true }, { agrees: true }, { agrees: false }] },
    });
  });

  test.each([
    [1, 5],
    [3, 9],
    [5, 13],
  ])('%i cost %i credits, and nothing where nothing is found', async (count, credits) => {
    await service.sees(['product_birkin_croc', 0.05]);
    const images = await photos(count);
    expect((await service.api.identify({ images })).body.credits_used).toBe(credits);
    const priced = await service.api.identify({ images, includes: ['pricing'] });
    expect(priced.body.credits_used).toBe(credits + 5);
    await service.sees();
    expect((await service.api.identify({ images })).body).toMatchObject({ data: [], credits_used: 0 });
  });

  test('beyond the balance are refused before any work', async () => {
    const { key } = await service.newKey({ credits: 8 });
    await service.sees(['product_birkin_croc', 0.05]);
    const images = await photos(3);
    const poor = { body: { images }, headers: { Authorization: `Bearer ${key}` } };
    expect((await service.api.send('POST', '/v3/vision/identify', poor)).status).toBe(402);
    expect(service.queue.calls).toBe(0);
  });

  test('one of which is damaged are refused, with its position, and free', async () => {
    const images = [...(await photos(3)), { base64: damaged }];
    const answer = await service.api.identify({ images });
    expect(answer).toMatchObject({ status: 422, body: { reason: 'image_undecodable', index: 3 } });
    expect(answer.headers.get('X-Credits-Used')).toBe('0');
    expect(service.queue.calls).toBe(0);
  });

  test('that are large travel outside of the JSON, each to its place', async () => {
    const colours = ['#ff0000', '#00ff00', '#0000ff'];
    const images = await Promise.all(
      colours.map(async (background) => {
        const create = { width: 64, height: 64, channels: 3 as const, background };
        const png = await sharp({ create }).png().toBuffer();
        return { base64: Buffer.concat([png, Buffer.alloc(10_000)]).toString('base64') };
      }),
    );
    await service.sees(['product_birkin_croc', 0.05]);
    expect((await service.api.identify({ images })).status).toBe(200);
    const seen = await Promise.all(
      (service.queue.request?.images ?? []).map(async ({ jpeg }) => {
        const { channels } = await sharp(jpeg).stats();
        return channels.map(({ mean }) => Math.round(mean / 255));
      }),
    );
    expect(seen).toEqual([
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ]);
  });
});

// contract 7.15
describe('a region', () => {
  /** Red on the left, blue on the right; turned by its EXIF, blue is on top. */
  const turned = async (): Promise<string> => {
    const half = (background: string) => ({
      create: { width: 100, height: 100, channels: 3 as const, background },
    });
    const right = await sharp(half('#0000ff')).png().toBuffer();
    const both = sharp(half('#ff0000'))
      .extend({ right: 100 })
      .composite([{ input: right, left: 100, top: 0 }]);
    const jpeg = await both.jpeg({ quality: 100 }).withMetadata({ orientation: 8 }).toBuffer();
    return jpeg.toString('base64');
  };

  test.each([
    ['the upper half', { x: 0, y: 0, width: 1, height: 0.5 }, [0, 0, 1]],
    ['the lower half', { x: 0, y: 0.5, width: 1, height: 0.5 }, [1, 0, 0]],
  ])('is what is looked at of the upright photo: %s', async (_which, region, colour) => {
    await service.sees(['product_birkin_croc', 0.05]);
    const base64 = await turned();
    const seen = [{ base64, region }, { images: [{ base64, region }] }].map(async (body) => {
      expect((await service.api.identify(body)).status).toBe(200);
      const [image] = service.queue.request?.images ?? [];
      const { channels } = await sharp(image?.jpeg).stats();
      return channels.map(({ mean }) => Math.round(mean / 255));
    });
    for (const each of seen) expect(await each).toEqual(colour);
  });
});

// contract 7.16
describe('a scope', () => {
  beforeEach(() => service.sees(['product_submariner', 0.05], ['product_birkin_croc', 0.1]));

  test.each<[string, object]>([
    ['a category', { category_id: 'handbags' }],
    ['a category by its name', { category_id: 'Handbags' }],
    ['a filter', { filters: [{ field: 'brand', include: ['brand_hermes'] }] }],
    ['a filter that excludes', { filters: [{ field: 'brand', exclude: ['brand_rolex'] }] }],
  ])('of %s leaves only rows that pass', async (_which, scope) => {
    const { body } = await service.api.identify({ base64: await photo(), ...scope });
    expect(body.data.map(({ id }) => id)).toEqual(['product_birkin_croc']);
  });

  test('goes to the search itself', async () => {
    const filters = [{ field: 'brand', include: ['brand_hermes'] }];
    await service.api.identify({ base64: await photo(), category_id: 'Handbags', filters });
    expect(service.queue.request?.scope).toMatchObject({
      category: 'handbags',
      filters: [{ field: 'brand', include: ['brand_hermes'], exclude: [] }],
    });
  });

  // contract 4.7
  test.each<[string, number, object]>([
    ['is answered', 200, { ids: ['brand_hermes'] }],
    ['beside include is refused', 400, { ids: ['brand_hermes'], include: ['brand_hermes'] }],
  ])('with the old name ids %s with Deprecation: true', async (_how, status, values) => {
    const filters = [{ field: 'brand', ...values }];
    const answer = await service.api.identify({ base64: await photo(), filters });
    expect([answer.status, answer.headers.get('Deprecation')]).toEqual([status, 'true']);
  });

  test('that no row passes has an empty answer, free of charge', async () => {
    const filters = [{ field: 'brand', include: ['brand_nobody'] }];
    const { status, body } = await service.api.identify({ base64: await photo(), filters });
    expect([status, body.data, body.credits_used]).toEqual([200, [], 0]);
  });
});

// contract 7.17
describe('an explanation', () => {
  test('says by which picture and photo a row was found, and how sure each level is', async () => {
    await service.sees(['product_birkin_croc', [0.3, 0.05]], ['product_birkin_togo', [0.4, 0.45]]);
    const { body } = await service.api.identify({ images: await photos(2), explain: true });
    const [row] = body.data;
    const evidence = row?.evidence;
    expect(evidence).toMatchObject({
      photo: 1,
      similarity: expect.closeTo(0.825),
      margin: expect.closeTo(0.25),
      photos: [
        { similarity: expect.closeTo(0.7), agrees: true },
        { similarity: expect.closeTo(0.95), agrees: true },
      ],
      levels: [
        { field: 'brand', id: 'brand_hermes', name: 'Hermès' },
        { field: 'model', id: 'model_birkin' },
        { field: 'style' },
      ],
    });
    expect((await fetch(evidence?.image ?? '')).status).toBe(200);
    const sure = evidence?.levels.map(({ confidence }) => confidence) ?? [];
    expect([...sure, row?.confidence ?? 1]).toEqual(
      [...sure, row?.confidence ?? 1].sort((left, right) => right - left),
    );
  });

  test('of a taxonomy row is of it and those above it', async () => {
    await service.sees(['product_neverfull_monogram', 0.4], ['product_neverfull_damier', 0.401]);
    const { body } = await service.api.identify({ base64: await photo(), explain: true });
    expect(body.data[0]).toMatchObject({
      id: 'model_neverfull',
      confidence: body.data[0]?.evidence?.levels.at(-1)?.confidence,
      evidence: { levels: [{ id: 'brand_vuitton' }, { id: 'model_neverfull' }] },
    });
  });

  test('is left out when it is not asked for', async () => {
    await service.sees(['product_birkin_croc', 0.05]);
    const { body } = await service.api.identify({ base64: await photo() });
    expect(body.data[0]).not.toHaveProperty('evidence');
  });
});
