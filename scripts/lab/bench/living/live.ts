import { finalFaults } from './final-state';
import { brandId } from './living-catalog';
import type { Violations } from './promises';
import { Readers, readItems } from './readers';
import type { CatalogAnswer } from './row-versions';
import { openWorld, type World, type WorldOptions } from './world';
import { Importer, type ImportFolders, Rebuilder, Writers, writeRecords } from './writers';

export interface LivingOptions extends WorldOptions {
  readonly folders: ImportFolders;
  readonly seed: number;
  /** Puts another model of the same weights into the data folder. */
  readonly installModel: (model: string) => Promise<void>;
}

/** Products of the calls that bring the living ones in, and of those that read them. */
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
    { seed, folders, installModel }: LivingOptions,
  ) {
    this.readers = new Readers(world, seed);
    this.writers = new Writers(world, seed);
    this.importer = new Importer(world, folders, world.faces);
    this.rebuilder = new Rebuilder(world, installModel);
  }

  /** Brings the living products in, in their first versions. */
  static async begin(options: LivingOptions): Promise<Living> {
    const world = await openWorld(options);
    const { catalog, client, nextVersion } = world;
    await writeRecords(
      world,
      allOf(catalog.shelves).map((shelf) => catalog.brand(shelf, nextVersion())),
    );
    const lines = catalog.taxonomy().map((record) => ({ entities: record }));
    await client.send('write', 'PUT', '/v3/catalog/records', { lines });
    for (const some of inBatches(catalog.size, PRODUCTS_AT_ONCE)) {
      await writeRecords(
        world,
        some.flatMap((product) => catalog.product(product, nextVersion(), 'address')),
      );
    }
    return new Living(world, options);
  }

  /** Reads everything once more, looks at what is left in the database, and says what was not kept. */
  async conclude(): Promise<Violations> {
    const { checker, client, catalog, knex, photoLog } = this.world;
    await this.importer.importFeed();
    await this.importer.import(true);
    for (const some of inBatches(catalog.size, ITEMS_AT_ONCE)) await readItems(this.world, some);
    for (const shelf of allOf(catalog.shelves)) {
      const answer = await client.send<CatalogAnswer>('item', 'GET', `/v3/catalog/items/${brandId(shelf)}`);
      if (answer.body) checker.saw(answer, answer.body.data);
    }
    for (const detail of (await photoLog.audit()).faults) {
      checker.violations.note({ promise: 'identified', detail });
    }
    for (const detail of [...(await this.importer.feedFaults()), ...(await finalFaults(knex))])
      checker.violations.note({ promise: 'stands', detail });
    return checker.conclude();
  }
}

const allOf = (count: number): number[] => Array.from({ length: count }, (_, number) => number);

const inBatches = (count: number, size: number): number[][] =>
  allOf(Math.ceil(count / size)).map((batch) => allOf(count).slice(batch * size, (batch + 1) * size));
