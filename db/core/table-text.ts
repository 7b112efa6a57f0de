import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { identifier } from './sql';

/** Writes all rows of a table in the text format of COPY. Inside a transaction. */
export async function writeTableText(trx: Knex, table: string, to: Writable): Promise<void> {
  await pipeline((await connectionOf(trx)).query(copyTo(`COPY ${identifier(table).text} TO STDOUT`)), to);
}

/** Adds rows in the text format of COPY to a table. Inside a transaction. @throws DatabaseError as an INSERT would */
export async function readTableText(trx: Knex, table: string, from: Readable): Promise<void> {
  await pipeline(
    from,
    (await connectionOf(trx)).query(copyFrom(`COPY ${identifier(table).text} FROM STDIN`)),
  );
}

/** The connection of a transaction, which goes back with it. */
const connectionOf = (trx: Knex): Promise<ClientBase> => trx.client.acquireConnection();
