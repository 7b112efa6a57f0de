import type { ImportTarget } from '../../../db/catalog-import/import-target';
import type { Bundle } from './bundle';
import type { ImportProgress } from './import-progress';
import type { PictureIntake } from './picture-intake';
import type { RejectReport } from './reject-report';

/** What every stage of one import shares. */
export interface ImportContext {
  readonly bundle: Bundle;
  readonly target: ImportTarget;
  readonly pictures: PictureIntake;
  readonly report: RejectReport;
  readonly progress: ImportProgress;
  /** Known so far: the database's, and those of the bundle that were accepted. */
  readonly categories: Set<string>;
  readonly tags: Set<string>;
  /** About how long a transaction is to take. */
  readonly transactionMs: number;
}
