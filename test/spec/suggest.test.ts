import { idsOf } from '../support/api-client';
import { useService } from '../support/service';

/** contract 5.11, 5.12: what completes the text in a search box. */
const service = useService();
const suggested = async (body: object) => idsOf(await service.api.suggest(body));

// contract 5.11
test('a suggestion is what a search box shows, free of charge', async () => {
  const { status, body, headers } = await service.api.suggest({ query: 'BIRK', size: 1 });
  expect(status).toBe(200);
  expect(body).toEqual({
    success: true,
    results: 1,
    credits_used: 0,
    data: [
      {
        id: 'model_birkin',
        name: 'Birkin',
        node: 'model',
        attributes: [
          { field: 'category', id: 'handbags', name: 'Handbags' },
          { field: 'brand', id: 'brand_hermes', name: 'Hermès' },
          { field: 'model', id: 'model_birkin', name: 'Birkin' },
        ],
        matched: [[0, 4]],
      },
    ],
  });
  expect(headers.get('X-Credits-Used')).toBe('0');
});

// contract 5.12
test('rows of the taxonomy come before products, and names that begin so before all others', async () => {
  expect(await suggested({ query: 'herm' })).toEqual([
    ...['brand_hermes', 'model_birkin', 'model_kelly'],
    ...['style_birkin_croc', 'style_birkin_togo', 'style_kelly_croc', 'style_kelly_lizard'],
    ...['product_birkin_croc', 'product_birkin_togo', 'product_kelly_croc'],
  ]);
});

// contract 5.12
test.each([
  ['a word in the middle of a name', 'vuit', 'brand_vuitton'],
  ['two words, the last begun', 'louis vu', 'brand_vuitton'],
  ['words of the row and of what is above it', 'hermes kel', 'model_kelly'],
  ['a word that is finished in any case and with accents', 'HERMÈS', 'brand_hermes'],
  ['space around and between', '  louis   vuitton ', 'brand_vuitton'],
  ['a misspelt word', 'hermse', 'brand_hermes'],
  ['a misspelt word before one that is begun', 'hremes bir', 'model_birkin'],
  ['one letter', 'k', 'model_kelly'],
  ['another script', 'меч', 'brand_mechta'],
  ['a keyword', 'toil', 'style_neverfull_monogram'],
  ['a name that begins with a mark', '“obj', 'brand_objets'],
  ['a number', '1240', 'model_124060'],
])('%s completes', async (_what, query, first) => {
  expect((await suggested({ query }))[0]).toBe(first);
});

// contract 5.12, 1.8
test.each(['kelly louis', 'rolex bir', '!!!', 'bygone'])(
  '"%s" completes nothing: every word must match a row that is not deleted',
  async (query) => {
    expect((await service.api.suggest({ query })).body).toMatchObject({ results: 0, data: [] });
  },
);

// contract 5.11
test.each(['', '  ', undefined])('a query that is %j gives the most popular rows', async (query) => {
  expect(await suggested({ ...(query === undefined ? {} : { query }), size: 4 })).toEqual([
    'brand_hermes',
    'brand_rolex',
    'brand_vuitton',
    'brand_patek',
  ]);
});

// contract 5.11
test.each(['watches', 'WATCHES', 'Watches'])('category_id=%s suggests rows of it', async (category_id) => {
  const found = await suggested({ category_id, size: 3 });
  expect(found).toEqual(['brand_rolex', 'brand_patek', 'family_submariner']);
  expect(await suggested({ query: 'birkin', category_id })).toEqual([]);
});

// contract 5.11
test.each([
  ['hermes birkin croc', 'Hermès Birkin Crocodile', ['Hermès', 'Birkin', 'Croc']],
  ['neverfull ebene', 'Louis Vuitton Neverfull Damier Ebène', ['Neverfull', 'Ebène']],
  ['toile', 'Monogram', []],
])('of what completes "%s", the parts of %s that it names are told', async (query, name, parts) => {
  const { body } = await service.api.suggest({ query });
  const row = body.data.find((each) => each.name === name);
  expect(row?.matched.map(([from, to]) => name.slice(from, to))).toEqual(parts);
});

test('a size over 10 is lowered to it', async () => {
  expect(await suggested({ size: 1000 })).toHaveLength(10);
});
