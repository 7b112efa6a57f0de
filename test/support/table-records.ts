import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NO_PROGRESS } from '../../models/ports';
import { openTable, type TableImport } from '../../scripts/import/tables/table-file';
import { TableSource } from '../../scripts/import/tables/table-source';
import { temporaryFolder } from './temporary-folder';

export const NO_OPTIONS: TableImport = {
  format: null,
  map: {},
  category: null,
  currency: null,
  shop: null,
  feed: null,
  removeMissing: false,
  force: false,
};

type Records = Record<'categories' | 'entities' | 'products' | 'listings', object[]>;

/** The records that an import gets of a table, and its rejects as `line: field: reason`. */
export async function readTable(name: string, content: string | Buffer, options: Partial<TableImport> = {}) {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, content);
  const table = await openTable(path, { ...NO_OPTIONS, ...options });
  const store = { categories: async () => [], entities: async () => new Map(), entitiesOf: async () => [] };
  const source = await TableSource.open(table, store, null, new Date('2026-03-01T12:00:00Z'), NO_PROGRESS);
  const rejects: string[] = [];
  const records = { categories: [], entities: [], products: [], listings: [] } as Records;
  for (const [kind, own] of Object.entries(records)) {
    const file = await source.file(kind as keyof Records);
    for await (const { lines } of file?.read() ?? []) {
      for (const line of lines) {
        if ('record' in line) own.push(line.record);
        else {
          rejects.push(`${line.line}: ${line.field}: ${line.reason}`);
          source.onReject(line.line);
        }
      }
    }
  }
  const { notes } = await source.finish();
  return { ...table, ...records, rejects, notes };
}
