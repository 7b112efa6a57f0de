import { once } from 'node:events';
import type { WriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../../db/files/durable-files';
import { placeText, reasonText } from '../../models/catalog/import/stage';
import type { RejectLog } from '../../models/ports';

/** The report of an import: one line `file:line: field: reason` for each reject, written as they come. */
export class RejectReport implements RejectLog {
  count = 0;
  onReject: (line: number) => void = () => undefined;

  private constructor(
    readonly path: string,
    private readonly stream: WriteStream,
  ) {
    // `settle` and `close` report it.
    stream.on('error', () => undefined);
  }

  /** Begins an empty report; its folder is made if it is missing. @throws Error when it can't be written */
  static async create(path: string): Promise<RejectReport> {
    makeFolder(dirname(path));
    const file = await open(path, 'w');
    return new RejectReport(path, file.createWriteStream());
  }

  /** Line 0 is the file as a whole. */
  add(file: string, line: number, field: string, reason: string): void {
    this.count += 1;
    this.onReject(line);
    this.note(file, line, field, reason);
  }

  /** Writes a line about a record that is imported nevertheless. */
  note(file: string, line: number, field: string, reason: string): void {
    const parts = [placeText(`${file}:${line}`), placeText(field), reasonText(reason)];
    this.stream.write(`${parts.join(': ')}\n`);
  }

  /** Waits until what was added has been written out of memory. @throws Error when it can't be written */
  async settle(): Promise<void> {
    if (this.stream.errored) throw this.stream.errored;
    if (this.stream.writableNeedDrain) await once(this.stream, 'drain');
  }

  async close(): Promise<void> {
    if (!this.stream.closed) {
      this.stream.end();
      await once(this.stream, 'close');
    }
    if (this.stream.errored) throw this.stream.errored;
  }
}
