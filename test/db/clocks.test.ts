import fc from 'fast-check';
import { isImportAlive } from '../../db/catalog/import/record-store';
import { isPast } from '../../db/core/shared-clauses';
import { rowsOf, sql } from '../../db/core/sql';
import { RESERVATION_MS } from '../../models/access/billing';
import { pauseAfter } from '../../models/retries';
import * as stores from './stores';

/** contract 14.18: times written by a clock that was ahead are void once the clock is right again. */

const { clock, database, here, owner: newOwner } = stores.useTwoProcesses();
const LEASE_MS = 30_000;

/** A write of a time, whether that time has come, and how far ahead of the clock it is. */
type Case = [what: string, write: () => Promise<unknown>, isPast: () => Promise<boolean>, aheadMs: number];

/** From the last `write` that needs one. */
let owner: stores.Owner;
const ofOwner =
  (work: () => Promise<unknown>, credits: number | null = null) =>
  async () => {
    owner = await newOwner(credits);
    await work();
  };
const addJob = async () => here().jobs.add(stores.jobOf(await newOwner()), 10);
const beginEntry = () => here().jobs.begin(stores.MINUTE_MS);
const isBegun = async () => (await beginEntry()) !== null;
const postponeEntry = async () => {
  await addJob();
  const entry = await beginEntry();
  if (entry) await here().jobs.postpone(entry, clock.in(pauseAfter(35)));
};
const addMessage = async () => {
  await stores.addWebhook(here(), await newOwner());
  await stores.sendDrift(here());
};
const beginMessage = () => here().webhooks.begin(LEASE_MS);
const isTaken = async () => (await beginMessage()) !== null;
const failMessage = async () => {
  await addMessage();
  const message = await beginMessage();
  const again = clock.in(pauseAfter(35));
  const next = { message: again, endpoint: again, dropBefore: new Date(0) };
  if (message) await here().webhooks.failed(message, 'no', next);
};
const claim = () => here().housekeeping.claim('housekeeping', stores.HOUR_MS);
const claimCall = () =>
  here().idempotency.claim(
    { accountId: owner.accountId, key: 'k', fingerprint: Buffer.alloc(32) },
    clock.in(stores.MINUTE_MS),
    clock.in(366 * stores.DAY_MS),
  );
const isGranted = async () => (await claimCall()).kind === 'granted';
const reserve = () => {
  const charge = { ...owner, chargeId: crypto.randomUUID(), endpoint: '', requestId: '' };
  return here().ledger.reserve(charge, 10, clock.in(RESERVATION_MS));
};
const countTestCall = () => here().accounts.countTestCalls(owner.keyId, 1, 1);

afterEach(async () => {
  await database.knex('vision_jobs').delete();
  await database.knex('webhook_endpoints').delete();
});

describe.each<Case>([
  ['a claim of housekeeping', claim, claim, stores.HOUR_MS],
  ['a job', addJob, isBegun, 0],
  ['the lease of an entry', () => addJob().then(isBegun), isBegun, stores.MINUTE_MS],
  ['the next try of an entry', postponeEntry, isBegun, stores.HOUR_MS],
  ['a message', addMessage, isTaken, 0],
  ['the lease of an address', () => addMessage().then(isTaken), isTaken, LEASE_MS],
  ['the next try of a message', failMessage, isTaken, stores.HOUR_MS],
  ['the lease of a call that names itself', ofOwner(claimCall), isGranted, stores.MINUTE_MS],
  ['a reservation', ofOwner(reserve, 10), reserve, RESERVATION_MS],
  ['the month of test calls', ofOwner(countTestCall), countTestCall, 31 * stores.DAY_MS],
])('%s', (_what, write, hasComeNow, aheadMs) => {
  test.each([62, 3_650])('written by a clock that was %i days ahead is void', async (days) => {
    clock.at += days * stores.DAY_MS;
    await write();
    clock.at = stores.NOON;
    expect(await hasComeNow()).toBe(true);
  });

  test('written by a clock that is slightly ahead is accepted', async () => {
    clock.at += 5_000;
    await write();
    clock.at = stores.NOON;
    expect(await hasComeNow()).toBe(false);
    clock.at += 5_000 + aheadMs;
    expect(await hasComeNow()).toBe(true);
  });
});

test('a time has come when it has passed or is more than a minute further ahead than it can be', async () => {
  const pick = fc.record({
    ms: fc.integer({ min: -stores.DAY_MS, max: stores.DAY_MS }),
    most: fc.nat(2 * stores.HOUR_MS),
  });
  await fc.assert(
    fc.asyncProperty(pick, async ({ ms, most }) => {
      const time = sql`${clock.in(ms)}::timestamptz`;
      const [line] = await rowsOf(database.knex)`SELECT ${isPast(time, clock.now(), most)} AS come`;
      expect(line).toEqual({ come: ms <= 0 || ms > most + stores.MINUTE_MS });
    }),
    { numRuns: 60 },
  );
});

// By the clock of the database.
test('an import whose heartbeat lies in the future counts as dead', async () => {
  const beats = (ahead: string) =>
    rowsOf(database.knex)`INSERT INTO catalog_import_lock (holder, host, process_id, heartbeat_at)
      VALUES ('other', 'another host', 1, clock_timestamp() + ${ahead}::interval)
      ON CONFLICT (only_one) DO UPDATE SET heartbeat_at = excluded.heartbeat_at`;
  await beats('1 second');
  expect(await isImportAlive(database.knex)).toBe(true);
  await beats('1 day');
  expect(await isImportAlive(database.knex)).toBe(false);
  await database.knex('catalog_import_lock').delete();
});

// contract 10.5: if it were made again, it would be charged again.
test('an answer kept by a clock that was ahead is still replayed', async () => {
  clock.at += 62 * stores.DAY_MS;
  await ofOwner(claimCall)();
  await database.knex('idempotent_calls').where({ account_id: owner.accountId }).update({ answer: '{}' });
  clock.at = stores.NOON;
  expect((await claimCall()).kind).toBe('answered');
});

test('the grace period of a picture that was found unowned in the future starts now', async () => {
  const removed: string[] = [];
  const collect = () =>
    here().housekeeping.collectImages(['/images/a.jpg'], clock.in(-stores.DAY_MS), async (gone) => {
      removed.push(...gone);
    });
  for (const ms of [62 * stores.DAY_MS, 0, stores.DAY_MS + 1]) {
    expect(removed).toEqual([]);
    clock.at = stores.NOON;
    clock.at += ms;
    await collect();
  }
  expect(removed).toEqual(['/images/a.jpg']);
});
