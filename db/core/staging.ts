import type { Knex } from 'knex';
import { arrayLiteral, type ColumnType, copyRows, quotedNames, type WrittenTable } from './copy-rows';
import { identifier, joined, rowsOf, Sql, sql } from './sql';

/** Rows that are about to be written: those whose keys the table has, which are staged, and the others. */
export interface Prepared<Row extends object> {
  readonly table: WrittenTable;
  readonly known: readonly Row[];
  readonly fresh: readonly Row[];
}

/**
 * Looks which keys the table has, and stages those rows. The others need no comparison: `write` copies them straight
 * into the table, which costs the database a third of an INSERT.
 */
export async function prepare<Row extends object>(
  trx: Knex,
  table: WrittenTable,
  rows: readonly Row[],
): Promise<Prepared<Row>> {
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
  const keys = key.map(
    (column) => sql`${arrayLiteral(rows.map((row) => text(row, column)))}::${arrayOf(columns[column])}`,
  );
  const names = key.map(identifier);
  const of = (table: Sql) =>
    joined(
      names.map((each) => sql`${table}.${each}`),
      ', ',
    );
  // OFFSET 0: one look-up by key for each row, where a join would read the whole table.
  const found = await rowsOf<{ position: number }>(
    trx,
    sql`SELECT position FROM unnest(${joined(keys, ', ')}) WITH ORDINALITY AS given (${joined(names, ', ')}, position)
        WHERE EXISTS (
          SELECT FROM ${identifier(name)} AS old WHERE (${of(sql`old`)}) = (${of(sql`given`)}) OFFSET 0)`,
  );
  return new Set(found.map(({ position }) => position - 1));
}

/** Writes what was prepared; equal rows are not touched. Resolves to the first key column of each row that changed. */
export async function write(trx: Knex, { table, known, fresh }: Prepared<object>): Promise<string[]> {
  await copyRows(trx, table, fresh);
  const replaced = known.length > 0 ? await upsertStaged(trx, table) : [];
  return [...fresh.map((row) => text(row, table.key[0] ?? '')), ...replaced];
}

/** Inserts rows, or replaces those that have their keys, as `write` does. */
export async function upsert(trx: Knex, table: WrittenTable, rows: readonly object[]): Promise<string[]> {
  return await write(trx, await prepare(trx, table, rows));
}

const text = (row: object, column: string): string => (row as Readonly<Record<string, string>>)[column] ?? '';
const arrayOf = (type: ColumnType = 'text'): Sql => new Sql(`${type}[]`);

/** Copies rows into a temporary table like this one, for the statements of this transaction. */
export async function stage(trx: Knex, table: WrittenTable, rows: readonly object[]): Promise<void> {
  const staged = `staged_${table.name}`;
  await rowsOf(
    trx,
    sql`CREATE TEMPORARY TABLE IF NOT EXISTS ${identifier(staged)}
        (LIKE ${identifier(table.name)} INCLUDING DEFAULTS INCLUDING INDEXES) ON COMMIT DELETE ROWS`,
  );
  await rowsOf(trx, sql`DELETE FROM ${identifier(staged)}`);
  await copyRows(trx, { ...table, name: staged }, rows);
}

/**
 * Inserts what is staged, or replaces the rows that have its keys; equal rows are not touched. Resolves to the first
 * key column of each row that changed.
 */
export async function upsertStaged(trx: Knex, table: WrittenTable): Promise<string[]> {
  const changed = await rowsOf<{ key: string }>(trx, new Sql(upsertStatement(table)));
  return changed.map(({ key }) => key);
}

function upsertStatement({ name, key, columns, dated }: WrittenTable): string {
  const all = quotedNames(columns);
  const keys = key.map((column) => `"${column}"`);
  const rest = all.filter((column) => !keys.includes(column));
  const set = rest.map((column) => `${column} = excluded.${column}`);
  if (dated) set.push('updated_at = now()');
  const of = (table: string, names: readonly string[]) => names.map((each) => `${table}.${each}`).join(', ');
  // OFFSET 0 as in `partition`.
  return `
    INSERT INTO ${name} AS old (${all.join(', ')})
    SELECT ${all.join(', ')} FROM staged_${name} AS given
    WHERE NOT EXISTS (
      SELECT FROM ${name} AS same WHERE (${of('same', keys)}) = (${of('given', keys)})
        AND (${of('same', rest)}) IS NOT DISTINCT FROM (${of('given', rest)}) OFFSET 0)
    ON CONFLICT (${keys.join(', ')}) DO UPDATE SET ${set.join(', ')}
    RETURNING old.${keys[0]} AS key`;
}
