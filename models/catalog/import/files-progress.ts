import type { Progress, RecordFile, RecordSource } from '../../ports';
import { isDeletion, type ReadRecords, type RecordKind } from './records';

/** How long a byte of each file takes to import, in that of a product. */
const WORK_OF_BYTE: Readonly<Record<RecordKind, number>> = {
  ...{ categories: 1, tags: 1, synonyms: 1, entities: 1, products: 1 },
  ...{ estimates: 0.6, history: 0.5, listings: 0.3 },
};
const KINDS = Object.keys(WORK_OF_BYTE) as RecordKind[];

const workOf = (kind: RecordKind, bytes: number): number => bytes * WORK_OF_BYTE[kind];

/** How far an import is, over all of its files (contract 13.25). */
export class FilesProgress {
  #before = 0;
  #isShown = false;
  #records = 0;
  #pictures = 0;

  private constructor(
    private readonly progress: Progress,
    private readonly total: number,
  ) {}

  static async of(source: RecordSource, progress: Progress): Promise<FilesProgress> {
    let total = 0;
    for (const kind of KINDS) total += workOf(kind, (await source.file(kind))?.bytes ?? 0);
    return new FilesProgress(progress, total);
  }

  count(record: ReadRecords[RecordKind]): void {
    this.#records += 1;
    if ('id' in record && isDeletion(record)) return;
    if ('images' in record) this.#pictures += record.images.length;
    if ('variants' in record) for (const { images } of record.variants) this.#pictures += images.length;
  }

  reach(kind: RecordKind, bytesRead: number, rejects: number): void {
    if (!this.#isShown) this.progress.begin('import', this.total, this.#before);
    this.#isShown = true;
    this.progress.reach(this.#before + workOf(kind, bytesRead), 0, {
      records: this.#records,
      pictures: this.#pictures,
      ...(rejects > 0 && { rejects }),
    });
  }

  endFile(kind: RecordKind, file: RecordFile<unknown>, rejects: number): void {
    this.reach(kind, file.bytes, rejects);
    this.#before += workOf(kind, file.bytes);
  }

  /** Something else is shown, until the next file. */
  pause(): void {
    this.#isShown = false;
  }

  end(): void {
    if (this.#isShown) this.progress.end();
  }
}
