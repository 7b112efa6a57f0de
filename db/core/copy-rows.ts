import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { copyValue } from './copy-value';
import { quotedNames, type WrittenTable } from './written-table';

/** About so much text is sent at once, so that the database works on it while the next is made. */
const CHUNK_LENGTH = 64 * 1024;

/**
 * Adds rows whose keys the table does not have, with COPY: a third of the work of an INSERT for the database.
 *
 * @throws DatabaseError as an INSERT would, for a key that is there as well; the transaction is lost then
 */
export async function copyRows(trx: Knex, table: WrittenTable, rows: Iterable<object>): Promise<void> {
  if (Array.isArray(rows) && rows.length === 0) return;
  const { name, columns } = table;
  // Inside a transaction this is its own connection, which goes back with it.
  const connection: ClientBase = await trx.client.acquireConnection();
  const copying = connection.query(copyFrom(`COPY ${name} (${quotedNames(columns).join(', ')}) FROM STDIN`));
  await pipeline(Readable.from(textOf(rows, table)), copying);
}

function* textOf(rows: Iterable<object>, table: WrittenTable): Generator<string> {
  const columns = Object.entries(table.columns);
  let text = '';
  for (const row of rows as Iterable<Readonly<Record<string, unknown>>>) {
    text += `${columns.map(([column, type]) => copyValue(row[column], type)).join('\t')}\n`;
    if (text.length >= CHUNK_LENGTH) {
      yield text;
      text = '';
    }
  }
  if (text !== '') yield text;
}
