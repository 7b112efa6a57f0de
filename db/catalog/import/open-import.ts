import type { Knex } from 'knex';
import type { CatalogImportStore } from '../../../models/ports';
import { DryRunStore } from './dry-run-store';
import { ImportLock } from './import-lock';
import { PostgresImportStore } from './import-store';

/**
 * Begins an import, or a dry run, under the lock of the catalog's one import. `connections` is how many work at the same
 * time where the work can be parted; the embedded database has one session, so one of them.
 *
 * @throws ImportRunningError when another import is alive
 */
export async function openImport(knex: Knex, dryRun: boolean, connections = 1): Promise<CatalogImportStore> {
  const lock = await ImportLock.acquire(knex);
  if (!dryRun) return new PostgresImportStore(knex, lock, connections);
  const store = new DryRunStore(knex, lock, connections);
  await store.forget();
  return store;
}
