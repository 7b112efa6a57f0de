import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { percentileOf } from '../../../models/indexing/figures';
import { asTable } from '../../commands/terminal';

/** Null is an empty cell; numbers are printed with as many digits as say something. */
export type Cell = string | number | null;

export interface Measurement {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  readonly notes: readonly string[];
}

const RESULTS = 'bench-results';
/** For subjects that are compared. */
const TURNS = 3;

/** Percentiles as cells, which are empty if there are no values. */
export const percentiles = (values: readonly number[], ...shares: readonly number[]): Cell[] =>
  shares.map((share) => (values.length === 0 ? null : percentileOf(values, share)));

export const machine = (): string => `${cpus().length} cores`;

/** Prints a measurement as a table, and writes it, with the machine that it was made on, as JSON to a file of its own. */
export async function report(name: string, measured: Measurement): Promise<void> {
  const { title, head, rows, notes } = measured;
  const lines = rows.map((row) => row.map(formatCell));
  process.stdout.write(`\n${[title, asTable(head, lines), ...notes].join('\n')}\n`);
  const [{ model } = {}] = cpus();
  const made = { cpu: model, cores: cpus().length, memoryBytes: totalmem(), node: process.version };
  const at = new Date().toISOString();
  const file = join(RESULTS, `${name}-${at.replaceAll(/[-:]|\.\d+/g, '')}.json`);
  await mkdir(RESULTS, { recursive: true });
  await writeFile(file, JSON.stringify({ at, machine: made, ...measured }, null, 2));
  process.stderr.write(`written to ${file}\n`);
}

export function formatCell(cell: Cell): string {
  if (typeof cell !== 'number' || Number.isNaN(cell)) return typeof cell === 'string' ? cell : '';
  if (Number.isInteger(cell)) return String(cell);
  return cell.toFixed(Math.abs(cell) < 10 ? 2 : Math.abs(cell) < 100 ? 1 : 0);
}

/** By turns, so that a busy machine affects all. Rows are medians of the turns, with the subject's name first; one subject has one turn. */
export async function byTurns<Subject extends { readonly name: string }>(
  subjects: readonly Subject[],
  measure: (subject: Subject) => Promise<readonly (readonly Cell[])[]>,
  turns = TURNS,
): Promise<Cell[][]> {
  const measured = subjects.map(({ name }) => ({ name, turns: [] as (readonly (readonly Cell[])[])[] }));
  for (let turn = 0; turn < (subjects.length > 1 ? turns : 1); turn += 1) {
    for (const [at, subject] of subjects.entries()) {
      process.stderr.write(`${subject.name}, turn ${turn + 1}\n`);
      measured[at]?.turns.push(await measure(subject));
    }
  }
  const rows = measured[0]?.turns[0] ?? [];
  return rows.flatMap((_, row) =>
    measured
      .filter(({ turns }) => turns[0]?.[row])
      .map(({ name, turns }) => [name, ...medians(turns.map((turn) => turn[row] ?? []))]),
  );
}

const medians = (rows: readonly (readonly Cell[])[]): Cell[] =>
  (rows[0] ?? []).map((cell, at) => {
    const values = rows.flatMap((row) => (typeof row[at] === 'number' ? row[at] : []));
    return typeof cell === 'number' ? percentileOf(values, 0.5) : cell;
  });
