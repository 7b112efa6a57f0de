import { PostgresAuditLog } from '../../db/accounts/audit-log';
import { inTransaction, rowsOf, sql } from '../../db/core/sql';
import { useDatabase } from '../support/database';

let now = new Date('2026-03-01T12:00:00Z');
const clock = { now: () => now };
const ENTRY = {
  actor: 'ada@host',
  action: 'keys revoke',
  accountId: 'account_a',
  subject: 'key_1',
  details: {},
};
const ALL = { accountId: null, since: null, before: null, limit: 100 };

const database = useDatabase();
let log: PostgresAuditLog;

beforeAll(async () => {
  log = new PostgresAuditLog(database.knex, clock);
});
test('entries are listed newest first, by account, from a time on, and no more than were asked for', async () => {
  await log.append({ ...ENTRY, details: { name: 'shop', limits: { perSecond: null } } });
  now = new Date('2026-03-02T12:00:00Z');
  await log.append({ ...ENTRY, accountId: null, subject: null });
  const [second, first, ...more] = await log.list(ALL);
  expect(more).toEqual([]);
  const details = { name: 'shop', limits: { perSecond: null } };
  expect(first).toEqual({ ...ENTRY, id: expect.any(Number), at: new Date('2026-03-01T12:00:00Z'), details });
  expect(second).toMatchObject({ at: now, accountId: null, subject: null });
  expect(await log.list({ ...ALL, accountId: 'account_a' })).toEqual([first]);
  expect(await log.list({ ...ALL, since: now })).toEqual([second]);
  expect(await log.list({ ...ALL, limit: 1 })).toEqual([second]);
});

test.each([
  ['changed', sql`UPDATE audit_log SET actor = 'nobody'`],
  ['deleted', sql`DELETE FROM audit_log`],
  ['truncated', sql`TRUNCATE audit_log`],
])('what stands in the log can not be %s', async (_how, statement) => {
  await log.append(ENTRY);
  const before = await log.list(ALL);
  await expect(rowsOf(database.knex, statement)).rejects.toThrow('only ever added to');
  expect(await log.list(ALL)).toEqual(before);
});

// contract 14.8
test('an entry goes with the transaction of its action', async () => {
  const before = await log.list(ALL);
  const failing = inTransaction(database.knex, async (transaction) => {
    await new PostgresAuditLog(transaction, clock).append(ENTRY);
    throw new Error('the action fails');
  });
  await expect(failing).rejects.toThrow('the action fails');
  expect(await log.list(ALL)).toEqual(before);
});
