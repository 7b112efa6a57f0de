import { firstOf } from './queue/first-of';

/** The photos of callers that this process works on, so that other work can step aside for them. */
export class PhotosInWork {
  #count = 0;
  #idle: { readonly promise: Promise<void>; resolve(): void } | null = null;

  /** Counts a photo as in work until `work` has ended. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#count += 1;
    try {
      return await work();
    } finally {
      this.#count -= 1;
      if (this.#count === 0) {
        this.#idle?.resolve();
        this.#idle = null;
      }
    }
  }

  /** Resolves when no photo is in work, at the latest after `atMostMs`, so that nothing waits for ever. */
  async none(atMostMs: number, signal?: AbortSignal): Promise<void> {
    if (this.#count === 0) return;
    this.#idle ??= signalled();
    await firstOf(this.#idle.promise, atMostMs, signal);
  }
}

function signalled(): { promise: Promise<void>; resolve(): void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((resolved) => {
    resolve = resolved;
  });
  return { promise, resolve };
}
