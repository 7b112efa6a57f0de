import type { AnswerLog } from '../reindex/answer-log';
import type { Knex, Settings } from '../set-up';
import type { CheckedClient } from './checked-client';
import type { Checker } from './checker';
import type { LivingCatalog } from './living-catalog';

/** A running service with a catalog that is written and read, and all that is known of it. */
export interface World {
  readonly catalog: LivingCatalog;
  readonly checker: Checker;
  readonly client: CheckedClient;
  readonly photoLog: AnswerLog;
  readonly photos: readonly Buffer[];
  readonly knex: Knex;
  readonly settings: Settings;
  /** Number of each version, never given twice. */
  nextVersion(): number;
  /** Ids of the quiet category's products, most popular first; nobody writes them. */
  readonly quiet: readonly string[];
  /** Ids of all products that nobody writes. */
  readonly still: ReadonlySet<string>;
}
