import { join } from 'node:path';
import { deriveRows } from '../../db/catalog/import/derived-rows';
import type { Database } from '../../db/core/knex';
import { rowsOf, sql } from '../../db/core/sql';
import { SCOPES } from '../../models/access/api-key';
import { processEnvironment } from '../../scripts/config';
import { openAccount } from '../../scripts/lab/bench/installation';
import { generateBundle } from '../../scripts/lab/generator/generate-bundle';
import { type ServiceProcess, startProcess } from '../../scripts/lab/service-processes';
import { layoutInstallation } from '../faults/layout-model';
import type { Installation } from '../support/installation';
import { loupeHere } from '../support/run-loupe';
import { Living } from './living/callers';
import { count, SHELVES, SIZE } from './living/records';

/**
 * A catalog that ten callers write while it is imported and read, and a checker that knows every version written. Needs servers,
 * so `npm run test:services` runs it.
 */
const { TEST_DATABASE_URL, TEST_REDIS_URL } = processEnvironment();
const WRITERS = 10;
const CALLS_A_WRITER = 8;
const IMPORTS = 2;
const READERS = 3;
/** At least; they go on until everything is written. */
const READS_A_READER = 400;

let installation: Installation;
let database: Database;
let living: Living;
const processes: ServiceProcess[] = [];

const withServers = TEST_DATABASE_URL && TEST_REDIS_URL ? describe : describe.skip;

withServers('A catalog that is written, imported and read at once', () => {
  beforeAll(async () => {
    installation = await layoutInstallation({ LOG_LEVEL: 'error', IMAGE_STORE: '' });
    const { folder, settings } = installation;
    const bundle = join(folder, 'bundle');
    for (const ROLE of ['api', 'worker']) processes.push(await startProcess({ ...settings, ROLE }));
    await generateBundle({ seed: 31, products: 24, out: bundle, images: true, imageSize: 64 });
    await loupeHere(settings, 'catalog', 'import', bundle);
    database = await installation.connect();
    const key = await openAccount((...words) => loupeHere(settings, ...words), SCOPES.join());
    living = await Living.begin({ url: processes[0]?.url ?? '', key, settings, bundle, seed: 31 });
  }, 240_000);

  afterAll(async () => {
    for (const each of processes.reverse()) await each.stop();
    await database?.close();
    await installation?.remove();
  }, 60_000);

  // contract 4.14, 4.18, 13.8, 15.4, 15.5
  test('keeps its promises: whole rows, nothing stale, nothing lost, nothing doubled', async () => {
    let isWritten = false;
    const reader = async () => {
      for (let reads = 0; reads < READS_A_READER || !isWritten; reads += 1) await living.read();
    };
    const readers = Promise.all(count(READERS).map(reader));
    await Promise.all([
      ...count(WRITERS).map(() => times(CALLS_A_WRITER, () => living.write())),
      times(IMPORTS, () => living.import()),
    ]).finally(() => {
      isWritten = true;
    });
    await readers;
    await living.import();
    await living.readAll(count(SIZE));
    for (const number of count(SHELVES)) await living.readShelf(number);
    expect([...living.checker.conclude(), ...(await finalFaults(database))].slice(0, 20)).toEqual([]);
  }, 420_000);
});

async function times(count: number, work: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < count; done += 1) await work();
}

/** What in the database does not follow from its records, when nobody writes any more. */
async function finalFaults({ knex }: Database): Promise<string[]> {
  const faults: string[] = [];
  for (const [what, found] of [
    ['rows still to be derived', sql`SELECT FROM catalog_stale_rows`],
    ['locks of an import', sql`SELECT FROM catalog_import_lock`],
    [
      'rows unlike those that are searched',
      sql`SELECT FROM catalog_rows AS shown FULL JOIN catalog_search AS searched USING (id)
          WHERE (shown.kind, shown.category, shown.popularity, shown.sort_key, shown.facets, shown.words) IS DISTINCT FROM
            (searched.kind, searched.category, searched.popularity, searched.sort_key, searched.facets, searched.words)`,
    ],
    [
      'products with a row too many or too few',
      sql`SELECT FROM (SELECT id FROM products WHERE NOT deleted) AS living
          FULL JOIN (SELECT id FROM catalog_rows WHERE kind = 'product') AS shown USING (id)
          WHERE living.id IS NULL OR shown.id IS NULL`,
    ],
  ] as const) {
    const rows = await rowsOf(knex, found);
    if (rows.length > 0) faults.push(`${rows.length} ${what}`);
  }
  const ids: string[] = await knex('catalog_rows').pluck('id');
  const trx = await knex.transaction();
  await deriveRows(trx, ids);
  const changed = await rowsOf(trx, sql`SELECT FROM catalog_rows WHERE updated_at = now()`);
  await trx.rollback();
  if (changed.length > 0) faults.push(`${changed.length} rows are not what their records say`);
  return faults;
}
