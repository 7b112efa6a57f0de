import { PostgresAuditLog } from '../../db/accounts/audit-log';
import { inTransaction, rowsOf, sql } from '../../db/core/sql';
import { useDatabase } from '../support/database';

const clock = { now: () => new Date('2026-03-01T12:00:00Z') };
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
test.each([
  ['changed', sql`UPDATE audit_log SET actor = 'nobody'`],
  ['deleted', sql`DELETE FROM audit_log`],
  ['truncated', sql`TRUNCATE audit_log`],
])('log entries can not be %s', async (_how, statement) => {
  await log.append(ENTRY);
  const before = await log.list(ALL);
  await expect(rowsOf(database.knex, statement)).rejects.toThrow('only ever added to');
  expect(await log.list(ALL)).toEqual(before);
});

// contract 14.8
test('an entry is rolled back with its action', async () => {
  const before = await log.list(ALL);
  const failing = inTransaction(database.knex, async (transaction) => {
    await new PostgresAuditLog(transaction, clock).append(ENTRY);
    throw new Error('the action fails');
  });
  await expect(failing).rejects.toThrow('the action fails');
  expect(await log.list(ALL)).toEqual(before);
});
