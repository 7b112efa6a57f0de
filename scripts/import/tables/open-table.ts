import { dirname } from 'node:path';
import {
  type ColumnMap,
  readColumns,
  type TableColumns,
  type TableFormat,
} from '../../../models/catalog/tables/columns';
import type { TableOptions } from '../../../models/catalog/tables/product-rows';
import type { CatalogImportStore, Progress } from '../../../models/ports';
import { PlainFiles } from '../bundle-paths';
import { openTableFile, type TableFile } from './table-file';
import { TableSource } from './table-source';

/** How a table is to be read, and what becomes of products that it no longer has. */
export interface TableImport extends TableOptions {
  /** Null: by the columns. */
  readonly format: TableFormat | null;
  readonly map: ColumnMap;
  readonly feed: string | null;
  readonly removeMissing: boolean;
  readonly force: boolean;
}

/** How the columns of a table were understood, and its first products as records of a bundle. */
export interface TablePreview {
  readonly columns: TableColumns;
  readonly encoding: string;
  readonly delimiter: string | null;
  readonly records: readonly object[];
}

const PREVIEWED = 3;

/** A shop's table that is open for an import; its pictures are addresses, or paths beside it. */
export class OpenTable {
  readonly faults = [];
  readonly warnings = [];
  private readonly files: PlainFiles;

  private constructor(
    path: string,
    private readonly table: TableFile,
    private readonly columns: TableColumns,
    private readonly options: TableImport,
  ) {
    this.files = new PlainFiles(dirname(path));
  }

  /** @throws Error when there is no table that can be read, or the map names what it does not have */
  static async open(path: string, options: TableImport): Promise<OpenTable> {
    const table = await openTableFile(path);
    return new OpenTable(path, table, readColumns(table.header, options.format, options.map), options);
  }

  async source(store: CatalogImportStore, now: Date, progress: Progress): Promise<TableSource> {
    const { feed, removeMissing, force } = this.options;
    const wish = feed === null ? null : { run: await store.openFeed(feed), removeMissing, force };
    return await TableSource.open(this.table, this.columns, this.options, store, wish, now, progress);
  }

  async preview(source: TableSource): Promise<TablePreview> {
    const { encoding, delimiter } = this.table;
    return { columns: this.columns, encoding, delimiter, records: await source.preview(PREVIEWED) };
  }

  image(path: string, bytesMax: number): Promise<Buffer> {
    return this.files.read(path, bytesMax);
  }

  async close(): Promise<void> {}
}
