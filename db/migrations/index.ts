import { catalogReferences } from './catalog-references';
import { firstVersion } from './first-version';
import type { SchemaSteps } from './migrate';
import { productFeeds } from './product-feeds';
import { sharedCategories } from './shared-categories';
import { snapshotColumns } from './snapshot-columns';
import { uncountedTerms } from './uncounted-terms';
import { writersOfVectors } from './writers-of-vectors';

/** Every migration by name, in order. Names are kept for ever: a database remembers them. */
export const migrations: SchemaSteps = {
  '202611252300-first-version': firstVersion,
  '202611260010-shared-categories': sharedCategories,
  '202611260020-catalog-references': catalogReferences,
  '202611260030-product-feeds': productFeeds,
  '202611260040-writers-of-vectors': writersOfVectors,
  '202611260050-uncounted-terms': uncountedTerms,
  '202611260060-snapshot-columns': snapshotColumns,
};
