import type { VisionPlace } from '../../models/ports';

/**
 * The calls of this process whose photos are on their way to the queue: being decoded, or waiting for that. No queue
 * knows of them yet, but they come before whoever comes later.
 */
export class Entrance {
  #inside = 0;
  #asking = 0;

  /** Photos that are not in the queue yet. */
  get before(): number {
    return Math.max(0, this.#inside - this.#asking);
  }

  enter(): VisionPlace {
    this.#inside += 1;
    let left = false;
    return {
      leave: () => {
        if (!left) this.#inside -= 1;
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
}
