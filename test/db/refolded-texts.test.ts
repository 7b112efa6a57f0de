import { rowsOf, sql } from '../../db/core/sql';
import { migrations } from '../../db/migrations';
import { CATALOG, product } from './catalog-import-sample';
import { useImportBench } from './catalog-import-support';

/** contract 5.15: what an older release folded otherwise is folded again. */
const bench = useImportBench();

const noted = async () =>
  (await rowsOf<{ id: string }>(bench.knex, sql`SELECT id FROM catalog_stale_rows ORDER BY id`)).map(
    ({ id }) => id,
  );
const step = migrations['202611251250-invisible-characters'];

// contract 5.15
test('rows whose texts fold otherwise than before are derived again, and no others', async () => {
  await bench.accept({
    ...CATALOG,
    'products.jsonl': [
      product('plain', 'style_togo', { keywords: ['Umhängetasche'] }),
      product('keyword', 'style_togo', { keywords: ['Umhänge\u00adtasche'] }),
      product('variant', 'style_togo', {
        variants: [{ id: 'variant_1', fields: [{ field: 'size', name: 'N°5' }] }],
      }),
    ],
  });
  await step?.up(bench.knex);
  expect(await noted()).toEqual(['product_keyword', 'product_variant']);
});

// contract 5.15
test('synonyms are folded again', async () => {
  await bench.knex('synonyms').insert({ id: 'syn', phrases: ['todʼs'], readings: ['lv'] });
  await step?.up(bench.knex);
  expect(await rowsOf(bench.knex, sql`SELECT phrases, readings FROM synonyms`)).toEqual([
    { phrases: ['tod s'], readings: ['lv'] },
  ]);
});
