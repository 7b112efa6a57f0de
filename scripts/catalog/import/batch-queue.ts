import { refusedValue } from '../../../db/catalog-import/data-refusal';
import { BatchSize } from './batch-size';
import type { ImportContext } from './import-context';
import { WHOLE_LINE } from './parse-record';
import type { Numbered, Reject, Stage } from './stage';

/** Bytes of the lines of one batch: it is in memory as a whole, and two more beside it. */
const BATCH_BYTES_MAX = 1024 * 1024;

/** Writes records in batches of one transaction each, the next one being prepared while one is written. */
export class BatchQueue<Record> {
  accepted = 0;
  private batch: Numbered<Record>[] = [];
  private keys = new Set<string>();
  private bytes = 0;
  private next: Numbered<Record> | null = null;
  private inFlight: Promise<void> = Promise.resolve();
  private readonly size: BatchSize;

  constructor(
    private readonly stage: Stage<Record>,
    private readonly reject: Reject,
    { transactionMs }: Pick<ImportContext, 'transactionMs'>,
  ) {
    this.size = new BatchSize(transactionMs);
  }

  async take(records: readonly Numbered<Record>[]): Promise<void> {
    for (const numbered of records) if (this.add(numbered)) await this.send();
  }

  /** Waits until all that was taken is written. */
  async finish(): Promise<void> {
    await this.send();
    await this.inFlight;
  }

  /** True when the batch must be sent before the next record. */
  private add(numbered: Numbered<Record>): boolean {
    if (this.stage.inOrder) {
      const key = this.stage.key(numbered.record);
      if (this.keys.has(key)) {
        this.next = numbered;
        return true;
      }
      this.keys.add(key);
    }
    this.batch.push(numbered);
    this.bytes += numbered.bytes.length;
    return this.batch.length >= this.size.records || this.bytes >= BATCH_BYTES_MAX;
  }

  /** Waits for the batch before and starts on this one. */
  private async send(): Promise<void> {
    const { batch, next } = this;
    this.batch = [];
    this.keys = new Set();
    this.bytes = 0;
    this.next = null;
    if (next) this.add(next);
    const prepared = this.prepare(batch);
    // Both are awaited later; until then their failures have no handler.
    prepared.catch(() => undefined);
    await this.inFlight;
    this.inFlight = this.process(await prepared);
    this.inFlight.catch(() => undefined);
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
