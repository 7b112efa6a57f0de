import { type ColumnType, copyValue } from './copy-value';
import { TextBuffer } from './text-buffer';
import type { WrittenTable } from './written-table';

/** Rows in the text format of COPY, made one by one, so that no record outlives the line that it came from. */
export class CopyBuffer {
  private readonly lines = new TextBuffer();
  private readonly columns: readonly [string, ColumnType][];

  constructor(readonly table: WrittenTable) {
    this.columns = Object.entries(table.columns);
  }

  /** Of all rows. */
  get bytes(): number {
    return this.lines.bytes;
  }

  add(row: object): void {
    this.lines.add(copyLine(row as Readonly<Record<string, unknown>>, this.columns));
  }

  /** The bytes of all rows but those at these positions. */
  chunks(without?: ReadonlySet<number>): Iterable<Buffer> {
    return this.lines.chunks(without);
  }
}

/** A row as COPY reads it, with its line feed. */
export function copyLine(
  row: Readonly<Record<string, unknown>>,
  columns: readonly (readonly [string, ColumnType])[],
): string {
  const values = columns.map(([column, type]) => copyValue(row[column], type));
  return `${values.join('\t')}\n`;
}
