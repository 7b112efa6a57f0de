import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SCOPES } from '../../../models/access/api-key';
import { drawPhotos, productIds, SEED, writeBundle } from './generated';
import { writeNightlyBundle } from './import';
import { type Installation, type Knex, onInstallation, UNLIMITED } from './installation';
import { Living } from './living/live';
import { during, msOf, steadily, type TimedCall } from './load';
import { copyModel } from './reindex';
import { type Cell, type Measurement, machine, percentile, percentiles } from './table';

interface LivingBenchOptions {
  /** Products without pictures that nobody writes but the import, as they are, with other estimates. */
  readonly products: number;
  readonly minutes: number;
}

type Calls = ReadonlyMap<string, readonly TimedCall[]>;

const PLAIN_SEED = 12;
const PICTURED = 300;
/** Products that are written: a shelf each on a page. */
const SHELVES = 40;
const SHELF_SIZE = 50;
const FACES = 8;
const PICTURE_SIDE = 320;
const PHOTO_SIDE = 640;
/** A second. */
const READS = 20;
const PHOTOS = 1;
const WRITERS = 10;
const PRODUCTS_A_CALL = 20;
/** Each of the ten calls so often: 200 records a second, three of a product. */
const WRITE_EVERY_MS = 3_000;
const WARM_UP_SECONDS = 10;
/** Of nothing but reads, before and after. */
const CALM_SECONDS = 60;
const NIGHTS = 2;
/** Sorts of calls that do not read the catalog. */
const OTHERS = ['photo', 'write', 'delete'];

/**
 * A catalog that is written by ten callers, imported, read and embedded anew, all at once, on PostgreSQL and Redis with an api
 * and a worker: which promises were not kept, how much slower reads are than alone, and how much is written.
 */
export const benchLiving = (options: LivingBenchOptions): Promise<Measurement> =>
  onInstallation({ mode: 'PostgreSQL and Redis', settings: UNLIMITED }, async (installation, folder) => {
    await installation.start();
    return await installation.onDatabase(async (knex) =>
      measured(await begin(installation, knex, folder, options), options),
    );
  });

async function begin(
  { url, settings, loupe, key }: Installation,
  knex: Knex,
  folder: string,
  { products }: LivingBenchOptions,
): Promise<Living> {
  const [pictured, plain] = [join(folder, 'pictured'), join(folder, 'plain')];
  await writeBundle(pictured, { products: PICTURED, pictures: PICTURE_SIDE });
  await writeBundle(plain, { products, seed: PLAIN_SEED });
  const nightly = Array.from({ length: NIGHTS }, (_, night) => join(folder, `night-${night}`));
  for (const [night, out] of nightly.entries()) await writeNightlyBundle(plain, night, out);
  for (const bundle of [pictured, plain]) await loupe('catalog', 'import', bundle);
  return Living.begin({
    ...{ url, knex, settings, folders: { folder, plain, nightly }, seed: SEED },
    key: await key(SCOPES.join()),
    faces: productIds(FACES).map((product) => ({
      product,
      file: join(pictured, 'images', '0000', `${product}.jpg`),
    })),
    photos: await drawPhotos(PICTURED, PHOTO_SIDE),
    ...{ shelves: SHELVES, shelfSize: SHELF_SIZE },
    installModel: (model) => copyModel(settings.DATA_DIR, model),
  });
}

async function measured(living: Living, options: LivingBenchOptions): Promise<Measurement> {
  const reading = (work: Promise<unknown> | number) => readsDuring(living, work);
  await reading(WARM_UP_SECONDS);
  const before = await reading(CALM_SECONDS);
  process.stderr.write('everything at once\n');
  const work = everythingAtOnce(living, options.minutes);
  const busy = await reading(work);
  const { accepted, imports, builds } = await work;
  const after = await reading(CALM_SECONDS);
  process.stderr.write('reading everything once more\n');
  const violations = (await living.conclude()).sentences();
  const statuses = new Set([...busy.calls.values()].flatMap((calls) => calls.map(({ status }) => status)));
  return {
    title: `living: ${options.products} products and ${SHELVES * SHELF_SIZE} that are written, everything at once for ${options.minutes} minutes, ${machine()}`,
    head: ['calls', 'alone', 'p50 ms', 'p99 ms', 'at once', 'p50 ms', 'p99 ms', 'p99, times'],
    rows: rowsOf([before.calls, after.calls], busy.calls),
    notes: [
      `At once, in ${busy.seconds.toFixed(0)} s: ${WRITERS} writers had ${accepted} records accepted; ${imports} imports; ${builds} models built and promoted. Statuses: ${[...statuses].join(', ')}.`,
      `Promises: ${violations.length === 0 ? 'all kept' : violations.join('\n')}.`,
    ],
  };
}

/** Steady reads and photos while something else goes on. */
async function readsDuring({ readers, world }: Living, work: Promise<unknown> | number) {
  world.client.takeCalls();
  const { seconds } = await during(work, (isOver) =>
    Promise.all([
      steadily(READS, isOver, () => readers.read()),
      steadily(PHOTOS, isOver, () => readers.identify()),
    ]),
  );
  return { calls: world.client.takeCalls(), seconds };
}

async function everythingAtOnce({ writers, importer, rebuilder }: Living, minutes: number) {
  const until = performance.now() + minutes * 60_000;
  const repeatedly = async (work: () => Promise<unknown>): Promise<number> => {
    let times = 0;
    for (; performance.now() < until; times += 1) await work();
    return times;
  };
  let accepted = 0;
  const [imports = 0, builds = 0] = await Promise.all([
    repeatedly(async () => {
      await importer.import();
      await importer.importFeed();
    }),
    repeatedly(() => rebuilder.rebuild()),
    ...Array.from({ length: WRITERS }, (_, writer) => {
      let due = performance.now() + (writer * WRITE_EVERY_MS) / WRITERS;
      return repeatedly(async () => {
        await delay(Math.max(0, due - performance.now()));
        due += WRITE_EVERY_MS;
        const written = await writers.write(PRODUCTS_A_CALL);
        accepted += written;
      });
    }),
  ]);
  return { accepted, imports, builds };
}

/** A row for each sort of call, and one for all that read the catalog. */
function rowsOf(alone: readonly Calls[], atOnce: Calls): Cell[][] {
  const sorts = [...new Set([...alone, atOnce].flatMap((calls) => [...calls.keys()]))].sort();
  const rowOf = (name: string, own: readonly string[]): Cell[] => {
    const of = (phases: readonly Calls[]) =>
      msOf(phases.flatMap((calls) => own.flatMap((sort) => calls.get(sort) ?? [])));
    const [calm, busy] = [of(alone), of([atOnce])];
    const cells = [calm, busy].flatMap((ms) => [ms.length, ...percentiles(ms, 0.5, 0.99)]);
    const times = percentile(busy, 0.99) / percentile(calm, 0.99);
    return [name, ...cells, Number.isNaN(times) ? null : times];
  };
  const reads = sorts.filter((sort) => !OTHERS.includes(sort));
  return [rowOf('all reads of the catalog', reads), ...sorts.map((sort) => rowOf(sort, [sort]))];
}
