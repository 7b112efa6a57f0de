import { pipeline } from 'node:stream';
import { CsvError, type InfoRecord, parse } from 'csv-parse';
import { fieldOf, says } from '../../../models/catalog/tables/columns';
import type { ReadRow } from '../../../models/catalog/tables/table-rows';
import { messageOf } from '../../../models/errors';
import { addTo } from '../../../models/multimap';
import { decodedText, MISSING_BYTES, REPLACEMENT } from './decode-text';

const DELIMITERS = [',', ';', '\t', '|'];
/** A longer row is not read: it would have to be whole in memory, and its quotes are likely broken. */
const ROW_LENGTH_MAX = 4 * 1024 * 1024;
const ROWS_AT_ONCE = 256;
/** How many lines may stand above the header, as titles and dates do. */
const TITLE_LINES = 20;
/** So many known headers are hardly a title. */
const HEADERS_MIN = 2;
const SEPARATOR = /^sep=(.)$/i;
/** A blank line, or the one above the header that explains the columns in Facebook's templates. */
const NO_HEADER = /^(?:\s*$|"?# (?:required|optional)\b)/i;

export interface CsvForm {
  readonly encoding: string;
  readonly delimiter: string;
  readonly header: readonly string[];
  readonly headerLine: number;
}

interface CsvRecord {
  readonly cells: readonly string[];
  readonly line: number;
  readonly lastLine: number;
  readonly text: string;
}

/**
 * Finds the delimiter and header of a CSV file; null for one without a row. The header is the first row; if that has no known
 * header, nor a column of the map, the first row below it with known ones and more cells.
 */
export async function csvForm(
  path: string,
  encoding: string,
  mapped: readonly string[] = [],
): Promise<CsvForm | null> {
  const knownIn = (cells: readonly string[]) =>
    cells.filter((cell) => fieldOf(cell) !== undefined || mapped.includes(cell.trim())).length;
  const cellsOf = (line: string) => line.replaceAll('"', '').split(delimiterOf(line));
  let delimiter = '';
  let isTitled = false;
  for await (const text of decodedText(path, encoding, () => undefined)) {
    const [first = '', ...next] = text.split(/\r\n|\n|\r/).filter((line) => !NO_HEADER.test(line));
    const below = next.slice(0, TITLE_LINES).find((line) => knownIn(cellsOf(line)) >= HEADERS_MIN);
    const filledIn = (line: string) => cellsOf(line).filter((cell) => cell.trim() !== '').length;
    const isHeader =
      knownIn(cellsOf(first)) > 0 || (below !== undefined && filledIn(first) >= filledIn(below));
    isTitled = below !== undefined && !SEPARATOR.test(first) && !isHeader;
    delimiter = SEPARATOR.exec(first)?.[1] ?? delimiterOf(isTitled ? (below ?? '') : first);
    break;
  }
  for await (const { cells, lastLine } of csvRecords(path, encoding, delimiter || ',', () => undefined)) {
    if (NO_HEADER.test(cells.join('')) || SEPARATOR.test(cells.join(delimiter))) continue;
    if (isTitled && knownIn(cells) < HEADERS_MIN) continue;
    const header = cells.map((cell, position) => cell || `column ${position + 1}`);
    return { encoding, delimiter, header, headerLine: lastLine };
  }
  return null;
}

function delimiterOf(header: string): string {
  const plain = header.replace(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((delimiter) => plain.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** The rows after the header, in groups. A fault concerns its row, or the rest of the file. */
export async function* csvRows(
  path: string,
  form: CsvForm,
  onBytes: (bytes: number) => void,
): AsyncGenerator<readonly ReadRow[]> {
  let rows: ReadRow[] = [];
  let last = 0;
  try {
    for await (const record of csvRecords(path, form.encoding, form.delimiter, onBytes)) {
      last = record.lastLine;
      if (record.line <= form.headerLine || isNoProduct(record.cells, form.header)) continue;
      rows.push(rowOf(record, form.header));
      if (rows.length < ROWS_AT_ONCE) continue;
      yield rows;
      rows = [];
    }
  } catch (failure) {
    const reason = `${messageOf(failure)}; the file is not read from here on`;
    rows.push({ line: last + 1, field: 'line', reason });
  }
  yield rows;
}

async function* csvRecords(
  path: string,
  encoding: string,
  delimiter: string,
  onBytes: (bytes: number) => void,
): AsyncGenerator<CsvRecord> {
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: ROW_LENGTH_MAX,
    info: true,
    raw: true,
  });
  // The loop below ends with the error of what fails.
  pipeline(decodedText(path, encoding, onBytes), parser, () => undefined);
  const records: AsyncIterable<{ record: string[]; raw: string; info: InfoRecord }> = parser;
  let lastLine = 0;
  try {
    for await (const { record, raw, info } of records) {
      yield { cells: record.map(textIn), text: raw, line: lastLine + 1, lastLine: info.lines };
      lastLine = info.lines;
    }
  } catch (cause) {
    throw cause instanceof CsvError ? new Error(reasonOf(cause.code), { cause }) : cause;
  }
}

function rowOf({ cells, line, lastLine, text }: CsvRecord, header: readonly string[]): ReadRow {
  const extra = cells.slice(header.length);
  if (lastLine > line && text.split('"').length % 2 === 0) {
    return { line, field: 'line', reason: `a quote is open from here to line ${lastLine}` };
  }
  if (cells.length < header.length || !isBlank(extra)) {
    return { line, field: 'line', reason: `has ${cells.length} cells, the header has ${header.length}` };
  }
  const named = new Map<string, string[]>();
  for (const [position, column] of header.entries()) {
    const cell = cells[position] ?? '';
    if (cell.includes(REPLACEMENT)) return { line, field: column, reason: MISSING_BYTES };
    if (cell !== '') addTo(named, column, cell);
  }
  return { line, cells: named };
}

/** `="007"` and `'007` keep a number as text in a spreadsheet, and `'-` a text from being a formula. */
const textIn = (cell: string): string => {
  const text = cell.trim().replace(/^'(?=[=+@-]|[\d.,]{3,}$)/, '');
  return /^=".*"$/s.test(text) ? text.slice(2, -1).replaceAll('""', '"').trim() : text;
};

/** A blank row, one of sums, or the header of another table below. */
const isNoProduct = (cells: readonly string[], header: readonly string[]): boolean =>
  isBlank(cells) || isTotal(cells) || header.every((column, at) => (cells[at] || column) === column);

/** A row of sums, which has no other text. */
const isTotal = (cells: readonly string[]): boolean =>
  says(cells.find(isText) ?? null, 'total') && cells.filter(isText).length === 1;
const isText = (cell: string): boolean => /\p{L}/u.test(cell);

const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell === '');

const reasonOf = (code: string): string =>
  ({
    CSV_QUOTE_NOT_CLOSED: 'a quote that is opened here is never closed',
    CSV_MAX_RECORD_SIZE: `longer than ${ROW_LENGTH_MAX} characters; a quote may be open`,
  })[code] ?? `cannot be read (${code})`;
