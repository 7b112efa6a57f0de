import { Random } from '../../../../models/random';
import type { Answer } from './checked-client';
import { CursorWalk, SHELF_PAGE, WHOLE_PAGE } from './cursor-walk';
import {
  brandId,
  COLOURS,
  colourId,
  lookOf,
  productId,
  QUIET_CATEGORY,
  STYLES,
  styleId,
  WORDS,
} from './living-catalog';
import type { CatalogAnswer } from './row-versions';
import type { World } from './world';

/** What is read, and how often each. */
const SORTS = [
  ['item', 5],
  ['several items', 2],
  ['listing with facets', 3],
  ['listing with filters', 4],
  ['text', 3],
  ['cursor', 3],
  ['quiet listing', 2],
] as const;

type Sort = (typeof SORTS)[number][0];

const INCLUDES = ['taxonomy', 'pricing'];
const ITEMS = 20;
const QUIET_PAGE = 20;
/** One item in so many is a brand. */
const BRAND_EVERY = 8;
/** One walk in so many goes over the whole catalog. */
const WHOLE_WALK_EVERY = 3;

/** Reads the catalog as callers do, and has each answer checked. */
export class Readers {
  readonly #random: Random;
  readonly #walks: CursorWalk[] = [];
  #begunWalks = 0;
  #photo = 0;

  constructor(
    private readonly world: World,
    seed: number,
  ) {
    this.#random = new Random(seed, 'readers');
  }

  /** One read, of any sort. */
  async read(): Promise<void> {
    await this.#reads[this.#random.weighted(SORTS)]();
  }

  /** One photo. */
  async identify(): Promise<void> {
    const { photos, photoLog, client, checker } = this.world;
    const photo = this.#photo++ % photos.length;
    const from = performance.now();
    const { status, answer } = await photoLog.identify(
      client.url,
      client.key,
      photo,
      photos[photo] ?? Buffer.alloc(0),
    );
    const until = performance.now();
    client.note('photo', { status, ms: until - from });
    if (status !== 200) return;
    checker.saw({ what: `photo at ${from.toFixed(0)} ms`, from, until }, (answer as CatalogAnswer).data);
  }

  readonly #reads: Readonly<Record<Sort, () => Promise<void>>> = {
    item: async () => {
      const { client, checker } = this.world;
      const id = this.#random.chance(1 / BRAND_EVERY) ? brandId(this.#shelf()) : productId(this.#product());
      const path = `/v3/catalog/items/${id}?includes=${INCLUDES.join()}`;
      const answer = await client.send<CatalogAnswer>('item', 'GET', path);
      if (answer.body) checker.saw(answer, answer.body.data);
      else if (answer.status === 404) checker.missed(answer, id);
    },
    'several items': async () => {
      const products = Array.from({ length: ITEMS }, () => this.#product());
      await readItems(this.world, products);
    },
    'listing with facets': async () => {
      const shelf = this.#shelf();
      const facets = ['style', 'colour', 'brand'].map((field) => ({ field, limit: 100 }));
      const answer = await this.#query('listing with facets', {
        filters: [brandFilter(shelf)],
        page_size: 100,
        facets,
      });
      this.#check(answer, shelf, null);
    },
    'listing with filters': async () => {
      const shelf = this.#shelf();
      const { filter, matches } = this.#filter(shelf);
      const answer = await this.#query('listing with filters', {
        filters: [brandFilter(shelf), filter],
        page_size: 100,
      });
      this.#check(answer, shelf, matches);
    },
    text: async () => {
      const shelf = this.#shelf();
      const word = this.#random.pick(WORDS);
      const answer = await this.#query('text', {
        query: word,
        filters: [brandFilter(shelf)],
        page_size: 100,
      });
      this.#check(answer, shelf, (version) => lookOf(version).word === word);
    },
    cursor: async () => {
      const walk = this.#walks.pop() ?? this.#beginWalk();
      if (await walk.step()) this.#walks.push(walk);
    },
    'quiet listing': async () => {
      const { quiet, checker } = this.world;
      const page = this.#random.integer(0, Math.floor(quiet.length / QUIET_PAGE));
      const answer = await this.#query('quiet listing', {
        category_id: QUIET_CATEGORY,
        page,
        page_size: QUIET_PAGE,
      });
      if (!answer.body) return;
      const expected = quiet.slice(page * QUIET_PAGE, (page + 1) * QUIET_PAGE);
      const ids = answer.body.data.map(({ id }) => id);
      if (answer.body.total_results === quiet.length && ids.join() === expected.join()) return;
      const detail = `${answer.what}: page ${page} of ${answer.body.total_results} rows is not what it was`;
      checker.violations.note({ promise: 'counted', detail });
    },
  };

  #query(sort: Sort, body: object): Promise<Answer<CatalogAnswer>> {
    return this.world.client.send<CatalogAnswer>(sort, 'POST', '/v3/catalog/query', {
      body: { ...body, includes: INCLUDES },
    });
  }

  /** An answer that holds all of a shelf, or all versions that match. */
  #check(
    { body, ...answer }: Answer<CatalogAnswer>,
    shelf: number,
    matches: ((version: number) => boolean) | null,
  ): void {
    if (!body) return;
    const { checker } = this.world;
    checker.sawInOrder(answer, body.data);
    checker.sawCounts(answer, body);
    checker.sawShelf(answer, shelf, body.data, matches);
  }

  #filter(shelf: number): { filter: object; matches: (version: number) => boolean } {
    const [colour, style] = [this.#random.integer(0, COLOURS - 1), this.#random.integer(0, STYLES - 1)];
    return this.#random.pick([
      {
        filter: { field: 'colour', include: [colourId(colour)] },
        matches: (version: number) => lookOf(version).colour === colour,
      },
      {
        filter: { field: 'style', include: [styleId(shelf, style)] },
        matches: (version: number) => lookOf(version).style === style,
      },
      {
        filter: { field: 'colour', exclude: [colourId(colour)] },
        matches: (version: number) => lookOf(version).colour !== colour,
      },
    ]);
  }

  #beginWalk(): CursorWalk {
    this.#begunWalks += 1;
    if (this.#begunWalks % WHOLE_WALK_EVERY === 0) {
      const products = Array.from({ length: this.world.catalog.size }, (_, product) => product);
      return new CursorWalk(this.world, { filters: [], page_size: WHOLE_PAGE }, products, this.world.still);
    }
    const shelf = this.#shelf();
    const query = { filters: [brandFilter(shelf)], page_size: SHELF_PAGE };
    return new CursorWalk(this.world, query, this.world.catalog.shelf(shelf), new Set());
  }

  #shelf = (): number => this.#random.integer(0, this.world.catalog.shelves - 1);
  #product = (): number => this.#random.integer(0, this.world.catalog.size - 1);
}

/** Looks products up, up to 100 of them. */
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
