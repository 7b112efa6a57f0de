import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { idsOf } from '../support/api-client';
import { GOLDEN_CATALOG } from '../support/fixture-data';
import { useService } from '../support/service';

/** contract 5: what people type finds what they mean, first. `test/fixtures/README.md` describes the table of queries. */
const service = useService({}, {}, GOLDEN_CATALOG);

/** By section, each text with what must be found first, in order. */
const SECTIONS = readFileSync(join(__dirname, '../fixtures/golden-queries.txt'), 'utf8')
  .split(/^# /m)
  .slice(1)
  .map((section) => {
    const [title = '', ...lines] = section.trim().split('\n');
    const queries = lines.flatMap((line) => {
      const [first = '', texts = ''] = line.split(' | ');
      return texts.split('; ').map((text) => ({ text, first: first.split(' > ') }));
    });
    return { title, queries };
  });
const SUGGESTIONS = SECTIONS.pop();

// contract 5.2, 5.9, 5.16, 5.17
describe.each(SECTIONS)('$title', ({ queries }) => {
  test.each(queries)('$text', async ({ text, first }) => {
    const found = idsOf(await service.api.query({ query: text, page_size: first.length }));
    expect(found).toEqual(first.map((id) => `product_${id}`));
  });
});

// contract 5.18
describe('with all words needed', () => {
  test.each([
    ['hermes birkin', 5],
    ['hermes birkin togo', 3],
    ['hermes birkin 126610LN', 0],
    ['louisvuitton speedy', 4],
    ['rolex 126610 LN', 1],
    ['rolex 535653', 0],
    ['hermes nosuchword', 0],
    ['!!!', 0],
    ['', 20],
  ])('"%s" finds %i', async (query, results) => {
    const { body } = await service.api.query({ query, match: 'all' });
    expect(body.results).toBe(results);
    const facets = await service.api.query({
      query,
      match: 'all',
      facets: [{ field: 'brand', limit: 100 }],
      page_size: 1,
    });
    expect(facets.body.total_results).toBe(body.total_results);
    const counted = (facets.body.facets?.['brand'] ?? []).reduce((sum, { count }) => sum + count, 0);
    expect(counted).toBe(facets.body.total_results);
  });

  test('pages and cursors hold the same rows; a cursor of the one is none of the other', async () => {
    const asked = { query: 'louis vuitton damier', match: 'all', page_size: 2 };
    const { body } = await service.api.query({ ...asked, cursor: '' });
    expect(body.total_results).toBe(4);
    const next = await service.api.query({ ...asked, cursor: body.next_cursor });
    expect([...body.data, ...next.body.data].map(({ id }) => id)).toEqual(
      idsOf(await service.api.query({ ...asked, page_size: 4 })),
    );
    const other = await service.api.query({ ...asked, match: 'any', cursor: body.next_cursor });
    expect(other.status).toBe(400);
  });

  test.each(['some', null, true])('match %j is refused', async (match) => {
    const { status, body } = await service.api.query({ query: 'rolex', match });
    expect({ status, body }).toMatchObject({ status: 400, body: { field: 'match' } });
  });
});

// contract 5.12
describe('what a search box suggests', () => {
  test.each(SUGGESTIONS?.queries ?? [])('$text', async ({ text, first }) => {
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
