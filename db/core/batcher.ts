import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';

/** After this long the next batch starts without waiting for the previous one, whose connection may be dead. */
const PATIENCE_MS = 100;
/** Loaders kept, by key; evicting one that is in use only makes its batches smaller. */
const KEYS_MAX = 1_000;

/** Items that arrive while a batch is under way share the next one, so each answer is as fresh as that of its own statement. */
export class Batcher<Item, Result> {
  readonly #loaders = new LRUCache<string, DataLoader<Item, Result>>({ max: KEYS_MAX });

  /** @param work results in the order of the items; an Error is that of its item alone */
  constructor(private readonly work: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>) {}

  /** The result of an item. Rejects as its batch does. @param key only items of the same one share a batch */
  submit(item: Item, key = ''): Promise<Result> {
    const loader = this.#loaders.get(key) ?? this.#newLoader();
    this.#loaders.set(key, loader);
    return loader.load(item);
  }

  #newLoader(): DataLoader<Item, Result> {
    let latest: Promise<unknown> = Promise.resolve();
    const workAll = (items: readonly Item[]) => {
      const working = this.work(items);
      latest = working.catch(() => undefined);
      return working;
    };
    const batchScheduleFn = (dispatch: () => void) =>
      void new Promise<void>((resolve) => {
        const late = setTimeout(resolve, PATIENCE_MS).unref();
        // A timer that is left running keeps the batch and its results in memory.
        void latest.then(() => {
          clearTimeout(late);
          resolve();
        });
      }).then(dispatch);
    return new DataLoader(workAll, { cache: false, batchScheduleFn });
  }
}
