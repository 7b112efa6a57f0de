/** The record files of a bundle in the order in which they are read (catalog-bundle.md); each may be gzipped. */
export const BUNDLE_FILES = [
  'categories.jsonl',
  'tags.jsonl',
  'entities.jsonl',
  'products.jsonl',
  'estimates.jsonl',
  'estimate-history.jsonl',
  'listings.jsonl',
] as const;

export type BundleFileName = (typeof BUNDLE_FILES)[number];
