import type { Knex } from 'knex';
import type { ImportTarget } from './import-target';
import { LiveTarget } from './live-target';
import { PreviewTarget } from './preview-target';

/**
 * Begins an import, or a dry run, under the lock of the catalog's one import.
 *
 * @throws ImportRunningError when another import is alive
 */
export async function openTarget(knex: Knex, dryRun: boolean): Promise<ImportTarget> {
  const live = await LiveTarget.open(knex);
  return dryRun ? await PreviewTarget.open(knex, live) : live;
}
