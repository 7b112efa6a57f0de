import type { ReadLine, RecordSource } from '../../ports';
import type { ReadRecords, RecordKind } from './records';

/** Lines in memory, by the kind of their records. */
export type ListedRecords = { readonly [Kind in RecordKind]?: readonly ReadLine<ReadRecords[Kind]>[] };

/** Records that are all in memory, as a source of a few. */
export class ListedSource implements RecordSource {
  constructor(private readonly listed: ListedRecords) {}

  async file<Kind extends RecordKind>(kind: Kind) {
    const lines: readonly ReadLine<ReadRecords[Kind]>[] | undefined = this.listed[kind];
    if (!lines?.length) return null;
    return {
      name: kind,
      bytes: lines.length,
      async *read() {
        yield { lines, bytesRead: lines.length };
      },
    };
  }
}
