import type { Response } from 'express';

/** Headers that are kept of an answer: its others are the same for all. */
const KEPT_HEADERS = ['Deprecation', 'Location', 'X-Prediction-Id'];

/** What is kept of an answer. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Its JSON. */
  readonly body: AsyncIterable<string>;
}

/** The text of a successful answer, to be kept for the repetitions of its call. */
export function storedForm(res: Response, body: unknown): string {
  const headers = Object.fromEntries(KEPT_HEADERS.map((name) => [name, res.get(name)]));
  return JSON.stringify({ status: res.statusCode, headers, body });
}

/** How `storedForm` begins; its end is a brace. */
const HEAD = /^\{"status":(\d+),"headers":(\{[^{}]*\}),"body":/;

/** Reads what `storedForm` wrote, piece by piece. @param text the first piece has the whole head */
export async function keptAnswer(text: AsyncIterable<string>): Promise<KeptAnswer> {
  const pieces = text[Symbol.asyncIterator]();
  const first = (await pieces.next()).value ?? '';
  const [head, status, headers] = HEAD.exec(first) ?? [];
  if (head === undefined || headers === undefined) throw new Error('a kept answer has another form');
  const body = bodyOf(first.slice(head.length), { [Symbol.asyncIterator]: () => pieces });
  return { status: Number(status), headers: JSON.parse(headers), body };
}

/** Pieces end where an object does, so that no link is torn apart. */
async function* bodyOf(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  let text = first;
  const whole = () => text.lastIndexOf('}', text.length - 2) + 1;
  for await (const piece of rest) {
    const end = whole();
    if (end > 0) yield text.slice(0, end);
    text = text.slice(end) + piece;
  }
  yield text.slice(0, -1);
}
