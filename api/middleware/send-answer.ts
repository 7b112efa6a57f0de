import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as letOthersGo } from 'node:timers/promises';
import type { Request, Response } from 'express';

/** An answer, perhaps with rows; these come last, and may be made one by one, as they are written. */
export interface Answer {
  readonly data?: Iterable<unknown>;
  readonly [name: string]: unknown;
}

/** An answer as its route makes it: `success` is added, and its rows may be made one by one. */
export type RouteResult<Whole> = Omit<Whole, 'success' | 'data'> &
  (Whole extends { readonly data: readonly (infer Row)[] } ? { readonly data: Iterable<Row> } : unknown);

/** JSON that is read from a store as its caller reads it. */
export class StreamedJson {
  /**
   * @param bytesAtOnce how many bytes are in memory at a time
   * @param kept the answer for repeats under an `Idempotency-Key`: the same without its large parts
   */
  constructor(
    readonly text: AsyncIterable<string>,
    readonly bytesAtOnce: number,
    readonly kept: Answer,
  ) {}

  toJSON(): Answer {
    return this.kept;
  }
}

/** Receives the number of rows of an answer and its bytes of JSON; one without rows counts as one row. */
export type SizeReporter = (rows: number, bytes: number) => void;

/** The amount written at a time; an answer of at most this length is sent whole, with its length. */
const PIECE = 64 * 1024;

/** Sends an answer. Rows are made as fast as the caller reads, yielding to other calls. @param made called once it is complete */
export async function sendAnswer(
  req: Request,
  res: Response,
  answer: Answer | StreamedJson,
  made: SizeReporter = () => undefined,
): Promise<void> {
  const isHead = req.method === 'HEAD';
  if (answer instanceof StreamedJson) return sendJson(res, isHead ? [] : answer.text);
  const { data } = answer;
  if (data !== undefined && !Array.isArray(data) && !isHead) {
    return sendJson(res, partsOf(answer, data, made));
  }
  const text = JSON.stringify(answer);
  made(1, text.length);
  res.type('json').send(text);
}

/** Sends JSON whose parts come one by one, as fast as its caller reads. A failure before the first piece is thrown. */
export async function sendJson(res: Response, parts: Iterable<string> | AsyncIterable<string>) {
  // A slow reader does not run into the deadline.
  res.locals.deadline?.stop();
  const pieces = piecesOf(parts);
  const first = await pieces.next();
  const second = await pieces.next();
  res.type('json');
  if (second.done) return void res.send(first.value ?? '');
  const text = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.from(`${first.value}${second.value}`);
    for await (const piece of pieces) {
      yield Buffer.from(piece);
      await letOthersGo();
    }
  };
  try {
    await pipeline(Readable.from(text(), { objectMode: false, highWaterMark: PIECE }), res);
  } finally {
    // Ends the source of the parts too, even if nothing was written.
    await pieces.return();
  }
}

/** Joins parts into pieces large enough to write. */
async function* piecesOf(parts: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string, void> {
  let piece = '';
  for await (const part of parts) {
    piece += part;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/** The JSON of an answer, whose rows come last, in parts; tells how many rows it had, and how many bytes. */
function* partsOf({ data: _rows, ...head }: Answer, data: Iterable<unknown>, made: SizeReporter) {
  const begin = JSON.stringify({ ...head, data: [] }).slice(0, -2);
  let rows = 0;
  let bytes = begin.length;
  yield begin;
  for (const each of data) {
    const row = JSON.stringify(each);
    yield rows === 0 ? row : `,${row}`;
    rows += 1;
    bytes += row.length;
  }
  yield ']}';
  made(rows, bytes);
}

/** Each row is made when it is read, every time it is read; in JSON it is an ordinary array. */
export const lazyMap = <From, To>(rows: readonly From[], present: (row: From) => To) => ({
  *[Symbol.iterator](): Iterator<To> {
    for (const row of rows) yield present(row);
  },
  toJSON: (): To[] => rows.map(present),
});
