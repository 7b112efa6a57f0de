import fc from 'fast-check';
import { BatchSize } from '../../models/catalog/import/run-stage';
import * as sample from './catalog-import-sample';
import { type BundleFiles, NO_RECORDS, useImportBench } from './catalog-import-support';

const bench = useImportBench();

// Few ids, so that records often refer to the same ones.
const of = (...values: string[]) => fc.constantFrom(...values);
const name = of('Azur', 'Bleu', 'Cœur', 'd’Or');
const tags = fc.subarray(sample.TAGS.map(({ id }) => id));
const popularity = fc.nat(2);
const brand = of('brand_a', 'brand_b');
const model = of('model_a', 'model_b');
const style = of('style_a', 'style_b', 'style_c');
const VARIANTS = ['variant_a', 'variant_b', 'variant_c', 'variant_d'];
/** All but a brand and a style, which later records may add or lack. */
const START: BundleFiles = {
  'categories.jsonl': [sample.HANDBAGS, sample.WATCHES],
  'tags.jsonl': sample.TAGS,
  'entities.jsonl': ['brand_a', 'model_a', 'model_b', 'style_a', 'style_b', 'colour_a', 'colour_b'].map(
    (id) => sample.entity(id, id),
  ),
  'products.jsonl': ['a', 'b', 'c'].map((each) => ({
    ...{ id: `product_${each}`, category: 'handbags', attributes: { brand: 'brand_a', style: 'style_a' } },
    variants: [{ id: `variant_${each}` }],
  })),
};
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const deletionOf = (id: fc.Arbitrary<string>) => fc.record({ id, deleted: fc.constant(true) });

const entityOf = (id: fc.Arbitrary<string>, rest: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .record({ id, name, popularity, keywords: fc.array(name, { maxLength: 1 }), ...rest })
    .map((record) => ({ ...record, kind: record.id.slice(0, record.id.indexOf('_')), category: 'handbags' }));

const entity = fc.oneof(
  entityOf(brand, {}),
  entityOf(of('colour_a', 'colour_b'), {}),
  entityOf(model, { parents: fc.record({ brand: maybe(brand) }) }),
  {
    weight: 3,
    arbitrary: entityOf(style, { tags, parents: fc.record({ model: maybe(model), brand: maybe(brand) }) }),
  },
  deletionOf(fc.oneof(brand, model, style)),
);

const product = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      id: of('product_a', 'product_b', 'product_c'),
      category: fc.constant('handbags'),
      attributes: fc.record({
        brand: maybe(brand),
        model: maybe(model),
        style: maybe(style),
        colour: fc.subarray(['colour_a', 'colour_b']),
      }),
      tags,
      popularity,
      variants: fc.subarray(VARIANTS, { maxLength: 2 }).map((ids) =>
        ids.map((id) => ({
          id,
          fields: [{ field: 'size', name: id }],
          images: [`https://a.example/${id}.jpg`],
        })),
      ),
    }),
  },
  { weight: 2, arbitrary: deletionOf(of('product_a', 'product_b', 'product_c')) },
);

const estimate = fc.record({
  variant: of(...VARIANTS),
  source: of('ebay', 'vestiaire_collective'),
  region: of('NA', 'EU-UK'),
  A: fc.option(fc.nat(3)),
  estimated_at: fc.constant('2026-03-15T12:00:00Z'),
});

const category = fc.record({
  id: fc.constant('handbags'),
  name: of('Handbags', 'Bags'),
  hierarchy: fc.constantFrom(sample.HANDBAGS.hierarchy, ['brand', 'style', 'colour']),
});

const bundle = fc.record({
  'categories.jsonl': fc.array(category, { maxLength: 1 }),
  'entities.jsonl': fc.array(entity, { maxLength: 8 }),
  'products.jsonl': fc.array(product, { maxLength: 8 }),
  'estimates.jsonl': fc.array(estimate, { maxLength: 8 }),
});

async function deriveAll(): Promise<void> {
  await bench.knex.raw(`INSERT INTO catalog_stale_rows
    SELECT id FROM categories UNION SELECT id FROM entities UNION SELECT id FROM products
    UNION SELECT id FROM catalog_rows ORDER BY id`);
  await bench.accept(NO_RECORDS);
}

/** The state after imports, without leftovers of records that a later one of the same bundle replaced. */
async function state() {
  const { images, search_words, ...kept } = await bench.dump();
  return kept;
}

/** Imports the bundles with this many records in a transaction; returns the rejects of each. */
async function importAll(bundles: readonly BundleFiles[], batch: number, isDryFirst = false) {
  await bench.clear();
  await bench.accept(START);
  const size = jest.spyOn(BatchSize.prototype, 'records', 'get').mockReturnValue(batch);
  const rejects: string[][] = [];
  for (const each of bundles) {
    if (isDryFirst) {
      const before = await bench.dump();
      await bench.import(each, { dryRun: true });
      expect(await bench.dump()).toEqual(before);
    }
    const foreseen = bench.rejects().sort();
    await bench.import(each);
    rejects.push(bench.rejects().sort());
    if (isDryFirst) expect(rejects.at(-1)).toEqual(foreseen);
  }
  size.mockRestore();
  return rejects;
}

// contract 13.2, 13.7, 13.8
test('batches of any size leave the same rows as one full derivation; a dry run finds every reject', async () => {
  const bundles = fc.array(bundle, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(bundles, fc.integer({ min: 2, max: 9 }), async (given, batch) => {
      const rejects = await importAll(given, 1);
      const expected = await state();
      expect(await importAll(given, batch, true)).toEqual(rejects);
      expect(await state()).toEqual(expected);
      await deriveAll();
      // The rows above products take their best estimate from them, so products come first.
      await deriveAll();
      expect(await state()).toEqual(expected);
    }),
    { numRuns: 5 },
  );
}, 300_000);

// contract 1.3
test('names are composed from the first values of other fields where the category says so', async () => {
  await bench.accept({
    'categories.jsonl': [{ ...sample.HANDBAGS, name_fields: ['colour', 'brand', 'strap'] }],
    'entities.jsonl': sample.ENTITIES.map((each) => ({ ...each, tags: [] })),
    'products.jsonl': [sample.TOGO_BAG],
  });
  expect(await bench.row('product_togo')).toMatchObject({ name: 'Noir Hermès' });
});

// contract 2.3
test('every row above a variant shows the best estimate below it, whole', async () => {
  const best = { A: 900, B: 800, confidence: 0.5, region: 'EU-UK' };
  await bench.accept({
    ...sample.CATALOG,
    'estimates.jsonl': [
      ...[sample.estimate('croc_30', 900, best), sample.estimate('croc_25', 900, { B: 700 })],
      sample.estimate('togo_30', 100),
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
  await bench.accept(sample.CATALOG);
  const versions = bench.knex('catalog_rows').select('id', 'xmin').orderBy('id');
  const before = await versions.clone();
  await bench.accept(sample.CATALOG);
  expect(await versions).toEqual(before);
});
