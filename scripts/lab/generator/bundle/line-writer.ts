import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';

const CHUNK = 64 * 1024;

/**
 * Writes records as JSON Lines. Lines are gathered into chunks; once the file is slower than the records come,
 * `settle` waits for it, so that memory stays flat whatever the number of records.
 */
export class LineWriter {
  private readonly stream: WriteStream;
  private gathered = '';
  private failure: Error | undefined;
  /** How many records it was given. */
  count = 0;

  constructor(path: string, highWaterMark = 4 * CHUNK) {
    this.stream = createWriteStream(path, { highWaterMark });
    this.stream.on('error', (error) => {
      this.failure = error;
    });
  }

  /** Takes a record; call `settle` before giving it many more. */
  write(record: object): void {
    this.count += 1;
    this.gathered += `${JSON.stringify(record)}\n`;
    if (this.gathered.length >= CHUNK) this.flush();
  }

  /** Whether the file has more waiting than it likes. */
  get isFull(): boolean {
    return this.stream.writableNeedDrain || this.failure !== undefined;
  }

  /** Waits until the file takes more; rejects when writing has failed. */
  async settle(): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    if (this.stream.writableNeedDrain) await once(this.stream, 'drain');
  }

  /** Writes what is left and closes the file. */
  async close(): Promise<void> {
    this.flush();
    if (this.failure !== undefined) throw this.failure;
    this.stream.end();
    await finished(this.stream);
  }

  private flush(): void {
    if (this.gathered === '') return;
    this.stream.write(this.gathered);
    this.gathered = '';
  }
}
