import { PostgresCatalogRepository } from '../../db/catalog/catalog-repository';
import { rowsOf, sql } from '../../db/core/sql';
import { deleteCatalogRows, type SearchedRow, writeCatalogRows } from '../support/catalog-rows';
import { useDatabase } from '../support/database';

const rowOf = (id: string, kind: string): SearchedRow => ({
  id,
  kind,
  category: 'handbags',
  popularity: 1.5,
  name: id,
  facets: ['category:handbags'],
  words: [],
});

describe('the catalog', () => {
  const database = useDatabase();
  let catalog: PostgresCatalogRepository;

  beforeAll(async () => {
    const { knex } = database;
    catalog = new PostgresCatalogRepository(knex);
    await rowsOf(
      knex,
      sql`INSERT INTO categories (id, name, hierarchy, name_fields) VALUES
            ('watches', 'Watches', '{brand,family,model,case,dial}', '{brand,model}'),
            ('handbags', 'Handbags', '{brand,model,style}', '{brand,model,style}')`,
    );
    await rowsOf(
      knex,
      sql`INSERT INTO tags (id, "group", name, display_order, categories) VALUES
            ('material:vinyl', 'material', 'Vinyl', 2, '{handbags}'),
            ('era:vintage', 'era', 'Vintage', 9, '{handbags,watches}'),
            ('material:exotic', 'material', 'Exotic', 1, '{handbags}'),
            ('material:denim', 'material', 'Denim', 2, '{handbags}'),
            ('dial:skeleton', 'dial', 'Skeleton', 1, '{watches}')`,
    );
    await rowsOf(
      knex,
      sql`INSERT INTO entities (id, kind, name, category) VALUES
            ('brand_a', 'brand', 'A', 'handbags'), ('brand_b', 'brand', 'B', 'watches'),
            ('colour_a', 'colour', 'Red', 'handbags'), ('strap_a', 'strap', 'Nylon', 'watches')`,
    );
    await rowsOf(
      knex,
      sql`INSERT INTO products (id, category, attributes) VALUES ('product_a', 'handbags', '{}'), ('product_b', 'handbags', '{}')`,
    );
    await rowsOf(
      knex,
      sql`INSERT INTO variants (id, product_id, position, fields, popularity, images, thumbnails) VALUES
            ('variant_z', 'product_a', 0, '[{"field":"size","name":"30"}]', 3.25, '{https://a/1.jpg}', '{/images/1.jpg}'),
            ('variant_a', 'product_a', 1, '[]', 0, '{}', '{}')`,
    );
    const rows = [rowOf('product_a', 'product'), rowOf('product_b', 'product'), rowOf('brand_a', 'brand')];
    await writeCatalogRows(knex, [...rows, rowOf('handbags', 'category')]);
    await rowsOf(
      knex,
      sql`UPDATE catalog_rows SET attributes = '[{"field":"brand","id":"brand_a","name":"A"}]', images = '{/images/2.jpg}'
          WHERE id = 'product_a'`,
    );
  });
  test('names its categories by id and its tags by group, then display order, then id', async () => {
    expect(await catalog.categories()).toEqual([
      {
        id: 'handbags',
        name: 'Handbags',
        hierarchy: ['brand', 'model', 'style'],
        nameFields: ['brand', 'model', 'style'],
      },
      {
        id: 'watches',
        name: 'Watches',
        hierarchy: ['brand', 'family', 'model', 'case', 'dial'],
        nameFields: ['brand', 'model'],
      },
    ]);
    expect((await catalog.tags()).map(({ id }) => id)).toEqual([
      'dial:skeleton',
      'era:vintage',
      'material:exotic',
      'material:denim',
      'material:vinyl',
    ]);
  });

  test('knows every field that an attribute may have', async () => {
    const fields = ['brand', 'case', 'colour', 'dial', 'family', 'model', 'strap', 'style'];
    expect(await catalog.facetFields()).toEqual(fields);
  });

  test('gives rows in the order of their ids, variants in the order of the bundle, and leaves unknown ids out', async () => {
    const items = await catalog.itemsById(['brand_a', 'product_unknown', 'product_a']);
    expect(items).toEqual([
      expect.objectContaining({ id: 'brand_a', kind: 'brand', variants: [] }),
      {
        id: 'product_a',
        kind: 'product',
        category: 'handbags',
        name: 'product_a',
        popularity: 1.5,
        images: ['/images/2.jpg'],
        thumbnails: [],
        attributes: [{ field: 'brand', id: 'brand_a', name: 'A' }],
        variants: [
          {
            id: 'variant_z',
            fields: [{ field: 'size', name: '30' }],
            images: ['https://a/1.jpg'],
            thumbnails: ['/images/1.jpg'],
            popularity: 3.25,
          },
          { id: 'variant_a', fields: [], images: [], thumbnails: [], popularity: 0 },
        ],
        updatedAt: new Date('2026-03-01T00:00:00Z'),
      },
    ]);
    expect(items.map((item) => 'availableTags' in item)).toEqual([false, false]);
    expect(await catalog.itemsById([])).toEqual([]);
  });

  test('shows the tags of a category on its row, in their order', async () => {
    const [category] = await catalog.itemsById(['handbags']);
    expect(category?.availableTags).toEqual([
      { id: 'era:vintage', name: 'Vintage', group: 'era' },
      { id: 'material:exotic', name: 'Exotic', group: 'material' },
      { id: 'material:denim', name: 'Denim', group: 'material' },
      { id: 'material:vinyl', name: 'Vinyl', group: 'material' },
    ]);
  });

  test('says which live products show an image', async () => {
    await writeCatalogRows(database.knex, [rowOf('product_b', 'product')]);
    const images = await rowsOf<{ id: number }>(
      database.knex,
      sql`INSERT INTO images (address) VALUES ('/1'), ('/2'), ('/3') RETURNING id`,
    );
    const [shared, gone, unused] = images.map(({ id }) => id) as [number, number, number];
    await rowsOf(
      database.knex,
      sql`INSERT INTO product_images (image_id, product_id)
          VALUES (${shared}, 'product_b'), (${shared}, 'product_a'), (${gone}, 'product_b')`,
    );
    expect(await catalog.productsShowing([unused, gone, shared])).toEqual(
      new Map([
        [shared, ['product_a', 'product_b']],
        [gone, ['product_b']],
      ]),
    );
    await deleteCatalogRows(database.knex, ['product_b']);
    expect(await catalog.productsShowing([unused, gone, shared])).toEqual(new Map([[shared, ['product_a']]]));
  });
});
