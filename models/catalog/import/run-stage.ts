import type * as ports from '../../ports';
import * as records from './records';
import { type Batch, type KnownTaxonomy, type Pictures, type Reject, type Stage, WHOLE_LINE } from './stage';

export interface WritePorts<Store extends ports.RecordStore = ports.RecordStore> {
  readonly source: ports.RecordSource;
  readonly store: Store;
  readonly pictures: Pictures;
  readonly rejects: ports.RejectLog;
  readonly progress: ports.Progress;
  readonly clock: ports.Clock;
  /** Target duration of a transaction. */
  readonly transactionMs: number;
}

export interface WriteContext extends WritePorts {
  readonly taxonomy: KnownTaxonomy;
  readonly files: FilesProgress;
}

const SIZE_MIN = 20;
const SIZE_MAX = 20_000;
const SIZE_FIRST = 100;
/** Bytes of the lines of one batch: all of it is in memory, together with two more. */
const BATCH_BYTES_MAX = 4 * 1024 * 1024;

/** One transaction per batch, preparing the next meanwhile; of the lines `only`, if given. Resolves to how many were accepted. */
export async function runStage<Kind extends records.RecordKind>(
  context: WriteContext,
  kind: Kind,
  stage: Stage<records.ReadRecords[Kind], records.WrittenRecords[Kind]>,
  only?: ReadonlySet<number>,
): Promise<number> {
  const file = await context.source.file(kind);
  if (!file) return 0;
  const { store, rejects, files, clock } = context;
  const reject: Reject = (line, field, reason) => rejects.add(file.name, line, field, reason);
  const size = new BatchSize(context.transactionMs);
  const process = (batch: Batch<records.WrittenRecords[Kind]>) =>
    store.transaction(async (transaction) => {
      const startedAt = clock.now().getTime();
      const checked = await stage.check(batch, reject, transaction);
      const accepted = await writeHalving(kind, checked, transaction, reject);
      size.learn(checked.length, clock.now().getTime() - startedAt);
      return accepted;
    });
  let accepted = 0;
  let writing = Promise.resolve(0);
  for await (const batch of batchesOf(context, kind, file, { inOrder: stage.inOrder, size, reject, only })) {
    const preparing = stage.prepare(batch, reject);
    // Both are awaited later; until then their failures have no handler.
    preparing.catch(() => undefined);
    accepted += await writing;
    const prepared = await preparing;
    writing = prepared.length === 0 ? Promise.resolve(0) : process(prepared);
    writing.catch(() => undefined);
  }
  accepted += await writing;
  if (!only) files.endFile(kind, file, rejects.count);
  return accepted;
}

interface Pass<Read> extends Pick<Stage<Read>, 'inOrder'> {
  readonly size: BatchSize;
  readonly reject: Reject;
  readonly only: ReadonlySet<number> | undefined;
}

/** The records of a file; a batch ends by its size, or where a record shares something with earlier ones. */
async function* batchesOf<Kind extends records.RecordKind>(
  { rejects, files }: WriteContext,
  kind: Kind,
  file: ports.RecordFile<records.ReadRecords[Kind]>,
  { inOrder, size, reject, only }: Pass<records.ReadRecords[Kind]>,
): AsyncGenerator<Batch<records.ReadRecords[Kind]>> {
  const empty = () => ({
    records: [] as ports.Numbered<records.ReadRecords[Kind]>[],
    keys: new Set<string>(),
    bytes: 0,
  });
  let batch = empty();
  for await (const { lines, bytesRead } of file.read()) {
    for (const line of lines) {
      if (only && !only.has(line.line)) continue;
      if ('reason' in line) {
        reject(line.line, line.field, line.reason);
        continue;
      }
      if (!only) files.count(line.record);
      const keys = inOrder(line.record);
      const isFull = batch.records.length >= size.records || batch.bytes >= BATCH_BYTES_MAX;
      if (isFull || keys.some((key) => batch.keys.has(key))) {
        yield batch.records;
        batch = empty();
      }
      for (const key of keys) batch.keys.add(key);
      batch.records.push(line);
      batch.bytes += line.bytes;
    }
    await rejects.settle();
    if (!only) files.reach(kind, bytesRead, rejects.count);
  }
  if (batch.records.length > 0) yield batch.records;
}

/** A record that the catalog can't store is found by halving and only it is rejected. Resolves to the number of the others. */
async function writeHalving<Kind extends records.RecordKind>(
  kind: Kind,
  batch: Batch<records.WrittenRecords[Kind]>,
  transaction: ports.RecordTransaction,
  reject: Reject,
): Promise<number> {
  const [first] = batch;
  if (!first) return 0;
  try {
    await transaction.write(
      kind,
      batch.map(({ record }) => record),
    );
    return batch.length;
  } catch (failure) {
    if (!(failure instanceof records.RecordRefusedError)) throw failure;
    if (batch.length === 1) {
      reject(first.line, WHOLE_LINE, failure.message);
      return 0;
    }
    const middle = Math.ceil(batch.length / 2);
    const accepted = await writeHalving(kind, batch.slice(0, middle), transaction, reject);
    return accepted + (await writeHalving(kind, batch.slice(middle), transaction, reject));
  }
}

export class BatchSize {
  private size = SIZE_FIRST;

  constructor(private readonly targetMs: number) {}

  get records(): number {
    return this.size;
  }

  /** Reports how long `records` took to write. Grows and shrinks by at most half, so that one slow write has little effect. */
  learn(records: number, tookMs: number): void {
    const ideal = (records * this.targetMs) / Math.max(tookMs, 1);
    const bounded = Math.min(this.size * 1.5, Math.max(this.size / 2, ideal));
    this.size = Math.round(Math.min(SIZE_MAX, Math.max(SIZE_MIN, bounded)));
  }
}

/** The import time per byte of each file, that of products being 10. Whole numbers, so that progress is one too. */
const WORK_OF_BYTE: Readonly<Record<records.RecordKind, number>> = {
  ...{ categories: 10, tags: 10, synonyms: 10, entities: 10, products: 10 },
  ...{ estimates: 6, history: 5, listings: 3 },
};
const KINDS = Object.keys(WORK_OF_BYTE) as records.RecordKind[];

/** The progress of an import, over all of its files (contract 13.25). */
export class FilesProgress {
  #before = 0;
  #isShown = false;
  #records = 0;
  #pictures = 0;

  private constructor(
    private readonly progress: ports.Progress,
    private readonly total: number,
  ) {}

  static async of({ source, progress }: Pick<WritePorts, 'source' | 'progress'>): Promise<FilesProgress> {
    let total = 0;
    for (const kind of KINDS) total += ((await source.file(kind))?.bytes ?? 0) * WORK_OF_BYTE[kind];
    return new FilesProgress(progress, total);
  }

  count(record: records.ReadRecords[records.RecordKind]): void {
    this.#records += 1;
    if ('id' in record && records.isDeletion(record)) return;
    if ('images' in record) this.#pictures += record.images.length;
    if ('variants' in record) for (const { images } of record.variants) this.#pictures += images.length;
  }

  reach(kind: records.RecordKind, bytesRead: number, rejects: number): void {
    const counts = { records: this.#records, pictures: this.#pictures, ...(rejects > 0 && { rejects }) };
    if (!this.#isShown) this.progress.begin('import', this.total, this.#before, counts);
    this.#isShown = true;
    this.progress.reach(this.#before + bytesRead * WORK_OF_BYTE[kind], 0, counts);
  }

  endFile(kind: records.RecordKind, { bytes }: ports.RecordFile<unknown>, rejects: number): void {
    this.reach(kind, bytes, rejects);
    this.#before += bytes * WORK_OF_BYTE[kind];
  }

  /** Shows something else until the next file. */
  pause(): void {
    this.#isShown = false;
  }

  end(): void {
    if (this.#isShown) this.progress.end();
  }
}
