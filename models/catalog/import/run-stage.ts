import type { RecordFile } from '../../ports';
import { BatchQueue } from './batch-queue';
import type { Reject, Stage, WriteContext } from './stage';

/**
 * Imports one file, in batches; only the lines of `only`, if that is given. Resolves to the number of records that were
 * accepted.
 */
export async function runStage<Read, Written extends Read>(
  context: WriteContext,
  file: RecordFile<Read> | null,
  stage: Stage<Read, Written>,
  only?: ReadonlySet<number>,
): Promise<number> {
  if (!file) return 0;
  const { rejects, progress } = context;
  const reject: Reject = (line, field, reason) => rejects.add(file.name, line, field, reason);
  const queue = new BatchQueue(stage, reject, context);
  progress.begin(file.name, file.bytes);
  for await (const { lines, bytesRead } of file.read()) {
    for (const line of lines) {
      if (only && !only.has(line.line)) continue;
      if ('reason' in line) reject(line.line, line.field, line.reason);
      else await queue.take(line);
    }
    await rejects.settle();
    progress.reach(bytesRead);
  }
  await queue.finish();
  progress.end();
  return queue.accepted;
}
