import type { Knex } from 'knex';
import { rowsOf, sql } from './sql';

/**
 * What an account may have so many of is counted and written under this lock, to the end of the transaction, so that no
 * two calls count the same (contract 9.13). Statements after it see what those before it wrote.
 */
export async function lockAccount(transaction: Knex, id: string): Promise<void> {
  await rowsOf(transaction, sql`SELECT FROM accounts WHERE id = ${id} FOR NO KEY UPDATE`);
}
