import { randomBytes, randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { PostgresAccountRepository } from '../../db/accounts/account-repository';
import { PostgresCreditLedger } from '../../db/accounts/credit-ledger';
import { PostgresSearchMissStore } from '../../db/catalog/search-miss-store';
import { PostgresVisionJobStore } from '../../db/jobs/vision-job-store';
import { PostgresWebhookStore } from '../../db/webhooks/webhook-store';
import { CREDITS_MAX } from '../../models/access/credits';
import { openAccount } from '../faults/books';
import { useDatabase } from '../support/database';

/** contract 9.13: what may be so many is never more, however many calls of however many processes come at once. */
jest.setTimeout(240_000);

const clock = { now: () => new Date('2026-03-01T12:00:00Z') };
const ids = { next: randomUUID };
const database = useDatabase();
const AT_ONCE = 30;

const newKey = async (credits: number | null = null) => ({
  ...(await openAccount({ database }, 'test', { credits })),
  test: true,
});

interface Limit {
  /** What one call does; whether it was let through. Rejects when it is refused. */
  readonly call: (knex: Knex, at: number) => Promise<boolean>;
  /** So many fit. */
  readonly max: number;
}

const LIMITS: Record<string, () => Promise<Limit>> = {
  'new keys of a rotation without an overlap': async () => {
    const { keyId } = await newKey();
    return {
      call: async (knex) => {
        const accounts = new PostgresAccountRepository(knex, ids, clock);
        return (await accounts.rotateKey(keyId, randomBytes(32), { endsAt: clock.now() })) !== null;
      },
      max: 1,
    };
  },
  'open entries of jobs': async () => {
    const owner = await newKey();
    const photos = [{ kind: 'url' as const, url: new URL('https://a.example/1.jpg') }];
    const entries = Array(100).fill({ photos, category: null, filters: [], explain: false });
    const job = { ...owner, includes: [], baseUrl: '', entries };
    return {
      call: (knex) => new PostgresVisionJobStore(knex, clock).add({ ...job, id: randomUUID() }, 1_000),
      max: 10,
    };
  },
  webhooks: async () => {
    const owner = await newKey();
    const wanted = { events: ['model.drift'] as const, creditsBelow: null, secret: 's' };
    const url = new URL('https://a.example/told');
    return {
      call: async (knex) => {
        const store = new PostgresWebhookStore(knex, clock);
        const noted = { actor: 'test', action: 'x', accountId: null, subject: null, details: {} };
        return (await store.add({ ...owner, ...wanted, url, id: randomUUID() }, 10, noted)) !== null;
      },
      max: 10,
    };
  },
  'calls of a test key, of which one may count for several': async () => {
    const { keyId } = await newKey();
    return {
      call: (knex) => new PostgresAccountRepository(knex, ids, clock).countTestCalls(keyId, 7, 50),
      max: 7,
    };
  },
  credits: async () => {
    const { accountId } = await newKey(CREDITS_MAX - 10);
    return {
      call: async (knex) => {
        const ledger = new PostgresCreditLedger(knex, clock);
        return (await ledger.topUp(accountId, 3, null).catch(() => null)) !== null;
      },
      max: 3,
    };
  },
  'what is held of the credits': async () => {
    const { accountId, keyId } = await newKey(10);
    const charge = { accountId, keyId, endpoint: 'v3.vision.identify', requestId: 'r' };
    const expiresAt = new Date(clock.now().getTime() + 1_000);
    return {
      call: (knex) =>
        new PostgresCreditLedger(knex, clock).reserve({ ...charge, chargeId: randomUUID() }, 3, expiresAt),
      max: 3,
    };
  },
  'texts that found nothing of a day': async () => {
    await database.knex('search_misses').delete();
    const known = Array.from({ length: 990 }, (_, at) => ({ query: `known ${at}`, misses: 3 }));
    await new PostgresSearchMissStore(database.knex).add('2026-03-01', known);
    return {
      call: async (knex, at) => {
        await new PostgresSearchMissStore(knex).add('2026-03-01', [{ query: `new ${at}`, misses: 3 }]);
        return (await database.knex('search_misses').where({ query: `new ${at}` })).length === 1;
      },
      max: 10,
    };
  },
};

test.each(Object.entries(LIMITS))('%s', async (_what, make) => {
  const pools = [database.knex, await database.connect()];
  const { call, max } = await make();
  const calls = Array.from({ length: AT_ONCE }, (_, at) => call(pools[at % 2] ?? database.knex, at));
  expect((await Promise.all(calls)).filter(Boolean)).toHaveLength(max);
  expect(await call(database.knex, AT_ONCE)).toBe(false);
});

test('concurrent calls for an account of one name make one account', async () => {
  const accounts = new PostgresAccountRepository(database.knex, ids, clock);
  const made = await Promise.all(Array.from({ length: 8 }, () => accounts.ensureAccount('default')));
  expect(new Set(made.map(({ id }) => id))).toEqual(new Set(['account_default']));
  expect((await accounts.listAccounts()).filter(({ name }) => name === 'default')).toHaveLength(1);
});
