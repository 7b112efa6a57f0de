import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { connectEmbedded, connectPostgres, type Database } from '../../../../db/core/knex';
import { rowsOf, sql } from '../../../../db/core/sql';
import { migrations } from '../../../../db/migrations';
import { migrate } from '../../../../db/migrations/migrate';
import { generateBundle } from '../../generator/generate-bundle';
import { runLoupe } from '../../service-processes';
import { inFolder, type Knex, onServers, type Settings } from '../set-up';

/** A catalog that a service can be started on, and its database. */
export interface LoadedCatalog {
  /** Settings of a process on it. */
  readonly settings: Settings;
  readonly knex: Knex;
}

/** As the service has by default. */
const CONNECTIONS = 10;

/**
 * A quarter of a small server's memory, as PostgreSQL's manual advises: its default of 128 MB is for machines that do
 * other things. `random_page_cost` as for a disk without heads.
 */
const SERVER_SETTINGS = { shared_buffers: '4GB', random_page_cost: '1.1' };

/**
 * Runs `work` on a generated catalog without images: three variants and four estimates a product, no history and no
 * listings, which no query reads. The server of `TEST_DATABASE_URL` keeps it; one that holds as many products is used as it is.
 */
export async function withLoadedCatalog<Result>(
  {
    products,
    embedded,
    seed,
  }: { readonly products: number; readonly embedded: boolean; readonly seed: number },
  work: (catalog: LoadedCatalog) => Promise<Result>,
): Promise<Result> {
  return inFolder((folder) => {
    const dataDir = join(folder, 'data');
    const onDatabase = async ({ knex, close }: Database, settings: Settings) => {
      try {
        if ((await productsIn(knex)) < products) {
          const bundle = join(folder, 'bundle');
          const prices = { listingsPerVariant: 0, historyMonths: 0 };
          await generateBundle({ seed, products, out: bundle, ...prices });
          await runLoupe(settings, 'catalog', 'import', bundle, '--no-wait');
          await rm(bundle, { recursive: true });
        }
        // What autovacuum does within minutes after an import, done at once: measuring does not start beside it.
        await rowsOf(knex, sql`VACUUM (ANALYZE)`);
        return await work({ settings, knex });
      } finally {
        await close();
      }
    };
    if (embedded) {
      return connectEmbedded({ dataDir }).then((database) => onDatabase(database, { DATA_DIR: dataDir }));
    }
    return onServers(SERVER_SETTINGS, ({ postgres: { url }, redis }) =>
      onDatabase(connectPostgres({ url, statementMs: 0, poolMax: CONNECTIONS }), {
        ...{ DATA_DIR: dataDir, DATABASE_URL: url, REDIS_URL: redis.url },
      }),
    );
  });
}

async function productsIn(knex: Knex): Promise<number> {
  await migrate(knex, migrations);
  const [line] = await rowsOf<{ rows: number }>(
    knex,
    sql`SELECT coalesce(sum(rows), 0)::bigint AS rows FROM term_counts WHERE kind = 'product' AND term = ''`,
  );
  return line?.rows ?? 0;
}
