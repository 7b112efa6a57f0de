import { setTimeout as delay } from 'node:timers/promises';
import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';

/** After this long the next batch starts without waiting for the previous one, whose connection may be dead. */
const PATIENCE_MS = 100;
/** Batchers kept, by key; evicting one that is in use only makes its batches smaller. */
const KEYS_MAX = 1_000;

/** Items that arrive while a batch is under way share the next one, so each answer is as fresh as that of its own statement. */
export class Batcher<Item, Result> {
  #latest: Promise<unknown> = Promise.resolve();
  readonly #loader: DataLoader<Item, Result>;

  /** @param work results in the order of the items; an Error is that of its item alone */
  constructor(work: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>) {
    const workAll = (items: readonly Item[]) => {
      const working = work(items);
      this.#latest = working.catch(() => undefined);
      return working;
    };
    const batchScheduleFn = (dispatch: () => void) =>
      void Promise.race([this.#latest, delay(PATIENCE_MS, undefined, { ref: false })]).then(dispatch);
    this.#loader = new DataLoader(workAll, { cache: false, batchScheduleFn });
  }

  /** The result of an item. Rejects as its batch does. */
  submit(item: Item): Promise<Result> {
    return this.#loader.load(item);
  }
}

export class KeyedBatcher<Item, Result> {
  readonly #batchers = new LRUCache<string, Batcher<Item, Result>>({ max: KEYS_MAX });

  constructor(private readonly work: ConstructorParameters<typeof Batcher<Item, Result>>[0]) {}

  submit(key: string, item: Item): Promise<Result> {
    const batcher = this.#batchers.get(key) ?? new Batcher(this.work);
    this.#batchers.set(key, batcher);
    return batcher.submit(item);
  }
}
