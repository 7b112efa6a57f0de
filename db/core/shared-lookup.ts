import { setTimeout as delay } from 'node:timers/promises';
import DataLoader from 'dataloader';

/** A look-up that takes longer (its connection may be dead) does not hold up the next one. */
const PATIENCE_MS = 100;

/**
 * Answers a flood of questions with few statements: who asks while a look-up runs is served by the next one, together
 * with all who came meanwhile. Every answer is of a look-up that began after its question, so it is as fresh as one of
 * its own would be.
 */
export class SharedLookup<Value> {
  #latest: Promise<unknown> = Promise.resolve();
  readonly #loader: DataLoader<string, Value | null>;

  /** @param lookUp values by key; what is not known is left out */
  constructor(lookUp: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>) {
    const lookUpAll = async (keys: readonly string[]) => {
      const looking = lookUp([...new Set(keys)]);
      this.#latest = looking.catch(() => undefined);
      const found = await looking;
      return keys.map((key) => found.get(key) ?? null);
    };
    const batchScheduleFn = (dispatch: () => void) =>
      void Promise.race([this.#latest, delay(PATIENCE_MS, undefined, { ref: false })]).then(dispatch);
    this.#loader = new DataLoader(lookUpAll, { cache: false, batchScheduleFn });
  }

  /** The value of a key, or null. Rejects as its look-up does. */
  find(key: string): Promise<Value | null> {
    return this.#loader.load(key);
  }
}
