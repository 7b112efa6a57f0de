import type { RecordTransaction } from '../../ports';
import { type ReadRecords, type RecordKind, RecordRefusedError, type WrittenRecords } from './records';
import { type Batch, type Numbered, type Reject, type Stage, WHOLE_LINE, type WriteContext } from './stage';

const SIZE_MIN = 20;
const SIZE_MAX = 20_000;
const SIZE_FIRST = 100;
/** Bytes of the lines of one batch: it is in memory as a whole, and two more beside it. */
const BATCH_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Imports the file of one kind of record, in batches; only the lines of `only`, if that is given. Resolves to the number
 * of records that were accepted.
 */
export async function runStage<Kind extends RecordKind>(
  context: WriteContext,
  kind: Kind,
  stage: Stage<ReadRecords[Kind], WrittenRecords[Kind]>,
  only?: ReadonlySet<number>,
): Promise<number> {
  const { source, rejects, files } = context;
  const file = await source.file(kind);
  if (!file) return 0;
  const reject: Reject = (line, field, reason) => rejects.add(file.name, line, field, reason);
  const queue = new BatchQueue(kind, stage, reject, context);
  for await (const { lines, bytesRead } of file.read()) {
    for (const line of lines) {
      if (only && !only.has(line.line)) continue;
      if ('reason' in line) reject(line.line, line.field, line.reason);
      else await queue.take(line);
      if (!only && 'record' in line) files.count(line.record);
    }
    await rejects.settle();
    if (!only) files.reach(kind, bytesRead, rejects.count);
  }
  await queue.finish();
  if (!only) files.endFile(kind, file, rejects.count);
  return queue.accepted;
}

/** Writes records in batches of one transaction each, the next one being prepared while one is written. */
class BatchQueue<Kind extends RecordKind> {
  accepted = 0;
  private readonly size: BatchSize;
  private batch: Numbered<ReadRecords[Kind]>[] = [];
  private keys = new Set<string>();
  private bytes = 0;
  private inFlight: Promise<void> = Promise.resolve();

  constructor(
    private readonly kind: Kind,
    private readonly stage: Stage<ReadRecords[Kind], WrittenRecords[Kind]>,
    private readonly reject: Reject,
    private readonly ports: Pick<WriteContext, 'store' | 'clock' | 'transactionMs'>,
  ) {
    this.size = new BatchSize(ports.transactionMs);
  }

  async take(numbered: Numbered<ReadRecords[Kind]>): Promise<void> {
    const shared = this.stage.inOrder(numbered.record);
    if (shared.some((key) => this.keys.has(key))) await this.send();
    for (const key of shared) this.keys.add(key);
    this.batch.push(numbered);
    this.bytes += numbered.bytes;
    if (this.batch.length >= this.size.records || this.bytes >= BATCH_BYTES_MAX) await this.send();
  }

  /** Waits until all that was taken is written. */
  async finish(): Promise<void> {
    await this.send();
    await this.inFlight;
  }

  /** Waits for the batch before and starts on this one. */
  private async send(): Promise<void> {
    const { batch } = this;
    this.batch = [];
    this.keys = new Set();
    this.bytes = 0;
    if (batch.length === 0) return;
    const prepared = this.stage.prepare(batch, this.reject);
    // Both are awaited later; until then their failures have no handler.
    prepared.catch(() => undefined);
    await this.inFlight;
    this.inFlight = this.process(await prepared);
    this.inFlight.catch(() => undefined);
  }

  private async process(batch: Batch<WrittenRecords[Kind]>): Promise<void> {
    if (batch.length === 0) return;
    const { store, clock } = this.ports;
    await store.transaction(async (transaction) => {
      const startedAt = clock.now().getTime();
      const checked = await this.stage.check(batch, this.reject, transaction);
      await this.write(checked, transaction);
      this.size.learn(checked.length, clock.now().getTime() - startedAt);
    });
  }

  /** A record that the catalog can't hold is found by halving and rejected alone. */
  private async write(batch: Batch<WrittenRecords[Kind]>, transaction: RecordTransaction): Promise<void> {
    const [first] = batch;
    if (!first) return;
    const byKey = new Map(batch.map(({ record }) => [this.stage.key(record), record]));
    try {
      await transaction.write(this.kind, [...byKey.values()]);
      this.accepted += batch.length;
    } catch (failure) {
      if (!(failure instanceof RecordRefusedError)) throw failure;
      if (batch.length === 1) {
        this.reject(first.line, WHOLE_LINE, failure.message);
        return;
      }
      const middle = Math.ceil(batch.length / 2);
      await this.write(batch.slice(0, middle), transaction);
      await this.write(batch.slice(middle), transaction);
    }
  }
}

/** How many records go into one transaction, from how long the last one took. */
export class BatchSize {
  private size = SIZE_FIRST;

  /** @param targetMs about how long a transaction is to take */
  constructor(private readonly targetMs: number) {}

  get records(): number {
    return this.size;
  }

  /** Tells what `records` took to write. Grows and shrinks by at most half, so that one slow write says little. */
  learn(records: number, tookMs: number): void {
    const ideal = (records * this.targetMs) / Math.max(tookMs, 1);
    const bounded = Math.min(this.size * 1.5, Math.max(this.size / 2, ideal));
    this.size = Math.round(Math.min(SIZE_MAX, Math.max(SIZE_MIN, bounded)));
  }
}
