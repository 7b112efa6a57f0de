import { idsOf } from '../support/api-client';
import { useService } from '../support/service';
import { useEmbeddedPictures } from '../support/stored-vectors';

/** contract 1, 2, 6: rows by their ids, what they hold, and what looks like them. */
const service = useService();
const picture = (name: string) => `https://pictures.example/${name}.jpg`;
useEmbeddedPictures(service, {
  [picture('birkin_croc-30')]: 0,
  [picture('kelly_lizard')]: 10,
  [picture('kelly_croc')]: 20,
  [picture('kelly_croc-28')]: 70,
  [picture('speedy_epi')]: 30,
  [picture('nautilus')]: 1,
  [picture('submariner-41')]: 5,
});
const IDS = ['product_submariner', 'brand_hermes', 'product_birkin_croc', 'jewellery'];
const ENVELOPE = { success: true, page: 0, total_pages: 1, includes: ['taxonomy'] };

// contract 6.1
test('a single row of any kind is answered in the envelope of a query', async () => {
  for (const [id, node, level] of [
    ['product_submariner', 'product', 5],
    ['brand_hermes', 'brand', 0],
    ['dial_black', 'dial', 4],
    ['jewellery', 'category', 0],
  ] as const) {
    const { status, body } = await service.api.item(id);
    const one = { results: 1, total_results: 1, credits_used: 1, resolved_taxonomy: { node, level } };
    const data = [expect.objectContaining({ id })];
    expect([status, body]).toEqual([200, { ...ENVELOPE, ...one, data }]);
  }
});

// contract 6.7
test('several rows are answered in the order of their ids, each as it is alone', async () => {
  const { status, body } = await service.api.items({ ids: IDS });
  const alone = await Promise.all(IDS.map((id) => service.row(id)));
  const four = { results: 4, total_results: 4, credits_used: 4, not_found: [], data: alone };
  const resolved_taxonomy = { node: 'product', level: 5 };
  expect([status, body]).toEqual([200, { ...ENVELOPE, ...four, resolved_taxonomy }]);
});

// contract 6.1, 12.13
test.each<[query: string, effective: string[]]>([
  ['', ['taxonomy']],
  ['?includes=', []],
  ['?includes=taxonomy', ['taxonomy']],
  ['?includes=pricing', ['pricing']],
  ['?includes=pricing,taxonomy', ['pricing', 'taxonomy']],
  ['?includes=taxonomy,%20pricing', ['taxonomy', 'pricing']],
  ['?includes=taxonomy&includes=pricing', ['taxonomy', 'pricing']],
])('"%s" includes %j', async (query, effective) => {
  const path = `/v3/catalog/items/product_birkin_croc${query}`;
  const { body } = await service.api.send<{ includes: string[]; data: [{ variants: [object] }] }>(
    'GET',
    path,
  );
  const [row] = body.data;
  expect(body.includes).toEqual(effective);
  expect('attributes' in row).toBe(effective.includes('taxonomy'));
  expect('fields' in row.variants[0]).toBe(effective.includes('taxonomy'));
  expect('pricing' in row.variants[0]).toBe(effective.includes('pricing'));
});

// contract 1.8, 6.2
test('an id that is no live row is a 404 alone and in not_found among several, free of charge', async () => {
  const none = [
    ...['product_nobody', 'product_deleted', 'brand_gone', 'style_retired', 'variant_birkin_croc_30'],
    ...['colour_noir', 'PRODUCT_BIRKIN_CROC', 'product_birkin_croc ', "' OR 1=1 --", '../../etc/passwd', 'é'],
  ];
  for (const id of [...none, 'x'.repeat(5000)]) {
    for (const answer of [await service.api.item(id), await service.api.similar(id)]) {
      expect([id, answer.status, answer.headers.get('X-Credits-Used')]).toEqual([id, 404, '0']);
      expect(answer.body).toMatchObject({ success: false, error: 'not_found' });
    }
  }
  const some = await service.api.items({ ids: [none[0], IDS[2], ...none.slice(1), IDS[1]] });
  expect([idsOf(some), some.body.not_found]).toEqual([[IDS[2], IDS[1]], none]);
  const { body } = await service.api.items({ ids: none, includes: ['pricing'] });
  expect(body).toMatchObject({
    ...{ results: 0, total_pages: 0, credits_used: 0, data: [], not_found: none },
    resolved_taxonomy: { node: null, level: null },
  });
});

// contract 6.7
test('a repeated id is answered once, at its first position, and charged once', async () => {
  const ids = [IDS[1], 'product_nobody', IDS[0], IDS[1], 'product_nobody', IDS[0]];
  const answer = await service.api.items({ ids });
  expect(idsOf(answer)).toEqual([IDS[1], IDS[0]]);
  expect(answer.body).toMatchObject({ not_found: ['product_nobody'], credits_used: 2 });
});

// contract 6.2
test.each(['%00', 'product%00x', '%zz', '%ff'])('the id %s is a 400, free of charge', async (id) => {
  const answer = await service.api.send('GET', `/v3/catalog/items/${id}`);
  expect(answer).toMatchObject({ status: 400, body: { error: 'bad_request', field: 'id' } });
  expect(answer.headers.get('X-Credits-Used')).toBe('0');
});

describe('a row', () => {
  // contract 1.2
  test('has id, name, popularity, images and thumbnails whatever is included', async () => {
    expect(await service.row('product_nautilus', '')).toEqual({
      ...{ id: 'product_nautilus', name: 'Patek Philippe Nautilus 5711', popularity: 85, variants: [] },
      images: ['https://pictures.example/nautilus.jpg'],
      thumbnails: ['https://pictures.example/nautilus-small.jpg'],
    });
  });

  // contract 1.3
  test.each([
    ['product_birkin_croc', 'Hermès Birkin Crocodile'],
    ['product_elan', 'Élan'],
    ['product_submariner', 'Rolex Submariner 124060'],
    ['product_love_ring', 'Cartier Love'],
    ['style_neverfull_damier', 'Damier Ebène'],
    ['handbags', 'Handbags'],
  ])('%s is called %s: products by the name fields of their category', async (id, name) => {
    expect((await service.row(id)).name).toBe(name);
  });

  // contract 1.4, 1.5, 1.8
  test.each([
    [
      'product_birkin_togo',
      'handbags brand_hermes model_birkin style_birkin_togo colour_noir colour_gold material_togo',
    ],
    ['product_of_gone_brand', 'handbags brand_gone'],
    ['dial_black', 'watches brand_rolex family_submariner model_124060 case_oyster dial_black'],
  ])(
    '%s has its category, its hierarchy in order, then other facets by field as attributes',
    async (id, ids) => {
      const { attributes = [] } = await service.row(id);
      expect(attributes.map((each) => each.id).join(' ')).toBe(ids);
      const kinds = attributes.map(({ id: of, field }) =>
        field === 'category' ? of : of.replace(/_.*/, ''),
      );
      expect(attributes.map(({ field }) => (field === 'category' ? attributes[0]?.id : field))).toEqual(
        kinds,
      );
      if (id === 'product_of_gone_brand') expect(attributes[1]?.name).toBe('Gone & Sons');
    },
  );

  // contract 1.7
  test('of a category lists its tags, by group, then display order; no other row does', async () => {
    const limited = { id: 'edition:limited', name: 'Limited edition', group: 'edition' };
    expect((await service.row('handbags', '')).available_tags).toEqual([
      limited,
      { id: 'material:canvas', name: 'Canvas', group: 'material' },
      { id: 'material:exotic', name: 'Exotic', group: 'material' },
    ]);
    expect((await service.row('watches', '')).available_tags).toEqual([limited]);
    expect(await service.row('brand_hermes')).not.toHaveProperty('available_tags');
  });

  // contract 1.6
  test('of a product has variants in the order of the bundle, other rows have none', async () => {
    const { variants } = await service.row('product_birkin_croc', '');
    expect(variants?.map(({ id }) => id.slice(-2))).toEqual(['30', '25', '35']);
    expect(variants?.[0]).toEqual({
      ...{ id: 'variant_birkin_croc_30', thumbnails: [], popularity: 10 },
      images: ['https://pictures.example/birkin_croc-30.jpg'],
    });
    const [named] = (await service.row('product_birkin_croc', 'taxonomy')).variants ?? [];
    expect(named?.fields).toEqual([{ field: 'size', name: '30' }]);
    for (const id of ['brand_hermes', 'style_birkin_croc', 'handbags'])
      expect(await service.row(id, 'taxonomy,pricing')).not.toHaveProperty('variants');
  });

  // contract 13.5
  test('shows stored images at an address of the service, with a thumbnail', async () => {
    const { images, thumbnails } = await service.row('product_birkin_croc');
    const stored = new RegExp(`^${service.url}/images/[0-9a-f]{64}\\.`);
    expect([images, thumbnails]).toEqual([[expect.stringMatching(stored)], [expect.stringMatching(stored)]]);
    for (const address of [...images, ...thumbnails]) expect((await fetch(address)).status).toBe(200);
  });
});

describe('pricing', () => {
  const pricingOf = async (variant: string) =>
    (await service.row('product_birkin_croc', 'pricing')).variants?.find(({ id }) => id.endsWith(variant))
      ?.pricing;

  // contract 2.2, 2.4
  test('has one market estimate per source and region, in the currency of the region', async () => {
    const rest = { estimated_at: '2026-03-15T12:00:00.000Z', confidence: 0.8 };
    const grades = (A: number | null, B: number | null, C: number | null, D: number | null) => ({
      A,
      B,
      C,
      D,
    });
    const estimates = [
      { source: 'ebay', region: 'NA', currency: 'usd', ...grades(50_000, 45_000, null, null), ...rest },
      {
        ...{ source: 'the_realreal', region: 'EU-UK', currency: 'gbp', ...rest, confidence: null },
        ...grades(40_000, 38_000, 30_000, 20_000),
      },
      {
        source: 'fashionphile',
        region: 'EU-IE',
        currency: 'eur',
        ...grades(null, 41_000.5, null, null),
        ...rest,
      },
    ];
    const pricing = await pricingOf('25');
    expect(pricing?.market_estimates).toHaveLength(3);
    expect(pricing?.market_estimates).toEqual(expect.arrayContaining(estimates));
  });

  // contract 2.1, 2.5
  test('is null in each part where nothing is known, and links one file per region that has data', async () => {
    const nothing = { market_estimates: null, historical_estimates: null, pricing_data: null };
    expect(await pricingOf('35')).toEqual(nothing);
    const { historical_estimates: history, pricing_data: listings } = (await pricingOf('30')) ?? nothing;
    expect(history?.map(({ region }) => region)).toEqual(['NA', 'EU-UK']);
    expect(listings?.map(({ region }) => region)).toEqual(['NA']);
  });

  // contract 2.3
  test.each([
    ['brand_hermes', { source: 'vestiaire_collective', region: 'EU-UK', A: 60_000, B: 52_000 }],
    ['style_birkin_croc', { source: 'vestiaire_collective', region: 'EU-UK', A: 60_000, B: 52_000 }],
    ['watches', { source: 'ebay', region: 'NA', A: 12_000 }],
    ['brand_echo', null],
  ])('of %s is the estimate with the highest A, then B, of all variants below, or null', async (id, best) => {
    const { max_market_estimate: estimate } = await service.row(id, 'pricing');
    if (best === null) expect(estimate).toBeNull();
    else expect(estimate).toMatchObject(best);
    expect(await service.row(id, 'taxonomy')).not.toHaveProperty('max_market_estimate');
  });
});

/** Products that look alike by their stored pictures. */
describe('similar', () => {
  const NEAREST = ['product_kelly_lizard', 'product_kelly_croc', 'product_speedy_epi'];
  /** Half precision keeps three digits. */
  const cosines = (...degrees: readonly number[]) =>
    degrees.map((each) => expect.closeTo(Math.cos((each * Math.PI) / 180), 2));

  // contract 6.3, 6.4
  test('answers each other product once, the most similar first, in the envelope of a query', async () => {
    const { status, body, headers } = await service.api.similar('product_birkin_croc');
    const { data, ...envelope } = body;
    expect(status).toBe(200);
    expect(data.map(({ id }) => id)).toEqual(NEAREST);
    expect(data.map(({ similarity }) => similarity)).toEqual(cosines(10, 20, 30));
    const three = { results: 3, total_results: 3, credits_used: 1 };
    expect(envelope).toEqual({ ...ENVELOPE, ...three, resolved_taxonomy: { node: 'product', level: 3 } });
    expect(headers.get('X-Credits-Used')).toBe('1');
  });

  // contract 6.4
  test('a product of several pictures is as similar as they are in the mean', async () => {
    const { body } = await service.api.similar('product_kelly_croc');
    const [lizard] = cosines(10).map(() => body.data.find(({ id }) => id === 'product_kelly_lizard'));
    const mean = (Math.cos((10 * Math.PI) / 180) + Math.cos((60 * Math.PI) / 180)) / 2;
    expect(lizard?.similarity).toBeCloseTo(mean, 2);
    expect(body.data[0]?.id).toBe('product_speedy_epi');
  });

  // contract 6.4
  test('asks no worker', async () => {
    service.queue.reset();
    service.queue.fails();
    expect((await service.api.similar('product_birkin_croc')).status).toBe(200);
    expect(service.queue.calls).toBe(0);
    service.queue.reset();
  });

  // contract 6.3
  test.each([
    ['1', 1],
    ['2', 2],
    ['10', 3],
    ['1000', 3],
  ])('size=%s answers %d rows', async (size, rows) => {
    const answer = await service.api.similar('product_birkin_croc', { size });
    expect(idsOf(answer)).toEqual(NEAREST.slice(0, rows));
    expect(answer.body).toMatchObject({ results: rows, total_results: rows });
  });

  // contract 6.5
  test.each(['watches', 'WATCHES', 'Watches'])('category_id=%s looks there', async (category_id) => {
    const answer = await service.api.similar('product_birkin_croc', { category_id });
    expect(idsOf(answer)).toEqual(['product_nautilus', 'product_submariner']);
    expect(answer.body.resolved_taxonomy).toEqual({ node: 'product', level: 5 });
  });

  test('rows have the modules that an item has', async () => {
    const { body } = await service.api.similar('product_birkin_croc', { includes: 'pricing', size: '1' });
    const item = await service.api.item('product_kelly_lizard', 'pricing');
    const { similarity, ...row } = body.data[0] ?? {};
    expect(similarity).toEqual(expect.any(Number));
    expect(withoutSignatures(row)).toEqual(withoutSignatures(item.body.data[0]));
  });

  // contract 6.6
  test.each([
    ['a brand', 'brand_hermes'],
    ['a category', 'handbags'],
    ['a product without an embedded picture', 'product_birkin_togo'],
    ['a product that is alone', 'product_love_ring'],
  ])('nothing is similar to %s: no rows, free of charge', async (_what, id) => {
    const { status, body, headers } = await service.api.similar(id, { includes: 'pricing' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ results: 0, total_results: 0, total_pages: 0, credits_used: 0, data: [] },
      resolved_taxonomy: { node: null, level: null },
    });
    expect(headers.get('X-Credits-Used')).toBe('0');
  });

  const withoutSignatures = (row: unknown): unknown =>
    JSON.parse(JSON.stringify(row).replaceAll(/\?expires=[^"]*/g, ''));
});
