import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Random, shuffled } from '../../../models/random';
import { productId as drawnProductId } from '../../../scripts/lab/generator/generate-bundle';
import { runLoupe } from '../../../scripts/lab/service-processes';
import { type CatalogAnswer, Checker, type Reading } from './checker';
import type { Matches } from './record-history';
import {
  brandChange,
  brandId,
  type Change,
  COLOURS,
  colourId,
  colourOf,
  count,
  deletion,
  productChanges,
  productId,
  SHELVES,
  SIZE,
  shelf,
  TAXONOMY,
  WORDS,
  wordOf,
} from './records';

/** A running service, and the bundle of its catalog. */
export interface LivingOptions {
  readonly url: string;
  /** With all scopes. */
  readonly key: string;
  /** Of `loupe` commands. */
  readonly settings: Readonly<Record<string, string>>;
  readonly bundle: string;
  readonly seed: number;
}

interface Answer extends Reading {
  readonly status: number;
  /** Of a 200. */
  readonly body?: object;
}

interface RecordsAnswer {
  readonly data: readonly { readonly status: string; readonly reason?: string }[];
}

interface CursorWalk {
  readonly from: number;
  readonly isWhole: boolean;
  readonly query: object;
  readonly products: readonly number[];
  readonly times: Map<string, number>;
  cursor: string;
}

const FILES = ['entities', 'products', 'estimates'] as const;
const INCLUDES = ['taxonomy', 'pricing'];
const FACETS = ['colour', 'brand'].map((field) => ({ field, limit: 100 }));
const PRODUCTS_A_CALL = 8;
const FEED_PIECES = 10;
/** Of the products of a call, and of calls. */
const [DELETED, RENAMING, REMOVING] = [0.05, 0.2, 0.2];

/** Callers that write, read and import one catalog, all using the same products. */
export class Living {
  readonly checker = new Checker();
  readonly #random: Random;
  readonly #walks: CursorWalk[] = [];
  #version = 0;
  #calls = 0;
  #feeds = 0;
  /** The address of a stored picture, which every product that is written over HTTP has. */
  #picture: string | undefined;

  private constructor(
    private readonly options: LivingOptions,
    /** Lines of the bundle, by file. */
    private readonly lines: ReadonlyMap<Change['file'], string>,
  ) {
    this.#random = new Random(options.seed, 'readers');
  }

  /** Writes the living products in their first versions. */
  static async begin(options: LivingOptions): Promise<Living> {
    const lines = new Map<Change['file'], string>();
    for (const file of FILES) lines.set(file, await readFile(join(options.bundle, `${file}.jsonl`), 'utf8'));
    const living = new Living(options, lines);
    const first = await living.#send('picture', 'POST', '/v3/catalog/query', { page_size: 1 });
    living.#picture = (first.body as CatalogAnswer).data[0]?.images[0];
    await living.#send('taxonomy', 'PUT', '/v3/catalog/records', TAXONOMY);
    await living.#put(count(SHELVES).map((number) => brandChange(number, living.#next())));
    await living.#put(count(SIZE).flatMap((product) => productChanges(product, living.#next())));
    return living;
  }

  /** A call with some products, and now and then a brand, and a deletion after it. */
  async write(): Promise<void> {
    const { seed } = this.options;
    const random = new Random(seed, 'call', this.#calls++);
    const changes = shuffled(count(SIZE), seed, 'products', this.#calls)
      .slice(0, PRODUCTS_A_CALL)
      .flatMap((product) =>
        random.chance(DELETED) ? [deletion(product)] : productChanges(product, this.#next()),
      );
    if (random.chance(RENAMING)) changes.push(brandChange(random.integer(0, SHELVES - 1), this.#next()));
    await this.#put(changes);
    if (!random.chance(REMOVING)) return;
    const change = deletion(random.integer(0, SIZE - 1));
    const answer = await this.#send('delete', 'DELETE', `/v3/catalog/records/${change.key}`);
    if (answer.status === 404) this.checker.missed(answer, change.key);
    else this.checker.wrote(change, outcomeOf(answer));
  }

  /** Imports the bundle, with other versions of half of the living products and of two brands. */
  async import(): Promise<void> {
    const { bundle, settings } = this.options;
    const changes = [
      ...[0, 1].map((number) => brandChange(number, this.#next())),
      ...count(SIZE / 2).flatMap((half) => productChanges(half * 2, this.#next())),
    ];
    for (const file of FILES) {
      const own = changes
        .filter((each) => each.file === file)
        .map(({ record }) => `${JSON.stringify(record)}\n`);
      await writeFile(join(bundle, `${file}.jsonl`), `${own.join('')}${this.lines.get(file)}`);
    }
    const report = join(bundle, 'rejects.txt');
    const from = performance.now();
    await runLoupe(settings, 'catalog', 'import', bundle, '--allow-rejects', '--report', report);
    const span = { from, until: performance.now() };
    const rejected = (await readFile(report, 'utf8')).split('\n');
    for (const file of FILES) {
      for (const [position, change] of changes.filter((each) => each.file === file).entries()) {
        const line = rejected.find((each) => each.startsWith(`${file}.jsonl:${position + 1}: `));
        if (line === undefined) this.checker.wrote(change, span);
        else this.checker.refused(change, line);
      }
    }
  }

  /** Imports the feed of a shop, which lacks another piece each time. Returns the ids of its products, in order. */
  async importFeed(): Promise<string[]> {
    const { bundle, settings, seed } = this.options;
    const pieces = count(FEED_PIECES).filter((piece) => piece !== this.#feeds % FEED_PIECES);
    this.#feeds += 1;
    const rows = pieces.map(
      (piece) => `fed-${piece},Piece ${piece},Fed House,images/0000/${drawnProductId(seed, piece)}.jpg`,
    );
    const file = join(bundle, 'feed.csv');
    await writeFile(file, ['id,title,brand,image', ...rows].join('\n'));
    const words = ['--feed', 'shop', '--remove-missing', '--category', 'Fed', '--no-wait'];
    await runLoupe(settings, 'catalog', 'import', file, ...words);
    return pieces.map((piece) => `product_fed-${piece}`);
  }

  /** One read, of any kind. */
  async read(): Promise<void> {
    const random = this.#random;
    const number = random.integer(0, SHELVES - 1);
    const id = random.chance(0.1) ? brandId(number) : productId(random.integer(0, SIZE - 1));
    const word = random.pick(WORDS);
    const colour = random.integer(0, COLOURS - 1);
    const filter = (sense: 'include' | 'exclude') => ({ field: 'colour', [sense]: [colourId(colour)] });
    const isOf = (version: number) => colourOf(version) === colour;
    const isOther = (version: number) => !isOf(version);
    const read = random.weighted<() => Promise<void>>([
      [() => this.#item(id), 5],
      [() => this.readAll(shuffled(count(SIZE), random.integer(0, SIZE)).slice(0, 20)), 2],
      [() => this.#shelf(number, { facets: FACETS }, null), 3],
      [() => this.#shelf(number, { query: word }, (version) => wordOf(version) === word), 3],
      [() => this.#shelf(number, {}, isOf, filter('include')), 2],
      [() => this.#shelf(number, {}, isOther, filter('exclude')), 2],
      [() => this.#page(number), 3],
    ]);
    await read();
  }

  /** Looks up products by their ids, up to 100. */
  async readAll(products: readonly number[]): Promise<void> {
    const body = { ids: products.map(productId), includes: INCLUDES };
    const answer = await this.#send('items', 'POST', '/v3/catalog/items', body);
    const { data = [], not_found: missing = [] } = (answer.body ?? {}) as Partial<CatalogAnswer> & {
      not_found?: readonly string[];
    };
    this.checker.saw(answer, data);
    for (const id of missing) this.checker.missed(answer, id);
  }

  /** A brand with all its products. */
  async readShelf(number: number): Promise<void> {
    await this.#item(brandId(number));
    await this.#shelf(number, {}, null);
  }

  async #item(id: string): Promise<void> {
    const answer = await this.#send('item', 'GET', `/v3/catalog/items/${id}?includes=${INCLUDES.join()}`);
    if (answer.body) this.checker.saw(answer, (answer.body as CatalogAnswer).data);
    else this.checker.missed(answer, id);
  }

  async #shelf(number: number, query: object, matches: Matches, ...more: readonly object[]): Promise<void> {
    const filters = [{ field: 'brand', include: [brandId(number)] }, ...more];
    const body = { ...query, filters, page_size: 100, includes: INCLUDES };
    const answer = await this.#send(JSON.stringify(query), 'POST', '/v3/catalog/query', body);
    if (answer.body) this.checker.sawShelf(answer, answer.body as CatalogAnswer, number, matches);
  }

  /** The next page of an unfinished walk, or the first of a new one, over a shelf or the whole catalog. */
  async #page(number: number): Promise<void> {
    const isShelf = this.#random.chance(0.6);
    const filters = isShelf ? [{ field: 'brand', include: [brandId(number)] }] : [];
    const walk: CursorWalk = this.#walks.pop() ?? {
      ...{ from: performance.now(), isWhole: !isShelf, times: new Map(), cursor: '' },
      ...(isShelf
        ? { query: { filters, page_size: 10 }, products: shelf(number) }
        : { query: { filters, page_size: 30 }, products: count(SIZE) }),
    };
    const body = { ...walk.query, cursor: walk.cursor, includes: INCLUDES };
    const answer = await this.#send('cursor', 'POST', '/v3/catalog/query', body);
    if (!answer.body) return;
    const { data, next_cursor: next } = answer.body as CatalogAnswer;
    this.checker.sawInOrder(answer, data);
    for (const { id } of data) walk.times.set(id, (walk.times.get(id) ?? 0) + 1);
    walk.cursor = next ?? '';
    if (next) this.#walks.push(walk);
    else this.checker.walked({ ...walk, until: answer.until, what: `walk from ${walk.from.toFixed(0)} ms` });
  }

  async #put(changes: readonly Change[]): Promise<void> {
    const lines = changes.map(({ file, record, version }) => ({
      [file]: file === 'products' && version !== null ? { ...record, images: [this.#picture] } : record,
    }));
    const answer = await this.#send('write', 'PUT', '/v3/catalog/records', lines);
    const outcomes = (answer.body as RecordsAnswer | undefined)?.data ?? [];
    for (const [position, change] of changes.entries()) {
      const outcome = outcomes[position];
      if (outcome?.status === 'rejected') this.checker.refused(change, outcome.reason ?? '');
      else this.checker.wrote(change, outcomeOf(answer));
    }
  }

  /** Sends JSON, or a list as JSON Lines. No call may be refused; a 404 is for a deleted record. */
  async #send(sort: string, method: string, path: string, body?: object): Promise<Answer> {
    const type = Array.isArray(body) ? 'application/x-ndjson' : 'application/json';
    const sent = Array.isArray(body)
      ? body.map((line) => JSON.stringify(line)).join('\n')
      : JSON.stringify(body);
    const from = performance.now();
    const answer = await fetch(`${this.options.url}${path}`, {
      ...{ method, body: sent ?? null },
      headers: { authorization: `Bearer ${this.options.key}`, ...(sent && { 'content-type': type }) },
    });
    const [{ status }, text] = [answer, await answer.text()];
    const reading = { what: `${sort} at ${from.toFixed(0)} ms`, from, until: performance.now(), status };
    if (status === 200) return { ...reading, body: JSON.parse(text) as object };
    if (status !== 404) this.checker.faults.push(`${reading.what}: ${status} ${text.slice(0, 200)}`);
    return reading;
  }

  #next = (): number => {
    this.#version += 1;
    return this.#version;
  };
}

/** A call not answered with 200 may have been done, or may still be. */
const outcomeOf = ({ status, from, until }: Answer) => ({
  from,
  until: status === 200 ? until : Number.POSITIVE_INFINITY,
});
