import fc from 'fast-check';
import { HANDBAGS, TAGS, WATCHES } from './catalog-import-sample';
import { NO_RECORDS, useImportBench } from './catalog-import-support';

const bench = useImportBench();

// A universe so small that records meet often.
const of = (...values: string[]) => fc.constantFrom(...values);
const name = of('Azur', 'Bleu', 'Cœur', 'd’Or');
const tags = fc.subarray(TAGS.map(({ id }) => id));
const popularity = fc.nat(2);
const brand = of('brand_a', 'brand_b');
const model = of('model_a', 'model_b');
const style = of('style_a', 'style_b', 'style_c');
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
      variants: fc
        .subarray(['variant_a', 'variant_b', 'variant_c', 'variant_d'], { maxLength: 2 })
        .map((ids) =>
          ids.map((id) => ({
            id,
            fields: [{ field: 'size', name: id }],
            images: [`https://a.example/${id}.jpg`],
          })),
        ),
    }),
  },
  { weight: 1, arbitrary: deletionOf(of('product_a', 'product_b', 'product_c')) },
);

const estimate = fc.record({
  variant: of('variant_a', 'variant_b', 'variant_c', 'variant_d'),
  source: of('ebay', 'vestiaire_collective'),
  region: of('NA', 'EU-UK'),
  A: fc.option(fc.nat(3)),
  estimated_at: fc.constant('2026-03-15T12:00:00Z'),
});

const category = fc.record({
  id: fc.constant('handbags'),
  name: of('Handbags', 'Bags'),
  hierarchy: fc.constantFrom(HANDBAGS.hierarchy, ['brand', 'style', 'colour']),
});

const bundle = fc.record({
  'categories.jsonl': fc.array(category, { maxLength: 1 }),
  'entities.jsonl': fc.array(entity, { maxLength: 6 }),
  'products.jsonl': fc.array(product, { maxLength: 4 }),
  'estimates.jsonl': fc.array(estimate, { maxLength: 6 }),
});

/** Derives every row there is, or should be, from the records as they stand now. */
async function deriveAll(): Promise<void> {
  await bench.knex.raw(`INSERT INTO catalog_stale_rows
    SELECT id FROM categories UNION SELECT id FROM entities UNION SELECT id FROM products
    UNION SELECT id FROM catalog_rows ORDER BY id`);
  await bench.accept(NO_RECORDS);
}

describe('rows that are kept up to date change by change', () => {
  // contract 13.8
  test('are those that the records give when every row is derived anew', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(bundle, { minLength: 1, maxLength: 5 }), async (bundles) => {
        await bench.clear();
        await bench.accept({ 'categories.jsonl': [HANDBAGS, WATCHES], 'tags.jsonl': TAGS });
        for (const each of bundles) await bench.import(each);
        const { catalog_rows: kept } = await bench.dump();
        await deriveAll();
        // The rows above products read their best estimate from them, so those come first.
        await deriveAll();
        const { catalog_rows: derived } = await bench.dump();
        expect(kept).toEqual(derived);
      }),
      { numRuns: 25 },
    );
  }, 180_000);
});
