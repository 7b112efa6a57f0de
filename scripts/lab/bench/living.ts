import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SCOPES } from '../../../models/access/api-key';
import { generateBundle, productId } from '../generator/generate-bundle';
import { runLoupe } from '../service-processes';
import { writeNightlyBundle } from './import/nightly-bundle';
import { Living } from './living/live';
import { headOfReads, type LivingPhase, readsTogether, rowsOfReads, statusesOf } from './living/phases';
import { type Measurement, percentile } from './measure';
import { during, msOf, steadily } from './open-loop';
import { copyModel } from './reindex/copy-model';
import { onStand, type Settings } from './set-up';
import { drawPhotos, machine, makeKey } from './vision-installation';

interface LivingBenchOptions {
  /** Products without pictures that nobody writes but the import, as they are, with other estimates. */
  readonly products: number;
  readonly pictured: number;
  readonly living: number;
  readonly minutes: number;
  /** Seconds of nothing but reads, before and after; of one caller who writes and nothing else. */
  readonly calm: number;
  readonly alone: number;
  /** A second; `records` of all writers together. */
  readonly reads: number;
  readonly photos: number;
  readonly records: number;
}

/** That of the photos. */
const SEED = 11;
const PLAIN_SEED = 12;
const SHELF_SIZE = 50;
const FACES = 8;
const PICTURE_SIDE = 320;
const PHOTO_SIDE = 640;
const WRITERS = 10;
/** Products of a call beside others, and of one as large as calls are; each is three records. */
const PRODUCTS_A_CALL = 20;
const PRODUCTS_A_LARGE_CALL = 330;
const RECORDS_A_PRODUCT = 3;
const WARM_UP_SECONDS = 10;
const NIGHTS = 2;

const SETTINGS = {
  CONFIDENCE_FLOOR: '0',
  RATE_PER_SECOND: '0',
  RATE_PER_MINUTE: '0',
  VISION_CONCURRENCY: '0',
  PHOTO_MEMORY_MIB: '0',
};

/**
 * A catalog that is written by ten callers, imported, read and embedded anew, all at once, on PostgreSQL and Redis with an api
 * and a worker: which promises were not kept, how much slower reads are than alone, and how much is written.
 */
export const benchLiving = (options: LivingBenchOptions): Promise<Measurement> =>
  onStand(SETTINGS, async ({ folder, settings, knex, processes, start }) => {
    await start('api', 'worker');
    const bundles = await fillCatalog(settings, folder, options);
    const living = await Living.begin({
      url: processes[0]?.url ?? '',
      key: await makeKey(settings, { concurrency: 0, scopes: SCOPES.join() }),
      knex,
      settings,
      folders: { folder, plain: bundles.plain, nightly: bundles.nightly },
      faces: Array.from({ length: FACES }, (_, face) => {
        const product = productId(SEED, face);
        return { product, file: join(bundles.pictured, 'images', '0000', `${product}.jpg`) };
      }),
      photos: await drawPhotos(options.pictured, PHOTO_SIDE),
      shelves: Math.ceil(options.living / SHELF_SIZE),
      shelfSize: SHELF_SIZE,
      seed: SEED,
      installModel: (model) => copyModel(settings.DATA_DIR, model),
    });
    return await measured(living, options);
  });

async function fillCatalog(
  settings: Settings,
  folder: string,
  { products, pictured: count }: LivingBenchOptions,
) {
  const [pictured, plain] = [join(folder, 'pictured'), join(folder, 'plain')];
  const prices = { historyMonths: 0, listingsPerVariant: 0 };
  const pictures = { images: true, imageSize: PICTURE_SIDE };
  await generateBundle({ seed: SEED, products: count, out: pictured, ...prices, ...pictures });
  await generateBundle({ seed: PLAIN_SEED, products, out: plain, ...prices });
  const nightly = Array.from({ length: NIGHTS }, (_, night) => join(folder, `night-${night}`));
  for (const [night, out] of nightly.entries()) await writeNightlyBundle(plain, night, out);
  for (const bundle of [pictured, plain]) await runLoupe(settings, 'catalog', 'import', bundle);
  return { pictured, plain, nightly };
}

async function measured(living: Living, options: LivingBenchOptions): Promise<Measurement> {
  const reading = (work: Promise<unknown>) => readsDuring(living, options, work);
  await reading(seconds(WARM_UP_SECONDS));
  const alone = await oneCaller(living, options.alone);
  const before = await reading(seconds(options.calm));
  process.stderr.write('everything at once\n');
  const work = everythingAtOnce(living, options);
  const busy = await reading(work);
  const { accepted, imports, builds } = await work;
  const after = await reading(seconds(options.calm));
  process.stderr.write('reading everything once more\n');
  const violations = (await living.conclude()).sentences();
  return {
    title: `living: ${options.products} products and ${options.living} that are written, everything at once for ${options.minutes} minutes, ${machine()}`,
    head: headOfReads,
    rows: rowsOfReads(readsTogether([before, after]), busy.calls),
    notes: [
      `One caller alone: ${alone.perSecond.toFixed(0)} records/s, up to 1,000 a call, p50 ${alone.p50.toFixed(0)} and p95 ${alone.p95.toFixed(0)} ms.`,
      `At once, in ${busy.seconds.toFixed(0)} s: ${WRITERS} writers had ${accepted} records accepted, ${(accepted / busy.seconds).toFixed(0)} a second; ${imports} imports; ${builds} models built and promoted, ${living.rebuilder.images} images.`,
      `Statuses at once: ${statusesOf(busy.calls)}.`,
      `Promises: ${violations.length === 0 ? 'all kept' : violations.join('\n')}.`,
      'The client, its checker and the servers share the cores.',
    ],
  };
}

/** Steady reads and photos while something else goes on. */
async function readsDuring(
  { readers, world }: Living,
  { reads, photos }: LivingBenchOptions,
  work: Promise<unknown>,
): Promise<LivingPhase> {
  world.client.takeCalls();
  const { seconds: lasted } = await during(work, (isOver) =>
    Promise.all([
      steadily(reads, isOver, () => readers.read()),
      steadily(photos, isOver, () => readers.identify()),
    ]),
  );
  return { calls: world.client.takeCalls(), seconds: lasted };
}

async function oneCaller({ writers, world }: Living, forSeconds: number) {
  world.client.takeCalls();
  const started = performance.now();
  let accepted = 0;
  while (performance.now() - started < forSeconds * 1000)
    accepted += await writers.write(PRODUCTS_A_LARGE_CALL);
  const perSecond = (1000 * accepted) / (performance.now() - started);
  const times = msOf(world.client.takeCalls().get('write') ?? []);
  return { perSecond, p50: percentile(times, 0.5), p95: percentile(times, 0.95) };
}

async function everythingAtOnce(
  { writers, importer, rebuilder }: Living,
  { minutes, records }: LivingBenchOptions,
) {
  const until = performance.now() + minutes * 60_000;
  const done = { accepted: 0, imports: 0, builds: 0 };
  const everyMs = (1000 * WRITERS * PRODUCTS_A_CALL * RECORDS_A_PRODUCT) / records;
  const writer = async (number: number): Promise<void> => {
    for (let due = performance.now() + (number * everyMs) / WRITERS; due < until; due += everyMs) {
      await delay(Math.max(0, due - performance.now()));
      const accepted = await writers.write(PRODUCTS_A_CALL);
      done.accepted += accepted;
    }
  };
  await Promise.all([
    ...Array.from({ length: WRITERS }, (_, number) => writer(number)),
    repeatedly(until, async () => {
      await importer.import();
      done.imports += 1;
    }),
    repeatedly(until, async () => {
      await rebuilder.rebuild();
      done.builds += 1;
    }),
  ]);
  return done;
}

async function repeatedly(until: number, work: () => Promise<void>): Promise<void> {
  while (performance.now() < until) await work();
}

const seconds = (count: number): Promise<void> => delay(count * 1000);
