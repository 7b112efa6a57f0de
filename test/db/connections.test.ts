import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { Client } from 'pg';
import { connectionBudget, connectPostgres, type Database } from '../../db/core/knex';
import { connectionsToDrop, databaseFailure } from '../../db/core/postgres-faults';
import { disableTimeout, inTransaction, rowsOf, sql } from '../../db/core/sql';
import { PostgresProcessRegistry } from '../../db/installation/process-registry';
import { runAsParty } from '../../models/access/fair-budget';
import { AppError } from '../../models/errors';
import { processEnvironment } from '../../scripts/config';
import { openServerProxy } from '../contracts/server-proxy';
import { createOwnDatabase, migratedInServer, type OwnDatabase } from '../support/database';

const { TEST_DATABASE_URL } = processEnvironment();
const onServer = TEST_DATABASE_URL ? describe : describe.skip;

// contract 12.12
test('a call whose account holds its whole share of the connections until the limit is a 503 that says so', async () => {
  const budget = connectionBudget(1, 1);
  const take = () => budget.open('flood').resize(1);
  await take();
  await expect(take()).rejects.toMatchObject({
    status: 503,
    headers: { 'Retry-After': '2' },
    message: 'Too many calls are under way in the database; call again soon.',
  });
  expect(budget.state.waiting).toBe(0);
});

/** contract 11.4: a database that can't serve now is a 503, whatever it says. Codes of every class of SQLSTATE. */
test.each<[verdict: number, spent: ReturnType<typeof connectionsToDrop>, states: string]>([
  [503, 'this', '08000 08001 08003 08004 08006 08007 08P01 25000 25001 25P01 25P02 25P03 25P04 26000'],
  [503, 'this', '57P01 57P02 57P03 57P04 57P05 58000 58030 58P01 58P02'],
  [503, 'all', '25006'],
  [503, 'none', '40001 40003 40P01 53000 53100 53200 53300 53400 55P03 57000 57014'],
  [500, 'none', '00000 01000 02000 03000 09000 0A000 0B000 0F000 0L000 0P000 0Z000 20000 21000 22001 22003'],
  [500, 'none', '22P02 22P05 23502 23503 23505 23514 24000 27000 28000 28P01 2B000 2D000 2F000 34000 38000'],
  [500, 'none', '39000 3B000 3D000 3F000 40000 40002 42501 42601 42703 42P01 44000 54000 54001 55000 55006'],
  [500, 'none', 'F0000 HV000 P0001 XX000 XX001 XX002'],
])('a refusal is a %i and costs %s of the connections: %s', (verdict, spent, states) => {
  for (const state of states.split(' ')) {
    const failure = databaseFailure(Object.assign(new Error('refused'), { code: state }));
    const status = failure instanceof AppError ? failure.status : 500;
    expect([state, status, connectionsToDrop(state)]).toEqual([state, verdict, spent]);
  }
});

onServer('a server', () => {
  let own: OwnDatabase;
  let database: Database;
  let operator: Client;
  const POOL = 4;
  const OWN = {
    ...{ id: 'own', name: 'host:1', role: 'all' },
    ...{ traits: { release: '1', signingKeys: [], imageStore: null }, models: null },
  };
  const write = () => rowsOf(database.knex)`INSERT INTO accounts (id, name) VALUES (${randomUUID()}, 'test')`;
  const renew = () => new PostgresProcessRegistry(database.knex).renew(OWN);
  const fillPool = () =>
    Promise.all(Array.from({ length: POOL }, () => rowsOf(database.knex)`SELECT pg_sleep(0.05)`));
  const name = () => new URL(own.url).pathname.slice(1);
  const readOnly = (how: string) =>
    operator.query(`ALTER DATABASE ${name()} ${how.replace('*', 'default_transaction_read_only')}`);

  beforeEach(async () => {
    own = await createOwnDatabase(TEST_DATABASE_URL ?? '', migratedInServer());
    database = connectPostgres({ url: own.url, poolMax: POOL });
    operator = new Client({ connectionString: own.url });
    operator.on('error', () => undefined);
    await operator.connect();
  });
  afterEach(async () => {
    await database.close();
    await operator.end();
    await own.drop();
  });

  const FORMS = {
    ...{ datestyle: 'SQL,DMY', timezone: 'Pacific/Kiritimati', bytea_output: 'escape' },
    ...{ default_transaction_isolation: 'serializable', extra_float_digits: '0' },
  };
  const inDatabase = async () => {
    for (const [setting, value] of Object.entries(FORMS))
      await operator.query(`ALTER DATABASE ${name()} SET ${setting} TO ${value.replace(/.*[/,].*/, "'$&'")}`);
    return database;
  };
  const inAddress = async () => {
    await database.close();
    const url = new URL(own.url);
    const options = Object.entries(FORMS).map(([setting, value]) => `-c ${setting}=${value}`);
    url.searchParams.set('options', `${options.join(' ')} -c work_mem=5MB`);
    database = connectPostgres({ url: url.href, poolMax: POOL });
    expect(await rowsOf(database.knex)`SHOW work_mem`).toEqual([{ work_mem: '5MB' }]);
    return database;
  };
  test.each([
    ['database', inDatabase],
    ['address', inAddress],
  ])('reads values as they are, whatever forms its %s sets', async (_where, set) => {
    const { knex } = await set();
    const rows = rowsOf(knex)`
      SELECT at, at::date::text AS day, '\\x01'::bytea AS bytes, (0.1::float8 + 0.2)::text AS sum,
        current_setting('transaction_isolation') AS isolation
      FROM CAST('2026-03-04T23:00Z' AS timestamptz) AS at`;
    const at = new Date('2026-03-04T23:00Z');
    const read = { bytes: Buffer.of(1), sum: '0.30000000000000004', isolation: 'read committed' };
    expect(await rows).toEqual([{ at, day: '2026-03-04', ...read }]);
  });

  // contract 12.12
  const WAIT = sql`SELECT pg_advisory_xact_lock_shared(1)`;
  test.each<[string, () => PromiseLike<unknown>]>([
    ['statements', () => rowsOf(database.knex, WAIT)],
    ["statements of Knex's own", () => database.knex.raw(WAIT.text)],
    ['transactions', () => inTransaction(database.knex, (trx) => rowsOf(trx, WAIT))],
  ])('on which any number of %s of a party wait leaves connections to others', async (_what, waiting) => {
    await operator.query('SELECT pg_advisory_lock(1)');
    const flood = Array.from({ length: 30 }, () => runAsParty('flood', async () => waiting()));
    const other = runAsParty('other', () => rowsOf(database.knex)`SELECT 1 AS one`);
    expect(await other).toEqual([{ one: 1 }]);
    await operator.query('SELECT pg_advisory_unlock(1)');
    await Promise.all(flood);
    expect(database.connections()).toMatchObject({ used: 0, pending: 0 });
  });

  const REFUSED = { status: 503, message: 'The database can only be read now; try again.' };
  test.each<[string, () => Promise<unknown>, object]>([
    ['a statement', write, REFUSED],
    ['a transaction', () => inTransaction(database.knex, (trx) => rowsOf(trx)`DELETE FROM tags`), REFUSED],
    ['the renewal that readiness asks for', renew, REFUSED],
    ["a statement of Knex's own", async () => database.knex('tags').delete(), { code: '25006' }],
  ])('that turned read-only refuses %s, and takes it once it can be written', async (_, work, refusal) => {
    await readOnly('SET * = on');
    await fillPool();
    await expect(work()).rejects.toMatchObject(refusal);
    await readOnly('RESET *');
    // New connections see it; all earlier ones are gone after the one refusal.
    for (let time = 0; time < 2 * POOL; time += 1) await work();
  });

  test('that ends all connections causes at most one 503 per connection', async () => {
    await fillPool();
    await operator.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name()}' AND pid <> pg_backend_pid()`,
    );
    const failures: [time: number, status: unknown][] = [];
    for (let time = 0; time < 2 * POOL; time += 1)
      await write().catch(({ status }) => failures.push([time, status]));
    expect(failures.filter(([time, status]) => time >= POOL || status !== 503)).toEqual([]);
  });

  test('that refuses new connections is a 503, with the reason only in the log', async () => {
    const refused = connectPostgres({ url: Object.assign(new URL(own.url), { password: 'changed' }).href });
    const told = {
      status: 503,
      message: 'The database does not answer; try again.',
      cause: { code: '28P01' },
    };
    await expect(rowsOf(refused.knex)`SELECT 1`).rejects.toMatchObject(told);
    await refused.close();
  });

  test('that lost a prepared statement is a 503, and the next connection prepares it again', async () => {
    const statement = () => rowsOf(database.knex, { ...sql`SELECT 1 AS one`, name: 'st_forgotten' });
    await statement();
    await rowsOf(database.knex)`DEALLOCATE ALL`;
    await expect(statement()).rejects.toMatchObject({ status: 503 });
    expect(await statement()).toEqual([{ one: 1 }]);
  });

  // contract 11.4
  test.each<[string, (knex: Knex, seconds: number) => Promise<unknown>]>([
    ['a statement', (knex, seconds) => rowsOf(knex)`SELECT pg_sleep(${seconds})`],
    [
      'a transaction',
      (knex, seconds) => inTransaction(knex, (trx) => rowsOf(trx)`SELECT pg_sleep(${seconds})`),
    ],
  ])('whose connections are all silently dead is one 503 to %s, then answers again', async (_what, work) => {
    const proxy = await openServerProxy(own.url);
    const { knex, close } = connectPostgres({
      url: proxy.url,
      poolMax: POOL,
      statementMs: 1_000,
      silenceMs: 500,
    });
    const asked = (seconds: number) => runAsParty('caller', () => work(knex, seconds));
    try {
      await Promise.all(Array.from({ length: POOL }, () => asked(0.05)));
      proxy.drop();
      await expect(asked(0)).rejects.toMatchObject({ status: 503, cause: { code: 'ETIMEDOUT' } });
      await Promise.all(Array.from({ length: POOL }, () => asked(0)));
      await expect(asked(3)).rejects.toMatchObject({ status: 503 });
      const long = async (trx: Knex) => {
        await disableTimeout(trx);
        return work(trx, 1.5);
      };
      await runAsParty('caller', () => inTransaction(knex, long));
    } finally {
      await close();
      await proxy.cut();
    }
  });

  test('that hangs during a renewal is a 503 soon', async () => {
    await operator.query('BEGIN; LOCK TABLE service_processes');
    await expect(renew()).rejects.toMatchObject({ status: 503 });
    await operator.query('ROLLBACK');
    await renew();
  });
});
