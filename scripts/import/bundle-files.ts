import type { RecordKind } from '../../models/catalog/import/records';

/** The record files of a bundle in the order in which they are read (contract 13.1); each may be gzipped. */
export const BUNDLE_FILES = {
  categories: 'categories.jsonl',
  tags: 'tags.jsonl',
  synonyms: 'synonyms.jsonl',
  entities: 'entities.jsonl',
  products: 'products.jsonl',
  estimates: 'estimates.jsonl',
  history: 'estimate-history.jsonl',
  listings: 'listings.jsonl',
} as const satisfies Readonly<Record<RecordKind, string>>;

export type BundleFileName = (typeof BUNDLE_FILES)[RecordKind];
