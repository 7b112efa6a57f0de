import type { Command } from '@commander-js/extra-typings';
import Table from 'cli-table3';
import { printable, WITHIN_LINES } from '../composition/printable';

/** A command of a group, with the option `--json`. */
export const subcommand = <Usage extends string>(group: Command, usage: Usage, description: string) =>
  group.command(usage).description(description).option('--json', 'print JSON');

/** Prints the answer on stdout: one JSON document, or text. Progress and warnings belong on stderr. */
export function printAnswer<Answer>(
  json: boolean | undefined,
  answer: Answer,
  text: (answer: Answer) => string,
): void {
  process.stdout.write(`${printable(json ? JSON.stringify(answer, null, 2) : text(answer))}\n`);
}

type Cell = string | number | null | readonly string[];

export function asTable(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  if (rows.length === 0) return 'none';
  const table = new Table({ head: [...head], style: { head: [], border: [] } });
  for (const row of rows) table.push(row.map(textOf));
  return table.toString();
}

/** Escapes control characters, line breaks too; a list has a line for each element. */
export function textOf(cell: Cell): string {
  const lines = typeof cell === 'object' ? (cell ?? ['-']) : [String(cell)];
  return lines.map((line) => printable(line, WITHIN_LINES)).join('\n');
}

export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
