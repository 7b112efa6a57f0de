import { type ColumnType, copyValue } from './copy-value';
import type { WrittenTable } from './written-table';

/** Memory is taken in pieces of so many bytes. */
const PIECE_BYTES = 256 * 1024;
/** UTF-8 has at most so many bytes for a unit of a string. */
const BYTES_PER_UNIT = 3;

/**
 * Rows in the text format of COPY, made one by one as their records are read: what waits to be written is bytes outside
 * of V8's heap, and no record outlives the line that it came from.
 */
export class CopyBuffer {
  /** Of all rows. */
  bytes = 0;
  private readonly columns: readonly [string, ColumnType][];
  private readonly full: Buffer[] = [];
  private piece = Buffer.allocUnsafe(0);
  private used = 0;
  /** Where each row ends among all bytes. */
  private readonly ends: number[] = [];

  constructor(readonly table: WrittenTable) {
    this.columns = Object.entries(table.columns);
  }

  add(row: object): void {
    const text = copyLine(row as Readonly<Record<string, unknown>>, this.columns);
    const lengthMax = text.length * BYTES_PER_UNIT;
    if (this.used + lengthMax > this.piece.length) this.turnPiece(lengthMax);
    const written = this.piece.write(text, this.used);
    this.used += written;
    this.bytes += written;
    this.ends.push(this.bytes);
  }

  /** The bytes of all rows but those at these positions. */
  *chunks(without: ReadonlySet<number> = new Set()): Generator<Buffer> {
    let offset = 0;
    let row = 0;
    for (const chunk of [...this.full, this.piece.subarray(0, this.used)]) {
      const end = offset + chunk.length;
      if (without.size === 0) {
        if (chunk.length > 0) yield chunk;
      } else {
        for (let start = offset; start < end; row += 1) {
          const next = this.ends[row] ?? end;
          if (!without.has(row)) yield chunk.subarray(start - offset, next - offset);
          start = next;
        }
      }
      offset = end;
    }
  }

  private turnPiece(atLeast: number): void {
    if (this.used > 0) this.full.push(this.piece.subarray(0, this.used));
    this.piece = Buffer.allocUnsafeSlow(Math.max(PIECE_BYTES, atLeast));
    this.used = 0;
  }
}

/** A row as COPY reads it, with its line feed. */
export function copyLine(
  row: Readonly<Record<string, unknown>>,
  columns: readonly [string, ColumnType][],
): string {
  let text = '';
  let separator = '';
  for (const [column, type] of columns) {
    text += separator + copyValue(row[column], type);
    separator = '\t';
  }
  return `${text}\n`;
}
