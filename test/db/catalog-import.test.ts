import { CATALOG, ENTITIES, estimate, HANDBAGS, TOGO_BAG } from './catalog-import-sample';
import { useImportBench } from './catalog-import-support';

/** What follows from records, beyond what test/spec shows of the fixture. */
const bench = useImportBench();

// contract 1.3
test('names are composed from the first values of other fields where the category says so', async () => {
  await bench.accept({
    'categories.jsonl': [{ ...HANDBAGS, name_fields: ['colour', 'brand', 'strap'] }],
    'entities.jsonl': ENTITIES.map((each) => ({ ...each, tags: [] })),
    'products.jsonl': [TOGO_BAG],
  });
  expect(await bench.row('product_togo')).toMatchObject({ name: 'Noir Hermès' });
});

// contract 2.3
test('every row above a variant shows the best estimate below it, whole', async () => {
  const best = { A: 900, B: 800, confidence: 0.5, region: 'EU-UK' };
  await bench.accept({
    ...CATALOG,
    'estimates.jsonl': [
      ...[estimate('croc_30', 900, best), estimate('croc_25', 900, { B: 700 })],
      estimate('togo_30', 100),
    ],
  });
  for (const id of ['style_croc', 'model_birkin', 'brand_hermes', 'handbags'])
    expect((await bench.row(id))?.['max_estimate']).toEqual({
      ...{ ...best, source: 'ebay', currency: 'gbp', C: null, D: null },
      estimated_at: '2026-02-01T00:00:00.000Z',
    });
  expect(await bench.row('style_togo')).toMatchObject({ max_estimate: { A: 100 } });
});

test('an unchanged record is not written again', async () => {
  await bench.accept(CATALOG);
  const versions = bench.knex('catalog_rows').select('id', 'xmin').orderBy('id');
  const before = await versions.clone();
  await bench.accept(CATALOG);
  expect(await versions).toEqual(before);
});
