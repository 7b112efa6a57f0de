import { setTimeout as delay } from 'node:timers/promises';
import pMap from 'p-map';
import { Agent, request } from 'undici';

/** One call that has ended; status 0 for one that got no answer. */
export interface TimedCall {
  readonly status: number;
  readonly ms: number;
}

/** How long each took. */
export const msOf = (calls: readonly TimedCall[]): number[] => calls.map(({ ms }) => ms);

export interface HttpCall {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
}

/** With what went wrong as its text for a call that got no answer. */
export interface HttpAnswer extends TimedCall {
  readonly text: string;
  /** The header `Server-Timing`. */
  readonly timing: string;
}

/** A call on a busy machine is slow, and no failure. */
const PATIENCE_MS = 300_000;
const agent = new Agent({ headersTimeout: PATIENCE_MS, bodyTimeout: PATIENCE_MS });

export async function sendHttp({ url, ...call }: HttpCall): Promise<HttpAnswer> {
  const from = performance.now();
  const answer = await request(url, { ...call, dispatcher: agent }).then(
    async ({ statusCode, headers, body }) => ({
      status: statusCode,
      text: await body.text(),
      timing: String(headers['server-timing'] ?? ''),
    }),
    (failure: unknown) => ({ status: 0, text: String(failure), timing: '' }),
  );
  return { ...answer, ms: performance.now() - from };
}

/** Sends JSON to a service with one key, on as many connections as it takes. */
export class Client {
  constructor(
    private readonly url: string,
    private readonly key: string,
  ) {}

  get = (path: string): Promise<HttpAnswer> => this.#send('GET', path, null);
  post = (path: string, body: Uint8Array | object): Promise<HttpAnswer> =>
    this.#send('POST', path, body instanceof Uint8Array ? body : JSON.stringify(body));

  #send(method: 'GET' | 'POST', path: string, body: string | Uint8Array | null): Promise<HttpAnswer> {
    const headers = { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' };
    return sendHttp({ url: `${this.url}${path}`, method, headers, body });
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

/** Makes so many calls a second, whether or not earlier ones were answered, until it is over. */
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
