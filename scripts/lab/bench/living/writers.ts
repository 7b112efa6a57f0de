import { appendFile, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Random, shuffled } from '../../../../models/random';
import { runLoupe } from '../../service-processes';
import { drawnPicture } from '../many-pictures';
import { CATEGORY, type Change, type Face, FILES, faceInBundle, productId } from './living-catalog';
import type { World } from './world';

/** Of the products of a call, so many are deleted and not written. */
const DELETED = 0.05;
/** One call in so many also renames a brand. */
const RENAMED_EVERY = 6;
/** After one call in so many another product is deleted by a call of its own. */
const REMOVED_EVERY = 5;

interface RecordsAnswer {
  readonly data: readonly { readonly line: number; readonly status: string; readonly reason?: string }[];
}

/** Callers that write the catalog over HTTP, all of them the same products. */
export class Writers {
  #calls = 0;

  constructor(
    private readonly world: World,
    private readonly seed: number,
  ) {}

  /** A call with so many products, and now and then more. Resolves to how many records were accepted. */
  async write(products: number): Promise<number> {
    const { catalog } = this.world;
    const call = this.#calls++;
    const random = new Random(this.seed, 'call', call);
    const all = Array.from({ length: catalog.size }, (_, product) => product);
    const changes = shuffled(all, this.seed, 'products', call)
      .slice(0, products)
      .flatMap((product) =>
        random.chance(DELETED)
          ? [catalog.deletion(product)]
          : catalog.product(product, this.world.nextVersion(), 'address'),
      );
    if (call % RENAMED_EVERY === 0) {
      changes.push(catalog.brand(random.integer(0, catalog.shelves - 1), this.world.nextVersion()));
    }
    const accepted = await writeRecords(this.world, changes);
    if (call % REMOVED_EVERY === 0) await this.#remove(random.integer(0, catalog.size - 1));
    return accepted;
  }

  async #remove(product: number): Promise<void> {
    const { client, checker, catalog } = this.world;
    const id = productId(product);
    const answer = await client.send('delete', 'DELETE', `/v3/catalog/records/${id}`);
    if (answer.status === 404) checker.missed(answer, id);
    else checker.wrote(catalog.deletion(product), outcomeOf(answer));
  }
}

/** Writes records in one call; how many of them were accepted. */
export async function writeRecords({ client, checker }: World, changes: readonly Change[]): Promise<number> {
  const lines = changes.map(({ file, record }) => ({ [file]: record }));
  const answer = await client.send<RecordsAnswer>('write', 'PUT', '/v3/catalog/records', { lines });
  const outcomes = new Map(answer.body?.data.map((outcome) => [outcome.line, outcome]));
  let accepted = 0;
  for (const [position, change] of changes.entries()) {
    const outcome = outcomes.get(position + 1);
    if (outcome?.status === 'rejected') checker.refused(change, outcome.reason ?? '');
    else checker.wrote(change, outcomeOf(answer));
    if (outcome?.status === 'accepted') accepted += 1;
  }
  return accepted;
}

/** What was not answered with a success may have been done, or may still be. */
const outcomeOf = ({ status, from, until }: { status: number; from: number; until: number }) =>
  status === 200 ? { from, until } : { from, until: Number.POSITIVE_INFINITY };

/** One living product in so many is in the bundle, where the writers write it too. */
const IMPORTED_EVERY = 2;
/** Brands that get another name in each bundle. */
const RENAMED = 2;
/** Products that get a picture of their own in each bundle, which nobody has seen before. */
const REPICTURED = 4;
const PICTURE_SIDE = 96;
const FEED_PRODUCTS = 60;
/** Fewer than a fifth, which an import would not remove. */
const FEED_LACKS_EVERY = 7;

export interface ImportFolders {
  /** To work in. */
  readonly folder: string;
  /** A bundle whose products are in every import, unchanged. */
  readonly plain: string;
  /** Bundles with other estimates of these products, by turns. */
  readonly nightly: readonly string[];
}

/** Imports the catalog with `loupe catalog import`, each time with other versions of the living products. */
export class Importer {
  #round = 0;
  #fed: readonly boolean[] = Array<boolean>(FEED_PRODUCTS).fill(false);

  constructor(
    private readonly world: World,
    private readonly folders: ImportFolders,
    private readonly faces: readonly Face[],
  ) {}

  /** @param wait whether to stay until all pictures are embedded */
  async import(wait = false): Promise<void> {
    const { checker, settings } = this.world;
    this.#round += 1;
    const bundle = join(this.folders.folder, `bundle-${this.#round}`);
    const report = `${bundle}-rejects.txt`;
    const changes = this.#changes();
    await this.#write(bundle, changes);
    const words = ['catalog', 'import', bundle, '--allow-rejects', '--report', report];
    const from = performance.now();
    await runLoupe(settings, ...words, ...(wait ? [] : ['--no-wait']));
    const span = { from, until: performance.now() };
    const rejects = await rejectsIn(report);
    for (const file of NAMES) {
      for (const [position, change] of changes.filter((each) => each.file === file).entries()) {
        const reason = rejects.get(`${FILES[file]}:${position + 1}`);
        if (reason === undefined) checker.wrote(change, span);
        else checker.refused(change, reason);
      }
    }
    await rm(bundle, { recursive: true });
  }

  /** Imports the feed of a shop, which lacks other products each time. */
  async importFeed(): Promise<void> {
    const { folder } = this.folders;
    this.#fed = this.#fed.map((_, number) => (number + this.#round) % FEED_LACKS_EVERY !== 0);
    const rows = this.#fed.flatMap((isThere, number) =>
      isThere ? [`fed-${number},Fed ${number},Fed House,${faceInBundle(number % this.faces.length)}`] : [],
    );
    await mkdir(join(folder, 'images'), { recursive: true });
    for (const [number, { file }] of this.faces.entries())
      await copyFile(file, join(folder, faceInBundle(number)));
    await writeFile(join(folder, 'feed.csv'), ['id,title,brand,image', ...rows].join('\n'));
    const words = ['--feed', 'shop', '--remove-missing', '--category', 'Fed', '--no-wait'];
    await runLoupe(this.world.settings, 'catalog', 'import', join(folder, 'feed.csv'), ...words);
  }

  /** Whether the products of the feed are those of its last file. */
  async feedFaults(): Promise<string[]> {
    const live = await this.world
      .knex('catalog_rows')
      .whereLike('id', 'product_fed-%')
      .orderBy('id')
      .pluck('id');
    const wanted = this.#fed.flatMap((isThere, number) => (isThere ? [`product_fed-${number}`] : [])).sort();
    return live.join() === wanted.join()
      ? []
      : [`the feed brought ${live.join()} instead of ${wanted.join()}`];
  }

  #changes(): Change[] {
    const { catalog, nextVersion } = this.world;
    const brands = Array.from({ length: RENAMED }, (_, number) =>
      catalog.brand((this.#round * RENAMED + number) % catalog.shelves, nextVersion()),
    );
    const products = Array.from({ length: Math.ceil(catalog.size / IMPORTED_EVERY) }, (_, number) =>
      catalog.product(number * IMPORTED_EVERY, nextVersion(), 'bundle'),
    );
    return [...brands, ...products.flat()];
  }

  /** The changes come first in each file, so that their lines are known. */
  async #write(bundle: string, changes: readonly Change[]): Promise<void> {
    const { plain, nightly } = this.folders;
    const prices = nightly[this.#round % nightly.length];
    await mkdir(join(bundle, 'images'), { recursive: true });
    for (const [number, { file }] of this.faces.entries())
      await copyFile(file, join(bundle, faceInBundle(number)));
    for (const file of NAMES) {
      const records = changes.filter((each) => each.file === file).map(({ record }) => record);
      await writeFile(join(bundle, FILES[file]), linesOf(records));
    }
    const append = async (file: string, text: string | Buffer) => appendFile(join(bundle, file), text);
    await append(FILES.products, await readFile(join(plain, FILES.products)));
    if (prices) await append(FILES.estimates, await readFile(join(prices, FILES.estimates)));
    for (let number = 0; number < REPICTURED; number += 1) {
      const image = `images/new-${number}.jpg`;
      await writeFile(
        join(bundle, image),
        await drawnPicture(this.#round * REPICTURED + number, PICTURE_SIDE),
      );
      const product = { id: `product_repictured_${number}`, category: CATEGORY, attributes: {} };
      await append(FILES.products, linesOf([{ ...product, images: [image], variants: [] }]));
    }
  }
}

/** The reasons by `file:line`. */
async function rejectsIn(report: string): Promise<ReadonlyMap<string, string>> {
  const lines = (await readFile(report, 'utf8')).split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const [, place = line, reason = ''] = /^([^:]+:\d+): [^:]*: (.*)$/.exec(line) ?? [];
      return [place, reason];
    }),
  );
}

const linesOf = (records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

const NAMES = Object.keys(FILES) as (keyof typeof FILES)[];

/** Builds another model beside the live one and makes it the live one, again and again. */
export class Rebuilder {
  #round = 0;

  constructor(
    private readonly world: World,
    private readonly install: (model: string) => Promise<void>,
  ) {}

  async rebuild(): Promise<void> {
    const { settings, photoLog } = this.world;
    this.#round += 1;
    const model = `living-${this.#round}`;
    await this.install(model);
    await runLoupe(settings, 'embeddings', 'build', '--model', model);
    await runLoupe(settings, 'embeddings', 'promote', '--model', model, '--force');
    await photoLog.noteLive();
    await runLoupe(settings, 'embeddings', 'prune');
  }
}
