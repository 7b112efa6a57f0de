import type { Knex } from 'knex';
import { copyRows, type WrittenTable } from './copy-rows';
import { identifier, joined, rowsOf, Sql, sql } from './sql';

/** Rows that are about to be written: those whose keys the table has, which are staged, and the others. */
export interface Prepared<Row extends object> {
  readonly table: WrittenTable;
  readonly known: readonly Row[];
  readonly fresh: readonly Row[];
}

/** Of rows with one key the last wins. `write` copies new ones straight into the table: a third of an INSERT's cost. */
export async function prepare<Row extends object>(
  trx: Knex,
  table: WrittenTable,
  given: readonly Row[],
): Promise<Prepared<Row>> {
  // Ids, regions, dates and addresses hold no space.
  const keyOf = (row: Row) => table.key.map((column) => text(row, column)).join(' ');
  const rows = [...new Map(given.map((row) => [keyOf(row), row])).values()];
  const positions = await knownPositions(trx, table, rows);
  const known = rows.filter((_, position) => positions.has(position));
  if (known.length > 0) await stage(trx, table, known);
  return { table, known, fresh: rows.filter((_, position) => !positions.has(position)) };
}

async function knownPositions(
  trx: Knex,
  { name, key, columns }: WrittenTable,
  rows: readonly object[],
): Promise<ReadonlySet<number>> {
  if (rows.length === 0) return new Set();
  const keys = key.map((column) => {
    const type = new Sql(`${columns[column]}[]`);
    return sql`${rows.map((row) => text(row, column))}::${type}`;
  });
  const names = joined(key.map(identifier), ', ');
  // OFFSET 0: one look-up by key for each row, where a join would read the whole table.
  const found = await rowsOf<{ position: number }>(trx)`
    SELECT position FROM unnest(${joined(keys, ', ')}) WITH ORDINALITY AS given (${names}, position)
    WHERE EXISTS (SELECT FROM ${identifier(name)} AS old
      WHERE (${columnsOf('old', key)}) = (${columnsOf('given', key)}) OFFSET 0)`;
  return new Set(found.map(({ position }) => position - 1));
}

const columnsOf = (table: string, columns: readonly string[]): Sql =>
  joined(
    columns.map((column) => sql`${identifier(table)}.${identifier(column)}`),
    ', ',
  );

const text = (row: object, column: string): string => (row as Readonly<Record<string, string>>)[column] ?? '';

/** Writes what was prepared; equal rows are not touched. */
export async function write(trx: Knex, { table, known, fresh }: Prepared<object>): Promise<void> {
  await copyRows(trx, table, fresh);
  if (known.length > 0) await upsertStaged(trx, table);
}

/** Inserts rows, or replaces those that have their keys, as `write` does. */
export async function upsert(trx: Knex, table: WrittenTable, rows: readonly object[]): Promise<void> {
  await write(trx, await prepare(trx, table, rows));
}

/** Copies rows into a temporary table like this one, for the statements of this transaction. They stay until the next call, as ON COMMIT DELETE ROWS would truncate every such table at each commit. */
export async function stage(trx: Knex, table: WrittenTable, rows: readonly object[]): Promise<void> {
  const staged = `staged_${table.name}`;
  await rowsOf(trx)`CREATE TEMPORARY TABLE IF NOT EXISTS ${identifier(staged)}
    (LIKE ${identifier(table.name)} INCLUDING DEFAULTS INCLUDING INDEXES)`;
  await rowsOf(trx)`TRUNCATE ${identifier(staged)}`;
  await copyRows(trx, { ...table, name: staged }, rows);
}

/** Equal rows are not touched. Resolves to the first key column of each row that changed. */
export async function upsertStaged(
  trx: Knex,
  { name, key, columns, dated }: WrittenTable,
): Promise<string[]> {
  const all = Object.keys(columns);
  const rest = all.filter((column) => !key.includes(column));
  const set = rest.map((column) => sql`${identifier(column)} = excluded.${identifier(column)}`);
  if (dated) set.push(sql`updated_at = now()`);
  const names = (of: readonly string[]) => joined(of.map(identifier), ', ');
  const changed = await rowsOf<{ key: string }>(trx)`INSERT INTO ${identifier(name)} AS old (${names(all)})
    SELECT ${names(all)} FROM ${identifier(`staged_${name}`)} AS given
    WHERE NOT EXISTS (
      SELECT FROM ${identifier(name)} AS same WHERE (${columnsOf('same', key)}) = (${columnsOf('given', key)})
        AND (${columnsOf('same', rest)}) IS NOT DISTINCT FROM (${columnsOf('given', rest)}) OFFSET 0)
    ON CONFLICT (${names(key)}) DO UPDATE SET ${joined(set, ', ')}
    RETURNING old.${names(key.slice(0, 1))} AS key`;
  return changed.map((row) => row.key);
}
