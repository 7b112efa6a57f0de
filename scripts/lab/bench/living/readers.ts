import { at, Random } from '../../../../models/random';
import { brandId, COLOURS, colourId, lookOf, productId, STYLES, styleId, WORDS } from './living-catalog';
import type { CatalogAnswer } from './row-versions';
import type { World } from './world';

/** A listing of a shelf: what is added to the query, and which versions of products it then has; null for all. */
interface Listing {
  readonly query: object;
  readonly matches: ((version: number) => boolean) | null;
}

const INCLUDES = ['taxonomy', 'pricing'];
const ITEMS = 20;
/** Holds a shelf. */
const LISTING_PAGE = 100;
/** Small enough that a shelf takes several. */
const SHELF_PAGE = 10;
/** As large as pages get, so that a whole catalog is read while it is written. */
const WHOLE_PAGE = 100;
/** One item in so many is a brand. */
const BRAND_EVERY = 8;
/** One walk in so many goes over the whole catalog. */
const WHOLE_WALK_EVERY = 3;
const FACETS = ['style', 'colour', 'brand'].map((field) => ({ field, limit: 100 }));

/** Reads the catalog as callers do, and has each answer checked. */
export class Readers {
  readonly #random: Random;
  readonly #walks: CursorWalk[] = [];
  #walksBegun = 0;
  #photo = 0;

  constructor(
    private readonly world: World,
    seed: number,
  ) {
    this.#random = new Random(seed, 'readers');
  }

  /** One read, of any sort. */
  async read(): Promise<void> {
    const read = this.#random.weighted([
      [() => this.#item(), 5],
      [
        () =>
          readItems(
            this.world,
            Array.from({ length: ITEMS }, () => this.#product()),
          ),
        2,
      ],
      [() => this.#listing('listing with facets', () => ({ query: { facets: FACETS }, matches: null })), 3],
      [() => this.#listing('listing with filters', (shelf) => this.#filter(shelf)), 4],
      [() => this.#listing('text', () => this.#word()), 3],
      [() => this.#walk(), 3],
    ]);
    await read();
  }

  /** One photo. */
  async identify(): Promise<void> {
    const { photos, photoLog, client, checker } = this.world;
    const photo = this.#photo++ % photos.length;
    const from = performance.now();
    const { status, answer } = await photoLog.identify(client.url, client.key, photo, at(photos, photo));
    const until = performance.now();
    client.check(`photo ${photo}`, status);
    if (status !== 200) return;
    checker.saw({ what: `photo at ${from.toFixed(0)} ms`, from, until }, (answer as CatalogAnswer).data);
  }

  async #item(): Promise<void> {
    const { client, checker } = this.world;
    const id = this.#random.chance(1 / BRAND_EVERY) ? brandId(this.#shelf()) : productId(this.#product());
    const path = `/v3/catalog/items/${id}?includes=${INCLUDES.join()}`;
    const answer = await client.send<CatalogAnswer>('item', 'GET', path);
    if (answer.body) checker.saw(answer, answer.body.data);
    else if (answer.status === 404) checker.missed(answer, id);
  }

  /** An answer that has all products of a shelf, or all whose version matches. */
  async #listing(sort: string, draw: (shelf: number) => Listing): Promise<void> {
    const { client, checker } = this.world;
    const shelf = this.#shelf();
    const { query, matches } = draw(shelf);
    const { filters = [], ...others } = query as { readonly filters?: readonly object[] };
    const body = {
      ...others,
      filters: [brandFilter(shelf), ...filters],
      ...{ page_size: LISTING_PAGE, includes: INCLUDES },
    };
    const { body: found, ...reading } = await client.send<CatalogAnswer>(sort, 'POST', '/v3/catalog/query', {
      body,
    });
    if (!found) return;
    checker.sawInOrder(reading, found.data);
    checker.sawCounts(reading, found);
    checker.sawShelf(reading, shelf, found.data, matches);
  }

  #word(): Listing {
    const word = this.#random.pick(WORDS);
    return { query: { query: word }, matches: (version) => lookOf(version).word === word };
  }

  #filter(shelf: number): Listing {
    const [colour, style] = [this.#random.integer(0, COLOURS - 1), this.#random.integer(0, STYLES - 1)];
    const filtered = (filter: object, matches: (version: number) => boolean): Listing => ({
      query: { filters: [filter] },
      matches,
    });
    return this.#random.pick([
      filtered({ field: 'colour', include: [colourId(colour)] }, (each) => lookOf(each).colour === colour),
      filtered({ field: 'style', include: [styleId(shelf, style)] }, (each) => lookOf(each).style === style),
      filtered({ field: 'colour', exclude: [colourId(colour)] }, (each) => lookOf(each).colour !== colour),
    ]);
  }

  /** The next page of a walk that is not at its end, or of a new one. */
  async #walk(): Promise<void> {
    const walk = this.#walks.pop() ?? this.#newWalk();
    if (await walk.step()) this.#walks.push(walk);
  }

  #newWalk(): CursorWalk {
    const { world } = this;
    this.#walksBegun += 1;
    if (this.#walksBegun % WHOLE_WALK_EVERY === 0) {
      const products = Array.from({ length: world.catalog.size }, (_, product) => product);
      return new CursorWalk(world, { filters: [], page_size: WHOLE_PAGE }, products, world.still);
    }
    const shelf = this.#shelf();
    const query = { filters: [brandFilter(shelf)], page_size: SHELF_PAGE };
    return new CursorWalk(world, query, world.catalog.shelf(shelf), new Set());
  }

  #shelf = (): number => this.#random.integer(0, this.world.catalog.shelves - 1);
  #product = (): number => this.#random.integer(0, this.world.catalog.size - 1);
}

/** Reads a result page after page by cursors, while others write. */
class CursorWalk {
  readonly #times = new Map<string, number>();
  readonly #from = performance.now();
  #cursor = '';

  /**
   * @param products the living ones that the result may have
   * @param still other products that the result has and that nobody writes
   */
  constructor(
    private readonly world: World,
    private readonly query: object,
    private readonly products: readonly number[],
    private readonly still: ReadonlySet<string>,
  ) {}

  /** Reads the next page; false when that was the last one, or when it was not answered. */
  async step(): Promise<boolean> {
    const { client, checker, catalog } = this.world;
    const body = { ...this.query, cursor: this.#cursor, includes: INCLUDES };
    const answer = await client.send<CatalogAnswer>('cursor', 'POST', '/v3/catalog/query', { body });
    if (!answer.body) return false;
    const { data, next_cursor: next } = answer.body;
    checker.sawInOrder(answer, data);
    checker.saw(answer, data);
    for (const { id } of data) this.#times.set(id, (this.#times.get(id) ?? 0) + 1);
    this.#cursor = next ?? '';
    if (next) return true;
    const [from, { until }] = [this.#from, answer];
    const what = `walk from ${from.toFixed(0)} to ${until.toFixed(0)} ms`;
    for (const id of this.still) {
      const count = this.#times.get(id) ?? 0;
      if (count === 1) continue;
      checker.violations.note({ promise: 'walked', detail: `${what}: ${id} came ${count} times` });
    }
    const times = new Map([...this.#times].filter(([id]) => catalog.productOf(id) >= 0));
    checker.walked({ what, from, until, products: this.products, times });
    return false;
  }
}

/** Looks up products, up to 100 of them. */
export async function readItems({ client, checker }: World, products: readonly number[]): Promise<void> {
  const body = { ids: products.map(productId), includes: INCLUDES };
  const answer = await client.send<CatalogAnswer & { readonly not_found: readonly string[] }>(
    'several items',
    'POST',
    '/v3/catalog/items',
    { body },
  );
  if (!answer.body) return;
  checker.saw(answer, answer.body.data);
  for (const id of answer.body.not_found) checker.missed(answer, id);
}

const brandFilter = (shelf: number) => ({ field: 'brand', include: [brandId(shelf)] });
