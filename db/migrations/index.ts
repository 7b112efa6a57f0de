import { StoreFault } from '../../models/store-fault';
import { firstVersion } from './first-version';
import type { SchemaStep, SchemaSteps } from './migrate';
import { nodeFacets } from './node-facets';
import { processModels } from './process-models';
import { deletionPlans, pendingLists } from './word-lookups';

/** Migrations that are part of the first version now; older databases still have their names. */
export const SQUASHED: readonly string[] = [
  '202611260010-shared-categories',
  '202611260020-catalog-references',
  '202611260030-product-feeds',
  '202611260040-writers-of-vectors',
  '202611260050-uncounted-terms',
  '202611260060-snapshot-columns',
];

const squashed: SchemaStep = {
  async up(knex) {
    if (await knex.schema.hasTable('search_snapshot_columns')) return;
    throw new StoreFault(
      'The database was made by a commit between 0.1.0 and this release: start with an empty database (docs/upgrade.md).',
      false,
    );
  },
  async down() {},
};

/** Every migration by name, in order. Names are kept for ever: a database remembers them. */
export const migrations: SchemaSteps = {
  '202611252300-first-version': firstVersion,
  ...Object.fromEntries(SQUASHED.map((name) => [name, squashed])),
  '202611260070-process-models': processModels,
  '202611260080-pending-lists': pendingLists,
  '202611270010-node-facets': nodeFacets,
  '202611270020-deletion-plans': deletionPlans,
};
