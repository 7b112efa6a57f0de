import type { Knex } from 'knex';

type Value = string | number | boolean | null;

/** Runs one statement with a `?` for each binding and resolves to its rows; a list binds as one array. */
export async function query<Row>(
  knex: Knex,
  sql: string,
  bindings: readonly (Value | readonly Value[])[] = [],
): Promise<Row[]> {
  const { rows } = await knex.raw<{ rows: Row[] }>(sql, bindings as Knex.RawBinding[]);
  return rows;
}
