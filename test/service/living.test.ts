import { join } from 'node:path';
import type { Database } from '../../db/core/knex';
import { SCOPES } from '../../models/access/api-key';
import { processEnvironment } from '../../scripts/config';
import { writeNightlyBundle } from '../../scripts/lab/bench/import';
import { openAccount } from '../../scripts/lab/bench/installation';
import { Living } from '../../scripts/lab/bench/living/live';
import { generateBundle } from '../../scripts/lab/generator/generate-bundle';
import { type ServiceProcess, startProcess } from '../../scripts/lab/service-processes';
import { layoutInstallation, writeLayoutModel } from '../faults/layout-model';
import { Photos } from '../faults/photos';
import type { Installation } from '../support/installation';
import { loupeHere } from '../support/run-loupe';

/**
 * A catalog that is written by ten callers, imported, fed, read and embedded anew, all at once, and a checker that knows every
 * version written. Needs servers, so `npm run test:services` runs it.
 */
const { TEST_DATABASE_URL, TEST_REDIS_URL } = processEnvironment();
const SEED = 31;
const PLAIN_PRODUCTS = 200;
const PHOTOS = 6;
const FACES = 4;
const WRITERS = 10;
const CALLS_A_WRITER = 8;
const PRODUCTS_A_CALL = 8;
const IMPORTS = 2;
const REBUILDS = 1;
/** Each goes on until everything else is over, and reads so often at least. */
const READERS = 3;
const READS_A_READER = 400;
const PHOTOS_SENT = 40;

let installation: Installation;
let database: Database;
let living: Living;
const processes: ServiceProcess[] = [];

const withServers = TEST_DATABASE_URL && TEST_REDIS_URL ? describe : describe.skip;

withServers('A catalog that is written, imported, read and embedded anew at once', () => {
  beforeAll(async () => {
    installation = await layoutInstallation({ LOG_LEVEL: 'error', IMAGE_STORE: '' });
    const { folder, dataDir, settings } = installation;
    const [pictured, plain, night] = ['pictured', 'plain', 'night'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    for (const ROLE of ['api', 'worker']) processes.push(await startProcess({ ...settings, ROLE }));
    const photos = await Photos.ofCatalog(pictured);
    const shown = await Promise.all(Array.from({ length: PHOTOS }, (_, photo) => photos.photo(photo)));
    const prices = { historyMonths: 0, listingsPerVariant: 0 };
    await generateBundle({ seed: SEED, products: PLAIN_PRODUCTS, out: plain, ...prices });
    await writeNightlyBundle(plain, SEED, night);
    for (const bundle of [pictured, plain]) await loupeHere(settings, 'catalog', 'import', bundle);
    database = await installation.connect();
    const loupe = (...words: string[]) => loupeHere(settings, ...words);
    const key = await openAccount(loupe, SCOPES.join());
    living = await Living.begin({
      url: processes[0]?.url ?? '',
      key,
      knex: database.knex,
      settings,
      folders: { folder, plain, nightly: [night, plain] },
      faces: shown.slice(0, FACES).map(({ product }) => ({
        product,
        file: join(pictured, 'images', '0000', `${product}.jpg`),
      })),
      photos: shown.map(({ jpeg }) => jpeg),
      shelves: 4,
      shelfSize: 15,
      seed: SEED,
      installModel: (id) => writeLayoutModel(join(dataDir, 'models', `${id}@1.0.0`), { id }),
    });
  }, 240_000);

  afterAll(async () => {
    for (const each of processes.reverse()) await each.stop();
    await database?.close();
    await installation?.remove();
  }, 60_000);

  // contract 4.14, 4.18, 13.8, 13.23, 14.6, 15.4, 15.5
  test('keeps its promises: whole rows, nothing stale, nothing lost, nothing doubled', async () => {
    const { writers, importer, rebuilder, readers } = living;
    let isOver = false;
    const reading = [
      ...Array.from({ length: READERS }, () =>
        times(
          READS_A_READER,
          () => readers.read(),
          () => isOver,
        ),
      ),
      times(
        PHOTOS_SENT,
        () => readers.identify(),
        () => isOver,
      ),
    ];
    await Promise.all([
      ...Array.from({ length: WRITERS }, () => times(CALLS_A_WRITER, () => writers.write(PRODUCTS_A_CALL))),
      times(IMPORTS, async () => {
        await importer.import();
        await importer.importFeed();
      }),
      times(REBUILDS, () => rebuilder.rebuild()),
    ]).finally(() => {
      isOver = true;
    });
    await Promise.all(reading);
    expect((await living.conclude()).sentences()).toEqual([]);
  }, 420_000);
});

/** So often, and more until it is over. */
async function times(
  count: number,
  work: () => Promise<unknown>,
  isOver: () => boolean = () => true,
): Promise<void> {
  for (let done = 0; done < count || !isOver(); done += 1) await work();
}
