/** A look-up that takes longer (its connection may be dead) does not hold up the next one. */
const PATIENCE_MS = 100;

/**
 * Answers a flood of questions with few statements: who asks while a look-up runs is served by the next one, together
 * with all who came meanwhile. Every answer is of a look-up that began after its question, so it is as fresh as one of
 * its own would be.
 */
export class SharedLookup<Value> {
  #latest: Promise<unknown> = Promise.resolve();
  #next: { readonly keys: Set<string>; readonly found: Promise<ReadonlyMap<string, Value>> } | null = null;

  /** @param lookUp values by key; what is not known is left out */
  constructor(private readonly lookUp: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>) {}

  /** The value of a key, or null. Rejects as its look-up does. */
  async find(key: string): Promise<Value | null> {
    this.#next ??= this.#batch();
    this.#next.keys.add(key);
    return (await this.#next.found).get(key) ?? null;
  }

  #batch() {
    const keys = new Set<string>();
    const found = this.#turn().then(() => {
      this.#next = null;
      const looking = this.lookUp([...keys]);
      this.#latest = looking.catch(() => undefined);
      return looking;
    });
    return { keys, found };
  }

  /** Resolves when the latest look-up has ended, or takes too long. */
  #turn(): Promise<void> {
    return new Promise((resolve) => {
      const late = setTimeout(resolve, PATIENCE_MS);
      void this.#latest.then(() => {
        clearTimeout(late);
        resolve();
      });
    });
  }
}
