import type { CatalogAnswer } from './row-versions';
import type { World } from './world';

/** Rows of a page, small enough that a shelf takes several. */
export const SHELF_PAGE = 10;
/** As large as pages are, so that a whole catalog is walked while it is written. */
export const WHOLE_PAGE = 100;

/** Reads a result page after page by cursors, while others write. */
export class CursorWalk {
  readonly #times = new Map<string, number>();
  readonly #from = performance.now();
  #cursor = '';

  /**
   * @param products the living ones that may stand in it
   * @param still other products that stand in it and that nobody writes
   */
  constructor(
    private readonly world: World,
    private readonly query: { readonly filters: readonly object[]; readonly page_size: number },
    private readonly products: readonly number[],
    private readonly still: ReadonlySet<string>,
  ) {}

  /** Reads the next page; false when that was the last one, or when it was not answered. */
  async step(): Promise<boolean> {
    const { client, checker } = this.world;
    const body = { ...this.query, cursor: this.#cursor, includes: ['taxonomy', 'pricing'] };
    const answer = await client.send<CatalogAnswer>('cursor', 'POST', '/v3/catalog/query', { body });
    if (!answer.body) return false;
    const { data, next_cursor: next } = answer.body;
    checker.sawInOrder(answer, data);
    checker.saw(answer, data);
    for (const { id } of data) this.#times.set(id, (this.#times.get(id) ?? 0) + 1);
    if (next) {
      this.#cursor = next;
      return true;
    }
    this.#end(answer.until);
    return false;
  }

  #end(until: number): void {
    const { checker } = this.world;
    const what = `walk from ${this.#from.toFixed(0)} to ${until.toFixed(0)} ms`;
    for (const id of this.still) {
      const count = this.#times.get(id) ?? 0;
      if (count === 1) continue;
      checker.violations.note({ promise: 'walked', detail: `${what}: ${id} came ${count} times` });
    }
    const { products } = this;
    const living = new Map([...this.#times].filter(([id]) => this.world.catalog.productOf(id) >= 0));
    checker.walked({ what, from: this.#from, until, products, times: living });
  }
}
