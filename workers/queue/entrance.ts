import type { VisionPlace } from '../../models/ports';

/**
 * The calls of this process whose photos are on their way to the queue: being decoded, or waiting for that. No queue
 * knows of them yet, but they come before whoever comes later.
 */
export class Entrance {
  #inside = 0;
  #asking = 0;
  readonly #byAccount = new Map<string, number>();

  /** Photos that are not in the queue yet. */
  get before(): number {
    return Math.max(0, this.#inside - this.#asking);
  }

  /** Whether an account has as many calls of this process, in the queue or before it, as falls to each that has any. */
  hasItsShare(accountId: string): boolean {
    const own = this.#byAccount.get(accountId) ?? 0;
    return own > 0 && own * this.#byAccount.size >= this.#inside;
  }

  enter(accountId: string): VisionPlace {
    this.#count(accountId, 1);
    let left = false;
    return {
      leave: () => {
        if (!left) this.#count(accountId, -1);
        left = true;
      },
    };
  }

  /** Meanwhile the photo of a call is in the queue. */
  async asking<Answer>(answer: () => Promise<Answer>): Promise<Answer> {
    this.#asking += 1;
    try {
      return await answer();
    } finally {
      this.#asking -= 1;
    }
  }

  #count(accountId: string, calls: 1 | -1): void {
    this.#inside += calls;
    const own = (this.#byAccount.get(accountId) ?? 0) + calls;
    if (own > 0) this.#byAccount.set(accountId, own);
    else this.#byAccount.delete(accountId);
  }
}
