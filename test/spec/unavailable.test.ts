import type { Knex } from 'knex';
import { rowsOf, sql } from '../../db/core/sql';
import { PORTS } from '../../models/ports';
import { useService } from '../support/service';

/** contract 11.1: a store that is away is a 503, a fault of ours a 500 that tells nothing about its inside. */
let failure: Error = new Error('not set');
const away = {
  client: {
    acquireConnection: async () => ({ query: () => Promise.reject(failure) }),
    releaseConnection: async () => undefined,
    emit: () => false,
  },
} as unknown as Knex;
/** As every statement of the database fails. */
const failing = async (): Promise<never> => {
  await rowsOf(away, sql`SELECT`);
  throw new Error('the statement did not fail');
};
const service = useService(
  {},
  {
    [PORTS.CatalogRepository]: {
      categories: async () => [],
      tags: failing,
      facetFields: failing,
      itemsById: failing,
      search: failing,
    },
    [PORTS.ItemSales]: { sell: failing },
  },
);

const CALLS = [
  ['a query', () => service.api.query({})],
  ['an item', () => service.api.item('product_birkin_croc')],
  ['v1 products', () => service.api.v1({})],
] as const;

// contract 11.4
describe.each(CALLS)('%s', (_what, call) => {
  test.each([
    [
      'refuses connections',
      Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:5432'), { code: 'ECONNREFUSED' }),
    ],
    ['is stopped by its operator', Object.assign(new Error('terminating connection'), { code: '57P01' })],
    ['has no connection left', Object.assign(new Error('too many clients'), { code: '53300' })],
    ['breaks the connection', new Error('Connection terminated unexpectedly')],
    [
      'gives no connection in time',
      Object.assign(new Error('Timeout acquiring'), { name: 'KnexTimeoutError' }),
    ],
    ['cancels a statement that takes too long', Object.assign(new Error('canceling'), { code: '57014' })],
    [
      'is wrapped in another failure',
      new Error('search failed', { cause: Object.assign(new Error(), { code: '08006' }) }),
    ],
  ])('is a 503 when the store %s', async (_how, thrown) => {
    failure = thrown;
    const answer = await call();
    expect(answer).toMatchObject({ status: 503, body: { success: false, error: 'unavailable' } });
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(answer.headers.get('X-Credits-Used')).toBe('0');
    expect(answer.text).not.toContain(thrown.message || 'nothing');
  });

  test('is a 500 without its inside when the fault is ours, and the log has the inside', async () => {
    failure = new TypeError("Cannot read properties of undefined (reading 'secretColumn')");
    service.log.clear();
    const answer = await call();
    expect(answer).toMatchObject({ status: 500, body: { success: false, error: 'internal_error' } });
    expect(answer.text).not.toMatch(/secretColumn|TypeError|\.ts/);
    expect(JSON.stringify(await service.log.lines(2))).toContain('secretColumn');
  });
});

test('a failure of the store takes no credits', async () => {
  failure = Object.assign(new Error(), { code: 'ECONNRESET' });
  const { key, accountId } = await service.newKey({ credits: 10 });
  expect(
    (
      await service.api.send('POST', '/v3/catalog/query', {
        body: {},
        headers: { Authorization: `Bearer ${key}` },
      })
    ).status,
  ).toBe(503);
  expect(await service.balance(accountId)).toBe(10);
});
