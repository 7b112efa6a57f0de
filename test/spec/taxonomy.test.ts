import { idsOf } from '../support/api-client';
import { useService } from '../support/service';

/** contract 3.3, 1.9, 3.1: tags, deleted rows, levels. */
const service = useService();

describe('tags', () => {
  // contract 1.7
  test('are shown on category rows, by group, then display order', async () => {
    expect((await service.row('handbags', '')).available_tags).toEqual([
      { id: 'edition:limited', name: 'Limited edition', group: 'edition' },
      { id: 'material:canvas', name: 'Canvas', group: 'material' },
      { id: 'material:exotic', name: 'Exotic', group: 'material' },
    ]);
    expect((await service.row('watches', '')).available_tags).toEqual([
      { id: 'edition:limited', name: 'Limited edition', group: 'edition' },
    ]);
    expect(await service.row('brand_hermes')).not.toHaveProperty('available_tags');
  });

  const tagged = async (tag: string, taxonomy_node: string) =>
    idsOf(await service.api.query({ taxonomy_node, filters: [{ field: 'tags', include: [tag] }] })).sort();

  // contract 3.4
  test('of a style are inherited by its products', async () => {
    expect(await tagged('material:exotic', 'product')).toEqual([
      'product_birkin_croc',
      'product_kelly_croc',
      'product_kelly_lizard',
    ]);
  });

  test('of a product count beside those of its style', async () => {
    expect(await tagged('edition:limited', 'product')).toEqual([
      'product_birkin_togo',
      'product_kelly_lizard',
    ]);
  });

  // contract 3.5
  test('are carried by a model only when every one of its styles carries them', async () => {
    expect(await tagged('material:exotic', 'model')).toEqual(['model_kelly']);
    expect(await tagged('edition:limited', 'model')).toEqual([]);
  });

  test('list every tagged style', async () => {
    expect(await tagged('material:exotic', 'style')).toEqual([
      'style_birkin_croc',
      'style_kelly_croc',
      'style_kelly_lizard',
    ]);
  });
});

// contract 1.8
describe('a deleted row', () => {
  test.each(['product_deleted', 'brand_gone', 'style_retired'])('%s is looked up as 404', async (id) => {
    expect(await service.api.item(id)).toMatchObject({ status: 404, body: { error: 'not_found' } });
  });

  test('is in no listing', async () => {
    const products = idsOf(await service.api.query({ page_size: 100 }));
    expect(products).not.toContain('product_deleted');
    expect(idsOf(await service.api.query({ taxonomy_node: 'brand', page_size: 100 }))).not.toContain(
      'brand_gone',
    );
  });
});

// contract 1.9
describe('resolved_taxonomy', () => {
  const resolved = async (body: object) => (await service.api.query(body)).body.resolved_taxonomy;

  test.each([
    ['brand', 'handbags', 0],
    ['model', 'handbags', 1],
    ['style', 'handbags', 2],
    ['product', 'handbags', 3],
    ['category', 'handbags', 0],
    ['model', 'watches', 2],
    ['dial', 'watches', 4],
    ['product', 'watches', 5],
    ['line', 'jewellery', 1],
  ])('of %s in %s has level %d', async (taxonomy_node, category_id, level) => {
    expect(await resolved({ taxonomy_node, category_id })).toEqual({ node: taxonomy_node, level });
  });

  test('takes the level from the category filter also without rows', async () => {
    expect(await resolved({ category_id: 'watches', query: 'nothingatall' })).toEqual({
      node: 'product',
      level: 5,
    });
  });

  test('takes the level from the first row of the page without a category filter', async () => {
    expect(await resolved({ query: 'submariner' })).toEqual({ node: 'product', level: 5 });
    expect(await resolved({ taxonomy_node: 'category' })).toEqual({ node: 'category', level: 0 });
  });

  test('has no level with neither', async () => {
    expect(await resolved({ query: 'nothingatall' })).toEqual({ node: 'product', level: null });
  });
});
