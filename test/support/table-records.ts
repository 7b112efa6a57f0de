import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CategoryRecord, EntityRecord } from '../../models/catalog/import/records';
import { readColumns } from '../../models/catalog/tables/columns';
import type { RecordSource } from '../../models/ports';
import type { TableImport } from '../../scripts/import/tables/open-table';
import { openTableFile } from '../../scripts/import/tables/table-file';
import { TableSource } from '../../scripts/import/tables/table-source';

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

/** What the catalog has before a table comes. */
interface Known {
  readonly categories?: readonly Partial<CategoryRecord>[];
  readonly entities?: readonly EntityRecord[];
}

const KINDS = ['categories', 'entities', 'products', 'listings'] as const;

/** The records that an import gets of a table, and its rejects as `line: field: reason`. */
export async function readTable(
  name: string,
  content: string | Buffer,
  options: Partial<TableImport> = {},
  known: Known = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'table-test-'));
  try {
    const path = join(folder, name);
    writeFileSync(path, content);
    const all = { ...NO_OPTIONS, ...options };
    const table = await openTableFile(path);
    const columns = readColumns(table.header, all.format, all.map);
    const entities = new Map(known.entities?.map((entity) => [entity.id, entity]));
    const store = {
      categories: async () => (known.categories ?? []) as readonly CategoryRecord[],
      entities: async () => entities,
      entitiesOf: async () => [...entities.values()],
    };
    const now = new Date('2026-03-01T12:00:00Z');
    const unseen = {
      begin: () => undefined,
      reach: () => undefined,
      end: () => undefined,
      note: () => undefined,
    };
    const source = await TableSource.open(table, columns, all, store, null, now, unseen);
    const rejects: string[] = [];
    const noted = source.noting({
      count: 0,
      add: (_, line, field, reason) => rejects.push(`${line}: ${field}: ${reason}`),
      settle: async () => undefined,
    });
    const records = {} as Record<(typeof KINDS)[number], object[]>;
    for (const kind of KINDS) records[kind] = await recordsOf(source, kind, noted);
    const { notes } = await source.finish();
    return { ...records, rejects, notes, columns, encoding: table.encoding, delimiter: table.delimiter };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function recordsOf(
  source: RecordSource,
  kind: (typeof KINDS)[number],
  rejects: Pick<ReturnType<TableSource['noting']>, 'add'>,
): Promise<object[]> {
  const file = await source.file(kind);
  const records: object[] = [];
  for await (const { lines } of file?.read() ?? []) {
    for (const line of lines) {
      if ('record' in line) records.push(line.record);
      else rejects.add('', line.line, line.field, line.reason);
    }
  }
  return records;
}
