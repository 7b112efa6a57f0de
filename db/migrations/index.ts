import type { Knex } from 'knex';
import * as firstVersion from './202611230000-first-version';
import * as severalPhotos from './202611231800-several-photos';
import * as recordsOverHttp from './202611242030-records-over-http';
import * as searchChanges from './202611242040-search-changes';
import * as testCalls from './202611242100-test-calls';
import * as visionJobs from './202611242110-vision-jobs';
import * as webhooks from './202611242111-webhooks';
import * as wordsOfQueries from './202611242120-words-of-queries';
import * as changesOfAllRows from './202611242330-changes-of-all-rows';
import * as sizesOfAnswers from './202611251210-sizes-of-answers';
import * as twoWorlds from './202611251220-two-worlds';
import * as turnsOfAccounts from './202611251221-turns-of-accounts';
import * as creditsByDay from './202611251230-credits-by-day';
import * as processes from './202611251231-processes';
import * as variantsAway from './202611251240-variants-away';
import * as begunEntries from './202611251241-begun-entries';
import * as productFields from './202611251242-product-fields';
import * as invisibleCharacters from './202611251250-invisible-characters';
import * as keysOfWebhooks from './202611251251-keys-of-webhooks';
import * as calibrations from './202611251270-calibrations';
import * as adaptedVersions from './202611251280-adapted-versions';
import * as rotatedKeys from './202611251290-rotated-keys';

/** One step of the schema, with its way back. */
export interface Migration {
  up(knex: Knex): Promise<void>;
  down(knex: Knex): Promise<void>;
}

/** Every migration by name, in order. Names are kept for ever: a database remembers them. */
export const migrations: Readonly<Record<string, Migration>> = {
  '202611230000-first-version': firstVersion,
  '202611231800-several-photos': severalPhotos,
  '202611242030-records-over-http': recordsOverHttp,
  '202611242040-search-changes': searchChanges,
  '202611242100-test-calls': testCalls,
  '202611242110-vision-jobs': visionJobs,
  '202611242111-webhooks': webhooks,
  '202611242120-words-of-queries': wordsOfQueries,
  '202611242330-changes-of-all-rows': changesOfAllRows,
  '202611251210-sizes-of-answers': sizesOfAnswers,
  '202611251220-two-worlds': twoWorlds,
  '202611251221-turns-of-accounts': turnsOfAccounts,
  '202611251230-credits-by-day': creditsByDay,
  '202611251231-processes': processes,
  '202611251240-variants-away': variantsAway,
  '202611251241-begun-entries': begunEntries,
  '202611251242-product-fields': productFields,
  '202611251250-invisible-characters': invisibleCharacters,
  '202611251251-keys-of-webhooks': keysOfWebhooks,
  '202611251270-calibrations': calibrations,
  '202611251280-adapted-versions': adaptedVersions,
  '202611251290-rotated-keys': rotatedKeys,
};
