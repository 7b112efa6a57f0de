import { constants, setPriority } from 'node:os';
import { parentPort, Worker } from 'node:worker_threads';
import { Agent, request } from 'undici';

export interface HttpCall {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
}

/** Status 0 and what went wrong for a call that got no answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
  /** The header `Server-Timing`. */
  readonly timing: string;
  readonly ms: number;
}

type Numbered<Of> = Of & { readonly number: number };

const PATIENCE_MS = 300_000;

/**
 * Makes calls in a thread of its own, so that what the main thread does is not found in their latencies: callers are on other
 * machines than the service.
 */
export class HttpThread {
  readonly #thread = new Worker(__filename, { execArgv: ['--require', require.resolve('tsx/cjs')] });
  readonly #waiting = new Map<number, (answer: HttpAnswer) => void>();
  #calls = 0;

  constructor() {
    this.#thread.on('message', ({ number, ...answer }: Numbered<HttpAnswer>) => {
      this.#waiting.get(number)?.(answer);
      this.#waiting.delete(number);
    });
  }

  send(call: HttpCall): Promise<HttpAnswer> {
    const number = this.#calls++;
    return new Promise((resolve) => {
      this.#waiting.set(number, resolve);
      this.#thread.postMessage({ ...call, number });
    });
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }
}

const agent = new Agent({ headersTimeout: PATIENCE_MS, bodyTimeout: PATIENCE_MS });

/** Makes a call in this thread. */
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

const port = parentPort;
// Behind the service on its cores, as far as the system allows.
if (port && process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
port?.on('message', async ({ number, ...call }: Numbered<HttpCall>) => {
  port.postMessage({ number, ...(await sendHttp(call)) });
});
