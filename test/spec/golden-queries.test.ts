import { idsOf } from '../support/api-client';
import { GOLDEN_CATALOG } from '../support/fixture-data';
import { useService } from '../support/service';
import { GOLDEN_QUERIES, GOLDEN_SUGGESTIONS } from './golden-queries';

/** contract 5: what people type finds what they mean, first. */
const service = useService({}, {}, GOLDEN_CATALOG);

// contract 5.2, 5.9
describe.each(Object.entries(GOLDEN_QUERIES))('%s', (_what, queries) => {
  test.each(queries)('$text', async ({ text, first }) => {
    const found = idsOf(await service.api.query({ query: text, page_size: Math.max(3, first.length) }));
    expect(found.slice(0, first.length)).toEqual(first.map((id) => `product_${id}`));
  });
});

// contract 5.12
describe('what a search box suggests', () => {
  test.each(GOLDEN_SUGGESTIONS)('$text', async ({ text, first }) => {
    const { body } = await service.api.suggest({ query: text });
    expect(body.data.slice(0, first.length).map(({ name }) => name)).toEqual(first);
  });
});

// contract 5.9, 8.4
test('of a phrase that a synonym stands for, each word counts as matched', async () => {
  const { body } = await service.api.v1({ search: 'Paul Newman white dial' });
  expect(body.stats.nbWordsMatched).toBe(3);
  const half = await service.api.v1({ search: 'Paul white dial' });
  expect(half.body.stats.nbWordsMatched).toBe(1);
});
