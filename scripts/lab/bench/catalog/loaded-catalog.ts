import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { rowsOf, sql } from '../../../../db/core/sql';
import { migrations } from '../../../../db/migrations';
import { migrate } from '../../../../db/migrations/migrate';
import { generateBundle } from '../../generator/generate-bundle';
import { runLoupe } from '../../service-processes';
import { inFolder, onDatabase, onServers, type Settings } from '../set-up';

/** A catalog in PostgreSQL that a service can be started on. */
export interface LoadedCatalog {
  readonly databaseUrl: string;
  /** Settings of a process on it. */
  readonly settings: Settings;
}

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
  products: number,
  seed: number,
  work: (catalog: LoadedCatalog) => Promise<Result>,
): Promise<Result> {
  return inFolder((folder) =>
    onServers(SERVER_SETTINGS, async ({ postgres: { url: databaseUrl }, redis }) => {
      const settings = { DATA_DIR: join(folder, 'data'), DATABASE_URL: databaseUrl, REDIS_URL: redis.url };
      if ((await productsIn(databaseUrl)) < products) {
        const bundle = join(folder, 'bundle');
        const prices = { listingsPerVariant: 0, historyMonths: 0 };
        await generateBundle({ seed, products, out: bundle, ...prices });
        await runLoupe(settings, 'catalog', 'import', bundle, '--no-wait');
        await rm(bundle, { recursive: true });
      }
      // What autovacuum does within minutes after an import, done at once: measuring does not start beside it.
      await onDatabase(databaseUrl, 2, (knex) => rowsOf(knex, sql`VACUUM (ANALYZE)`));
      return await work({ databaseUrl, settings });
    }),
  );
}

async function productsIn(databaseUrl: string): Promise<number> {
  return onDatabase(databaseUrl, 2, async (knex) => {
    await migrate(knex, migrations);
    const [line] = await rowsOf<{ rows: number }>(
      knex,
      sql`SELECT coalesce(sum(rows), 0)::bigint AS rows FROM term_counts WHERE kind = 'product' AND term = ''`,
    );
    return line?.rows ?? 0;
  });
}
