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
const SUGGESTIONS = SECTIONS.pop()?.queries ?? [];

// contract 5.2, 5.9, 5.16, 5.17
describe.each(SECTIONS)('$title', ({ queries }) => {
  test.each(queries)('$text', async ({ text, first }) => {
    const found = idsOf(await service.api.query({ query: text, page_size: first.length }));
    expect(found).toEqual(first.map((id) => `product_${id}`));
  });
});

// contract 5.18
test.each([
  ['hermes birkin togo', 3],
  ['louisvuitton speedy', 4],
  ['rolex 126610 LN', 1],
  ['hermes nosuchword', 0],
  ['!!!', 0],
  ['', 20],
])('with all words needed, "%s" finds %i, and as many by facets and totals', async (query, results) => {
  const facets = [{ field: 'brand', limit: 100 }];
  const { body } = await service.api.query({ query, match: 'all', facets });
  const counts = (body.facets?.['brand'] ?? []).map(({ count }) => count);
  expect(body.results).toBe(results);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(body.total_results);
});

// contract 5.12
test.each(SUGGESTIONS)('a search box suggests for $text', async ({ text, first }) => {
  const { body } = await service.api.suggest({ query: text });
  expect(body.data.slice(0, first.length).map(({ name }) => name)).toEqual(first);
});

// contract 5.9, 8.4
test.each([
  ['Paul Newman white dial', 3],
  ['Paul white dial', 1],
])('of a phrase that a synonym stands for, each word counts as matched: %s', async (search, words) => {
  expect((await service.api.v1({ search })).body.stats.nbWordsMatched).toBe(words);
});
