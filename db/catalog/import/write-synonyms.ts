import type { Knex } from 'knex';
import { isDeletion, type WrittenRecords } from '../../../models/catalog/import/records';
import { rowsOf, sql } from '../../core/sql';
import { upsert } from '../../core/staging';
import { SOURCE_TABLES } from './source-tables';

/** Writes synonyms; queries read them from then on. */
export async function writeSynonyms(
  trx: Knex,
  records: readonly WrittenRecords['synonyms'][],
): Promise<void> {
  const gone = records.filter(isDeletion).map(({ id }) => id);
  await upsert(
    trx,
    SOURCE_TABLES.synonyms,
    records.filter((record) => !isDeletion(record)),
  );
  await rowsOf(trx, sql`DELETE FROM synonyms WHERE id = ANY(${gone}::text[])`);
}
