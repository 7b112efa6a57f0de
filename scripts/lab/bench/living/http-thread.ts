import { parentPort, Worker } from 'node:worker_threads';
import { Agent, request } from 'undici';

export interface HttpCall {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Status 0 and what went wrong for a call that got no answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
  readonly ms: number;
}

type Numbered<Of> = Of & { readonly number: number };

const PATIENCE_MS = 60_000;

/**
 * Makes calls in a thread of its own, so that what the main thread does with their answers, and for its writers and
 * imports, is not found in their latencies: callers are on other machines than the service.
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

async function answerOf({ url, ...call }: HttpCall): Promise<HttpAnswer> {
  const from = performance.now();
  const { status, text } = await request(url, { ...call, dispatcher: agent }).then(
    async (answer) => ({ status: answer.statusCode, text: await answer.body.text() }),
    (failure: unknown) => ({ status: 0, text: String(failure) }),
  );
  return { status, text, ms: performance.now() - from };
}

const port = parentPort;
port?.on('message', async ({ number, ...call }: Numbered<HttpCall>) => {
  port.postMessage({ number, ...(await answerOf(call)) });
});
