import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { identifier, joined } from './sql';

/** A table, and those of its columns that are copied; without them all that are stored. */
export interface CopiedTable {
  readonly name: string;
  readonly columns?: readonly string[];
}

/** Writes all rows of a table in the text format of COPY. Inside a transaction. */
export async function writeTableText(trx: Knex, table: CopiedTable, to: Writable): Promise<void> {
  await pipeline((await connectionOf(trx)).query(copyTo(`COPY ${copied(table)} TO STDOUT`)), to);
}

/** Adds rows in the text format of COPY to a table. Inside a transaction. @throws DatabaseError as an INSERT would */
export async function readTableText(trx: Knex, table: CopiedTable, from: Readable): Promise<void> {
  await pipeline(from, (await connectionOf(trx)).query(copyFrom(`COPY ${copied(table)} FROM STDIN`)));
}

function copied({ name, columns }: CopiedTable): string {
  const named = columns === undefined ? '' : ` (${joined(columns.map(identifier), ', ').text})`;
  return `${identifier(name).text}${named}`;
}

/** The connection of a transaction, which goes back with it. */
const connectionOf = (trx: Knex): Promise<ClientBase> => trx.client.acquireConnection();
