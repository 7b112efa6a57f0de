/** How waiting for an answer ended. */
export type Waited<Value> =
  | { readonly kind: 'answered'; readonly value: Value }
  | { readonly kind: 'late' }
  | { readonly kind: 'aborted' };

/** Waits for an answer until a time limit or `signal`; rethrows a failure before that, and ignores whatever comes later. */
export async function race<Value>(
  answer: Promise<Value>,
  waitMs: number,
  signal?: AbortSignal,
): Promise<Waited<Value>> {
  const stop = new AbortController();
  const ended = new Promise<Waited<Value>>((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, waitMs), { kind: 'late' });
    const abort = (): void => resolve({ kind: 'aborted' });
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true, signal: stop.signal });
    stop.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
  try {
    return await Promise.race([answer.then((value) => ({ kind: 'answered' as const, value })), ended]);
  } finally {
    stop.abort();
  }
}
