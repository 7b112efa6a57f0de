import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connectPostgres } from '../../../db/core/knex';
import { SCOPES } from '../../../models/access/api-key';
import { processEnvironment } from '../../config';
import { generateBundle, productId } from '../generator/generate-bundle';
import { runLoupe, type ServiceProcess, startProcess } from '../service-processes';
import { bringUpServices } from '../services/bring-up-services';
import { writeNightlyBundle } from './import/nightly-bundle';
import { Living } from './living/live';
import { headOfReads, type LivingPhase, readsTogether, rowsOfReads, statusesOf } from './living/phases';
import { type Measurement, percentile } from './measure';
import { steadily } from './open-loop';
import { copyModel } from './reindex/copy-model';
import { drawPhotos, machine, makeKey } from './vision-installation';

export interface LivingBenchOptions {
  /** Products without pictures that nobody writes but the import, as they are, with other estimates. */
  readonly products: number;
  /** Products with a picture each. */
  readonly pictured: number;
  /** Products that writers and import write, all the same ones. */
  readonly living: number;
  readonly minutes: number;
  /** Seconds of nothing but reads, before and after. */
  readonly calmSeconds: number;
  /** Seconds of one caller who writes and nothing else. */
  readonly aloneSeconds: number;
  readonly readsPerSecond: number;
  readonly photosPerSecond: number;
  /** Of all writers together. */
  readonly recordsPerSecond: number;
  /** An empty database in place of one that is brought up. */
  readonly databaseUrl: string | undefined;
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
export async function benchLiving(options: LivingBenchOptions): Promise<Measurement> {
  const folder = await mkdtemp(join(tmpdir(), 'loupe-living-'));
  const environment = {
    ...processEnvironment(),
    ...(options.databaseUrl && { TEST_DATABASE_URL: options.databaseUrl }),
  };
  const services = await bringUpServices({
    environment,
    log: (line) => process.stderr.write(`${line}\n`),
    postgres: { durable: true },
  });
  const processes: ServiceProcess[] = [];
  const database = connectPostgres({ url: services.postgres.url, poolMax: 4, statementMs: 0 });
  try {
    const settings = {
      ...SETTINGS,
      DATA_DIR: join(folder, 'data'),
      DATABASE_URL: services.postgres.url,
      REDIS_URL: services.redis.url,
    };
    for (const ROLE of ['api', 'worker']) processes.push(await startProcess({ ...settings, ROLE }));
    const bundles = await fillCatalog(settings, folder, options);
    const living = await Living.begin({
      url: processes[0]?.url ?? '',
      key: await makeKey(settings, { concurrency: 0, scopes: SCOPES.join() }),
      knex: database.knex,
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
  } finally {
    for (const each of processes.reverse()) await each.stop();
    await database.close();
    await services.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function fillCatalog(
  settings: Readonly<Record<string, string>>,
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
  const { calmSeconds, aloneSeconds, minutes } = options;
  const reading = (work: Promise<unknown>) => readsDuring(living, options, work);
  await reading(seconds(WARM_UP_SECONDS));
  const alone = await oneCaller(living, aloneSeconds);
  const before = await reading(seconds(calmSeconds));
  process.stderr.write('everything at once\n');
  const work = everythingAtOnce(living, options);
  const busy = await reading(work);
  const { accepted, imports, builds } = await work;
  const after = await reading(seconds(calmSeconds));
  const calm = readsTogether([before, after]);
  process.stderr.write('reading everything once more\n');
  const violations = (await living.conclude()).sentences();
  return {
    title: `living: ${options.products} products and ${options.living} that are written, everything at once for ${minutes} minutes, ${machine()}`,
    head: headOfReads,
    rows: rowsOfReads(calm, busy.calls),
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
  { readsPerSecond, photosPerSecond }: LivingBenchOptions,
  work: Promise<unknown>,
): Promise<LivingPhase> {
  world.client.takeCalls();
  const started = performance.now();
  let ended = false;
  const ending = work.finally(() => {
    ended = true;
  });
  ending.catch(() => undefined);
  const isOver = () => ended;
  await Promise.all([
    steadily(readsPerSecond, isOver, () => readers.read()),
    steadily(photosPerSecond, isOver, () => readers.identify()),
  ]);
  await ending;
  return { calls: world.client.takeCalls(), seconds: (performance.now() - started) / 1000 };
}

async function oneCaller({ writers, world }: Living, forSeconds: number) {
  world.client.takeCalls();
  const started = performance.now();
  let accepted = 0;
  while (performance.now() - started < forSeconds * 1000)
    accepted += await writers.write(PRODUCTS_A_LARGE_CALL);
  const perSecond = (1000 * accepted) / (performance.now() - started);
  const times = (world.client.takeCalls().get('write') ?? []).map(({ ms }) => ms);
  return { perSecond, p50: percentile(times, 0.5), p95: percentile(times, 0.95) };
}

async function everythingAtOnce(
  { writers, importer, rebuilder }: Living,
  { minutes, recordsPerSecond }: LivingBenchOptions,
) {
  const until = performance.now() + minutes * 60_000;
  const done = { accepted: 0, imports: 0, builds: 0 };
  const everyMs = (1000 * WRITERS * PRODUCTS_A_CALL * RECORDS_A_PRODUCT) / recordsPerSecond;
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
