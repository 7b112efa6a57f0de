import type { Knex } from 'knex';
import { PORTS } from '../../models/ports';
import { ApiClient } from '../support/api-client';
import { useService } from '../support/service';

/** Statements that a call makes: each is a journey to the database, and they are most of what a catalog call costs. */
const service = useService();

interface Statement {
  readonly sql: string;
  /** Under which it is prepared. */
  readonly options?: { readonly name?: string };
}

const BAG = 'product_birkin_croc';

/** What a call asks of the database once the small tables are known. */
async function statementsOf(call: () => Promise<{ readonly status: number }>): Promise<Statement[]> {
  expect((await call()).status).toBe(200);
  const statements: Statement[] = [];
  const listen = (statement: Statement) => void statements.push(statement);
  const knex = service.resolve<Knex>(PORTS.Knex);
  knex.on('query', listen);
  try {
    expect((await call()).status).toBe(200);
  } finally {
    knex.removeListener('query', listen);
  }
  return statements;
}

const unnamed = (statements: readonly Statement[]) =>
  statements.filter(({ options }) => options?.name === undefined).map(({ sql }) => sql);

/** The statements that look for the rows of a page, in one transaction. */
const search = (statements: readonly Statement[]) =>
  statements.slice(
    statements.findIndex(({ sql }) => sql.startsWith('BEGIN')),
    statements.findIndex(({ sql }) => sql.startsWith('COMMIT')) + 1,
  );

const clients = [
  [
    'a limited account',
    async () => new ApiClient(service.url, (await service.newKey({ credits: 1000 })).key),
  ],
  ['an unlimited account', async () => service.api],
] as const;

describe.each(clients)('for %s', (_account, client) => {
  test.each([
    ['an item', (api: ApiClient) => api.item(BAG)],
    ['an item with prices', (api: ApiClient) => api.item(BAG, 'taxonomy,pricing')],
    ['a taxonomy row with prices', (api: ApiClient) => api.item('brand_hermes', 'pricing')],
    ['several items', (api: ApiClient) => api.items({ ids: [BAG, 'brand_hermes'], includes: ['pricing'] })],
  ])('%s takes two statements, both prepared', async (_call, ask) => {
    const api = await client();
    const statements = await statementsOf(() => ask(api));
    expect(statements).toHaveLength(2);
    expect(unnamed(statements)).toEqual([]);
  });

  test.each([
    ['a page', (api: ApiClient) => api.query({})],
    ['a page with prices', (api: ApiClient) => api.query({ includes: ['taxonomy', 'pricing'] })],
    [
      'a page by a tag',
      (api: ApiClient) => api.query({ filters: [{ field: 'tags', include: ['edition:limited'] }] }),
    ],
    ['a page of v1', (api: ApiClient) => api.v1({ brand: 'brand_hermes' })],
    ['a page of v2', (api: ApiClient) => api.v2({ category: 'handbags' })],
  ])('%s takes two statements beside the search, both prepared', async (_call, ask) => {
    const api = await client();
    const statements = await statementsOf(() => ask(api));
    const found = search(statements);
    const others = statements.filter((statement) => !found.includes(statement));
    expect(others).toHaveLength(2);
    expect(unnamed(others)).toEqual([]);
    // BEGIN, the state of the snapshot, counts, ids, rows with their prices, COMMIT.
    expect(found.length).toBeLessThanOrEqual(6);
  });
});

// contract 5.11
test.each([
  ['the beginning of names', { query: 'h', size: 1 }, 1],
  ['nothing yet', { size: 3 }, 1],
  ['a word within names', { query: 'vuit', size: 1 }, 5],
  ['a misspelt word', { query: 'hermse', size: 1 }, 8],
])('what completes %s takes so many statements, all prepared: %#', async (_typed, asked, most) => {
  const statements = await statementsOf(() => service.api.suggest(asked));
  // Beside the look-up of the key.
  expect(statements.length - 1).toBe(most);
  expect(unnamed(statements).filter((each) => !/^(BEGIN|COMMIT)/.test(each))).toEqual([]);
});

test('as many connections prepare as many statements however many rows, keys and accounts there are', async () => {
  const names = new Set<string | undefined>();
  for (const credits of [null, 100, 200]) {
    const { key } = await service.newKey({ credits });
    const api = new ApiClient(service.url, key);
    const statements = await statementsOf(() =>
      api.items({ ids: [BAG, `product_${credits}`, 'brand_hermes'] }),
    );
    for (const { options } of statements) names.add(options?.name);
  }
  expect(names.size).toBe(2);
});
