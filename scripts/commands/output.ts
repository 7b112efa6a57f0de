import Table from 'cli-table3';
import { printable, WITHIN_LINES } from '../composition/printable';

/**
 * The answer of a command on stdout: one JSON document with `--json`, else text. Everything that is not the answer
 * (progress, warnings) belongs on stderr.
 */
export function printAnswer(json: boolean | undefined, document: unknown, text: () => string): void {
  process.stdout.write(`${printable(json ? JSON.stringify(document, null, 2) : text())}\n`);
}

/** Rows as a plain table; an empty list says so. */
export function asTable(
  head: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string {
  if (rows.length === 0) return 'none';
  const table = new Table({ head: [...head], style: { head: [], border: [] } });
  for (const row of rows)
    table.push(row.map((cell) => (cell === null ? '-' : printable(String(cell), WITHIN_LINES))));
  return table.toString();
}
