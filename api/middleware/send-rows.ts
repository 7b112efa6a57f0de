import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as letOthersGo } from 'node:timers/promises';
import type { Request, Response } from 'express';

/** An answer with rows, which may be made one by one, as they are written. */
export interface Answer {
  readonly data?: Iterable<unknown>;
  readonly [name: string]: unknown;
}

/** `Whole`, but that its rows may be made one by one. */
export type WithRows<Whole extends { readonly data: readonly unknown[] }> = Omit<Whole, 'data'> & {
  readonly data: Iterable<Whole['data'][number]>;
};

/** Is told how many rows an answer had, and how many bytes of JSON. */
export type AnswerMade = (rows: number, bytes: number) => void;

/** What is written at a time; an answer that is no longer is sent whole, with its length. */
const PIECE = 64 * 1024;

/**
 * Sends an answer with rows. A large one is made as fast as its caller reads, and other calls get their turn in between.
 * What is kept for repetitions (`Idempotency-Key`) is made whole.
 *
 * @param made called once an answer with rows that are made one by one is
 */
export async function sendRows(
  req: Request,
  res: Response,
  answer: Answer,
  made: AnswerMade = () => undefined,
): Promise<void> {
  const { data } = answer;
  const isWhole = data === undefined || Array.isArray(data);
  if (isWhole || res.locals.claimed || req.method === 'HEAD') return void res.json(answer);
  const pieces = piecesOf(answer, data, made);
  const first = pieces.next();
  const second = pieces.next();
  res.type('json');
  if (second.done) return void res.send(first.value ?? '');
  await pipeline(
    Readable.from(inTurns([first.value ?? '', second.value], pieces), {
      objectMode: false,
      highWaterMark: PIECE,
    }),
    res,
  );
}

async function* inTurns(begun: readonly string[], rest: Iterable<string>): AsyncGenerator<Buffer> {
  for (const pieces of [begun, rest]) {
    for (const piece of pieces) {
      yield Buffer.from(piece);
      await letOthersGo();
    }
  }
}

/** The JSON of an answer in pieces; tells how many rows it had, and how many bytes. */
function* piecesOf(answer: Answer, data: Iterable<unknown>, made: AnswerMade): Generator<string, void> {
  let piece = '';
  let bytes = 0;
  let rows = 0;
  for (const part of partsOf(answer, data, () => (rows += 1))) {
    piece += part;
    if (piece.length < PIECE) continue;
    bytes += piece.length;
    yield piece;
    piece = '';
  }
  made(rows, bytes + piece.length);
  if (piece !== '') yield piece;
}

function* partsOf(answer: Answer, data: Iterable<unknown>, row: () => void): Generator<string> {
  let before = '{';
  for (const [name, value] of Object.entries(answer)) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    before = ',';
    if (name !== 'data') {
      yield JSON.stringify(value);
      continue;
    }
    let between = '[';
    for (const each of data) {
      row();
      yield between + JSON.stringify(each);
      between = ',';
    }
    yield between === '[' ? '[]' : ']';
  }
  yield '}';
}

/** Each of the rows as it is wanted, as often as it is asked for; in JSON an array like any other. */
export const mapped = <From, To>(rows: readonly From[], present: (row: From) => To) => ({
  *[Symbol.iterator](): Iterator<To> {
    for (const row of rows) yield present(row);
  },
  toJSON: (): To[] => rows.map(present),
});
