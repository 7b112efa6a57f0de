export interface RetryOptions {
  /** How often a call is retried after a 429, a 503 or a lost connection; default 3. Waits for a running call do not count. */
  readonly retries: number;
  /** Time limit of a call with all its retries and the waits between them; default one minute. */
  readonly timeoutMs: number;
}

type Fetch = (request: Request) => Promise<Response>;

/** First wait if the service names none; each further one is twice as long. */
const FIRST_WAIT_MS = 250;

/**
 * A `fetch` that retries after a lost connection, a 429 or 503, and a 409 while the first call with this `Idempotency-Key`
 * runs. All but GETs and suggestions get such a key, so they are charged once. When retries or time are used up, it resolves
 * to the last answer, or throws a `TimeoutError` without one.
 */
export function retryingFetch(fetch: Fetch, { retries, timeoutMs }: RetryOptions): Fetch {
  return async (given) => {
    const giveUpAt = Date.now() + timeoutMs;
    const timeout = AbortSignal.timeout(timeoutMs);
    // A timeout signal without a listener of its own may be collected, and then never aborts what `any` makes of it.
    timeout.addEventListener('abort', () => undefined, { once: true });
    const signal = AbortSignal.any([given.signal, timeout]);
    // The same holds for signals that `fetch` derives from this one.
    const over = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    over.catch(() => undefined);
    const request = new Request(given, { signal });
    const isRead = request.method === 'GET' || new URL(request.url).pathname.endsWith(SUGGEST);
    if (!isRead && !request.headers.has(IDEMPOTENCY_KEY)) {
      request.headers.set(IDEMPOTENCY_KEY, crypto.randomUUID());
    }
    for (let made = 0; ; ) {
      const answer = await Promise.race([wholeAnswer(fetch(request.clone())), over]).catch(
        (failure: unknown) => {
          if (signal.aborted || made === retries) throw signal.aborted ? signal.reason : failure;
          return null;
        },
      );
      // Null if the call is not retried.
      const isRunning = answer?.status === 409;
      const isRetried = !answer || answer.status === 429 || answer.status === 503;
      const seconds = answer && (isRunning || isRetried) ? retryAfterOf(answer) : null;
      const waitMs = seconds === null && isRetried ? FIRST_WAIT_MS * 2 ** made : seconds && seconds * 1000;
      const isLast = made === retries && !isRunning;
      if (answer && (waitMs === null || isLast || Date.now() + waitMs >= giveUpAt)) return answer;
      if (!isRunning) made += 1;
      await answer?.body?.cancel();
      await pause(waitMs ?? 0, signal);
    }
  };
}

const IDEMPOTENCY_KEY = 'Idempotency-Key';
/** Changes nothing and is free; it is called at each keystroke, so its answers are not worth keeping. */
const SUGGEST = '/catalog/suggest';

/** With its body, so that a connection lost in the middle of it counts as lost. */
async function wholeAnswer(answering: Promise<Response>): Promise<Response> {
  const answer = await answering;
  return answer.body ? new Response(await answer.arrayBuffer(), answer) : answer;
}

/** Seconds of `Retry-After`, from now if it is a date; null without. */
export function retryAfterOf(answer: Response): number | null {
  const text = answer.headers.get('Retry-After') ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

/** Waits, unless the caller gives up before that. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => resolve(clearTimeout(timer)), { once: true });
  });
  signal.throwIfAborted();
}
