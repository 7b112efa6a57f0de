import pMap from 'p-map';
import { Agent, request } from 'undici';

export interface HttpAnswer {
  readonly ms: number;
  readonly text: string;
  readonly timing: string;
}

/** Long, since slow calls on a busy machine are not failures. */
const PATIENCE_MS = 300_000;
const agent = new Agent({ headersTimeout: PATIENCE_MS, bodyTimeout: PATIENCE_MS });

export class Client {
  constructor(
    private readonly url: string,
    private readonly key: string,
  ) {}

  get = (path: string): Promise<HttpAnswer> => this.#send('GET', path);
  post = (path: string, body: Uint8Array | object): Promise<HttpAnswer> => this.#send('POST', path, body);

  /** @throws Error for any status but 200 */
  async #send(method: 'GET' | 'POST', path: string, body?: Uint8Array | object): Promise<HttpAnswer> {
    const from = performance.now();
    const answer = await request(`${this.url}${path}`, {
      ...{ method, dispatcher: agent },
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' },
      body: body instanceof Uint8Array ? body : body ? JSON.stringify(body) : null,
    });
    const text = await answer.body.text();
    const ms = performance.now() - from;
    if (answer.statusCode !== 200)
      throw new Error(`answered with ${answer.statusCode}: ${text.slice(0, 500)}`);
    return { ms, text, timing: String(answer.headers['server-timing'] ?? '') };
  }
}

/** Runs `count` tasks, at most `concurrency` at a time; resolves to the ms of each and of all together. */
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
