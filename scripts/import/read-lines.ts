import { isUtf8 } from 'node:buffer';
import { WHOLE_LINE } from '../../models/catalog/import/stage';
import type { ReadLine } from '../../models/ports';

/** A longer line is not read: it would have to be whole in memory. */
export const LINE_BYTES_MAX = 4 * 1024 * 1024;
/** Begins the fault of a line that was not read. */
export const TOO_LONG = 'longer than';
const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * The JSON values of a stream's lines with their numbers, from 1, in groups; blank lines are skipped. A line that is not UTF-8,
 * not JSON or too long is a fault of that line alone. A byte order mark and `\r\n` are accepted.
 */
export async function* readLines(
  chunks: AsyncIterable<Buffer>,
  bytesMax = LINE_BYTES_MAX,
): AsyncGenerator<readonly ReadLine<unknown>[]> {
  let number = 0;
  // Of a line that ends in a later chunk; of one that is too long only its length is kept.
  let pieces: Buffer[] = [];
  let bytes = 0;
  const add = (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > bytesMax) pieces = [];
    else if (piece.length > 0) pieces.push(piece);
  };
  const finish = (): readonly ReadLine<unknown>[] => {
    number += 1;
    const [first = Buffer.alloc(0), ...more] = pieces;
    const line = more.length === 0 ? first : Buffer.concat(pieces);
    const isTooLong = bytes > bytesMax;
    pieces = [];
    bytes = 0;
    return isTooLong ? [faultOf(number, `${TOO_LONG} ${bytesMax} bytes`)] : parsed(number, line);
  };
  for await (const chunk of chunks) {
    const lines: ReadLine<unknown>[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end));
      lines.push(...finish());
      start = end + 1;
    }
    add(chunk.subarray(start));
    if (lines.length > 0) yield lines;
  }
  yield finish();
}

const faultOf = (line: number, reason: string): ReadLine<unknown> => ({ line, field: WHOLE_LINE, reason });

function parsed(line: number, bytes: Buffer): readonly ReadLine<unknown>[] {
  const isMarked = line === 1 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK);
  const content = isMarked ? bytes.subarray(3) : bytes;
  if (!isUtf8(content)) return [faultOf(line, 'not UTF-8')];
  const text = content.toString('utf8');
  if (text.trim() === '') return [];
  try {
    return [{ line, bytes: text.length, record: JSON.parse(text) }];
  } catch {
    return [faultOf(line, 'not JSON')];
  }
}
