import { idsOf } from '../support/api-client';
import { useService } from '../support/service';

/** contract 8.1: the parameters of v1 as JSON properties. */
const service = useService();
const v2 = (body: object) => service.api.v2(body);

// contract 8.1
test('answers what v1 answers to the same parameters', async () => {
  const parameters = {
    search: 'birkin',
    attribute: 'product',
    brand: 'brand_hermes',
    exclude_colour: 'colour_gold',
  };
  const [first, second] = [await service.api.v1(parameters), await v2(parameters)];
  expect(idsOf(second)).toEqual(idsOf(first));
  expect({ ...second.body, data: [] }).toEqual({ ...first.body, data: [] });
});

test.each([[{ page: 1, page_size: 5 }], [{ page: '1', page_size: '5' }]])(
  'takes numbers as numbers or in digits: %j',
  async (body) => {
    expect(await v2(body)).toMatchObject({ status: 200, body: { page: 1, results: 5 } });
  },
);

test('takes lists with commas, or as arrays', async () => {
  const withCommas = await v2({ model: 'model_birkin,model_kelly', tags: 'material:exotic' });
  const asArrays = await v2({ model: ['model_birkin', 'model_kelly'], tags: ['material:exotic'] });
  expect(idsOf(withCommas)).toHaveLength(3);
  expect(idsOf(asArrays)).toEqual(idsOf(withCommas));
});

// contract 8.1
test('ignores unknown parameters and null', async () => {
  expect(await v2({ foo: { bar: 1 }, includes: ['catalog'], brand: null, page: null })).toMatchObject({
    status: 200,
    body: { total_results: 17 },
  });
});

test('falls back to product for an attribute of any type', async () => {
  for (const attribute of ['shoe', 5, null, [], {}]) {
    expect(idsOf(await v2({ attribute, page_size: 1 }))).toEqual(['product_birkin_croc']);
  }
});

test.each<[object, string]>([
  [{ page: -1 }, 'page'],
  [{ page: 1.5 }, 'page'],
  [{ page: '1.5' }, 'page'],
  [{ page: true }, 'page'],
  [{ page_size: 0 }, 'page_size'],
  [{ sort: 'price_asc' }, 'sort'],
  [{ search: 5 }, 'search'],
  [{ search: 'a'.repeat(513) }, 'search'],
  [{ brand: 5 }, 'brand'],
  [{ category: {} }, 'category'],
  [{ tags: 'material:stone' }, 'tags'],
])('%j is a 400 that names %s', async (body, field) => {
  expect(await v2(body)).toMatchObject({ status: 400, body: { error: 'bad_request', field } });
});
