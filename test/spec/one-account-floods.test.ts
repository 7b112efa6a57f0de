import { Client } from 'pg';
import { processEnvironment } from '../../scripts/config';
import { ADMIN_TOKEN, type Answer, ApiClient } from '../support/api-client';
import { useService } from '../support/service';

/**
 * contract 12.12: calls of one account that the database does not answer, thirty at a time, leave connections for others. The
 * embedded database answers one call after the other.
 */
const onServer = processEnvironment()['TEST_DATABASE_URL'] ? describe : describe.skip;

onServer('while thirty calls of one account hang in the database', () => {
  const service = useService({ ADMIN_TOKEN, DATABASE_POOL_MAX: '6' });
  const CALLS = 30;
  /** Of six connections. */
  const SHARE = 3;
  const USAGE = '?since=2026-01-01&until=2026-06-01';
  const operators = () => new ApiClient(service.url, ADMIN_TOKEN);
  let operator: Client;

  beforeAll(async () => {
    operator = new Client({ connectionString: service.config.DATABASE_URL });
    operator.on('error', () => undefined);
    await operator.connect();
  });
  afterAll(() => operator.end());

  /** Until so many statements wait for a lock. */
  async function hanging(statements: number): Promise<void> {
    for (;;) {
      const { rows } = await operator.query(
        'SELECT count(*)::integer AS waiting FROM pg_locks WHERE NOT granted',
      );
      if (rows[0].waiting >= statements) return;
    }
  }

  test.each<[string, string, (api: ApiClient) => Promise<Answer>]>([
    ['GET /v3/account', 'credits_by_day', (api) => api.send('GET', `/v3/account${USAGE}`)],
    ['POST /v3/catalog/query', 'catalog_rows', (api) => api.query({ query: 'birkin' })],
    ['GET /v3/catalog/items/{id}', 'catalog_rows', (api) => api.item('product_birkin_croc')],
    ['GET /v1/products', 'catalog_rows', (api) => api.v1({})],
    [
      'usage of the operators',
      'credits_by_day',
      () => operators().send('GET', `/admin/v1/accounts/${service.key.accountId}/usage${USAGE}`),
    ],
  ])('%s: another account is answered, and so are they in the end', async (_what, table, call) => {
    const flood = await service.newKey();
    const other = await service.newKey();
    await operator.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    const calls = Array.from({ length: CALLS }, () => call(flood.api));
    await hanging(1);
    const answer = await other.api.send('GET', '/v3/webhooks');
    const waiting = await operator.query(
      `SELECT count(*)::integer AS statements FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    await operator.query('ROLLBACK');
    expect(answer.status).toBe(200);
    expect(waiting.rows[0].statements).toBeLessThanOrEqual(SHARE);
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(CALLS).fill(200));
  });
});
