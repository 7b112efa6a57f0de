import { setImmediate } from 'node:timers/promises';
import { refusedValue } from '../../../db/catalog-import/data-refusal';
import { BatchSize } from './batch-size';
import type { ImportContext } from './import-context';
import { WHOLE_LINE } from './parse-record';
import type { Line } from './read-lines';
import type { Numbered, Reject, Stage } from './stage';

/** Between so many lines the answers of the database are looked at, so that it need not wait for the reading. */
const LINES_AT_ONCE = 32;

/** Characters of the lines of one batch: it is in memory as a whole, and two more beside it. */
const BATCH_LENGTH_MAX = 1024 * 1024;

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
  const batches = new BatchQueue(stage, reject, new BatchSize(context.transactionMs));
  let bytesRead = 0;
  const lines = file.lines((bytes) => {
    bytesRead = bytes;
  });
  context.progress.begin(file.name, file.bytes);
  for await (const some of lines) {
    for (const line of some) {
      if (only && !only.has(line.number)) continue;
      const parsed = 'fault' in line ? { field: WHOLE_LINE, reason: line.fault } : stage.parse(line.text);
      if ('reason' in parsed) reject(line.number, parsed.field, parsed.reason);
      else if (batches.add({ line: line.number, record: parsed.record }, lengthOf(line))) {
        await batches.send();
        context.progress.reach(bytesRead);
      }
      if (line.number % LINES_AT_ONCE > 0) continue;
      await context.report.settle();
      await setImmediate();
    }
  }
  await batches.finish();
  context.progress.end();
  return batches.accepted;
}

class BatchQueue<Record> {
  accepted = 0;
  private batch: Numbered<Record>[] = [];
  private keys = new Set<string>();
  private length = 0;
  private next: { readonly numbered: Numbered<Record>; readonly length: number } | null = null;
  private inFlight: Promise<void> = Promise.resolve();

  constructor(
    private readonly stage: Stage<Record>,
    private readonly reject: Reject,
    private readonly size: BatchSize,
  ) {}

  /** Takes a record, of a line of this length; true when the batch must be sent before the next one. */
  add(numbered: Numbered<Record>, length: number): boolean {
    if (this.stage.inOrder) {
      const key = this.stage.key(numbered.record);
      if (this.keys.has(key)) {
        this.next = { numbered, length };
        return true;
      }
      this.keys.add(key);
    }
    this.batch.push(numbered);
    this.length += length;
    return this.batch.length >= this.size.records || this.length >= BATCH_LENGTH_MAX;
  }

  /** Waits for the batch before and starts on this one. */
  async send(): Promise<void> {
    const { batch, next } = this;
    this.batch = [];
    this.keys = new Set();
    this.length = 0;
    this.next = null;
    if (next) this.add(next.numbered, next.length);
    const prepared = this.prepare(batch);
    // Both are awaited later; until then their failures have no handler.
    prepared.catch(() => undefined);
    await this.inFlight;
    this.inFlight = this.process(await prepared);
    this.inFlight.catch(() => undefined);
  }

  async finish(): Promise<void> {
    await this.send();
    await this.inFlight;
  }

  private async prepare(batch: readonly Numbered<Record>[]): Promise<readonly Numbered<Record>[]> {
    return batch.length > 0 && this.stage.prepare ? await this.stage.prepare(batch, this.reject) : batch;
  }

  private async process(batch: readonly Numbered<Record>[]): Promise<void> {
    if (batch.length === 0) return;
    const checked = await this.stage.check(batch, this.reject);
    const startedAt = performance.now();
    await this.write(checked);
    this.size.learn(checked.length, performance.now() - startedAt);
  }

  /** Records that the database refuses for their values are found by halving and rejected alone. */
  private async write(batch: readonly Numbered<Record>[]): Promise<void> {
    if (batch.length === 0) return;
    const byKey = new Map(batch.map(({ record }) => [this.stage.key(record), record]));
    try {
      await this.stage.write([...byKey.values()]);
      this.accepted += batch.length;
    } catch (failure) {
      const refusal = refusedValue(failure);
      const [first] = batch;
      if (refusal === null || !first) throw failure;
      if (batch.length === 1) {
        this.reject(first.line, WHOLE_LINE, refusal);
        return;
      }
      const middle = Math.ceil(batch.length / 2);
      await this.write(batch.slice(0, middle));
      await this.write(batch.slice(middle));
    }
  }
}

const lengthOf = (line: Line): number => ('text' in line ? line.text.length : 0);
