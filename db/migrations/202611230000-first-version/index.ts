import type { Knex } from 'knex';
import * as accounts from './accounts';
import * as catalog from './catalog';
import * as embeddings from './embeddings';
import * as catalogImport from './import';
import * as operations from './operations';
import * as pricing from './pricing';
import * as search from './search';

/** In the order in which they are made. */
const ROOMS = [catalog, pricing, accounts, embeddings, operations, search, catalogImport];

/** The tables of the first version, room by room. `db/schema.sql` shows them as they are. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('CREATE EXTENSION IF NOT EXISTS vector');
  for (const room of ROOMS) await room.up(knex);
}

export async function down(knex: Knex): Promise<void> {
  for (const room of ROOMS.toReversed()) await room.down(knex);
  await knex.raw('DROP EXTENSION vector');
}
