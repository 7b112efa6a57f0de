import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { PostgresAccountRepository } from '../../db/accounts/account-repository';
import { PostgresCreditLedger } from '../../db/accounts/credit-ledger';
import { PostgresIdempotencyStore } from '../../db/accounts/idempotency-store';
import { isImportAlive } from '../../db/catalog/import/record-store';
import { PostgresHousekeepingStore } from '../../db/core/housekeeping-store';
import { PostgresReadinessRepository } from '../../db/core/readiness-repository';
import { hasCome } from '../../db/core/shared-clauses';
import { rowsOf, sql } from '../../db/core/sql';
import { PostgresVisionJobStore } from '../../db/jobs/vision-job-store';
import { PostgresWebhookStore } from '../../db/webhooks/webhook-store';
import { RESERVATION_MS } from '../../models/access/billing';
import { pauseAfter } from '../../models/retry-pauses';
import { openAccount } from '../faults/books';
import { useDatabase } from '../support/database';

/** contract 14.18: what a clock that was ahead has written is void once it is right again. */
jest.setTimeout(240_000);

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const RIGHT = Date.parse('2026-03-01T12:00:00Z');
const clock = {
  at: RIGHT,
  now: () => new Date(clock.at),
};
const ids = { next: randomUUID };
const database = useDatabase();

/** Whatever runs is to be done again. */
interface Case {
  /** Writes a time by the clock. */
  readonly write: () => Promise<unknown>;
  /** Whether it is held to have come, or to be over. */
  readonly hasCome: () => Promise<boolean>;
  /** How far ahead of the clock that it is written by. */
  readonly aheadMs: number;
}

const newAccount = async (credits: number | null = null) => ({
  ...(await openAccount({ database }, 'test', { credits })),
  test: true,
});

function jobs(): { store: PostgresVisionJobStore; add: () => Promise<unknown> } {
  const store = new PostgresVisionJobStore(database.knex, clock);
  const photos = [{ kind: 'url' as const, url: new URL('https://a.example/1.jpg') }];
  const entries = [{ photos, category: null, filters: [], explain: false, minConfidence: null }];
  const add = async () =>
    store.add({ ...(await newAccount()), id: randomUUID(), includes: [], baseUrl: '', entries }, 10);
  return { store, add };
}

const NOTED = { actor: 'test', action: 'webhooks register', accountId: null, subject: null, details: {} };

function webhooks(): { store: PostgresWebhookStore; told: () => Promise<unknown> } {
  const store = new PostgresWebhookStore(database.knex, clock);
  const told = async () => {
    const owner = await newAccount();
    const url = new URL('https://a.example/told');
    const events = ['model.drift'] as const;
    const webhook = { ...owner, id: randomUUID(), url, events, creditsBelow: null, secret: 's' };
    await store.add(webhook, 10, NOTED);
    await store.tellOfDrift({ claimed: 0.9, right: 0.5, answers: 200 }, null, 0);
  };
  return { store, told };
}

const again = (aheadMs: number) => ({
  message: new Date(clock.at + aheadMs),
  endpoint: new Date(clock.at + aheadMs),
  dropBefore: new Date(0),
});

/** Set by `write`, for `hasCome`. */
let written: { readonly accountId: string } & Record<string, unknown>;

const CASES: Record<string, () => Case> = {
  'a claim of housekeeping': () => {
    const store = new PostgresHousekeepingStore(database.knex, clock);
    const claim = () => store.claim('housekeeping', HOUR_MS);
    return { write: claim, hasCome: claim, aheadMs: HOUR_MS };
  },
  'a job': () => {
    const { store, add } = jobs();
    return { write: add, hasCome: async () => (await store.begin(MINUTE_MS)) !== null, aheadMs: 0 };
  },
  'the lease of an entry': () => {
    const { store, add } = jobs();
    const begin = async () => (await store.begin(MINUTE_MS)) !== null;
    return { write: () => add().then(begin), hasCome: begin, aheadMs: MINUTE_MS };
  },
  'the next try of an entry': () => {
    const { store, add } = jobs();
    const write = async () => {
      await add();
      const begun = await store.begin(MINUTE_MS);
      if (begun) await store.postpone(begun, new Date(clock.at + pauseAfter(35)));
    };
    return { write, hasCome: async () => (await store.begin(MINUTE_MS)) !== null, aheadMs: HOUR_MS };
  },
  'a message': () => {
    const { store, told } = webhooks();
    return { write: told, hasCome: async () => (await store.begin(30_000)) !== null, aheadMs: 0 };
  },
  'the lease of an address': () => {
    const { store, told } = webhooks();
    const begin = async () => (await store.begin(30_000)) !== null;
    return { write: () => told().then(begin), hasCome: begin, aheadMs: 30_000 };
  },
  'the next try of a message': () => {
    const { store, told } = webhooks();
    const write = async () => {
      await told();
      const message = await store.begin(30_000);
      if (message) await store.failed(message, 'no', again(pauseAfter(35)));
    };
    return { write, hasCome: async () => (await store.begin(30_000)) !== null, aheadMs: HOUR_MS };
  },
  'the lease of a call that names itself': () => {
    const store = new PostgresIdempotencyStore(database.knex, clock, ids);
    const claim = () => {
      const call = { accountId: written.accountId, key: 'k', fingerprint: Buffer.alloc(32) };
      return store.claim(call, new Date(clock.at + MINUTE_MS), new Date(clock.at + 366 * DAY_MS));
    };
    const write = async () => {
      written = await newAccount();
      await claim();
    };
    return { write, hasCome: async () => (await claim()).kind === 'granted', aheadMs: MINUTE_MS };
  },
  'a reservation': () => {
    const ledger = new PostgresCreditLedger(database.knex, clock);
    const reserve = () => {
      const charge = { ...written, chargeId: randomUUID(), keyId: '', endpoint: '', requestId: '' };
      return ledger.reserve(charge, 10, new Date(clock.at + RESERVATION_MS));
    };
    const write = async () => {
      written = await newAccount(10);
      await reserve();
    };
    return { write, hasCome: reserve, aheadMs: RESERVATION_MS };
  },
  'the month of test calls': () => {
    const accounts = new PostgresAccountRepository(database.knex, ids, clock);
    const call = () => accounts.countTestCalls(String(written['keyId']), 1, 1);
    const write = async () => {
      written = await newAccount();
      await call();
    };
    return { write, hasCome: call, aheadMs: 31 * DAY_MS };
  },
};

afterEach(async () => {
  clock.at = RIGHT;
  await database.knex('vision_jobs').delete();
  await database.knex('webhook_endpoints').delete();
});

describe.each(Object.entries(CASES))('%s', (_what, make) => {
  test.each([
    ['62 days', 62 * DAY_MS],
    ['10 years', 3_650 * DAY_MS],
  ])('of a clock that was %s ahead is void', async (_ahead, aheadMs) => {
    const { write, hasCome: hasComeNow } = make();
    clock.at = RIGHT + aheadMs;
    await write();
    clock.at = RIGHT;
    expect(await hasComeNow()).toBe(true);
  });

  test('of a clock that is slightly ahead is believed', async () => {
    const { write, hasCome: hasComeNow, aheadMs } = make();
    clock.at = RIGHT + 5_000;
    await write();
    clock.at = RIGHT;
    expect(await hasComeNow()).toBe(false);
    clock.at = RIGHT + 5_000 + aheadMs;
    expect(await hasComeNow()).toBe(true);
  });
});

test('a time has come when it is over or further ahead than it can be, and a minute more', async () => {
  const pick = fc.record({ ms: fc.integer({ min: -DAY_MS, max: DAY_MS }), most: fc.nat(2 * HOUR_MS) });
  await fc.assert(
    fc.asyncProperty(pick, async ({ ms, most }) => {
      const time = sql`${new Date(RIGHT + ms)}::timestamptz`;
      const [line] = await rowsOf<{ come: boolean }>(
        database.knex,
        sql`SELECT ${hasCome(time, new Date(RIGHT), most)} AS come`,
      );
      expect(line?.come).toBe(ms <= 0 || ms > most + MINUTE_MS);
    }),
    { numRuns: 60 },
  );
});

// By the clock of the database.
test('a worker and an import whose heartbeats lie in the future count as dead', async () => {
  const readiness = new PostgresReadinessRepository(database.knex);
  await rowsOf(
    database.knex,
    sql`WITH made AS (
          INSERT INTO embedding_versions (model, manifest, state) VALUES ('eye@1', '{}', 'building') RETURNING id)
        INSERT INTO embedding_readiness (worker, version_id, told_at)
        SELECT worker, id, now() + ahead FROM made,
          (VALUES ('alive', interval '1 second'), ('dead', interval '1 day')) AS told (worker, ahead)`,
  );
  expect(await readiness.workers()).toEqual(['alive']);
  const beats = (ahead: string) =>
    rowsOf(
      database.knex,
      sql`INSERT INTO catalog_import_lock (holder, host, process_id, heartbeat_at)
          VALUES ('other', 'another host', 1, clock_timestamp() + ${ahead}::interval)
          ON CONFLICT (only_one) DO UPDATE SET heartbeat_at = excluded.heartbeat_at`,
    );
  await beats('1 second');
  expect(await isImportAlive(database.knex)).toBe(true);
  await beats('1 day');
  expect(await isImportAlive(database.knex)).toBe(false);
});

// contract 10.5: made again, it would be charged again.
test('an answer kept by a clock that was ahead is still replayed', async () => {
  const store = new PostgresIdempotencyStore(database.knex, clock, ids);
  const call = { accountId: (await newAccount()).accountId, key: 'k', fingerprint: Buffer.alloc(32) };
  const claim = () => store.claim(call, new Date(clock.at + MINUTE_MS), new Date(clock.at + DAY_MS));
  clock.at = RIGHT + 62 * DAY_MS;
  await claim();
  await database.knex('idempotent_calls').where({ account_id: call.accountId }).update({ answer: '{}' });
  clock.at = RIGHT;
  expect((await claim()).kind).toBe('answered');
});

test('the grace period of a picture that was found unowned in the future starts now', async () => {
  const store = new PostgresHousekeepingStore(database.knex, clock);
  const removed: string[] = [];
  const collect = () =>
    store.collectImages(['/images/a.jpg'], new Date(clock.at - DAY_MS), async (gone) => {
      removed.push(...gone);
    });
  await database.knex('catalog_import_lock').delete();
  clock.at = RIGHT + 62 * DAY_MS;
  await collect();
  clock.at = RIGHT;
  await collect();
  clock.at = RIGHT + DAY_MS + 1;
  await collect();
  expect(removed).toEqual(['/images/a.jpg']);
});
