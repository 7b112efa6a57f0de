import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PostgresAuditLog } from '../../db/accounts/audit-log';
import { PostgresCatalogRepository } from '../../db/catalog/catalog-repository';
import { connectPostgres } from '../../db/core/knex';
import { inTransaction, rowsOf, sql } from '../../db/core/sql';
import { migrations } from '../../db/migrations';
import { describeSchema } from '../../db/migrations/describe-schema';
import { migrate, migrateDown } from '../../db/migrations/migrate';
import { testDatabase, useDatabase } from '../support/database';

describe('the schema', () => {
  const database = useDatabase();

  test('can be migrated down step by step, and up again', async () => {
    const names = Object.keys(migrations);
    expect((await migrateDown(database.knex, migrations)).sort()).toEqual(names);
    const left = sql`SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'schema_%'`;
    expect(await rowsOf(database.knex, left)).toEqual([]);
    expect(await migrate(database.knex, migrations)).toEqual(names);
  });

  test('is what db/schema.sql shows (`npm run db:schema` writes it)', async () => {
    const shown = readFileSync(join(__dirname, '../../db/schema.sql'), 'utf8');
    expect(await describeSchema(database.knex)).toBe(shown);
  });

  test('can be made from db/schema.sql alone', async () => {
    await migrateDown(database.knex, migrations);
    await database.knex.raw(readFileSync(join(__dirname, '../../db/schema.sql'), 'utf8'));
  });
});

test('a statement that fails is named by its text, without its values', async () => {
  const database = await testDatabase();
  const failing = rowsOf(database.knex, sql`SELECT 1 / ${0}::integer, ${'a secret'}::text`);
  await expect(failing).rejects.toThrow(/^SELECT 1 \/ \?::integer, \?::text - division by zero$/);
  await database.close();
});

test('a database that is away is a 503', async () => {
  const away = connectPostgres({ url: 'postgresql://nobody@127.0.0.1:1/nothing', acquireMs: 5_000 });
  try {
    const catalog = new PostgresCatalogRepository(away.knex);
    await expect(catalog.tags()).rejects.toMatchObject({ status: 503, code: 'unavailable' });
  } finally {
    await away.close();
  }
});

describe('the audit log', () => {
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
});
