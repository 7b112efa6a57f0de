import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectPostgres } from '../../../../db/core/knex';
import { rowsOf, sql } from '../../../../db/core/sql';
import { migrations } from '../../../../db/migrations';
import { migrate } from '../../../../db/migrations/migrate';
import { processEnvironment } from '../../../config';
import { generateBundle } from '../../generator/generate-bundle';
import { runLoupe } from '../../service-processes';
import { bringUpServices } from '../../services/bring-up-services';

/** A catalog in PostgreSQL that a service can be started on. */
export interface LoadedCatalog {
  readonly databaseUrl: string;
  /** Settings of a process on it. */
  readonly settings: Readonly<Record<string, string>>;
}

/**
 * A quarter of a small server's memory, as PostgreSQL's manual advises: its default of 128 MB is for machines that do
 * other things. `random_page_cost` as for a disk without heads.
 */
const SERVER_SETTINGS = { shared_buffers: '4GB', random_page_cost: '1.1' };

/**
 * Runs `work` on a generated catalog without images: three variants and four estimates a product, no history and no
 * listings, which no query reads. A given server keeps the catalog; one that holds as many products is used as it is.
 */
export async function withLoadedCatalog<Result>(
  options: { readonly products: number; readonly databaseUrl: string | undefined },
  seed: number,
  work: (catalog: LoadedCatalog) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'loupe-bench-'));
  const services = await bringUpServices({
    environment: {
      ...processEnvironment(),
      ...(options.databaseUrl && { TEST_DATABASE_URL: options.databaseUrl }),
    },
    log: (line) => process.stderr.write(`${line}\n`),
    postgres: { durable: true, settings: SERVER_SETTINGS },
  });
  try {
    const databaseUrl = services.postgres.url;
    const settings = {
      DATA_DIR: join(folder, 'data'),
      DATABASE_URL: databaseUrl,
      REDIS_URL: services.redis.url,
    };
    if ((await productsIn(databaseUrl)) < options.products) {
      const bundle = join(folder, 'bundle');
      const prices = { listingsPerVariant: 0, historyMonths: 0 };
      await generateBundle({ seed, products: options.products, out: bundle, ...prices });
      await runLoupe(settings, 'catalog', 'import', bundle, '--no-wait');
      await rm(bundle, { recursive: true });
    }
    await settle(databaseUrl);
    return await work({ databaseUrl, settings });
  } finally {
    await services.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function productsIn(databaseUrl: string): Promise<number> {
  return withDatabase(databaseUrl, async (knex) => {
    await migrate(knex, migrations);
    const [line] = await rowsOf<{ rows: number }>(
      knex,
      sql`SELECT coalesce(sum(rows), 0)::bigint AS rows FROM term_counts WHERE kind = 'product' AND term = ''`,
    );
    return line?.rows ?? 0;
  });
}

/** What autovacuum does within minutes after an import, done at once: measuring does not start beside it. */
async function settle(databaseUrl: string): Promise<void> {
  await withDatabase(databaseUrl, (knex) => rowsOf(knex, sql`VACUUM (ANALYZE)`));
}

async function withDatabase<Result>(
  url: string,
  work: (knex: ReturnType<typeof connectPostgres>['knex']) => Promise<Result>,
): Promise<Result> {
  const database = connectPostgres({ url, statementMs: 0, poolMax: 2 });
  try {
    return await work(database.knex);
  } finally {
    await database.close();
  }
}
