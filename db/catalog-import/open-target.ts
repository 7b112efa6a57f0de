import type { Knex } from 'knex';
import type { ImportTarget } from './import-target';
import { LiveTarget } from './live-target';
import { PreviewTarget } from './preview-target';

/**
 * Begins an import, or a dry run, under the lock of the catalog's one import. `lanes` are the connections by which large
 * numbers of new records are written at the same time; the embedded database has one session, so one of them.
 *
 * @throws ImportRunningError when another import is alive
 */
export async function openTarget(knex: Knex, dryRun: boolean, lanes = 1): Promise<ImportTarget> {
  const live = await LiveTarget.open(knex, lanes);
  return dryRun ? await PreviewTarget.open(knex, live) : live;
}
