import type { Knex } from 'knex';
import type { CatalogImportStore } from '../../../models/ports';
import type { BegunEntry } from '../../accounts/audit-log';
import { DryRunStore } from './dry-run-store';
import { ImportLock } from './import-lock';
import { PostgresImportStore } from './import-store';

/**
 * Begins an import, or a dry run, under the lock of the catalog's one import. `connections` is how many work at the same
 * time where the work can be parted; the embedded database has one session, so one of them.
 *
 * @param entry the import in the audit log; a dry run is in none
 * @throws ImportRunningError when another import is alive
 */
export async function openImport(
  knex: Knex,
  dryRun: boolean,
  connections = 1,
  entry: BegunEntry | null = null,
): Promise<CatalogImportStore> {
  const lock = await ImportLock.acquire(knex);
  if (!dryRun) return new PostgresImportStore(knex, lock, connections, entry);
  const store = new DryRunStore(knex, lock, connections, null);
  await store.forget();
  return store;
}
