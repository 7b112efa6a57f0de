import type { Knex } from 'knex';
import { copyRows } from './copy-rows';
import { identifier, rowsOf, Sql, sql } from './sql';
import { quotedNames, type WrittenTable } from './written-table';

/** What is staged for a table in this transaction. */
export const staged = ({ name }: WrittenTable): Sql => identifier(`staged_${name}`);

/**
 * Puts rows beside a table, into a temporary one of the same columns and indexes, for the statements of this
 * transaction: COPY is how the database takes many rows with the least work.
 */
export async function stage(trx: Knex, table: WrittenTable, rows: readonly object[]): Promise<void> {
  const { name } = table;
  await rowsOf(
    trx,
    sql`CREATE TEMPORARY TABLE IF NOT EXISTS ${staged(table)}
        (LIKE ${identifier(name)} INCLUDING DEFAULTS INCLUDING INDEXES) ON COMMIT DELETE ROWS`,
  );
  await rowsOf(trx, sql`DELETE FROM ${staged(table)}`);
  await copyRows(trx, { ...table, name: `staged_${name}` }, rows);
}

/**
 * Inserts what is staged, or replaces what has its keys; rows that are the same already are not touched. Resolves to
 * the first column of the key of each row that changed.
 */
export async function upsertStaged(trx: Knex, table: WrittenTable): Promise<string[]> {
  const changed = await rowsOf<{ key: string }>(trx, new Sql(upsertStatement(table)));
  return changed.map(({ key }) => key);
}

/** Inserts rows, or replaces what has their keys. */
export async function upsert(trx: Knex, table: WrittenTable, rows: readonly object[]): Promise<void> {
  await stage(trx, table, rows);
  await upsertStaged(trx, table);
}

function upsertStatement({ name, key, columns, dated }: WrittenTable): string {
  const all = quotedNames(columns);
  const keys = key.map((column) => `"${column}"`);
  const rest = all.filter((column) => !keys.includes(column));
  const set = rest.map((column) => `${column} = excluded.${column}`);
  if (dated) set.push('updated_at = now()');
  const of = (table: string, names: readonly string[]) => names.map((each) => `${table}.${each}`).join(', ');
  // OFFSET 0 keeps it a look-up by key: joined, a few thousand keys are taken for a reason to read the whole table.
  return `
    INSERT INTO ${name} AS old (${all.join(', ')})
    SELECT ${all.join(', ')} FROM staged_${name} AS given
    WHERE NOT EXISTS (
      SELECT FROM ${name} AS same WHERE (${of('same', keys)}) = (${of('given', keys)})
        AND (${of('same', rest)}) IS NOT DISTINCT FROM (${of('given', rest)}) OFFSET 0)
    ON CONFLICT (${keys.join(', ')}) DO UPDATE SET ${set.join(', ')}
    RETURNING old.${keys[0]} AS key`;
}
