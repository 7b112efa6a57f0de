import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Knex } from 'knex';
import { identifier, joined, rowsOf, sql } from '../core/sql';
import { readTableText } from '../core/table-text';
import { createEmbeddingsTable } from '../embeddings/embedding-versions';
import { remakeSchema, type SchemaSteps, unknownRelease } from '../migrations/migrate';
import { type DatabaseDump, type DumpedTable, LEFT_OUT } from './dump-database';

/** The rows of each table of a dump, in its order. */
export type DumpedRows = AsyncIterable<{ readonly table: string; readonly rows: Readable }>;

/** Said when a dump can't be put here. */
export class RestoreRefused extends Error {}

const VECTORS = /^embeddings_(\d+)$/;

/**
 * Makes the database what a dump says, under the newest schema. In one transaction: all of it, or nothing has happened.
 * Whoever starts meanwhile waits.
 *
 * @param check refuses by throwing, before anything is changed
 * @param finish the last that is done, with the restored tables
 * @throws RestoreRefused for a dump of a schema that is not known here
 */
export async function loadDatabase(
  knex: Knex,
  steps: SchemaSteps,
  dump: DatabaseDump,
  rows: DumpedRows,
  { check, finish }: Record<'check' | 'finish', (transaction: Knex) => Promise<void>>,
): Promise<void> {
  refuseUnknown(dump, steps);
  await remakeSchema(knex, steps, dump.steps, {
    before: async (transaction) => {
      await check(transaction);
      await emptyTables(transaction, dump);
    },
    fill: (transaction) => fill(transaction, dump, rows),
    after: finish,
  });
  await rowsOf(knex, sql`ANALYZE`);
}

/** That every step of the dump's schema is known here; the order is that of their names. @throws RestoreRefused */
export function refuseUnknown(dump: DatabaseDump, steps: SchemaSteps): void {
  const release = unknownRelease(dump.steps, steps);
  if (release !== null) throw new RestoreRefused(`The backup is ${release} (docs/upgrade.md).`);
}

/** Taking the schema back goes over the rows that there are: without them it takes no time. */
async function emptyTables(transaction: Knex, dump: DatabaseDump): Promise<void> {
  const tables = await rowsOf<{ name: string }>(
    transaction,
    sql`SELECT c.relname AS name FROM pg_class c
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname <> 'embedding_versions'
          AND (c.relname = ANY(${dump.tables.map(({ name }) => name)}::text[]) OR c.relname ~ '^embeddings_[0-9]+$')`,
  );
  for (const { name } of tables) await setTriggers(transaction, name, 'DISABLE');
  const names = joined(
    tables.map(({ name }) => identifier(name)),
    ', ',
  );
  if (tables.length > 0) await rowsOf(transaction, sql`TRUNCATE ${names}`);
  for (const { name } of tables) await setTriggers(transaction, name, 'ENABLE');
}

async function fill(transaction: Knex, dump: DatabaseDump, rows: DumpedRows): Promise<void> {
  const wanted = new Map(dump.tables.map((table) => [table.name, table]));
  for await (const { table: name, rows: text } of rows) {
    const table = wanted.get(name);
    if (!table) throw new Error(`the dump has rows of "${name}" twice, or of a table that it does not know`);
    wanted.delete(name);
    // Earlier backups have more of them.
    if (LEFT_OUT.includes(name)) await finished(text.resume());
    else await fillTable(transaction, table, text);
  }
  if (wanted.size > 0) throw new Error(`the dump lacks the rows of ${[...wanted.keys()].join(', ')}`);
  for (const { table, column, last } of dump.identities) {
    if (VECTORS.test(table)) continue;
    await rowsOf(
      transaction,
      sql`SELECT setval(pg_get_serial_sequence(${table}, ${column}), ${last}::bigint)`,
    );
  }
}

/** What the triggers derive is in the dump as well. */
async function fillTable(transaction: Knex, table: DumpedTable, text: Readable): Promise<void> {
  const { name } = table;
  const version = VECTORS.exec(name)?.[1];
  if (version !== undefined) await createEmbeddingsTable(transaction, Number(version));
  await setTriggers(transaction, name, 'DISABLE');
  // A step may have put rows there.
  await rowsOf(transaction, sql`DELETE FROM ${identifier(name)}`);
  await readTableText(transaction, table, text);
  await setTriggers(transaction, name, 'ENABLE');
}

const setTriggers = (transaction: Knex, table: string, to: 'DISABLE' | 'ENABLE') =>
  rowsOf(
    transaction,
    sql`ALTER TABLE ${identifier(table)} ${to === 'ENABLE' ? sql`ENABLE` : sql`DISABLE`} TRIGGER USER`,
  );
