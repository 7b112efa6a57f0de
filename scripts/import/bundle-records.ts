import { setImmediate } from 'node:timers/promises';
import type { ReadRecords, RecordKind } from '../../models/catalog/import/records';
import type { RecordFile, RecordSource } from '../../models/ports';
import type { Bundle } from './bundle';
import { BUNDLE_FILES } from './bundle-files';
import { type RecordParsers, readLine, recordParsers } from './parse-record';

/** Between so many lines the answers of the database are looked at, so that it need not wait for the reading. */
const LINES_AT_ONCE = 64;

/** The records of a bundle's files. */
export class BundleRecords implements RecordSource {
  private readonly parsers: RecordParsers;

  /** @param now stands in for the time of estimates that name none */
  constructor(
    private readonly bundle: Bundle,
    now: Date,
  ) {
    this.parsers = recordParsers(now);
  }

  async file<Kind extends RecordKind>(kind: Kind): Promise<RecordFile<ReadRecords[Kind]> | null> {
    const file = await this.bundle.file(BUNDLE_FILES[kind]);
    if (!file) return null;
    const parse: RecordParsers[Kind] = this.parsers[kind];
    return {
      name: file.name,
      bytes: file.bytes,
      async *read() {
        let bytesRead = 0;
        const progress = (bytes: number) => {
          bytesRead = bytes;
        };
        for await (const lines of file.lines(progress)) {
          for (let start = 0; start < lines.length; start += LINES_AT_ONCE) {
            const some = lines.slice(start, start + LINES_AT_ONCE);
            yield { lines: some.map((line) => readLine(line, parse)), bytesRead };
            await setImmediate();
          }
        }
      },
    };
  }
}
