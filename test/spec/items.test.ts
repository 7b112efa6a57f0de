import { idsOf } from '../support/api-client';
import { useService } from '../support/service';

/** contract 1, 2, 6: rows by their ids, and what they hold. */
const service = useService();
const IDS = ['product_submariner', 'brand_hermes', 'product_birkin_croc', 'jewellery'];
const ENVELOPE = { success: true, page: 0, total_pages: 1, includes: ['taxonomy'] };

// contract 6.1
test('one row is answered in the envelope of a query, of any kind of row', async () => {
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
test('an id that is named again is one row at its first place, and paid once', async () => {
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

// contract 10.4
test('several items are paid together, or none of them', async () => {
  const { api, accountId } = await service.newKey({ credits: 12 });
  const body = { ids: ['product_submariner', 'product_birkin_croc', 'brand_hermes'], includes: ['pricing'] };
  expect(await api.items(body)).toMatchObject({ status: 402, body: { error: 'insufficient_credits' } });
  expect(await service.balance(accountId)).toBe(12);
  expect((await api.items({ ...body, ids: body.ids.slice(0, 2) })).status).toBe(200);
  expect(await service.balance(accountId)).toBe(0);
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
