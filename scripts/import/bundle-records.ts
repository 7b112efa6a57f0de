import { setImmediate } from 'node:timers/promises';
import type { ReadRecords, RecordKind } from '../../models/catalog/import/records';
import { WHOLE_LINE } from '../../models/catalog/import/stage';
import type { ReadLine, RecordFile, RecordSource } from '../../models/ports';
import type { Bundle } from './bundle';
import { BUNDLE_FILES } from './bundle-files';
import { categorySchema, entitySchema, productSchema, tagSchema } from './catalog-records';
import { type Parsed, parseDeletable, parseRecord } from './parse-record';
import { plainEstimate, plainProduct } from './plain-records';
import { estimateSchema, historySchema, listingSchema } from './price-records';
import type { Line } from './read-lines';
import { synonymSchema } from './synonym-records';

/** Between so many lines the answers of the database are looked at, so that it need not wait for the reading. */
const LINES_AT_ONCE = 64;

type Parsers = { readonly [Kind in RecordKind]: (text: string) => Parsed<ReadRecords[Kind]> };

/** The records of a bundle's files. */
export class BundleRecords implements RecordSource {
  private readonly parsers: Parsers;

  /** @param now stands in for the time of estimates that name none */
  constructor(
    private readonly bundle: Bundle,
    now: Date,
  ) {
    const estimates = estimateSchema(now);
    this.parsers = {
      categories: (text) => parseRecord(text, categorySchema),
      tags: (text) => parseRecord(text, tagSchema),
      synonyms: (text) => parseDeletable(text, synonymSchema),
      entities: (text) => parseDeletable(text, entitySchema),
      products: (text) => parseDeletable(text, productSchema, plainProduct),
      estimates: (text) => parseRecord(text, estimates, plainEstimate),
      history: (text) => parseRecord(text, historySchema),
      listings: (text) => parseRecord(text, listingSchema),
    };
  }

  async file<Kind extends RecordKind>(kind: Kind): Promise<RecordFile<ReadRecords[Kind]> | null> {
    const file = await this.bundle.file(BUNDLE_FILES[kind]);
    if (!file) return null;
    const parse: (text: string) => Parsed<ReadRecords[Kind]> = this.parsers[kind];
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

function readLine<Record>(line: Line, parse: (text: string) => Parsed<Record>): ReadLine<Record> {
  if ('fault' in line) return { line: line.number, field: WHOLE_LINE, reason: line.fault };
  const parsed = parse(line.text);
  return 'reason' in parsed
    ? { line: line.number, ...parsed }
    : { line: line.number, bytes: line.text.length, record: parsed.record };
}
