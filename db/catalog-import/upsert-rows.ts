import type { Knex } from 'knex';
import { rowsOf, Sql } from '../sql';

/** A table that records are written to: its columns with their types, and which of them are the key. */
export interface SourceTable {
  readonly name: string;
  readonly key: readonly string[];
  readonly columns: Readonly<Record<string, string>>;
  /** Whether it has `updated_at`, the time of the last change. */
  readonly dated: boolean;
}

/**
 * Inserts rows, or replaces those of the same key, as one statement whatever their number; rows that are the same
 * already are left alone. Keys must not repeat. Resolves to the values of `returning` of the rows that changed.
 */
export async function upsertRows(
  trx: Knex,
  table: SourceTable,
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

function upsertStatement({ name, key, columns, dated }: SourceTable, returning: string): string {
  const all = Object.keys(columns).map(quoted);
  const rest = Object.keys(columns)
    .filter((column) => !key.includes(column))
    .map(quoted);
  const set = rest.map((column) => `${column} = excluded.${column}`);
  if (dated) set.push('updated_at = now()');
  const shape = Object.entries(columns).map(([column, type]) => `${quoted(column)} ${type}`);
  return `
    INSERT INTO ${name} AS old (${all.join(', ')})
    SELECT ${all.join(', ')} FROM jsonb_to_recordset(?::jsonb) AS given (${shape.join(', ')})
    ON CONFLICT (${key.map(quoted).join(', ')}) DO UPDATE SET ${set.join(', ')}
    WHERE (${rest.map((column) => `old.${column}`).join(', ')})
      IS DISTINCT FROM (${rest.map((column) => `excluded.${column}`).join(', ')})
    RETURNING old.${quoted(returning)} AS value`;
}

const quoted = (column: string): string => `"${column}"`;
