import { idsOf } from '../support/api-client';
import { useService } from '../support/service';

/** contract 4.1, 5: search and listing. */
const service = useService();
const query = (body: object) => service.api.query(body);

describe('the envelope', () => {
  // contract 4.10
  test('has the fields of 4.1 and no others', async () => {
    const { body, status } = await query({ page_size: 3 });
    expect(status).toBe(200);
    const { data, ...envelope } = body;
    expect(data).toHaveLength(3);
    expect(envelope).toEqual({
      success: true,
      results: 3,
      total_results: 18,
      page: 0,
      total_pages: 6,
      credits_used: 1,
      includes: ['taxonomy'],
      resolved_taxonomy: { node: 'product', level: 3 },
      sort_applied: 'popularity_desc',
    });
  });

  // contract 4.1
  test('lists products by popularity with taxonomy when nothing is asked for', async () => {
    const { body } = await query({});
    expect(body).toMatchObject({ page: 0, total_pages: 1, results: 18, includes: ['taxonomy'] });
  });

  // contract 4.9
  test('echoes the effective includes, each once', async () => {
    expect((await query({ includes: ['pricing', 'taxonomy', 'pricing'] })).body.includes).toEqual([
      'pricing',
      'taxonomy',
    ]);
    expect((await query({ includes: [] })).body.includes).toEqual([]);
  });

  // contract 4.11
  test('names the sort that was applied, or relevance', async () => {
    expect((await query({ sort: 'name_desc' })).body.sort_applied).toBe('name_desc');
    expect((await query({ sort: 'name_desc', query: 'birkin' })).body.sort_applied).toBe('relevance');
    expect((await query({ sort: 'name_desc', query: '  ' })).body.sort_applied).toBe('name_desc');
  });
});

describe('pages', () => {
  // contract 4.13
  test('neither repeat nor skip rows', async () => {
    const all = idsOf(await query({ page_size: 100 }));
    const paged: string[] = [];
    for (let page = 0; page < 4; page += 1) paged.push(...idsOf(await query({ page, page_size: 5 })));
    expect(paged).toEqual(all);
  });

  test.each([4, 1_000_000, 1e15])(
    'past the end (%d) are empty and no error, and say which page',
    async (page) => {
      const answer = await query({ page, page_size: 5 });
      expect(answer).toMatchObject({
        status: 200,
        body: { data: [], results: 0, total_results: 18, total_pages: 4, page },
      });
    },
  );

  test('of a search past the end are empty too', async () => {
    expect(await query({ query: 'birkin', page: 1e15 })).toMatchObject({
      status: 200,
      body: { data: [], total_results: 2 },
    });
  });

  // contract 4.8
  test('of nothing number 0', async () => {
    expect((await query({ query: 'nothingatall' })).body).toMatchObject({
      total_results: 0,
      total_pages: 0,
      data: [],
    });
  });
});

describe('listings', () => {
  // contract 4.13
  test('by popularity put equals in the order of their ids, both ways', async () => {
    const descending = idsOf(await query({ page_size: 4 }));
    expect(descending).toEqual([
      'product_birkin_croc',
      'product_submariner',
      'product_birkin_togo',
      'product_kelly_croc',
    ]);
    const ascending = idsOf(await query({ sort: 'popularity_asc', page_size: 100 }));
    expect(ascending.indexOf('product_birkin_togo')).toBe(ascending.indexOf('product_kelly_croc') - 1);
  });

  // contract 4.12
  test('by name are case-insensitive and accent-folding; articles count; punctuation, digits, Latin, other scripts', async () => {
    const named = async (sort: string) =>
      (await query({ taxonomy_node: 'brand', category_id: 'handbags', sort })).body.data.map(
        ({ name }) => name,
      );
    const ascending = [
      '“Objets” & Co',
      '3.1 Phillip Lim',
      'echo',
      'Élan',
      'Emil',
      'Hermès',
      'Louis Vuitton',
      'The Row',
      'Мечта',
    ];
    expect(await named('name_asc')).toEqual(ascending);
    expect(await named('name_desc')).toEqual([...ascending].reverse());
  });

  test('by name put equals in the order of their ids, both ways', async () => {
    for (const sort of ['name_asc', 'name_desc']) {
      const ids = idsOf(await query({ taxonomy_node: 'style', sort }));
      expect(ids.indexOf('style_kelly_croc')).toBe(ids.indexOf('style_birkin_croc') + 1);
    }
  });

  // contract 1.3
  test('of products by name use brand, model and style', async () => {
    const answer = await query({
      sort: 'name_asc',
      filters: [{ field: 'brand', include: ['brand_hermes'] }],
    });
    expect(idsOf(answer)).toEqual([
      'product_birkin_croc',
      'product_birkin_togo',
      'product_kelly_croc',
      'product_kelly_lizard',
    ]);
  });
});

describe('the category', () => {
  // contract 4.2
  test.each(['handbags', 'Handbags', 'HANDBAGS'])('is taken as %s', async (category_id) => {
    expect((await query({ category_id })).body.total_results).toBe(15);
  });

  test('is taken by a name that is not its slug', async () => {
    expect(idsOf(await query({ category_id: 'fine jewellery' }))).toEqual(['product_love_ring']);
  });

  // contract 3.1
  test('may be one that no code knows, with nodes of its own', async () => {
    expect(idsOf(await query({ category_id: 'jewellery', taxonomy_node: 'maison' }))).toEqual([
      'maison_cartier',
    ]);
  });

  // contract 4.2
  test('that does not exist is a 400', async () => {
    expect(await query({ category_id: 'shoes' })).toMatchObject({
      status: 400,
      body: { field: 'category_id' },
    });
  });

  // contract 4.2, 3.2
  test('refuses a node that it does not have, and lists those that it has', async () => {
    expect(await query({ category_id: 'handbags', taxonomy_node: 'dial' })).toMatchObject({
      status: 400,
      body: {
        error: 'bad_request',
        field: 'taxonomy_node',
        allowed_taxonomy_nodes: expect.arrayContaining(['product', 'brand', 'model', 'style', 'category']),
      },
    });
  });

  test('refuses a node that nobody has with the nodes that it has itself', async () => {
    const { body } = await service.api.send<object>('POST', '/v3/catalog/query', {
      body: { category_id: 'Handbags', taxonomy_node: 'strap' },
    });
    expect(body).toMatchObject({ error: 'bad_request', field: 'taxonomy_node' });
    expect(new Set((body as { allowed_taxonomy_nodes: string[] }).allowed_taxonomy_nodes)).toEqual(
      new Set(['product', 'brand', 'model', 'style', 'category']),
    );
  });

  test.each(['product', 'brand', 'family', 'model', 'case', 'dial', 'category'])(
    'watches allows the node %s',
    async (taxonomy_node) => {
      expect((await query({ category_id: 'watches', taxonomy_node })).status).toBe(200);
    },
  );
});

test.each(['brand', 'model', 'style', 'family', 'case', 'dial', 'category', 'maison', 'line'])(
  'rows of %s are all of that kind',
  async (taxonomy_node) => {
    const ids = idsOf(await query({ taxonomy_node, page_size: 100 }));
    expect(ids.length).toBeGreaterThan(0);
    if (taxonomy_node !== 'category')
      expect(ids.filter((id) => !id.startsWith(`${taxonomy_node}_`))).toEqual([]);
    else expect([...ids].sort()).toEqual(['handbags', 'jewellery', 'watches']);
  },
);

// contract 4.1
describe('a malformed body is a 400 that names the parameter', () => {
  test.each<[object, string]>([
    [{ foo: 1 }, 'foo'],
    [{ query: 5 }, 'query'],
    [{ query: null }, 'query'],
    [{ category_id: null }, 'category_id'],
    [{ filters: null }, 'filters'],
    [{ filters: {} }, 'filters'],
    [{ taxonomy_node: 'colour' }, 'taxonomy_node'],
    [{ taxonomy_node: null }, 'taxonomy_node'],
    [{ page: -1 }, 'page'],
    [{ page: 1.5 }, 'page'],
    [{ page: '1' }, 'page'],
    [{ page_size: 0 }, 'page_size'],
    [{ page_size: null }, 'page_size'],
    [{ sort: 'price_asc' }, 'sort'],
    [{ sort: null }, 'sort'],
    [{ includes: ['catalog'] }, 'includes'],
    [{ includes: ['taxonomy', 'catalog'] }, 'includes'],
    [{ includes: 'taxonomy' }, 'includes'],
    [{ includes: null }, 'includes'],
  ])('%j: %s', async (body, field) => {
    expect(await query(body)).toMatchObject({
      status: 400,
      body: { success: false, error: 'bad_request', field, message: expect.any(String) },
    });
  });
});
