import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  CategoryRecord,
  EntityRecord,
  EstimateRecord,
  HistoryRecord,
  ListingRecord,
  ProductRecord,
  TagRecord,
} from '../../scripts/lab/generator/bundle/records';
import {
  type BundleOptions,
  type BundleSummary,
  generateBundle,
} from '../../scripts/lab/generator/generate-bundle';
import { temporaryFolder } from './temporary-folder';

/** A bundle as it was written, read back. */
export interface Bundle {
  readonly folder: string;
  readonly summary: BundleSummary;
  readonly categories: readonly CategoryRecord[];
  readonly tags: readonly TagRecord[];
  readonly entities: readonly EntityRecord[];
  readonly products: readonly ProductRecord[];
  readonly estimates: readonly EstimateRecord[];
  readonly history: readonly HistoryRecord[];
  readonly listings: readonly ListingRecord[];
}

/** Writes a bundle to a folder of its own. */
export async function generated(options: Omit<BundleOptions, 'out'>): Promise<Bundle> {
  const folder = temporaryFolder();
  const summary = await generateBundle({ ...options, out: folder });
  return {
    folder,
    summary,
    categories: await lines<CategoryRecord>(folder, 'categories'),
    tags: await lines<TagRecord>(folder, 'tags'),
    entities: await lines<EntityRecord>(folder, 'entities'),
    products: await lines<ProductRecord>(folder, 'products'),
    estimates: await lines<EstimateRecord>(folder, 'estimates'),
    history: await lines<HistoryRecord>(folder, 'estimate-history'),
    listings: await lines<ListingRecord>(folder, 'listings'),
  };
}

async function lines<Row>(folder: string, file: string): Promise<Row[]> {
  const text = await readFile(join(folder, `${file}.jsonl`), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Row => JSON.parse(line));
}
