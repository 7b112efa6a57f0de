import { stat } from 'node:fs/promises';
import { basename, dirname, extname } from 'node:path';
import * as tables from '../../../models/catalog/tables/columns';
import type { TableOptions } from '../../../models/catalog/tables/product-rows';
import { PLACEHOLDER, type ReadRow } from '../../../models/catalog/tables/table-rows';
import { messageOf } from '../../../models/errors';
import { PlainFiles } from '../plain-files';
import { encodingOf } from './decode-text';
import { csvForm, csvRows } from './read-csv';
import { xmlRows } from './read-xml';

export interface TableImport extends TableOptions {
  readonly format: string | null;
  readonly map: tables.ColumnMap;
  readonly feed: string | null;
  readonly removeMissing: boolean;
  /** Removes more than a fifth of the feed too. */
  readonly force: boolean;
}

/** A table that is read row by row, from its start each time. */
export interface OpenTable {
  readonly name: string;
  readonly bytes: number;
  readonly encoding: string;
  readonly delimiter: string | null;
  readonly columns: tables.TableColumns;
  readonly options: TableImport;
  /** Beside the table: its pictures that are not addresses. */
  readonly files: PlainFiles;
  rows(onBytes: (bytes: number) => void): AsyncIterable<readonly ReadRow[]>;
  close(): Promise<void>;
}

/** Spreadsheets, JSON and gzipped files are refused by their content. */
const TABLE = /\.(?:csv|tsv|txt|xml|xls|xlsx|ods|numbers|json)(?:\.gz)?$/i;
const NO_KEY =
  'is recognised as what tells products apart: a handle, an id, a SKU or a link. Name one with --map, as in {"sku": "Ref."}.';
/** Rows of a feed whose elements are its header. */
const HEADER_ROWS = 1_000;

export const isTablePath = (path: string): boolean => TABLE.test(path);

/** @throws Error when there is no file at the path, none with a header, or the map names what it does not have */
export async function openTable(path: string, options: TableImport): Promise<OpenTable> {
  const found = await stat(path);
  if (!found.isFile()) throw new Error(`${path} is no file.`);
  const encoding = await encodingOf(path);
  const open = (delimiter: string | null, header: readonly string[], rows: OpenTable['rows']): OpenTable => {
    const columns = tables.readColumns(header, options.format, options.map);
    if (header.length > 0 && !tables.hasKey(columns.of))
      throw new Error(`No column of ${path} ${NO_KEY} It has: ${header.join(', ')}.`);
    const named = [...(options.shop ?? '').matchAll(PLACEHOLDER)].map(([, name = '']) => name);
    const unknown = named.find((name) => name !== 'key' && !header.includes(name));
    if (header.length > 0 && unknown !== undefined)
      throw new Error(
        `--shop names the column "${unknown}", which the table does not have. It has: ${header.join(', ')}.`,
      );
    const fold = (name: string) => name.normalize('NFC').toLowerCase();
    const files = new PlainFiles(dirname(path), 'beside the table', fold);
    const said = { name: basename(path), bytes: found.size, encoding, delimiter };
    return { ...said, rows, options, columns, files, close: async () => undefined };
  };
  if (extname(path).toLowerCase() === '.xml') {
    const rows: OpenTable['rows'] = (onBytes) => xmlRows(path, encoding, onBytes);
    return open(null, await elementsOf(rows), rows);
  }
  const mapped = Object.values(options.map).flatMap((each) => each ?? []);
  const form = await csvForm(path, encoding, mapped).catch((cause: unknown) => {
    throw new Error(`The header of ${path} cannot be read: ${messageOf(cause)}.`, { cause });
  });
  if (!form) throw new Error(`${path} is empty; the first row of a table names its columns.`);
  return open(form.delimiter, form.header, (onBytes) => csvRows(path, form, onBytes));
}

async function elementsOf(rows: OpenTable['rows']): Promise<readonly string[]> {
  const names = new Set<string>();
  let seen = 0;
  for await (const some of rows(() => undefined)) {
    for (const row of some) if ('cells' in row) for (const name of row.cells.keys()) names.add(name);
    seen += some.length;
    if (seen >= HEADER_ROWS) break;
  }
  return [...names];
}
