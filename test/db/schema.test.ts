import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PostgresAuditLog } from '../../db/core/audit-log';
import { inTransaction, rowsOf, Sql, sql } from '../../db/core/sql';
import { migrations } from '../../db/migrations';
import { describeSchema } from '../../db/migrations/describe-schema';
import { migrate, migrateDown } from '../../db/migrations/migrate';
import { useDatabase } from '../support/database';

const database = useDatabase();

test('a statement that fails is named by its text, without its values', async () => {
  const failing = rowsOf(database.knex)`SELECT 1 / ${0}::integer, ${'a secret'}::text`;
  await expect(failing).rejects.toThrow(/^SELECT 1 \/ \?::integer, \?::text - division by zero$/);
});

const clock = { now: () => new Date('2026-03-01T12:00:00Z') };
const ENTRY = { actor: 'ada@host', action: 'keys revoke', accountId: 'a', subject: 'key_1', details: {} };
const ALL = { accountId: null, since: null, before: null, limit: 100 };
const entries = () => new PostgresAuditLog(database.knex, clock).list(ALL);

// contract 14.8
test('the audit log can only ever be added to, and an entry is rolled back with its action', async () => {
  await new PostgresAuditLog(database.knex, clock).append(ENTRY);
  const before = await entries();
  expect(before).toHaveLength(1);
  for (const attempt of ["UPDATE audit_log SET actor = ''", 'DELETE FROM audit_log', 'TRUNCATE audit_log'])
    await expect(rowsOf(database.knex, new Sql(attempt, []))).rejects.toThrow('only ever added to');
  const failing = inTransaction(database.knex, async (transaction) => {
    await new PostgresAuditLog(transaction, clock).append(ENTRY);
    throw new Error('the action fails');
  });
  await expect(failing).rejects.toThrow('the action fails');
  expect(await entries()).toEqual(before);
});

describe('the schema', () => {
  const shown = readFileSync(join(__dirname, '../../db/schema.sql'), 'utf8');

  // contract 5.8
  test('keeps the pending list of each GIN index short, which every look-up reads whole', async () => {
    const long = sql`SELECT c.relname FROM pg_class c JOIN pg_am ON pg_am.oid = c.relam
      WHERE amname = 'gin' AND c.relkind = 'i' AND 'gin_pending_list_limit=64' <> ALL (coalesce(c.reloptions, '{}'))`;
    expect(await rowsOf(database.knex, long)).toEqual([]);
  });

  test('can be migrated down step by step, and up again', async () => {
    const names = Object.keys(migrations);
    expect((await migrateDown(database.knex, migrations)).sort()).toEqual(names);
    const left = sql`SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'schema_%'`;
    expect(await rowsOf(database.knex, left)).toEqual([]);
    expect(await migrate(database.knex, migrations)).toEqual(names);
  });

  test('from a commit between 0.1.0 and the first version is refused', async () => {
    const [first = ''] = Object.keys(migrations);
    const older = inTransaction(database.knex, async (transaction) => {
      await transaction('schema_migrations').whereNot({ name: first }).delete();
      await transaction.schema.dropTable('search_snapshot_columns');
      await migrate(transaction, migrations);
    });
    await expect(older).rejects.toThrow('made by a commit between 0.1.0 and this release');
  });

  test('is what db/schema.sql shows (`npm run db:schema` writes it), and can be created from it alone', async () => {
    expect(await describeSchema(database.knex)).toBe(shown);
    await migrateDown(database.knex, migrations);
    await database.knex.raw(shown);
  });
});
