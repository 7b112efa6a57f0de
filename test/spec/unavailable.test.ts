import type { Knex } from 'knex';
import { rowsOf, sql } from '../../db/core/sql';
import { PORTS } from '../../models/ports';
import { useService } from '../support/service';

/** contract 11.4: a store that is away is a 503, a fault of the service a 500 that tells nothing about its inside. */
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
      ...{ categories: async () => [], tags: failing, facetFields: failing },
      ...{ itemsById: failing, search: failing },
    },
    [PORTS.ItemSales]: { sell: failing },
  },
);

const CALLS = [
  ['a query', () => service.api.query({})],
  ['an item', () => service.api.item('product_birkin_croc')],
  ['v1 products', () => service.api.v1({})],
] as const;

const coded = (code: string, message = 'private detail') => Object.assign(new Error(message), { code });
const FAILURES: readonly Error[] = [
  coded('ECONNREFUSED'),
  coded('57P01'),
  coded('53300'),
  coded('57014'),
  new Error('Connection terminated unexpectedly'),
  Object.assign(new Error('private detail'), { name: 'KnexTimeoutError' }),
  new Error('private detail', { cause: coded('08006') }),
];

// contract 11.4
test.each(CALLS)('%s is a free 503 while the store refuses, stops or breaks off', async (_what, call) => {
  for (const thrown of FAILURES) {
    failure = thrown;
    const { status, body, headers, text } = await call();
    expect([thrown, status, body]).toEqual([thrown, 503, expect.objectContaining({ error: 'unavailable' })]);
    expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(headers.get('X-Credits-Used')).toBe('0');
    expect(text).not.toContain(thrown.message);
  }
});

// contract 11.4
test.each(CALLS)('%s is a 500 that says nothing of the fault, which the log has', async (_what, call) => {
  failure = new TypeError("Cannot read properties of undefined (reading 'secretColumn')");
  service.log.clear();
  const answer = await call();
  expect(answer).toMatchObject({ status: 500, body: { success: false, error: 'internal_error' } });
  expect(answer.text).not.toMatch(/secretColumn|TypeError|\.ts/);
  expect(JSON.stringify(await service.log.lines(2))).toContain('secretColumn');
});
