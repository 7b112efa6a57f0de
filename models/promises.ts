/** Settles as the work does, or rejects once a signal is aborted; the work's own failure is then dropped. */
export function orAborted<Result>(work: Promise<Result>, signal?: AbortSignal): Promise<Result> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}

/** Undoes something once a signal is aborted, or at once if it is already; a failure to do so is dropped. */
export function onceAborted(signal: AbortSignal | undefined, undo: () => Promise<unknown>): void {
  const run = () => void undo().catch(() => undefined);
  if (signal?.aborted) run();
  else signal?.addEventListener('abort', run, { once: true });
}

/** Opens something for some work, and closes it however the work ends. */
export async function useAndClose<Opened extends { close(): Promise<unknown> }, Result>(
  opening: Opened | Promise<Opened>,
  work: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  const opened = await opening;
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}
