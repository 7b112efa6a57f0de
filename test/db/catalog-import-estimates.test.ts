import { CATALOG, CROC_BAG, estimate, product } from './catalog-import-sample';
import { useImportBench } from './catalog-import-support';

const bench = useImportBench();

describe('estimates', () => {
  const best = async (id: string) => (await bench.row(id))?.['max_estimate'];
  const worth = async (...ids: string[]) =>
    Promise.all(ids.map(async (id) => ((await best(id)) as { A: number | null } | null)?.A));
  const ABOVE = ['style_croc', 'model_birkin', 'brand_hermes', 'handbags'];

  beforeEach(() => bench.accept(CATALOG));

  // contract 2.3
  test('give every row above a variant the best of them, whole', async () => {
    await bench.accept({
      'estimates.jsonl': [
        estimate('croc_30', 900, { region: 'EU-UK', B: 800, confidence: 0.5 }),
        estimate('croc_25', 900, { B: 700 }),
        estimate('togo_30', 100),
      ],
    });
    for (const id of ABOVE) {
      expect(await best(id)).toEqual({
        source: 'ebay',
        region: 'EU-UK',
        A: 900,
        B: 800,
        C: null,
        D: null,
        currency: 'gbp',
        estimated_at: '2026-02-01T00:00:00.000Z',
        confidence: 0.5,
      });
    }
    expect(await worth('style_togo')).toEqual([100]);
  });

  // contract 13.2
  test('replace each other by variant, source and region, the later line standing', async () => {
    await bench.accept({ 'estimates.jsonl': [estimate('croc_30', 900), estimate('croc_30', 300)] });
    expect(await worth(...ABOVE)).toEqual([300, 300, 300, 300]);
  });

  test('go down when the best is lowered, dropped with its variant, deleted with its product, or moved', async () => {
    await bench.accept({
      'estimates.jsonl': [estimate('croc_30', 900), estimate('croc_25', 800), estimate('togo_30', 100)],
    });
    await bench.accept({ 'estimates.jsonl': [estimate('croc_30', 700)] });
    expect(await worth(...ABOVE)).toEqual([800, 800, 800, 800]);
    await bench.accept({ 'products.jsonl': [{ ...CROC_BAG, variants: CROC_BAG.variants.slice(0, 1) }] });
    expect(await worth(...ABOVE)).toEqual([700, 700, 700, 700]);
    await bench.accept({
      'products.jsonl': [{ ...CROC_BAG, attributes: { brand: 'brand_hermes', style: 'style_togo' } }],
    });
    expect(await worth('style_croc', 'style_togo', 'model_birkin', 'brand_hermes')).toEqual([
      undefined,
      800,
      100,
      800,
    ]);
    await bench.accept({ 'products.jsonl': [{ id: 'product_croc', deleted: true }] });
    expect(await worth('style_togo', 'model_birkin', 'brand_hermes', 'handbags')).toEqual([
      100, 100, 100, 100,
    ]);
  });

  test('come back with a product that was deleted', async () => {
    await bench.accept({ 'estimates.jsonl': [estimate('croc_30', 900)] });
    await bench.accept({ 'products.jsonl': [{ id: 'product_croc', deleted: true }] });
    await bench.accept({ 'products.jsonl': [CROC_BAG] });
    expect(await worth(...ABOVE)).toEqual([900, 900, 900, 900]);
  });

  test('go with a variant from a deleted product to the one that takes it', async () => {
    await bench.accept({ 'estimates.jsonl': [estimate('croc_30', 900)] });
    await bench.accept({
      'products.jsonl': [
        { id: 'product_croc', deleted: true },
        product('heir', 'style_togo', { variants: CROC_BAG.variants.slice(0, 1) }),
      ],
    });
    expect(await worth('style_togo', 'style_croc')).toEqual([900, undefined]);
  });

  test('are kept with their history and their listings', async () => {
    await bench.accept({
      'estimate-history.jsonl': [
        { variant: 'variant_togo_30', region: 'NA', date: '2026-01-01', source: 'ebay', A: 5 },
        { variant: 'variant_togo_30', region: 'NA', date: '2026-01-01', source: 'ebay', A: 6 },
      ],
      'listings.jsonl': [
        { variant: 'variant_togo_30', region: 'EU-IE', link: 'https://shop.example/1', price: 4.5 },
        { variant: 'variant_togo_30', region: 'EU-IE', link: 'https://shop.example/2', vendor: 'Shop' },
      ],
    });
    expect(await bench.knex('estimate_history').select('a', 'b', 'currency')).toEqual([
      { a: 6, b: null, currency: 'usd' },
    ]);
    expect(
      await bench.knex('listings').select('link', 'price', 'vendor', 'currency').orderBy('link'),
    ).toEqual([
      { link: 'https://shop.example/1', price: 4.5, vendor: '', currency: 'eur' },
      { link: 'https://shop.example/2', price: null, vendor: 'Shop', currency: 'eur' },
    ]);
  });
});
