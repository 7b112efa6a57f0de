import {
  BIRKIN,
  CATALOG,
  ENTITIES,
  entity,
  estimate,
  HANDBAGS,
  TOGO,
  TOGO_BAG,
  WATCHES,
} from './catalog-import-sample';
import { type BundleFiles, useImportBench } from './catalog-import-support';

const bench = useImportBench();

/** A bundle, and what the catalog shows once it is imported. */
interface Step {
  readonly bundle: BundleFiles;
  /** What rows hold at least, by id; null where there is no row. */
  readonly rows?: Readonly<Record<string, object | null>>;
  /** All tags of rows. */
  readonly tags?: Readonly<Record<string, readonly string[]>>;
  /** The A of the best estimate that rows show; null where they show none. */
  readonly worth?: Readonly<Record<string, number | null>>;
}

const CATEGORY = { field: 'category', id: 'handbags', name: 'Handbags' };
const BRAND = { field: 'brand', id: 'brand_hermes', name: 'Hermès' };
const MODEL = { field: 'model', id: 'model_birkin', name: 'Birkin' };
const STYLE = { field: 'style', id: 'style_togo', name: 'Togo' };
const whole: Step = { bundle: CATALOG };
const of = (file: string, ...records: object[]): BundleFiles => ({ [`${file}.jsonl`]: records });
const above = (A: number) => ({ style_croc: A, model_birkin: A, brand_hermes: A, handbags: A });

const CASES: readonly (readonly [promise: string, ...steps: Step[]])[] = [
  // contract 1.1, 13.10
  [
    'a catalog has a row for each product, entity of the hierarchy and category, and none for other entities',
    {
      bundle: CATALOG,
      rows: {
        product_togo: {
          kind: 'product',
          category: 'handbags',
          name: 'Hermès Birkin Togo',
          popularity: 5,
          sort_key: '3h3e3r3m3e3s0 3b3i3r3k3i3n0 3t3o3g3o',
          attributes: [
            ...[CATEGORY, BRAND, MODEL, STYLE],
            { field: 'colour', id: 'colour_noir', name: 'Noir' },
            { field: 'colour', id: 'colour_gold', name: 'Gold' },
          ],
          facets: [
            ...['brand:brand_hermes', 'category:handbags', 'colour:colour_gold', 'colour:colour_noir'],
            ...['model:model_birkin', 'style:style_togo'],
          ],
          words: 'a 25 30 sac main noir gold togo black birkin hermes trente saddler handbags'
            .split(' ')
            .sort(),
          images: [],
          thumbnails: [],
          max_estimate: null,
        },
        style_togo: {
          kind: 'style',
          name: 'Togo',
          attributes: [CATEGORY, BRAND, MODEL, STYLE],
          words: ['birkin', 'handbags', 'hermes', 'saddler', 'togo'],
        },
        brand_hermes: { popularity: 9, attributes: [CATEGORY, BRAND] },
        handbags: {
          kind: 'category',
          category: 'handbags',
          name: 'Handbags',
          attributes: [CATEGORY],
          facets: ['category:handbags'],
        },
        colour_noir: null,
      },
    },
  ],
  [
    'a style hands its tags down to products, and up to its model when all its styles carry them',
    {
      bundle: CATALOG,
      tags: {
        product_croc: ['material:canvas', 'material:exotic'],
        style_croc: ['material:exotic'],
        model_birkin: [],
      },
    },
    {
      bundle: of('entities', { ...TOGO, tags: ['material:canvas', 'material:exotic'] }),
      tags: { model_birkin: ['material:exotic'], brand_hermes: [] },
    },
  ],
  // contract 1.3
  [
    'names are composed of other fields where the category says so, of the first value of each',
    {
      bundle: {
        ...of('categories', { ...HANDBAGS, name_fields: ['colour', 'brand', 'strap'] }),
        ...of('entities', ...ENTITIES.map((each) => ({ ...each, tags: [] }))),
        ...of('products', TOGO_BAG),
      },
      rows: { product_togo: { name: 'Noir Hermès' } },
    },
  ],
  // contract 3.1
  [
    'a category may have a hierarchy that no code knows',
    {
      bundle: {
        ...of(
          'categories',
          { id: 'fine_art', name: 'Fine Art', hierarchy: ['school', 'painter'], name_fields: ['painter'] },
          WATCHES,
        ),
        ...of(
          'entities',
          entity('painter_a', 'A', { category: 'fine_art', parents: { school: 'school_s' } }),
          entity('school_s', 'S', { category: 'fine_art' }),
          { ...BIRKIN, category: 'watches', parents: {} },
        ),
        ...of('products', {
          id: 'product_p',
          category: 'fine_art',
          attributes: { painter: 'painter_a', school: 'school_s' },
        }),
      },
      rows: {
        product_p: { name: 'A', category: 'fine_art' },
        painter_a: { attributes: [{ id: 'fine_art' }, { id: 'school_s' }, { id: 'painter_a' }] },
      },
    },
  ],
  // contract 1.8
  [
    'what is deleted stays an attribute of what names it, which may be imported again',
    whole,
    {
      bundle: {
        ...of('entities', { id: 'brand_hermes', deleted: true }),
        ...of('products', { ...TOGO_BAG, popularity: 7 }),
      },
      rows: {
        brand_hermes: null,
        product_togo: { name: 'Hermès Birkin Togo', popularity: 7 },
        model_birkin: { attributes: [CATEGORY, BRAND, MODEL] },
      },
    },
  ],
  // contract 3.5
  [
    'a deleted style no longer counts among those of its model; a model without styles carries no tag',
    whole,
    {
      bundle: of('entities', { id: 'style_togo', deleted: true }),
      tags: { model_birkin: ['material:exotic'] },
    },
    { bundle: of('entities', { id: 'style_croc', deleted: true }), tags: { model_birkin: [] } },
  ],
  // contract 2.3
  [
    'every row above a variant shows the best estimate below it, whole',
    whole,
    {
      bundle: of(
        'estimates',
        estimate('croc_30', 900, { region: 'EU-UK', B: 800, confidence: 0.5 }),
        estimate('croc_25', 900, { B: 700 }),
        estimate('togo_30', 100),
      ),
      rows: Object.fromEntries(
        Object.keys(above(900)).map((id) => [
          id,
          {
            max_estimate: {
              ...{ source: 'ebay', region: 'EU-UK', currency: 'gbp', A: 900, B: 800, C: null, D: null },
              ...{ estimated_at: '2026-02-01T00:00:00.000Z', confidence: 0.5 },
            },
          },
        ]),
      ),
      worth: { style_togo: 100 },
    },
  ],
];

test.each(CASES.map(([promise, ...steps]) => ({ promise, steps })))('$promise', async ({ steps }) => {
  for (const { bundle, rows = {}, tags = {}, worth = {} } of steps) {
    await bench.accept(bundle);
    for (const [id, expected] of Object.entries(rows)) {
      const row = await bench.row(id);
      if (expected === null) expect(row).toBeUndefined();
      else expect(row ?? {}).toMatchObject(expected);
    }
    for (const [id, expected] of Object.entries(tags)) expect(await bench.tags(id)).toEqual(expected);
    for (const [id, A] of Object.entries(worth)) {
      const best = (await bench.row(id))?.['max_estimate'] as { A: number } | null | undefined;
      expect([id, best?.A ?? null]).toEqual([id, A]);
    }
  }
});

test('a record that is the same is not written again', async () => {
  await bench.accept(CATALOG);
  const versions = bench.knex('catalog_rows').select('id', 'xmin').orderBy('id');
  const before = await versions.clone();
  await bench.accept(CATALOG);
  expect(await versions).toEqual(before);
});
