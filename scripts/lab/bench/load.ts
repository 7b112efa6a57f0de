import { setTimeout as delay } from 'node:timers/promises';
import pMap from 'p-map';
import { type HttpAnswer, HttpThread, sendHttp } from './http-thread';

/** One call that has ended; status 0 for one that got no answer. */
export interface TimedCall {
  readonly status: number;
  readonly ms: number;
}

/** How long each took. */
export const msOf = (calls: readonly TimedCall[]): number[] => calls.map(({ ms }) => ms);

/** Sends JSON to a service with one key, on as many connections as it takes. */
export class Client {
  readonly #thread: HttpThread | null;

  /** @param apart whether a thread of its own sends, so that its work is not found in the latencies of other calls */
  constructor(
    private readonly url: string,
    private readonly key: string,
    { apart = false } = {},
  ) {
    this.#thread = apart ? new HttpThread() : null;
  }

  get = (path: string): Promise<HttpAnswer> => this.#send('GET', path, null);
  post = (path: string, body: Uint8Array | object): Promise<HttpAnswer> =>
    this.#send('POST', path, body instanceof Uint8Array ? body : JSON.stringify(body));

  async close(): Promise<void> {
    await this.#thread?.close();
  }

  #send(method: 'GET' | 'POST', path: string, body: string | Uint8Array | null): Promise<HttpAnswer> {
    const headers = { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' };
    const call = { url: `${this.url}${path}`, method, headers, body };
    return this.#thread ? this.#thread.send(call) : sendHttp(call);
  }
}

/** @throws Error for another status than 200 */
export async function successful<Answer extends HttpAnswer>(call: Promise<Answer>): Promise<Answer> {
  const answer = await call;
  if (answer.status !== 200) throw new Error(`answered with ${answer.status}: ${answer.text.slice(0, 500)}`);
  return answer;
}

/** Runs `count` tasks with at most `concurrency` at a time; how long each took, and all together, in ms. */
export async function runConcurrently(
  count: number,
  concurrency: number,
  task: (index: number) => Promise<unknown>,
): Promise<{ each: number[]; totalMs: number }> {
  const each: number[] = [];
  const startedAt = performance.now();
  const timed = async (index: number): Promise<void> => {
    const from = performance.now();
    await task(index);
    each.push(performance.now() - from);
  };
  await pMap(Array(count).keys(), timed, { concurrency });
  return { each, totalMs: performance.now() - startedAt };
}

/** Calls of clients that do not wait for one another: so many a second, whatever becomes of them, until it is over. */
export async function steadily<Result>(
  perSecond: number,
  isOver: () => boolean,
  call: (index: number) => Promise<Result>,
): Promise<Result[]> {
  const started = performance.now();
  const calls: Promise<Result>[] = [];
  while (!isOver()) {
    const waitMs = started + (calls.length * 1000) / perSecond - performance.now();
    if (waitMs > 1) await delay(Math.min(waitMs, 100));
    else calls.push(call(calls.length));
  }
  return Promise.all(calls);
}

/** Calls of `clients` that each send the next one when the last is answered, until it is over. */
export async function inTurn<Result>(
  clients: number,
  isOver: () => boolean,
  call: (index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    while (!isOver()) results.push(await call(next++));
  };
  await Promise.all(Array.from({ length: clients }, client));
  return results;
}

/** Makes `calls` while `work` goes on, or for so many seconds. */
export async function during<Calls>(
  work: Promise<unknown> | number,
  calls: (isOver: () => boolean) => Promise<Calls>,
): Promise<{ calls: Calls; seconds: number }> {
  const started = performance.now();
  let ended = false;
  const ending = (typeof work === 'number' ? delay(work * 1000) : work).finally(() => {
    ended = true;
  });
  ending.catch(() => undefined);
  const made = await calls(() => ended);
  await ending;
  return { calls: made, seconds: (performance.now() - started) / 1000 };
}
