import type { Knex } from 'knex';
import * as extensions from './202611200100-extensions';
import * as catalogSources from './202611200200-catalog-sources';
import * as catalogRows from './202611200300-catalog-rows';
import * as prices from './202611200400-prices';
import * as accounts from './202611200500-accounts';
import * as embeddings from './202611200600-embeddings';
import * as predictions from './202611200700-predictions';
import * as catalogImport from './202611200800-catalog-import';
import * as catalogSearch from './202611200900-catalog-search';
import * as searchWordStubs from './202611201000-search-word-stubs';
import * as creditTopUps from './202611201100-credit-top-ups';
import * as idempotentCalls from './202611201200-idempotent-calls';
import * as searchSnapshots from './202611201300-search-snapshots';
import * as cheaperWrites from './202611201400-cheaper-writes';
import * as plansThatKeep from './202611201500-plans-that-keep';
import * as reindex from './202611201600-reindex';
import * as calibrationWeights from './202611201700-calibration-weights';
import * as referencesByStatement from './202611201800-references-by-statement';
import * as bulkLoads from './202611201900-bulk-loads';
import * as deferredIndexes from './202611202000-deferred-indexes';

/** One step of the schema, with its way back. */
export interface Migration {
  up(knex: Knex): Promise<void>;
  down(knex: Knex): Promise<void>;
}

/** Every migration by name, in order. Names are kept for ever: a database remembers them. */
export const migrations: Readonly<Record<string, Migration>> = {
  '202611200100-extensions': extensions,
  '202611200200-catalog-sources': catalogSources,
  '202611200300-catalog-rows': catalogRows,
  '202611200400-prices': prices,
  '202611200500-accounts': accounts,
  '202611200600-embeddings': embeddings,
  '202611200700-predictions': predictions,
  '202611200800-catalog-import': catalogImport,
  '202611200900-catalog-search': catalogSearch,
  '202611201000-search-word-stubs': searchWordStubs,
  '202611201100-credit-top-ups': creditTopUps,
  '202611201200-idempotent-calls': idempotentCalls,
  '202611201300-search-snapshots': searchSnapshots,
  '202611201400-cheaper-writes': cheaperWrites,
  '202611201500-plans-that-keep': plansThatKeep,
  '202611201600-reindex': reindex,
  '202611201700-calibration-weights': calibrationWeights,
  '202611201800-references-by-statement': referencesByStatement,
  '202611201900-bulk-loads': bulkLoads,
  '202611202000-deferred-indexes': deferredIndexes,
};
