import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';

/** One call that has ended; status 0 for one that got no answer. */
export interface TimedCall {
  readonly status: number;
  readonly ms: number;
}

/** How long each took. */
export const msOf = (calls: readonly TimedCall[]): number[] => calls.map(({ ms }) => ms);

/** Calls of clients that do not wait for one another: so many a second, whatever becomes of them. */
export async function openLoop(
  perSecond: number,
  seconds: number,
  call: (index: number) => Promise<TimedCall>,
): Promise<TimedCall[]> {
  const started = performance.now();
  const calls: Promise<TimedCall>[] = [];
  for (let index = 0; index < perSecond * seconds; index += 1) {
    const waitMs = started + (index * 1000) / perSecond - performance.now();
    if (waitMs > 1) await delay(waitMs);
    calls.push(call(index));
  }
  return Promise.all(calls);
}

/** The same, until it is over. */
export async function steadily<Result>(
  perSecond: number,
  isOver: () => boolean,
  call: () => Promise<Result>,
): Promise<Result[]> {
  const started = performance.now();
  const calls: Promise<Result>[] = [];
  while (!isOver()) {
    const waitMs = started + (calls.length * 1000) / perSecond - performance.now();
    if (waitMs > 1) await delay(Math.min(waitMs, 100));
    else calls.push(call());
  }
  return Promise.all(calls);
}

/** Makes `calls` while `work` goes on. */
export async function during<Result, Calls>(
  work: Promise<Result>,
  calls: (isOver: () => boolean) => Promise<Calls>,
): Promise<{ result: Result; calls: Calls; seconds: number }> {
  const started = performance.now();
  let ended = false;
  const ending = work.finally(() => {
    ended = true;
  });
  ending.catch(() => undefined);
  const made = await calls(() => ended);
  return { result: await ending, calls: made, seconds: (performance.now() - started) / 1000 };
}

/** Calls of `clients` that each send the next one when the last is answered, for a time. */
export async function closedLoop(
  clients: number,
  seconds: number,
  call: (index: number) => Promise<TimedCall>,
): Promise<TimedCall[]> {
  const until = performance.now() + seconds * 1000;
  const calls: TimedCall[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < until) {
      const index = next;
      next += 1;
      calls.push(await call(index));
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return calls;
}

type Method = 'GET' | 'POST';

/** Sends JSON to a service, on as many connections as it takes. */
export class JsonClient {
  readonly #agent = new Agent({ headersTimeout: 60_000, bodyTimeout: 60_000 });

  constructor(private readonly url: string) {}

  post = (path: string, key: string, body: Uint8Array) => this.#timed('POST', path, key, body);
  get = (path: string, key: string) => this.#timed('GET', path, key, null);

  close(): Promise<void> {
    return this.#agent.close();
  }

  async #timed(method: Method, path: string, key: string, body: Uint8Array | null): Promise<TimedCall> {
    const from = performance.now();
    const status = await this.#status(method, path, key, body).catch(() => 0);
    return { status, ms: performance.now() - from };
  }

  async #status(method: Method, path: string, key: string, body: Uint8Array | null): Promise<number> {
    const answer = await request(`${this.url}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
    });
    await answer.body.dump({ limit: 1 << 24 });
    return answer.statusCode;
  }
}
