import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { asTable } from '../../commands/output';
import type { Measurement } from './measure';

const RESULTS = 'bench-results';

/** Prints a measurement as a table, and writes it, with the machine that it was made on, as JSON. */
export async function report(name: string, measured: Measurement): Promise<void> {
  process.stdout.write(`\n${measured.title}\n${asTable(measured.head, measured.rows)}\n`);
  for (const note of measured.notes) process.stdout.write(`${note}\n`);
  const machine = {
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    memoryBytes: totalmem(),
    node: process.version,
  };
  await mkdir(RESULTS, { recursive: true });
  const file = join(RESULTS, `${name}.json`);
  await writeFile(file, JSON.stringify({ at: new Date().toISOString(), machine, ...measured }, null, 2));
  process.stderr.write(`written to ${file}\n`);
}
