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
const CROC = 'product_birkin_croc';
const IDS = ['product_submariner', 'brand_hermes', CROC, 'jewellery'];
const ENVELOPE = { success: true, page: 0, total_pages: 1, includes: ['taxonomy'] };
const NOTHING = {
  ...{ results: 0, total_results: 0, total_pages: 0, credits_used: 0, data: [] },
  resolved_taxonomy: { node: null, level: null },
};

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
test('several rows are answered in the order of their ids, each once and as it is alone', async () => {
  const { status, body } = await service.api.items({
    ids: [...IDS, 'product_nobody', ...IDS, 'product_nobody'],
  });
  const data = await Promise.all(IDS.map((id) => service.row(id)));
  const four = { results: 4, total_results: 4, credits_used: 4, not_found: ['product_nobody'], data };
  const resolved_taxonomy = { node: 'product', level: 5 };
  expect([status, body]).toEqual([200, { ...ENVELOPE, ...four, resolved_taxonomy }]);
});

// contract 6.1, 12.13
test.each<[query: string, effective: string[]]>([
  ['', ['taxonomy']],
  ['?includes=', []],
  ['?includes=taxonomy', ['taxonomy']],
  ['?includes=pricing', ['pricing']],
  ['?includes=taxonomy,%20pricing', ['taxonomy', 'pricing']],
  ['?includes=taxonomy&includes=pricing', ['taxonomy', 'pricing']],
])('"%s" includes %j', async (query, effective) => {
  const { body } = await service.api.send<{ includes: string[]; data: [{ variants: [object] }] }>(
    'GET',
    `/v3/catalog/items/${CROC}${query}`,
  );
  const [row] = body.data;
  expect(body.includes).toEqual(effective);
  const [taxonomy, pricing] = ['taxonomy', 'pricing'].map((name) => effective.includes(name));
  expect(['attributes' in row, 'fields' in row.variants[0]]).toEqual([taxonomy, taxonomy]);
  expect('pricing' in row.variants[0]).toBe(pricing);
});

// contract 1.8, 6.2
test('an id that is not a live row is a 404 alone and in not_found among several, free of charge', async () => {
  const none = [
    ...['product_nobody', 'product_deleted', 'brand_gone', 'style_retired', 'variant_birkin_croc_30'],
    ...['colour_noir', 'PRODUCT_BIRKIN_CROC', `${CROC} `, "' OR 1=1 --", '../../etc/passwd', 'é'],
  ];
  for (const id of [...none, 'x'.repeat(5000)]) {
    for (const answer of [await service.api.item(id), await service.api.similar(id)]) {
      expect([id, answer.status, answer.headers.get('X-Credits-Used')]).toEqual([id, 404, '0']);
      expect(answer.body).toMatchObject({ success: false, error: 'not_found' });
    }
  }
  const some = await service.api.items({ ids: [none[0], CROC, ...none.slice(1), 'brand_hermes'] });
  expect([idsOf(some), some.body.not_found]).toEqual([[CROC, 'brand_hermes'], none]);
  const { body } = await service.api.items({ ids: none, includes: ['pricing'] });
  expect(body).toMatchObject({ ...NOTHING, not_found: none });
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
      ...{ images: [picture('nautilus')], thumbnails: [picture('nautilus-small')] },
    });
  });

  // contract 1.3
  test.each([
    [CROC, 'Hermès Birkin Crocodile'],
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
      'category brand model style colour colour material',
      'handbags brand_hermes model_birkin style_birkin_togo colour_noir colour_gold material_togo',
    ],
    ['product_of_gone_brand', 'category brand', 'handbags brand_gone'],
    [
      'dial_black',
      'category brand family model case dial',
      'watches brand_rolex family_submariner model_124060 case_oyster dial_black',
    ],
  ])('%s has as attributes its category, hierarchy, then other facets by field', async (id, fields, ids) => {
    const { attributes = [] } = await service.row(id);
    expect(attributes.map(({ field }) => field).join(' ')).toBe(fields);
    expect(attributes.map((each) => each.id).join(' ')).toBe(ids);
    if (id === 'product_of_gone_brand') expect(attributes[1]?.name).toBe('Gone & Sons');
  });

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
    const { variants } = await service.row(CROC, 'taxonomy');
    expect(variants?.map(({ id }) => id.slice(-2))).toEqual(['30', '25', '35']);
    expect(variants?.[0]).toEqual({
      ...{ id: 'variant_birkin_croc_30', thumbnails: [], popularity: 10 },
      ...{ images: [picture('birkin_croc-30')], fields: [{ field: 'size', name: '30' }] },
    });
    for (const id of ['brand_hermes', 'style_birkin_croc', 'handbags'])
      expect(await service.row(id, 'taxonomy,pricing')).not.toHaveProperty('variants');
  });
});

describe('pricing', () => {
  const pricingOf = async (variant: string) =>
    (await service.row(CROC, 'pricing')).variants?.find(({ id }) => id.endsWith(variant))?.pricing;

  // contract 2.2, 2.4
  test('has one market estimate per source and region, in the currency of the region', async () => {
    const estimate = (source: string, region: string, currency: string, A: number | null) => ({
      ...{ source, region, currency, A, C: null, D: null },
      ...{ estimated_at: '2026-03-15T12:00:00.000Z', confidence: 0.8 },
    });
    const realreal = { B: 38_000, C: 30_000, D: 20_000, confidence: null };
    const estimates = [
      { ...estimate('ebay', 'NA', 'usd', 50_000), B: 45_000 },
      { ...estimate('the_realreal', 'EU-UK', 'gbp', 40_000), ...realreal },
      { ...estimate('fashionphile', 'EU-IE', 'eur', null), B: 41_000.5 },
    ];
    const pricing = await pricingOf('25');
    expect(pricing?.market_estimates).toHaveLength(3);
    expect(pricing?.market_estimates).toEqual(expect.arrayContaining(estimates));
  });

  // contract 2.1, 2.5
  test('is null in each part without data, and links one file per region that has data', async () => {
    const nothing = { market_estimates: null, historical_estimates: null, pricing_data: null };
    expect(await pricingOf('35')).toEqual(nothing);
    const { historical_estimates: history, pricing_data: listings } = (await pricingOf('30')) ?? nothing;
    expect(history?.map(({ region }) => region)).toEqual(['NA', 'EU-UK']);
    expect(listings?.map(({ region }) => region)).toEqual(['NA']);
  });

  // contract 2.3
  test.each([
    ['brand_hermes', 'EU-UK', 60_000],
    ['style_birkin_croc', 'EU-UK', 60_000],
    ['watches', 'NA', 12_000],
    ['brand_echo', undefined, undefined],
  ])('of %s is the estimate with the highest A of all variants below it, or null', async (id, region, A) => {
    const { max_market_estimate: best } = await service.row(id, 'pricing');
    expect([best?.region, best?.A, best === null]).toEqual([region, A, A === undefined]);
    expect(await service.row(id, 'taxonomy')).not.toHaveProperty('max_market_estimate');
  });
});

describe('similar', () => {
  const NEAREST = ['product_kelly_lizard', 'product_kelly_croc', 'product_speedy_epi'];
  const cosine = (degrees: number) => Math.cos((degrees * Math.PI) / 180);
  /** Half precision keeps three digits. */
  const near = (similarity: number) => expect.closeTo(similarity, 2);

  // contract 6.3, 6.4
  test('lists each other product once, the most similar first, in the envelope of a query, and uses no worker', async () => {
    service.queue.reset();
    const { status, body } = await service.api.similar(CROC);
    const { data, ...envelope } = body;
    expect([status, service.queue.calls]).toEqual([200, 0]);
    expect(data.map(({ id }) => id)).toEqual(NEAREST);
    expect(data.map(({ similarity }) => similarity)).toEqual([10, 20, 30].map((each) => near(cosine(each))));
    const three = { results: 3, total_results: 3, credits_used: 1 };
    expect(envelope).toEqual({ ...ENVELOPE, ...three, resolved_taxonomy: { node: 'product', level: 3 } });
  });

  // contract 6.4
  test('the similarity of a product with several pictures is their mean', async () => {
    const { data } = (await service.api.similar('product_kelly_croc')).body;
    const lizard = data.find(({ id }) => id === 'product_kelly_lizard');
    expect(lizard?.similarity).toEqual(near((cosine(10) + cosine(60)) / 2));
    expect(data[0]?.id).toBe('product_speedy_epi');
  });

  // contract 6.3
  test.each(['1', '2', '1000'])('size=%s answers at most so many rows', async (size) => {
    const answer = await service.api.similar(CROC, { size });
    const ids = NEAREST.slice(0, Number(size));
    expect(idsOf(answer)).toEqual(ids);
    expect(answer.body).toMatchObject({ results: ids.length, total_results: ids.length });
  });

  // contract 6.5
  test.each(['watches', 'WATCHES', 'Watches'])('category_id=%s looks there', async (category_id) => {
    const answer = await service.api.similar(CROC, { category_id });
    expect(idsOf(answer)).toEqual(['product_nautilus', 'product_submariner']);
    expect(answer.body.resolved_taxonomy).toEqual({ node: 'product', level: 5 });
  });

  test('rows have the modules that an item has', async () => {
    const [row] = (await service.api.similar(CROC, { includes: 'pricing', size: '1' })).body.data;
    const item = await service.row('product_kelly_lizard', 'pricing');
    const unsigned = (shown: unknown) => JSON.stringify(shown).replaceAll(/\?expires=[^"]*/g, '');
    expect(JSON.parse(unsigned(row))).toEqual({ ...JSON.parse(unsigned(item)), similarity: row?.similarity });
  });

  // contract 6.6
  test.each([
    ...['brand_hermes', 'handbags'],
    // Without an embedded picture, and alone in its category.
    ...['product_birkin_togo', 'product_love_ring'],
  ])('nothing is similar to %s: no rows, free of charge', async (id) => {
    const { status, body, headers } = await service.api.similar(id, { includes: 'pricing' });
    expect([status, headers.get('X-Credits-Used')]).toEqual([200, '0']);
    expect(body).toMatchObject(NOTHING);
  });
});
