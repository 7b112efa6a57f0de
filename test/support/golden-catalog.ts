import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CatalogSource } from './fixture-data';
import { recordsOf } from './golden-catalog/bundle';
import { HANDBAG_NICKNAMES, HANDBAGS } from './golden-catalog/handbags';
import { WATCH_NICKNAMES, WATCHES } from './golden-catalog/watches';

const CATEGORIES = [
  {
    id: 'handbags',
    name: 'Handbags',
    hierarchy: ['brand', 'model', 'style'],
    name_fields: ['brand', 'model', 'style'],
  },
  {
    id: 'watches',
    name: 'Watches',
    hierarchy: ['brand', 'family', 'model', 'case', 'dial'],
    name_fields: ['brand', 'model', 'case', 'dial'],
  },
];

const SYNONYMS = [
  { id: 'syn_croc', words: ['croc', 'crocodile', 'alligator'] },
  { id: 'syn_bond', from: ['007'], to: ['james bond'] },
  { id: 'syn_steel', words: ['steel', 'oystersteel', 'stainless steel'] },
  { id: 'syn_paul_newman', from: ['paul newman'], to: ['cosmograph daytona'] },
  { id: 'syn_chain_bag', words: ['wallet on chain', 'クラッチ'] },
];

/** A small catalog of bags and watches that exist, to ask as people ask. */
export const GOLDEN_CATALOG: CatalogSource = {
  name: 'golden',
  sources: ['test/support/golden-catalog', 'test/support/golden-catalog.ts'],
  async write(folder) {
    const bags = recordsOf(HANDBAGS, HANDBAG_NICKNAMES);
    const watches = recordsOf(WATCHES, WATCH_NICKNAMES);
    await mkdir(folder, { recursive: true });
    await writeLines(join(folder, 'categories.jsonl'), CATEGORIES);
    await writeLines(join(folder, 'synonyms.jsonl'), SYNONYMS);
    await writeLines(join(folder, 'entities.jsonl'), [...bags.entities, ...watches.entities]);
    await writeLines(join(folder, 'products.jsonl'), [...bags.products, ...watches.products]);
    return [folder];
  },
};

const writeLines = (file: string, records: readonly object[]): Promise<void> =>
  writeFile(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
