import { AnswerLog } from '../reindex/answer-log';
import type { Knex, Settings } from '../set-up';
import { CheckedClient } from './checked-client';
import { Checker } from './checker';
import { finalFaults } from './final-state';
import { Importer, type ImportFolders } from './importer';
import { brandId, type Face, LivingCatalog, QUIET_CATEGORY } from './living-catalog';
import type { Violations } from './promises';
import { Readers, readItems } from './readers';
import { Rebuilder } from './rebuilder';
import type { CatalogAnswer } from './row-versions';
import type { World } from './world';
import { Writers, writeRecords } from './writers';

/** A running service with a catalog, whose handbags and watches nobody writes yet. */
export interface LivingOptions {
  readonly url: string;
  /** May do everything, without limits. */
  readonly key: string;
  readonly knex: Knex;
  /** Of `loupe` commands. */
  readonly settings: Settings;
  readonly folders: Omit<ImportFolders, 'faces'>;
  /** Pictures that are in the catalog: the file, and the product that shows it and stays. */
  readonly faces: readonly { readonly file: string; readonly product: string }[];
  readonly photos: readonly Buffer[];
  readonly shelves: number;
  readonly shelfSize: number;
  readonly seed: number;
  /** Puts another model of the same weights into the data folder. */
  readonly installModel: (model: string) => Promise<void>;
}

/** Lines of the calls that bring the living products in. */
const PRODUCTS_AT_ONCE = 300;
const ITEMS_AT_ONCE = 100;

/** A catalog that is written, read, imported and rebuilt at once, with a checker that knows every version. */
export class Living {
  readonly readers: Readers;
  readonly writers: Writers;
  readonly importer: Importer;
  readonly rebuilder: Rebuilder;

  private constructor(
    readonly world: World,
    options: LivingOptions,
    faces: readonly Face[],
  ) {
    this.readers = new Readers(world, options.seed);
    this.writers = new Writers(world, options.seed);
    this.importer = new Importer(world, { ...options.folders, faces });
    this.rebuilder = new Rebuilder(world, options.installModel);
  }

  /** Brings the living products in, in their first versions. */
  static async begin(options: LivingOptions): Promise<Living> {
    const { url, key, knex, settings, photos, shelves, shelfSize } = options;
    const photoLog = new AnswerLog(knex);
    await photoLog.noteLive();
    const faces = await Promise.all(options.faces.map((face) => faceOf(options, face)));
    const catalog = new LivingCatalog(shelves, shelfSize, faces);
    const checker = new Checker(catalog);
    const client = await CheckedClient.open(url, key, checker.violations);
    let version = 0;
    const world: World = {
      ...{ catalog, checker, client, photoLog, photos, knex, settings },
      nextVersion: () => {
        version += 1;
        return version;
      },
      quiet: await knex('catalog_search')
        .where({ kind: 'product', category: QUIET_CATEGORY })
        .orderBy([{ column: 'popularity', order: 'desc' }, 'id'])
        .pluck('id'),
      still: new Set(await knex('catalog_search').where({ kind: 'product' }).pluck('id')),
    };
    await bringIn(world);
    return new Living(world, options, faces);
  }

  /** Reads everything once more, looks at what is left in the database, and says what was not kept. */
  async conclude(): Promise<Violations> {
    const { world } = this;
    const { checker, client, catalog, knex, photoLog } = world;
    await this.importer.import(true);
    const products = allOf(catalog.size);
    for (let from = 0; from < products.length; from += ITEMS_AT_ONCE) {
      await readItems(world, products.slice(from, from + ITEMS_AT_ONCE));
    }
    for (const shelf of allOf(catalog.shelves)) {
      const answer = await client.send<CatalogAnswer>('item', 'GET', `/v3/catalog/items/${brandId(shelf)}`);
      if (answer.body) checker.saw(answer, answer.body.data);
    }
    await client.close();
    for (const detail of (await photoLog.audit()).faults) {
      checker.violations.note({ promise: 'identified', detail });
    }
    for (const detail of await finalFaults(knex)) checker.violations.note({ promise: 'stands', detail });
    return checker.conclude();
  }
}

/** A picture as the answer about a product that shows it names it. */
async function faceOf(
  { url, key }: LivingOptions,
  { file, product }: { readonly file: string; readonly product: string },
): Promise<Face> {
  const answer = await fetch(`${url}/v3/catalog/items/${product}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { data } = (await answer.json()) as CatalogAnswer;
  return { file, images: data[0]?.images ?? [], thumbnails: data[0]?.thumbnails ?? [] };
}

async function bringIn(world: World): Promise<void> {
  const { catalog, client } = world;
  await writeRecords(
    world,
    allOf(catalog.shelves).map((shelf) => catalog.brand(shelf, world.nextVersion())),
  );
  const lines = catalog.taxonomy().map((record) => ({ entities: record }));
  await client.send('write', 'PUT', '/v3/catalog/records', { lines });
  const products = allOf(catalog.size);
  for (let from = 0; from < products.length; from += PRODUCTS_AT_ONCE) {
    const some = products.slice(from, from + PRODUCTS_AT_ONCE);
    await writeRecords(
      world,
      some.flatMap((product) => catalog.product(product, world.nextVersion(), 'address')),
    );
  }
}

const allOf = (count: number): number[] => Array.from({ length: count }, (_, number) => number);
