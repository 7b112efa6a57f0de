import { type Stringifier, stringify } from 'csv-stringify';

/**
 * Rows of cells in, CSV per RFC 4180 out: CRLF, quotes where they are needed (by itself the library would leave lone
 * line breaks without), null as an empty cell.
 */
export const csvWriter = (): Stringifier =>
  stringify({ record_delimiter: 'windows', quoted_match: /[\r\n]/ });

/** Starts of a cell that spreadsheets run as a formula (contract 2.9). */
const FORMULA = /^[=+\-@\t\r]/;

/** A cell that no spreadsheet runs: text that would be a formula gets a leading apostrophe; numbers stay as they are. */
export const neutralised = <Cell extends string | number | null>(cell: Cell): Cell | string =>
  typeof cell === 'string' && FORMULA.test(cell) ? `'${cell}` : cell;
