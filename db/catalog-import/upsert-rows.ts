import type { Knex } from 'knex';
import { rowsOf, Sql } from '../sql';
import type { ColumnType } from './copy-value';
import type { WrittenTable } from './written-table';

/**
 * Inserts rows, or replaces those of the same key, as one statement whatever their number; rows that are the same
 * already are not touched. Keys must not repeat. Resolves to the values of `returning` of the rows that changed.
 */
export async function upsertRows(
  trx: Knex,
  table: WrittenTable,
  rows: readonly object[],
  returning: string,
): Promise<string[]> {
  if (rows.length === 0) return [];
  const changed = await rowsOf<{ value: string }>(
    trx,
    new Sql(upsertStatement(table, returning), [JSON.stringify(rows)]),
  );
  return changed.map((row) => row.value);
}

function upsertStatement({ name, key, columns, dated }: WrittenTable, returning: string): string {
  const all = Object.keys(columns);
  const rest = all.filter((column) => !key.includes(column));
  const given = (column: string): string => givenValue(column, columns[column]);
  const set = rest.map((column) => `"${column}" = excluded."${column}"`);
  if (dated) set.push('updated_at = now()');
  const list = (names: readonly string[], one: (column: string) => string) => names.map(one).join(', ');
  // OFFSET 0 keeps it a look-up by key: joined, a few thousand keys are taken for a reason to read the whole table.
  return `
    INSERT INTO ${name} AS old (${list(all, quoted)})
    SELECT ${list(all, given)} FROM json_to_recordset(?::json) AS given (${list(all, (column) => `"${column}" ${givenType(columns[column])}`)})
    WHERE NOT EXISTS (
      SELECT FROM ${name} AS same WHERE (${list(key, (column) => `same."${column}"`)}) = (${list(key, given)})
        AND (${list(rest, (column) => `same."${column}"`)}) IS NOT DISTINCT FROM (${list(rest, given)}) OFFSET 0)
    ON CONFLICT (${list(key, quoted)}) DO UPDATE SET ${set.join(', ')}
    RETURNING old."${returning}" AS value`;
}

const quoted = (column: string): string => `"${column}"`;

/** JSON has lists of words, and no tsvector. */
const givenType = (type: ColumnType | undefined): string =>
  type === 'tsvector' ? 'text[]' : (type ?? 'text');

const givenValue = (column: string, type: ColumnType | undefined): string =>
  type === 'tsvector' ? `array_to_tsvector(given."${column}")` : `given."${column}"`;
