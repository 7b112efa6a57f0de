import { join } from 'node:path';
import type { Knex } from 'knex';
import { deriveRows } from '../../db/catalog/import/derived-rows';
import { rowsOf, sql } from '../../db/core/sql';
import { SCOPES } from '../../models/access/api-key';
import { processEnvironment } from '../../scripts/config';
import { generateBundle } from '../../scripts/lab/generator/generate-bundle';
import { layoutInstallation } from '../faults/layout-model';
import { ApiClient } from '../support/api-client';
import { type RunningInstallation, runInstallation } from '../support/installation';
import { CatalogWorkload } from './consistency/callers';
import { count, SHELVES, SIZE } from './consistency/records';

/** Ten callers write while it is imported, fed and read; a checker knows every version. Needs servers: `npm run test:services` runs it. */
const { TEST_DATABASE_URL, TEST_REDIS_URL } = processEnvironment();
const WRITERS = 10;
const CALLS_A_WRITER = 4;
const READERS = 3;
/** At least; they go on until everything is written. */
const READS_A_READER = 150;
const SEED = 31;
let running: RunningInstallation;
let workload: CatalogWorkload;
const withServers = TEST_DATABASE_URL && TEST_REDIS_URL ? describe : describe.skip;

withServers('A catalog that is written, imported, fed and read at once', () => {
  beforeAll(async () => {
    running = await runInstallation(await layoutInstallation({ LOG_LEVEL: 'error', IMAGE_STORE: '' }));
    const { folder, loupe } = running;
    const bundle = join(folder, 'bundle');
    await generateBundle({ seed: SEED, products: 24, out: bundle, images: true, imageSize: 64 });
    await loupe('catalog', 'import', bundle);
    const { key } = await loupe<{ key: string }>('keys', 'create', '--scopes', SCOPES.join());
    workload = await CatalogWorkload.begin(new ApiClient(running.api().url, key), running, bundle, SEED);
  });

  afterAll(() => running?.stop());

  // contract 4.14, 13.8, 13.23, 15.4, 15.5
  test('keeps its promises: whole rows, nothing stale, lost or duplicated', async () => {
    let isWritten = false;
    const reader = async () => {
      for (let reads = 0; reads < READS_A_READER || !isWritten; reads += 1) await workload.read();
    };
    const readers = Promise.all(count(READERS).map(reader));
    await Promise.all([
      ...count(WRITERS).map(() => times(CALLS_A_WRITER, () => workload.write())),
      workload.import().then(() => workload.importFeed()),
    ]).finally(() => {
      isWritten = true;
    });
    await readers;
    await workload.import();
    const fed = await workload.importFeed();
    await workload.readAll(count(SIZE));
    for (const number of count(SHELVES)) await workload.readShelf(number);
    expect([...workload.checker.conclude(), ...(await finalFaults(running.knex))].slice(0, 20)).toEqual([]);
    const live = running.knex('catalog_rows').whereLike('id', 'product_fed-%').orderBy('id').pluck('id');
    expect(await live).toEqual(fed);
  }, 420_000);
});

async function times(count: number, work: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < count; done += 1) await work();
}

/** What in the database does not follow from its records, once nobody writes any more. */
async function finalFaults(knex: Knex): Promise<string[]> {
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
      sql`SELECT FROM (SELECT id FROM products WHERE NOT deleted) AS live
          FULL JOIN (SELECT id FROM catalog_rows WHERE kind = 'product') AS shown USING (id)
          WHERE live.id IS NULL OR shown.id IS NULL`,
    ],
  ] as const) {
    const rows = await rowsOf(knex, found);
    if (rows.length > 0) faults.push(`${rows.length} ${what}`);
  }
  const ids: string[] = await knex('catalog_rows').pluck('id');
  const trx = await knex.transaction();
  await deriveRows(trx, ids);
  const changed = await rowsOf(trx)`SELECT FROM catalog_rows WHERE updated_at = now()`;
  await trx.rollback();
  if (changed.length > 0) faults.push(`${changed.length} rows are not what their records say`);
  return faults;
}
