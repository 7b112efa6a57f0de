import type { Load, WrittenLoad } from '../../../db/catalog-import/import-target';
import { TextBuffer } from '../../../db/catalog-import/text-buffer';
import type { BatchQueue } from './batch-queue';
import { BatchSize } from './batch-size';
import type { ImportContext } from './import-context';
import type { Loads, Numbered, Reject, Stage } from './stage';

const RECORDS_MAX = 8_000;
/** Of what waits to be written, and of the lines that it was made of; two more may be on their way. */
const BYTES_MAX = 24 * 1024 * 1024;
/** Where records were not new, so many lines are written the other way before a load is tried again. */
const LINES_WITHOUT = 2_000;

interface Around<Record> {
  /** Where everything goes that a load can't take. */
  readonly batches: BatchQueue<Record>;
  readonly reject: Reject;
  readonly context: Pick<ImportContext, 'transactionMs'>;
}

/** A load and the lines that it was made of. */
interface Filling<Record> {
  readonly load: Load<Record>;
  /** The number of each line, and the line itself, which is read again if its record has to go the other way. */
  readonly numbers: number[];
  readonly texts: TextBuffer;
  readonly keys: Set<string>;
}

/** A load on its way into the catalog. */
interface Flight {
  readonly keys: ReadonlySet<string>;
  /** Whether it is there. */
  readonly written: Promise<boolean>;
  /** When it is there, and what it refused is too. */
  readonly done: Promise<void>;
}

/**
 * Writes records that are new in loads, several at the same time, each after the one before. A record that is not new,
 * that repeats another one, or that the database refuses, goes the way of all others, in batches, and so do all of its
 * load: what comes later stands, whichever way it goes.
 */
export class LoadQueue<Record> {
  private loaded = 0;
  private linesWithout = 0;
  private filling: Filling<Record> | null = null;
  private flights: Flight[] = [];
  private readonly size: BatchSize;

  constructor(
    private readonly stage: Stage<Record>,
    private readonly loads: Loads<Record>,
    private readonly around: Around<Record>,
  ) {
    this.size = new BatchSize(around.context.transactionMs, RECORDS_MAX);
  }

  get accepted(): number {
    return this.loaded + this.around.batches.accepted;
  }

  async take(records: readonly Numbered<Record>[]): Promise<void> {
    if (records.length === 0) return;
    const filling = this.linesWithout > 0 ? null : await this.fillingFor(records);
    if (!filling) return await this.takeWithout(records);
    const fit = this.loads.prepare ? await this.loads.prepare(records, this.around.reject) : records;
    await filling.load.prepare?.(fit.map(({ record }) => record));
    for (const { line, bytes, record } of fit) {
      filling.load.add(record);
      filling.numbers.push(line);
      filling.texts.addBytes(bytes);
    }
    const isFull = filling.numbers.length >= this.size.records;
    if (isFull || filling.load.bytes + filling.texts.bytes >= BYTES_MAX) await this.send();
  }

  /** Waits until all that was taken is written. */
  async finish(): Promise<void> {
    await this.land();
    await this.around.batches.finish();
  }

  private async takeWithout(records: readonly Numbered<Record>[]): Promise<void> {
    if (this.linesWithout <= 0) this.linesWithout = LINES_WITHOUT;
    this.linesWithout -= records.length;
    await this.land();
    await this.around.batches.take(records);
  }

  /** The load that takes these records, which has their keys already; null when none can. */
  private async fillingFor(records: readonly Numbered<Record>[]): Promise<Filling<Record> | null> {
    if (this.filling) return this.claim(records, this.filling.keys) ? this.filling : null;
    const keys = new Set<string>();
    if (!this.claim(records, keys)) return null;
    if (!(await this.loads.areNew(records.map(({ record }) => record)))) return null;
    await this.around.batches.finish();
    this.filling = { load: await this.loads.begin(), numbers: [], texts: new TextBuffer(), keys };
    return this.filling;
  }

  /**
   * Adds the keys of records to those of a load; false when one is there, or on its way in another load. The load has
   * then some keys too many, which keeps others out that it could have taken, and no others in. So have those of records
   * that are rejected later.
   */
  private claim(records: readonly Numbered<Record>[], claimed: Set<string>): boolean {
    for (const { record } of records) {
      const own = this.loads.keys(record);
      if (own === null) return false;
      for (const key of own) {
        const before = claimed.size;
        claimed.add(key);
        if (claimed.size === before || this.flights.some(({ keys }) => keys.has(key))) return false;
      }
    }
    return true;
  }

  /** Waits for everything that is to go into loads. */
  private async land(): Promise<void> {
    if (this.filling) await this.send();
    for (const { done } of this.flights) await done;
    this.flights = [];
  }

  private async send(): Promise<void> {
    const { filling } = this;
    if (!filling) return;
    this.filling = null;
    while (this.flights.length >= this.loads.lanes) {
      await this.flights[0]?.done;
      this.flights.shift();
    }
    const before = this.flights.at(-1);
    const startedAt = performance.now();
    const left = this.loads.write(filling.load, before?.written ?? Promise.resolve(true));
    const written = left.then((positions) => positions !== null);
    const done = left.then(async (positions) => {
      this.size.learn(filling.numbers.length, performance.now() - startedAt);
      await before?.done;
      await this.complete(filling, positions);
    });
    // They are awaited later; until then their failures have no handler.
    written.catch(() => undefined);
    done.catch(() => undefined);
    this.flights.push({ keys: filling.keys, written, done });
  }

  private async complete({ numbers, texts }: Filling<Record>, left: WrittenLoad): Promise<void> {
    const { batches } = this.around;
    const again = left ?? [...numbers.keys()];
    this.loaded += numbers.length - again.length;
    for (const position of again) {
      const bytes = texts.at(position);
      const parsed = this.stage.parse(bytes.toString('utf8'));
      if ('record' in parsed)
        await batches.take([{ line: numbers[position] ?? 0, bytes, record: parsed.record }]);
    }
    if (again.length > 0) await batches.finish();
  }
}
