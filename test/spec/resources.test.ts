import { useService } from '../support/service';

/** contract 1, 3.1, 2.3: what rows hold, and when. */
const service = useService();

// contract 1.2
describe('a catalog item', () => {
  test('has id, name, popularity, images and thumbnails whatever is included', async () => {
    expect(await service.row('product_nautilus', '')).toEqual({
      id: 'product_nautilus',
      name: 'Patek Philippe Nautilus 5711',
      popularity: 85,
      images: ['https://pictures.example/nautilus.jpg'],
      thumbnails: ['https://pictures.example/nautilus-small.jpg'],
      variants: [],
    });
  });

  test.each([
    ['product_birkin_croc', 'Hermès Birkin Crocodile'],
    ['product_elan', 'Élan'],
    ['product_submariner', 'Rolex Submariner 124060'],
    ['product_love_ring', 'Cartier Love'],
    ['style_neverfull_damier', 'Damier Ebène'],
    ['handbags', 'Handbags'],
  ])(
    '%s is named %s: products by the name fields of their category, others by themselves',
    async (id, name) => {
      expect((await service.row(id)).name).toBe(name);
    },
  );

  test('shows stored images behind an absolute address of the service, with a thumbnail', async () => {
    const row = await service.row('product_birkin_croc');
    expect(row.images).toEqual([
      expect.stringMatching(new RegExp(`^${service.url}/images/[0-9a-f]{64}\\.png$`)),
    ]);
    expect(row.thumbnails).toHaveLength(1);
    expect((await fetch(row.images[0] ?? '')).status).toBe(200);
    expect((await fetch(row.thumbnails[0] ?? '')).status).toBe(200);
  });

  test('has attributes only with taxonomy', async () => {
    expect(await service.row('product_birkin_croc', 'pricing')).not.toHaveProperty('attributes');
    expect(await service.row('product_birkin_croc', 'taxonomy')).toHaveProperty('attributes');
  });

  // contract 1.4
  test('gives attributes as category, hierarchy in order, then other facets by name, several values in order', async () => {
    expect((await service.row('product_birkin_togo')).attributes).toEqual([
      { field: 'category', id: 'handbags', name: 'Handbags' },
      { field: 'brand', id: 'brand_hermes', name: 'Hermès' },
      { field: 'model', id: 'model_birkin', name: 'Birkin' },
      { field: 'style', id: 'style_birkin_togo', name: 'Togo' },
      { field: 'colour', id: 'colour_noir', name: 'Noir' },
      { field: 'colour', id: 'colour_gold', name: 'Gold' },
      { field: 'material', id: 'material_togo', name: 'Togo leather' },
    ]);
  });

  // contract 1.5
  test('of no product has its category, its parents in order and itself as attributes', async () => {
    const fields = (await service.row('dial_black')).attributes?.map(({ field, id }) => `${field}:${id}`);
    expect(fields).toEqual([
      'category:watches',
      'brand:brand_rolex',
      'family:family_submariner',
      'model:model_124060',
      'case:case_oyster',
      'dial:dial_black',
    ]);
  });

  // contract 1.6
  test('of no product has no variants', async () => {
    for (const id of ['brand_hermes', 'style_birkin_croc', 'handbags']) {
      expect(await service.row(id, 'taxonomy,pricing')).not.toHaveProperty('variants');
    }
  });

  // contract 1.8
  test('keeps the attribute of a deleted entity', async () => {
    expect((await service.row('product_of_gone_brand')).attributes).toContainEqual({
      field: 'brand',
      id: 'brand_gone',
      name: 'Gone & Sons',
    });
  });
});

// contract 1.6
describe('a variant', () => {
  test('keeps the order of the bundle, with id, images, thumbnails and popularity', async () => {
    const { variants } = await service.row('product_birkin_croc', '');
    expect(variants?.map(({ id }) => id)).toEqual([
      'variant_birkin_croc_30',
      'variant_birkin_croc_25',
      'variant_birkin_croc_35',
    ]);
    expect(variants?.[0]).toEqual({
      id: 'variant_birkin_croc_30',
      images: ['https://pictures.example/birkin_croc-30.jpg'],
      thumbnails: [],
      popularity: 10,
    });
  });

  test('has fields only with taxonomy', async () => {
    const [variant] = (await service.row('product_birkin_croc', 'taxonomy')).variants ?? [];
    expect(variant?.fields).toEqual([{ field: 'size', name: '30' }]);
    expect(variant).not.toHaveProperty('pricing');
  });
});

describe('pricing', () => {
  const pricingOf = async (product: string, variant: string) =>
    (await service.row(product, 'pricing')).variants?.find(({ id }) => id === variant)?.pricing;

  // contract 2.2, 2.4
  test('has one market estimate per source and region, in the currency of the region', async () => {
    const pricing = await pricingOf('product_birkin_croc', 'variant_birkin_croc_25');
    const at = '2026-03-15T12:00:00.000Z';
    expect(pricing?.market_estimates).toHaveLength(3);
    expect(pricing?.market_estimates).toEqual(
      expect.arrayContaining([
        {
          source: 'ebay',
          region: 'NA',
          A: 50_000,
          B: 45_000,
          C: null,
          D: null,
          currency: 'usd',
          estimated_at: at,
          confidence: 0.8,
        },
        {
          source: 'the_realreal',
          region: 'EU-UK',
          A: 40_000,
          B: 38_000,
          C: 30_000,
          D: 20_000,
          currency: 'gbp',
          estimated_at: at,
          confidence: null,
        },
        {
          source: 'fashionphile',
          region: 'EU-IE',
          A: null,
          B: 41_000.5,
          C: null,
          D: null,
          currency: 'eur',
          estimated_at: at,
          confidence: 0.8,
        },
      ]),
    );
  });

  // contract 2.1
  test('is null in each part where nothing is known', async () => {
    expect(await pricingOf('product_birkin_croc', 'variant_birkin_croc_35')).toEqual({
      market_estimates: null,
      historical_estimates: null,
      pricing_data: null,
    });
  });

  test('links one file per region that has data', async () => {
    const pricing = await pricingOf('product_birkin_croc', 'variant_birkin_croc_30');
    expect(pricing?.historical_estimates?.map(({ region }) => region)).toEqual(['NA', 'EU-UK']);
    expect(pricing?.pricing_data?.map(({ region }) => region)).toEqual(['NA']);
  });

  test.each([
    ['brand_hermes', { source: 'vestiaire_collective', region: 'EU-UK', A: 60_000, B: 52_000 }],
    ['style_birkin_croc', { source: 'vestiaire_collective', region: 'EU-UK', A: 60_000, B: 52_000 }],
    ['watches', { source: 'ebay', region: 'NA', A: 12_000 }],
  ])('of %s is the estimate with the highest A, then B, of all variants below', async (id, best) => {
    expect((await service.row(id, 'pricing')).max_market_estimate).toMatchObject(best);
  });

  // contract 2.3
  test('of a row without any estimate below is null, and absent when not asked for', async () => {
    expect((await service.row('brand_echo', 'pricing')).max_market_estimate).toBeNull();
    expect(await service.row('brand_hermes', 'taxonomy')).not.toHaveProperty('max_market_estimate');
  });
});
