import { idsOf } from '../support/api-client';
import { useService } from '../support/service';

/** contract 5: what a free text finds, and in which order. */
const service = useService();
const query = (body: object) => service.api.query(body);

// contract 5.2
describe('a query', () => {
  const found = async (text: string, more: object = {}) => idsOf(await query({ query: text, ...more }));

  test.each([
    ['without regard to accents and case', 'HERMES birkin TOGO', 'product_birkin_togo'],
    ['over taxonomy names', 'damier ebene', 'product_neverfull_damier'],
    ['over other facets', 'gold kelly', 'product_kelly_lizard'],
    ['over variant field names', 'neverfull gm', 'product_neverfull_monogram'],
    ['over the keywords of an item', 'doctor', 'product_speedy_epi'],
    ['over the keywords of its taxonomy', 'toile', 'product_neverfull_monogram'],
    ['with one edit in a word of four letters', 'epis speedy', 'product_speedy_epi'],
    ['with one edit', 'birkim togo', 'product_birkin_togo'],
    ['with two edits from eight letters on', 'submarimor', 'product_submariner'],
    ['with its last word as a prefix', 'louis vuitton never', 'product_neverfull_monogram'],
    ['in other scripts', 'мечта', 'product_mechta'],
  ])('matches %s: %s', async (_how, text, first) => {
    expect((await found(text))[0]).toBe(first);
  });

  // contract 5.4
  test('puts rows that match more words first, whatever their popularity and the sort', async () => {
    const ids = await found('hermes lizard', { sort: 'popularity_desc' });
    expect(ids[0]).toBe('product_kelly_lizard');
    expect(ids).toContain('product_birkin_croc');
  });

  // contract 5.3, 5.4
  test('of exact words stands before one of misspelt words', async () => {
    const ids = await found('echo');
    expect(ids[0]).toBe('product_echo');
  });

  test('finds other kinds of rows', async () => {
    expect(await found('hermes', { taxonomy_node: 'brand' })).toEqual(['brand_hermes']);
  });

  // contract 5.1
  test.each(['!!!', '…', '—'])('without a word (%s) finds nothing', async (text) => {
    expect(await query({ query: text })).toMatchObject({
      status: 200,
      body: { data: [], sort_applied: 'relevance' },
    });
  });

  // contract 5.1, 5.8
  test('of 512 characters is taken, of 513 is a 400', async () => {
    expect((await query({ query: 'é'.repeat(512) })).status).toBe(200);
    expect((await query({ query: '👜'.repeat(512) })).status).toBe(200);
    expect(await query({ query: 'a'.repeat(513) })).toMatchObject({ status: 400, body: { field: 'query' } });
  });

  test("with characters of the database's own query language is text", async () => {
    for (const text of ["birkin' | !x", 'birkin & (', 'birkin:*', '%_\\', '<->', "'; DROP TABLE x; --"]) {
      expect((await query({ query: text })).status).toBe(200);
    }
  });
});
