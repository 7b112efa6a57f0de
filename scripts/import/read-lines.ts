import { isUtf8 } from 'node:buffer';

/** One line of a file: its text, or why it has none. */
export type Line =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly fault: string };

/** A longer line is not read: it would have to be whole in memory. */
export const LINE_BYTES_MAX = 4 * 1024 * 1024;

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * The lines of a stream with their numbers, from 1, those that end in one chunk together; blank ones are passed over. A
 * line that is no UTF-8 or longer than `LINE_BYTES_MAX` is a fault of that line alone. A byte order mark at the start
 * and `\r\n` are no faults.
 */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly Line[]> {
  let number = 0;
  const unfinished = new UnfinishedLine();
  for await (const chunk of chunks) {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      number += 1;
      const line = decode(number, unfinished.finish(chunk.subarray(start, end)));
      if (line) lines.push(line);
      start = end + 1;
    }
    unfinished.add(chunk.subarray(start));
    if (lines.length > 0) yield lines;
  }
  const last = decode(number + 1, unfinished.finish(Buffer.alloc(0)));
  if (last) yield [last];
}

/** The pieces of a line that ends in a later chunk; of one that is too long only its length is kept. */
class UnfinishedLine {
  private pieces: Buffer[] = [];
  private bytes = 0;

  add(piece: Buffer): void {
    this.bytes += piece.length;
    if (this.bytes > LINE_BYTES_MAX) this.pieces = [];
    else if (piece.length > 0) this.pieces.push(piece);
  }

  /** The whole line, null when it is too long. */
  finish(piece: Buffer): Buffer | null {
    if (this.bytes === 0) return piece.length > LINE_BYTES_MAX ? null : piece;
    this.add(piece);
    const line = this.bytes > LINE_BYTES_MAX ? null : Buffer.concat(this.pieces);
    this.pieces = [];
    this.bytes = 0;
    return line;
  }
}

function decode(number: number, bytes: Buffer | null): Line | null {
  if (bytes === null) return { number, fault: `longer than ${LINE_BYTES_MAX} bytes` };
  const isMarked = number === 1 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK);
  const content = isMarked ? bytes.subarray(3) : bytes;
  if (!isUtf8(content)) return { number, fault: 'not UTF-8' };
  const text = content.toString('utf8');
  return text.trim() === '' ? null : { number, text };
}
