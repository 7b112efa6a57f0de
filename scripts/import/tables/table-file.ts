import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { ReadRow } from '../../../models/catalog/tables/product-rows';
import { encodingOf, type TextEncoding } from './decode-text';
import { csvForm, csvRows } from './read-csv';
import { xmlRows } from './read-xml';

/** A table that is read row by row, from its start each time. */
export interface TableFile {
  readonly name: string;
  readonly bytes: number;
  readonly encoding: TextEncoding;
  /** Null of a feed in XML. */
  readonly delimiter: string | null;
  readonly header: readonly string[];
  rows(onBytes: (bytes: number) => void): AsyncIterable<readonly ReadRow[]>;
}

const EXTENSIONS = ['.csv', '.tsv', '.txt', '.xml'];
/** Rows of a feed whose elements are its header. */
const HEADER_ROWS = 1_000;

/** Whether a path to import is that of a table or feed, by its name. */
export const isTablePath = (path: string): boolean => EXTENSIONS.includes(extname(path).toLowerCase());

/** @throws Error when there is no table at the path, or none that has a header */
export async function openTableFile(path: string): Promise<TableFile> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new Error(`There is no table at ${path}.`, { cause });
  });
  if (!found.isFile()) throw new Error(`${path} is no file.`);
  const encoding = await encodingOf(path);
  const file = { name: basename(path), bytes: found.size, encoding };
  if (extname(path).toLowerCase() === '.xml') {
    const rows: TableFile['rows'] = (onBytes) => xmlRows(path, encoding, onBytes);
    return { ...file, delimiter: null, header: await elementsOf(rows), rows };
  }
  const form = await csvForm(path, encoding);
  if (!form) throw new Error(`${path} is empty; the first row of a table names its columns.`);
  const { delimiter, header } = form;
  return { ...file, delimiter, header, rows: (onBytes) => csvRows(path, form, onBytes) };
}

async function elementsOf(rows: TableFile['rows']): Promise<readonly string[]> {
  const names = new Set<string>();
  let seen = 0;
  for await (const some of rows(() => undefined)) {
    for (const row of some) if ('cells' in row) for (const name of row.cells.keys()) names.add(name);
    seen += some.length;
    if (seen >= HEADER_ROWS) break;
  }
  return [...names];
}
