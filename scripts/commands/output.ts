import Table from 'cli-table3';
import { printable, WITHIN_LINES } from '../composition/printable';

/**
 * The answer of a command on stdout: one JSON document with `--json`, else text. Everything that is not the answer
 * (progress, warnings) belongs on stderr.
 */
export function printAnswer(json: boolean | undefined, document: unknown, text: () => string): void {
  process.stdout.write(`${printable(json ? JSON.stringify(document, null, 2) : text())}\n`);
}

/** What stands in a cell: one line, or a list of them. */
type Cell = string | number | null | readonly string[];

/** Rows as a plain table; an empty list says so. */
export function asTable(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  if (rows.length === 0) return 'none';
  const table = new Table({ head: [...head], style: { head: [], border: [] } });
  for (const row of rows) table.push(row.map(textOf));
  return table.toString();
}

function textOf(cell: Cell): string {
  const lines = typeof cell === 'object' ? (cell ?? ['-']) : [String(cell)];
  return lines.map((line) => printable(line, WITHIN_LINES)).join('\n');
}
