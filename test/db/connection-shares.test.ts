import fc from 'fast-check';
import { Client } from 'pg';
import { connectionBudget, connectPostgres, type Database } from '../../db/core/knex';
import { inOneState, inTransaction, rowsOf, sql } from '../../db/core/sql';
import { workFor } from '../../models/access/current-party';
import { processEnvironment } from '../../scripts/config';
import { createOwnDatabase, migratedInServer, type OwnDatabase } from '../support/database';

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
  for (let call = 0; call < 30; call += 1) void shares.take('flood').then((giveBack) => held.push(giveBack));
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
      expect(await workFor('other', () => rowsOf(database.knex, sql`SELECT 1 AS one`))).toEqual([{ one: 1 }]);
      await locker.query('SELECT pg_advisory_unlock(1)');
      await Promise.all(flood);
      expect(database.connections()).toMatchObject({ used: 0, pending: 0 });
    },
  );
});
