import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Random, shuffled } from '../../../models/random';
import { productId as drawnProductId } from '../../../scripts/lab/generator/generate-bundle';
import type { ApiClient } from '../../support/api-client';
import type { RunningInstallation } from '../../support/installation';
import { Checker } from './checker';
import type { Matches, Span } from './record-history';
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
  TAXONOMY,
  WORDS,
  wordOf,
} from './records';

const FILES = ['entities', 'products', 'estimates'] as const;
const INCLUDES = ['taxonomy', 'pricing'];
const FACETS = ['colour', 'brand'].map((field) => ({ field, limit: 100 }));
const PRODUCTS_A_CALL = 8;
const FEED_PIECES = 10;
/** Of the products of a call, and of calls. */
const [DELETED, RENAMING, REMOVING] = [0.05, 0.2, 0.2];

export class CatalogWorkload {
  readonly checker = new Checker();
  readonly #random: Random;
  #version = 0;
  #calls = 0;
  #feeds = 0;

  private constructor(
    private readonly api: ApiClient,
    private readonly loupe: RunningInstallation['loupe'],
    private readonly bundle: string,
    private readonly seed: number,
    /** Lines of the bundle, by file. */
    private readonly lines: ReadonlyMap<Change['file'], string>,
    /** The address of a stored picture, which every product that is written over HTTP has. */
    private readonly picture: string | undefined,
  ) {
    this.#random = new Random(seed, 'readers');
  }

  /** Writes the products in their first versions. @param api has all scopes; `bundle` is that of its catalog */
  static async begin(
    api: ApiClient,
    { loupe }: RunningInstallation,
    bundle: string,
    seed: number,
  ): Promise<CatalogWorkload> {
    const lines = new Map<Change['file'], string>();
    for (const file of FILES) lines.set(file, await readFile(join(bundle, `${file}.jsonl`), 'utf8'));
    const [first] = (await api.query({ page_size: 1 })).body.data;
    const workload = new CatalogWorkload(api, loupe, bundle, seed, lines, first?.images[0]);
    await api.write(TAXONOMY);
    await workload.#put(count(SHELVES).map((number) => brandChange(number, workload.#next())));
    await workload.#put(count(SIZE).flatMap((product) => productChanges(product, workload.#next())));
    return workload;
  }

  async write(): Promise<void> {
    const random = new Random(this.seed, 'call', this.#calls++);
    const changes = shuffled(count(SIZE), this.seed, 'products', this.#calls)
      .slice(0, PRODUCTS_A_CALL)
      .flatMap((product) =>
        random.chance(DELETED) ? [deletion(product)] : productChanges(product, this.#next()),
      );
    if (random.chance(RENAMING)) changes.push(brandChange(random.integer(0, SHELVES - 1), this.#next()));
    await this.#put(changes);
    if (!random.chance(REMOVING)) return;
    const change = deletion(random.integer(0, SIZE - 1));
    const [{ status }, span] = await timed(this.api.remove(change.key));
    if (status === 404) return this.checker.missed(span, change.key);
    expect(status).toBe(200);
    this.checker.wrote(change, span);
  }

  /** Imports the bundle, with other versions of half of the products and of two brands. */
  async import(): Promise<void> {
    const changes = [
      ...[0, 1].map((number) => brandChange(number, this.#next())),
      ...count(SIZE / 2).flatMap((half) => productChanges(half * 2, this.#next())),
    ];
    const changesOf = (file: Change['file']) => changes.filter((each) => each.file === file);
    for (const file of FILES) {
      const own = changesOf(file).map(({ record }) => `${JSON.stringify(record)}\n`);
      await writeFile(join(this.bundle, `${file}.jsonl`), `${own.join('')}${this.lines.get(file)}`);
    }
    const report = join(this.bundle, 'rejects.txt');
    const words = ['--allow-rejects', '--report', report];
    const [, span] = await timed(this.loupe('catalog', 'import', this.bundle, ...words));
    const rejected = (await readFile(report, 'utf8')).split('\n');
    for (const file of FILES) {
      for (const [position, change] of changesOf(file).entries()) {
        const line = rejected.find((each) => each.startsWith(`${file}.jsonl:${position + 1}: `));
        if (line === undefined) this.checker.wrote(change, span);
        else this.checker.refused(change, line);
      }
    }
  }

  /** Imports the feed of a shop, which lacks another piece each time. Returns the ids of its products, in order. */
  async importFeed(): Promise<string[]> {
    const pieces = count(FEED_PIECES).filter((piece) => piece !== this.#feeds % FEED_PIECES);
    this.#feeds += 1;
    const rows = pieces.map(
      (piece) => `fed-${piece},Piece ${piece},Fed House,images/0000/${drawnProductId(this.seed, piece)}.jpg`,
    );
    const file = join(this.bundle, 'feed.csv');
    await writeFile(file, ['id,title,brand,image', ...rows].join('\n'));
    const words = ['--feed', 'shop', '--remove-missing', '--category', 'Fed', '--no-wait'];
    await this.loupe('catalog', 'import', file, ...words);
    return pieces.map((piece) => `product_fed-${piece}`);
  }

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
    ]);
    await read();
  }

  /** Looks up products by their ids, up to 100. */
  async readAll(products: readonly number[]): Promise<void> {
    const [{ body }, span] = await timed(
      this.api.items({ ids: products.map(productId), includes: INCLUDES }),
    );
    this.checker.saw(span, body.data);
    for (const id of body.not_found) this.checker.missed(span, id);
  }

  async readShelf(number: number): Promise<void> {
    await this.#item(brandId(number));
    await this.#shelf(number, {}, null);
  }

  async #item(id: string): Promise<void> {
    const [{ status, body }, span] = await timed(this.api.item(id, INCLUDES.join()));
    if (status === 404) this.checker.missed(span, id);
    else this.checker.saw(span, body.data);
  }

  async #shelf(number: number, query: object, matches: Matches, ...more: readonly object[]): Promise<void> {
    const filters = [{ field: 'brand', include: [brandId(number)] }, ...more];
    const asked = this.api.query({ ...query, filters, page_size: 100, includes: INCLUDES });
    const [{ body }, span] = await timed(asked);
    this.checker.sawShelf(span, body, number, matches);
  }

  async #put(changes: readonly Change[]): Promise<void> {
    const lines = changes.map(({ file, record, version }) => ({
      [file]: file === 'products' && version !== null ? { ...record, images: [this.picture] } : record,
    }));
    const [{ body }, span] = await timed(this.api.write(lines));
    for (const [position, change] of changes.entries()) {
      const outcome = body.data[position];
      if (outcome?.status === 'rejected') this.checker.refused(change, outcome.reason ?? '');
      else this.checker.wrote(change, span);
    }
  }

  #next(): number {
    this.#version += 1;
    return this.#version;
  }
}

/** A result, and when it was computed. Calls that are refused have no `data`, and so end the test. */
async function timed<Result>(work: Promise<Result>): Promise<readonly [Result, Span]> {
  const from = performance.now();
  const result = await work;
  return [result, { from, until: performance.now() }];
}
