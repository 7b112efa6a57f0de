import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Client } from 'pg';
import { connectionBudget, connectPostgres, type Database } from '../../db/core/knex';
import { connectionsSpent, databaseFailure } from '../../db/core/postgres-faults';
import { inOneState, inTransaction, rowsOf, sql } from '../../db/core/sql';
import { PostgresProcessRegistry } from '../../db/installation/process-registry';
import { workFor } from '../../models/access/current-party';
import { AppError } from '../../models/errors';
import { processEnvironment } from '../../scripts/config';
import { createOwnDatabase, migratedInServer, type OwnDatabase } from '../support/database';

describe('shares of the connections', () => {
  /** contract 12.12: no account takes all connections of the database. */

  const SEED = 20_261_125;
  /** Longer than any test. */
  const PATIENT_MS = 600_000;

  type GiveBack = () => void;

  function sharesOf(connections: number, waitMs: number) {
    const budget = connectionBudget(connections, waitMs);
    return {
      get waiting() {
        return budget.state.waiting;
      },
      take: async (party: string | null): Promise<GiveBack> => {
        const lease = budget.open(party);
        await lease.resize(1);
        return () => lease.close();
      },
    };
  }

  /** Lets what is granted be taken. */
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  test('a party that is alone takes half of the connections, and the next one that comes finds one free', async () => {
    const shares = sharesOf(10, PATIENT_MS);
    const held: GiveBack[] = [];
    for (let call = 0; call < 30; call += 1)
      void shares.take('flood').then((giveBack) => held.push(giveBack));
    await settled();
    expect(held).toHaveLength(5);
    held.push(await shares.take('other'));
    while (held.length > 0) {
      held.pop()?.();
      await settled();
    }
    expect(shares.waiting).toBe(0);
  });

  test('a call whose party holds its whole share until the limit is a 503 that says so', async () => {
    const shares = sharesOf(1, 1);
    await shares.take('flood');
    await expect(shares.take('flood')).rejects.toMatchObject({
      status: 503,
      headers: { 'Retry-After': '2' },
      message: 'Too many calls are under way in the database; call again soon.',
    });
    expect(shares.waiting).toBe(0);
  });

  test('no party exceeds its share, and every call is served in the end, in any order of leases and returns', async () => {
    const step = fc.record({
      party: fc.constantFrom('a', 'b', 'c', null),
      giveBack: fc.option(fc.nat(20)),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 8 }),
        fc.array(step, { maxLength: 60 }),
        async (max, steps) => {
          const shares = sharesOf(max, PATIENT_MS);
          const held: { party: string | null; giveBack: GiveBack }[] = [];
          let asked = 0;
          let served = 0;
          const of = (party: string | null) => held.filter((each) => each.party === party).length;
          for (const { party, giveBack } of steps) {
            asked += 1;
            void shares.take(party).then((back) => {
              served += 1;
              held.push({ party, giveBack: back });
            });
            await settled();
            for (const each of ['a', 'b', 'c']) expect(of(each)).toBeLessThanOrEqual(Math.ceil(max / 2));
            if (giveBack !== null) held.splice(giveBack % Math.max(1, held.length), 1)[0]?.giveBack();
            await settled();
          }
          while (held.length > 0) {
            held.pop()?.giveBack();
            await settled();
          }
          expect([served, shares.waiting]).toEqual([asked, 0]);
        },
      ),
      { seed: SEED, numRuns: 200 },
    );
  });

  const { TEST_DATABASE_URL } = processEnvironment();

  (TEST_DATABASE_URL ? describe : describe.skip)('on a server', () => {
    let own: OwnDatabase;
    let database: Database;
    let locker: Client;

    beforeAll(async () => {
      own = await createOwnDatabase(TEST_DATABASE_URL ?? '', migratedInServer());
      database = connectPostgres({ url: own.url, poolMax: 4 });
      locker = new Client({ connectionString: own.url });
      await locker.connect();
    });
    afterAll(async () => {
      await locker.end();
      await database.close();
      await own.drop();
    });

    const WAIT = sql`SELECT pg_advisory_xact_lock_shared(1)`;
    test.each<[string, () => PromiseLike<unknown>]>([
      ['statements', () => rowsOf(database.knex, WAIT)],
      ["statements of Knex's own", () => database.knex.raw(WAIT.text)],
      ['transactions', () => inTransaction(database.knex, (trx) => rowsOf(trx, WAIT))],
      ['reads of one state', () => inOneState(database.knex, (state) => rowsOf(state, WAIT))],
    ])(
      '%s that wait, however many of them a party has, leave connections to others',
      async (_what, waiting) => {
        await locker.query('SELECT pg_advisory_lock(1)');
        const flood = Array.from({ length: 30 }, () => workFor('flood', async () => waiting()));
        expect(await workFor('other', () => rowsOf(database.knex, sql`SELECT 1 AS one`))).toEqual([
          { one: 1 },
        ]);
        await locker.query('SELECT pg_advisory_unlock(1)');
        await Promise.all(flood);
        expect(database.connections()).toMatchObject({ used: 0, pending: 0 });
      },
    );
  });
});

describe('faults of the database', () => {
  /** contract 11.4: a database that can't serve now is a 503, whatever it says. */

  type Verdict = '503' | '503, connection given up' | '503, all connections given up' | '500';

  /** Every class of SQLSTATE (PostgreSQL 17, appendix A), with codes of it. */
  const CLASSES: readonly [states: string, verdict: Verdict, what: string][] = [
    ['00000 01000 02000', '500', 'success, warning, no data'],
    ['03000 0A000 0B000 0F000 0L000 0P000 0Z000 20000 21000', '500', 'a statement that is wrong'],
    ['08000 08001 08003 08004 08006 08007 08P01', '503, connection given up', 'connection exception'],
    ['09000 22001 22003 22P02 22P05 23502 23503 23505 23514', '500', 'a trigger, a value, a constraint'],
    ['24000 27000', '500', 'cursor state, data change violation'],
    ['25000 25001 25P01 25P02 25P03 25P04', '503, connection given up', 'transaction state'],
    ['25006', '503, all connections given up', 'the server turned read-only'],
    ['26000', '503, connection given up', 'a prepared statement that the server has lost'],
    ['28000 28P01 2B000 2D000 2F000', '500', 'authorization, dependents, functions'],
    ['34000 38000 39000 3B000 3D000 3F000', '500', 'names, savepoints'],
    ['40000 40002', '500', 'transaction rollback'],
    ['40001 40P01', '503', 'a transaction that lost against others'],
    ['40003', '503', 'a statement whose end is unknown'],
    ['42501 42601 42703 42P01 44000', '500', 'syntax, access, view checks'],
    ['53000 53100 53200 53300 53400', '503', 'resources'],
    ['54000 54001', '500', 'program limits'],
    ['55000 55006', '500', 'object state'],
    ['55P03', '503', 'a lock that was not to be had'],
    ['57000 57014', '503', 'operator intervention'],
    ['57P01 57P02 57P03 57P04 57P05', '503, connection given up', 'shutdown'],
    ['58000 58030 58P01 58P02', '503, connection given up', 'system'],
    ['F0000 HV000 P0001 XX000 XX001 XX002', '500', 'configuration file, foreign data, PL/pgSQL, internal'],
  ];

  test.each(
    CLASSES.flatMap(([states, verdict, what]) =>
      states.split(' ').map((state) => [state, what, verdict] as const),
    ),
  )('SQLSTATE %s (%s) is %s', (state, _what, verdict) => {
    const failure = databaseFailure(Object.assign(new Error('refused'), { code: state }));
    const spent = { none: '', this: ', connection given up', all: ', all connections given up' };
    const status = failure instanceof AppError ? failure.status : 500;
    expect(`${status}${spent[connectionsSpent(state)]}`).toBe(verdict);
  });

  const { TEST_DATABASE_URL } = processEnvironment();

  (TEST_DATABASE_URL ? describe : describe.skip)('a server', () => {
    let own: OwnDatabase;
    let database: Database;
    let operator: Client;
    const write = () =>
      rowsOf(database.knex, sql`INSERT INTO accounts (id, name) VALUES (${randomUUID()}, 'test')`);
    const registry = () => new PostgresProcessRegistry(database.knex);
    const process = {
      id: 'own',
      name: 'host:1',
      role: 'all',
      traits: { release: '1', signingKeys: [], imageStore: null },
    };
    /** Opens all connections of the pool. */
    const fillPool = () =>
      Promise.all(Array.from({ length: 3 }, () => rowsOf(database.knex, sql`SELECT pg_sleep(0.05)`)));
    const name = () => new URL(own.url).pathname.slice(1);

    beforeEach(async () => {
      own = await createOwnDatabase(TEST_DATABASE_URL ?? '', migratedInServer());
      database = connectPostgres({ url: own.url, poolMax: 3 });
      operator = new Client({ connectionString: own.url });
      operator.on('error', () => undefined);
      await operator.connect();
    });
    afterEach(async () => {
      await database.close();
      await operator.end();
      await own.drop();
    });

    test.each<[string, () => Promise<unknown>]>([
      ['a statement', write],
      ['a transaction', () => inTransaction(database.knex, (trx) => rowsOf(trx, sql`DELETE FROM accounts`))],
      ['the renewal that readiness asks for', () => registry().renew(process)],
    ])(
      'whose pooled connections turned read-only refuses %s with a 503, and takes it again once it can be written',
      async (_what, work) => {
        await operator.query(`ALTER DATABASE ${name()} SET default_transaction_read_only = on`);
        await fillPool();
        await expect(work()).rejects.toMatchObject({
          status: 503,
          message: 'The database can only be read now; try again.',
        });
        await operator.query(`ALTER DATABASE ${name()} RESET default_transaction_read_only`);
        // New connections see it; all of those before it are gone after the one refusal.
        for (let time = 0; time < 6; time += 1) await work();
      },
    );

    test('gives up all connections that led to the read-only server, whichever way the refused statement took', async () => {
      await operator.query(`ALTER DATABASE ${name()} SET default_transaction_read_only = on`);
      await fillPool();
      await expect(database.knex('accounts').insert({ id: 'x', name: 'x' })).rejects.toMatchObject({
        code: '25006',
      });
      await operator.query(`ALTER DATABASE ${name()} RESET default_transaction_read_only`);
      for (let time = 0; time < 6; time += 1) await write();
    });

    test('that ends all connections causes at most one 503 per connection', async () => {
      await fillPool();
      await operator.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name()}' AND pid <> pg_backend_pid()`,
      );
      const outcomes = [];
      for (let time = 0; time < 6; time += 1)
        outcomes.push(
          await write().then(
            () => 200,
            ({ status }) => status,
          ),
        );
      expect(outcomes.filter((status) => status !== 200 && status !== 503)).toEqual([]);
      expect(outcomes.slice(3)).toEqual([200, 200, 200]);
    });

    test('that refuses new connections is a 503, with the reason only in the log', async () => {
      const address = new URL(own.url);
      address.password = 'changed';
      const refused = connectPostgres({ url: address.href });
      await expect(rowsOf(refused.knex, sql`SELECT 1`)).rejects.toMatchObject({
        status: 503,
        message: 'The database does not answer; try again.',
        cause: { code: '28P01' },
      });
      await refused.close();
    });

    test('that lost a prepared statement is a 503, and the next connection prepares it again', async () => {
      const statement = () => rowsOf(database.knex, { ...sql`SELECT 1 AS one`, name: 'st_forgotten' });
      await statement();
      await rowsOf(database.knex, sql`DEALLOCATE ALL`);
      await expect(statement()).rejects.toMatchObject({ status: 503 });
      expect(await statement()).toEqual([{ one: 1 }]);
    });

    test('that hangs during a renewal is a 503 soon', async () => {
      await operator.query('BEGIN; LOCK TABLE service_processes');
      await expect(registry().renew(process)).rejects.toMatchObject({ status: 503 });
      await operator.query('ROLLBACK');
      await registry().renew(process);
    });
  });
});
