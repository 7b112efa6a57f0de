import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Knex } from 'knex';
import { readTableText, tableText } from '../core/copy-rows';
import { disableTimeout, identifier, inTransaction, joined, rowsOf, Sql } from '../core/sql';
import { createEmbeddingsTable } from '../embeddings/embedding-versions';
import { SQUASHED } from '../migrations';
import * as migrate from '../migrations/migrate';

/** A database as of one moment, without its rows. */
export interface DatabaseDump {
  /** Names of the migrations of its schema, in order. */
  steps: string[];
  /** In an order in which they can be filled; the rows are in the text format of COPY, with these columns. */
  tables: { name: string; columns: string[] }[];
  /** Identity columns, and the last number that each gave out. */
  identities: { table: string; column: string; last: number }[];
}

/** Tables that describe only this database: processes, migrations, and the search snapshot, which a service rebuilds. */
const EXCLUDED_TABLES: readonly string[] = [
  'catalog_import_lock',
  'catalog_search_changes',
  'embedding_readiness',
  'schema_migrations',
  'schema_migrations_lock',
  'search_snapshot_bitmaps',
  'search_snapshot_columns',
  'search_snapshot_facets',
  'search_snapshots',
  'service_processes',
];

/** Writes the rows of all tables as they are at one moment, while others read and write. @param write gets those of a table */
export function dumpDatabase(
  knex: Knex,
  write: (table: string, rows: Readable) => Promise<void>,
): Promise<DatabaseDump> {
  return inTransaction(knex, async (transaction) => {
    await rowsOf(transaction)`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`;
    await disableTimeout(transaction);
    const tables = await tablesOf(transaction);
    // Until the end none of them may be dropped or emptied: a snapshot does not prevent that.
    const names = tables.map(({ name }) => identifier(name));
    await rowsOf(transaction)`LOCK TABLE ${joined(names, ', ')} IN ACCESS SHARE MODE`;
    for (const table of tables) await write(table.name, await tableText(transaction, table));
    const steps = await migrate.appliedSteps(transaction);
    return { steps, tables, identities: await identitiesOf(transaction) };
  });
}

/** Tables of a version's vectors come last: they are created once the versions are known. */
async function tablesOf(transaction: Knex): Promise<DatabaseDump['tables']> {
  const rows = await rowsOf<DatabaseDump['tables'][number] & { parents: readonly string[] }>(transaction)`
    SELECT c.relname AS name,
      ARRAY(SELECT a.attname::text FROM pg_attribute a
            WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
              AND a.atttypid <> 'xid8'::regtype
            ORDER BY a.attnum) AS columns,
      ARRAY(SELECT DISTINCT parent.relname::text FROM pg_constraint f JOIN pg_class parent ON parent.oid = f.confrelid
            WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> f.conrelid) AS parents
    FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relpersistence = 'p'
      AND c.relname <> ALL(${EXCLUDED_TABLES}::text[])
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
    ORDER BY c.relname ~ '^embeddings_[0-9]+$', c.relname COLLATE "C"`;
  const waiting = new Map(rows.map((row) => [row.name, row]));
  const ordered: DatabaseDump['tables'] = [];
  while (waiting.size > 0) {
    const ready = [...waiting.values()].find(({ parents }) => !parents.some((parent) => waiting.has(parent)));
    if (!ready) throw new Error(`the tables ${[...waiting.keys()].join(', ')} name each other in a circle`);
    waiting.delete(ready.name);
    ordered.push({ name: ready.name, columns: ready.columns });
  }
  return ordered;
}

function identitiesOf(transaction: Knex): Promise<DatabaseDump['identities']> {
  return rowsOf<DatabaseDump['identities'][number]>(transaction)`
    SELECT c.relname AS table, a.attname AS column, s.last_value AS last
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attidentity <> ''
    JOIN pg_depend d ON d.refobjid = c.oid AND d.refobjsubid = a.attnum AND d.deptype = 'i'
    JOIN pg_class q ON q.oid = d.objid AND q.relkind = 'S'
    JOIN pg_sequences s ON s.schemaname = current_schema() AND s.sequencename = q.relname
    WHERE c.relnamespace = current_schema()::regnamespace AND s.last_value IS NOT NULL
    ORDER BY c.relname, a.attname`;
}

/** The rows of each table of a dump, in its order. */
export type DumpedRows = AsyncIterable<{ readonly table: string; readonly rows: Readable }>;

export class RestoreRefused extends Error {}

const VECTORS = /^embeddings_(\d+)$/;

/**
 * Restores a dump under the newest schema, in one transaction, for which starting processes wait.
 * @param check may throw before anything is changed @param finish runs last, with the restored tables
 * @throws RestoreRefused for a dump of an unknown schema
 */
export async function loadDatabase(
  knex: Knex,
  steps: migrate.SchemaSteps,
  dump: DatabaseDump,
  rows: DumpedRows,
  { check, finish }: Record<'check' | 'finish', (transaction: Knex) => Promise<void>>,
): Promise<void> {
  refuseUnknown(dump, steps);
  await migrate.underLock(knex, async (transaction) => {
    await migrate.assertNotNewer(transaction, steps);
    await migrate.up(transaction, steps);
    await check(transaction);
    await emptyTables(transaction, dump);
    await migrate.down(transaction, steps);
    const older = Object.entries(steps).filter(([name]) => dump.steps.includes(name));
    await migrate.up(transaction, Object.fromEntries(older));
    await fill(transaction, dump, rows);
    await migrate.up(transaction, steps);
    await finish(transaction);
  });
  await rowsOf(knex)`ANALYZE`;
}

/** @throws RestoreRefused for a dump with an unknown migration, or without one that the first version now includes */
export function refuseUnknown(dump: DatabaseDump, steps: migrate.SchemaSteps): void {
  const release = migrate.unknownRelease(dump.steps, steps);
  if (release !== null) throw new RestoreRefused(`The backup is ${release} (docs/upgrade.md).`);
  if (SQUASHED.every((name) => dump.steps.includes(name))) return;
  throw new RestoreRefused(
    'The backup was made by a commit between 0.1.0 and this release: import again (docs/upgrade.md).',
  );
}

/** Empties the tables before the migrations are reverted, which visits every row. */
async function emptyTables(transaction: Knex, dump: DatabaseDump): Promise<void> {
  const tables = await rowsOf<{ name: string }>(transaction)`SELECT c.relname AS name FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname <> 'embedding_versions'
      AND (c.relname = ANY(${dump.tables.map(({ name }) => name)}::text[]) OR c.relname ~ '^embeddings_[0-9]+$')`;
  for (const { name } of tables) await setTriggers(transaction, name, 'DISABLE');
  const names = tables.map(({ name }) => identifier(name));
  if (names.length > 0) await rowsOf(transaction)`TRUNCATE ${joined(names, ', ')}`;
  for (const { name } of tables) await setTriggers(transaction, name, 'ENABLE');
}

async function fill(transaction: Knex, dump: DatabaseDump, rows: DumpedRows): Promise<void> {
  const wanted = new Map(dump.tables.map((table) => [table.name, table]));
  for await (const { table: name, rows: text } of rows) {
    const table = wanted.get(name);
    if (!table) throw new Error(`the dump has rows of "${name}" twice, or of a table that it does not know`);
    wanted.delete(name);
    // Earlier backups have more of them.
    if (EXCLUDED_TABLES.includes(name)) await finished(text.resume());
    else await fillTable(transaction, table, text);
  }
  if (wanted.size > 0) throw new Error(`the dump lacks the rows of ${[...wanted.keys()].join(', ')}`);
  for (const { table, column, last } of dump.identities) {
    if (VECTORS.test(table)) continue;
    await rowsOf(transaction)`SELECT setval(pg_get_serial_sequence(${table}, ${column}), ${last}::bigint)`;
  }
}

/** Fills a table with triggers off: the dump also has the rows that they derive. */
async function fillTable(
  transaction: Knex,
  table: DatabaseDump['tables'][number],
  text: Readable,
): Promise<void> {
  const { name } = table;
  const version = VECTORS.exec(name)?.[1];
  if (version !== undefined) await createEmbeddingsTable(transaction, Number(version));
  await setTriggers(transaction, name, 'DISABLE');
  // A migration may have inserted some.
  await rowsOf(transaction)`DELETE FROM ${identifier(name)}`;
  await readTableText(transaction, table, text);
  await setTriggers(transaction, name, 'ENABLE');
}

const setTriggers = (transaction: Knex, table: string, to: 'DISABLE' | 'ENABLE') =>
  rowsOf(transaction)`ALTER TABLE ${identifier(table)} ${new Sql(to)} TRIGGER USER`;
