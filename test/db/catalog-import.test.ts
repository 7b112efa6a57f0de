import {
  BIRKIN,
  CATALOG,
  CROC,
  ENTITIES,
  entity,
  HANDBAGS,
  HERMES,
  NOIR,
  TOGO,
  TOGO_BAG,
  WATCHES,
} from './catalog-import-sample';
import { useImportBench } from './catalog-import-support';

const bench = useImportBench();

const CATEGORY = { field: 'category', id: 'handbags', name: 'Handbags' };
const BRAND = { field: 'brand', id: 'brand_hermes', name: 'Hermès' };
const MODEL = { field: 'model', id: 'model_birkin', name: 'Birkin' };

describe('a catalog that is imported', () => {
  // contract 1.1
  test('has a row for each product: composed name, ordered attributes, words of all that it names', async () => {
    await bench.accept(CATALOG);
    expect(await bench.row('product_togo')).toEqual({
      kind: 'product',
      category: 'handbags',
      name: 'Hermès Birkin Togo',
      popularity: 5,
      sort_key: '3h3e3r3m3e3s0 3b3i3r3k3i3n0 3t3o3g3o',
      attributes: [
        CATEGORY,
        BRAND,
        MODEL,
        { field: 'style', id: 'style_togo', name: 'Togo' },
        { field: 'colour', id: 'colour_noir', name: 'Noir' },
        { field: 'colour', id: 'colour_gold', name: 'Gold' },
      ],
      facets: [
        'brand:brand_hermes',
        'category:handbags',
        'colour:colour_gold',
        'colour:colour_noir',
        'model:model_birkin',
        'style:style_togo',
      ],
      words: 'a 25 30 sac main noir gold togo black birkin hermes trente saddler handbags'.split(' ').sort(),
      images: [],
      thumbnails: [],
      max_estimate: null,
    });
  });

  test('has a row for each entity of the hierarchy: its category, its parents in order, then itself', async () => {
    await bench.accept(CATALOG);
    expect(await bench.row('style_togo')).toMatchObject({
      kind: 'style',
      name: 'Togo',
      attributes: [CATEGORY, BRAND, MODEL, { field: 'style', id: 'style_togo', name: 'Togo' }],
      words: ['birkin', 'handbags', 'hermes', 'saddler', 'togo'],
    });
    expect(await bench.row('brand_hermes')).toMatchObject({ popularity: 9, attributes: [CATEGORY, BRAND] });
  });

  // contract 13.10
  test('has a row for each category, and none for a facet outside of the hierarchy', async () => {
    await bench.accept(CATALOG);
    expect(await bench.row('handbags')).toMatchObject({
      kind: 'category',
      category: 'handbags',
      name: 'Handbags',
      attributes: [CATEGORY],
      facets: ['category:handbags'],
    });
    expect(await bench.row('colour_noir')).toBeUndefined();
  });

  test('has variants in the order of the bundle', async () => {
    await bench.accept(CATALOG);
    const variants = await bench.knex('variants').where({ product_id: 'product_togo' }).orderBy('position');
    expect(variants.map(({ id }) => id)).toEqual(['variant_togo_30', 'variant_togo_25']);
  });

  test('hands the tags of a style down to its products, and up to a model when all its styles carry them', async () => {
    await bench.accept(CATALOG);
    expect(await bench.tags('product_croc')).toEqual(['material:canvas', 'material:exotic']);
    expect(await bench.tags('style_croc')).toEqual(['material:exotic']);
    expect(await bench.tags('model_birkin')).toEqual([]);
    await bench.accept({ 'entities.jsonl': [{ ...TOGO, tags: ['material:canvas', 'material:exotic'] }] });
    expect(await bench.tags('model_birkin')).toEqual(['material:exotic']);
    expect(await bench.tags('brand_hermes')).toEqual([]);
  });

  // contract 1.3
  test('composes names of other fields where the category says so, of the first value of each', async () => {
    await bench.accept({
      'categories.jsonl': [{ ...HANDBAGS, name_fields: ['colour', 'brand', 'strap'] }],
      'entities.jsonl': ENTITIES.map((each) => ({ ...each, tags: [] })),
      'products.jsonl': [TOGO_BAG],
    });
    expect(await bench.row('product_togo')).toMatchObject({ name: 'Noir Hermès' });
  });

  test('is the same in whatever order the entities stand', async () => {
    await bench.accept(CATALOG);
    const expected = await bench.dump();
    await bench.clear();
    await bench.accept({ ...CATALOG, 'entities.jsonl': [...ENTITIES].reverse() });
    expect(await bench.dump()).toEqual(expected);
  });
});

describe('a record replaces the whole record of its id', () => {
  beforeEach(() => bench.accept(CATALOG));

  test('and what it leaves out is gone', async () => {
    await bench.accept({
      'products.jsonl': [{ ...TOGO_BAG, attributes: {}, variants: [], keywords: [], title: 'Bag' }],
    });
    expect(await bench.row('product_togo')).toMatchObject({
      name: 'Bag',
      attributes: [CATEGORY],
      words: ['bag', 'handbags'],
    });
    expect(await bench.knex('variants').where({ product_id: 'product_togo' })).toEqual([]);
  });

  test('and the later line of a file stands', async () => {
    await bench.accept({
      'entities.jsonl': [
        { ...HERMES, name: 'First' },
        { ...HERMES, name: 'Second' },
      ],
      'products.jsonl': [
        { ...TOGO_BAG, popularity: 1 },
        { ...TOGO_BAG, popularity: 2 },
      ],
    });
    expect(await bench.row('product_togo')).toMatchObject({ name: 'Second Birkin Togo', popularity: 2 });
  });

  test('and nothing is written when it is the same', async () => {
    const before = await bench.knex('catalog_rows').select('id', 'xmin').orderBy('id');
    await bench.accept(CATALOG);
    expect(await bench.knex('catalog_rows').select('id', 'xmin').orderBy('id')).toEqual(before);
  });
});

describe('what names an entity changes with it', () => {
  beforeEach(() => bench.accept(CATALOG));

  test('when it is renamed: names, attributes, words and order of every row', async () => {
    await bench.accept({ 'entities.jsonl': [{ ...HERMES, name: 'Ermes', keywords: [] }] });
    expect(await bench.row('product_croc')).toMatchObject({
      name: 'Ermes Birkin Crocodile',
      sort_key: expect.stringMatching(/^3e3r3m3e3s/),
      attributes: expect.arrayContaining([{ ...BRAND, name: 'Ermes' }]),
      words: expect.not.arrayContaining(['hermes', 'saddler']),
    });
    expect(await bench.row('style_togo')).toMatchObject({
      attributes: [CATEGORY, { ...BRAND, name: 'Ermes' }, MODEL, expect.anything()],
    });
    await bench.accept({ 'entities.jsonl': [{ ...NOIR, name: 'Nuit' }] });
    expect(await bench.row('product_togo')).toMatchObject({ words: expect.arrayContaining(['nuit']) });
  });

  test('when a style gets other tags, or moves to another model', async () => {
    await bench.accept({
      'entities.jsonl': [
        { ...CROC, tags: [] },
        { ...TOGO, tags: ['material:exotic'] },
      ],
    });
    expect(await bench.tags('product_croc')).toEqual(['material:canvas']);
    expect(await bench.tags('product_togo')).toEqual(['material:exotic']);
    const kelly = entity('model_kelly', 'Kelly');
    const moved = { ...CROC, parents: { model: 'model_kelly' }, tags: ['material:canvas'] };
    await bench.accept({ 'entities.jsonl': [kelly, moved] });
    expect(await bench.tags('model_birkin')).toEqual(['material:exotic']);
    expect(await bench.tags('model_kelly')).toEqual(['material:canvas']);
  });

  test('when the category gets another name or hierarchy', async () => {
    const hierarchy = ['colour', 'style', 'brand'];
    await bench.accept({ 'categories.jsonl': [{ ...HANDBAGS, name: 'Bags', hierarchy }] });
    const fields = ['category', 'colour', 'colour', 'style', 'brand', 'model'];
    expect(await bench.row('product_togo')).toMatchObject({ attributes: fields.map((field) => ({ field })) });
    expect(await bench.row('colour_noir')).toMatchObject({ kind: 'colour', name: 'Noir' });
    expect(await bench.row('model_birkin')).toBeUndefined();
    expect(await bench.row('handbags')).toMatchObject({ name: 'Bags' });
  });
});

describe('what is deleted', () => {
  beforeEach(() => bench.accept(CATALOG));

  // contract 13.4
  test('has no row, and a later full record brings it back', async () => {
    const expected = await bench.dump();
    const gone = ['product_togo', 'style_togo', 'brand_hermes'].map((id) => ({ id, deleted: true }));
    await bench.accept({ 'products.jsonl': gone.slice(0, 1), 'entities.jsonl': gone.slice(1) });
    for (const { id } of gone) expect(await bench.row(id)).toBeUndefined();
    await bench.accept(CATALOG);
    expect(await bench.dump()).toEqual(expected);
  });

  test('stays an attribute of what names it, which may be imported again', async () => {
    await bench.accept({
      'entities.jsonl': [{ id: 'brand_hermes', deleted: true }],
      'products.jsonl': [{ ...TOGO_BAG, popularity: 7 }],
    });
    expect(await bench.row('product_togo')).toMatchObject({ name: 'Hermès Birkin Togo', popularity: 7 });
    expect(await bench.row('model_birkin')).toMatchObject({ attributes: [CATEGORY, BRAND, MODEL] });
  });

  test('no longer counts among the styles of its model; a model without styles carries no tag', async () => {
    await bench.accept({ 'entities.jsonl': [{ id: 'style_togo', deleted: true }] });
    expect(await bench.tags('model_birkin')).toEqual(['material:exotic']);
    await bench.accept({ 'entities.jsonl': [{ id: 'style_croc', deleted: true }] });
    expect(await bench.tags('model_birkin')).toEqual([]);
  });

  test('may be deleted again, and may never have been there', async () => {
    const gone = [
      { id: 'product_togo', deleted: true },
      { id: 'product_never', deleted: true },
    ];
    await bench.accept({ 'products.jsonl': gone });
    await bench.accept({ 'products.jsonl': gone, 'entities.jsonl': [{ id: 'brand_never', deleted: true }] });
    expect(await bench.row('product_togo')).toBeUndefined();
  });
});

describe('categories are data', () => {
  // contract 3.1
  test('with a hierarchy that no code knows', async () => {
    await bench.accept({
      'categories.jsonl': [
        { id: 'fine_art', name: 'Fine Art', hierarchy: ['school', 'painter'], name_fields: ['painter'] },
        WATCHES,
      ],
      'entities.jsonl': [
        {
          id: 'painter_a',
          kind: 'painter',
          name: 'A',
          category: 'fine_art',
          parents: { school: 'school_s' },
        },
        { id: 'school_s', kind: 'school', name: 'S', category: 'fine_art' },
        { ...BIRKIN, category: 'watches', parents: {} },
      ],
      'products.jsonl': [
        { id: 'product_p', category: 'fine_art', attributes: { painter: 'painter_a', school: 'school_s' } },
      ],
    });
    expect(await bench.row('product_p')).toMatchObject({ name: 'A', category: 'fine_art' });
    expect(await bench.row('painter_a')).toMatchObject({
      attributes: [{ id: 'fine_art' }, { id: 'school_s' }, { id: 'painter_a' }],
    });
  });
});
