import { setImmediate } from 'node:timers/promises';
import { BatchQueue } from './batch-queue';
import type { ImportContext } from './import-context';
import { LoadQueue } from './load-queue';
import { WHOLE_LINE } from './parse-record';
import type { Line } from './read-lines';
import type { Numbered, Reject, Stage } from './stage';

/** Between so many lines the answers of the database are looked at, so that it need not wait for the reading. */
const LINES_AT_ONCE = 64;

/**
 * Imports one file in batches of one transaction each, the next one being read and prepared while one is written; only
 * the lines of `only`, if that is given. Resolves to the number of records that were accepted.
 */
export async function runStage<Record>(
  context: ImportContext,
  stage: Stage<Record>,
  only?: ReadonlySet<number>,
): Promise<number> {
  const file = await context.bundle.file(stage.file);
  if (!file) return 0;
  const reject: Reject = (line, field, reason) => context.report.add(file.name, line, field, reason);
  const batches = new BatchQueue(stage, reject, context);
  const queue = stage.loads ? new LoadQueue(stage, stage.loads, { batches, reject, context }) : batches;
  let bytesRead = 0;
  const lines = file.lines((bytes) => {
    bytesRead = bytes;
  });
  context.progress.begin(file.name, file.bytes);
  for await (const some of lines) {
    for (let start = 0; start < some.length; start += LINES_AT_ONCE) {
      const wanted = some
        .slice(start, start + LINES_AT_ONCE)
        .filter(({ number }) => only?.has(number) ?? true);
      await queue.take(recordsOf(wanted, stage, reject));
      await context.report.settle();
      await setImmediate();
    }
    context.progress.reach(bytesRead);
  }
  await queue.finish();
  context.progress.end();
  return queue.accepted;
}

function recordsOf<Record>(lines: readonly Line[], stage: Stage<Record>, reject: Reject): Numbered<Record>[] {
  const records: Numbered<Record>[] = [];
  for (const line of lines) {
    const parsed = 'fault' in line ? { field: WHOLE_LINE, reason: line.fault } : stage.parse(line.text);
    if ('reason' in parsed) reject(line.number, parsed.field, parsed.reason);
    else if ('bytes' in line) records.push({ line: line.number, bytes: line.bytes, record: parsed.record });
  }
  return records;
}
