import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectPostgres, type Database } from '../../../db/core/knex';
import { migrations } from '../../../db/migrations';
import { migrate } from '../../../db/migrations/migrate';
import { processEnvironment } from '../../config';
import { bringUpServices, type Services } from '../services/bring-up-services';
import type { PostgresOptions } from '../services/service';

/** Runs `work` with a folder of its own, which is gone afterwards. */
export async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'loupe-bench-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Servers extends Pick<PostgresOptions, 'settings'> {
  /** A server that is there; without one, it is brought up and thrown away. */
  readonly databaseUrl?: string | undefined;
}

/** Runs `work` with a Redis, and a PostgreSQL that brings what it commits to the disk. */
export async function onServers<Result>(
  { databaseUrl, ...options }: Servers,
  work: (services: Services) => Promise<Result>,
): Promise<Result> {
  const services = await bringUpServices({
    environment: { ...processEnvironment(), ...(databaseUrl && { TEST_DATABASE_URL: databaseUrl }) },
    log: (line) => process.stderr.write(`${line}\n`),
    postgres: { durable: true, ...options },
  });
  try {
    return await work(services);
  } finally {
    await services.stop();
  }
}

/** Runs `work` on a database, whose statements may take as long as they do. */
export async function onDatabase<Result>(
  url: string,
  poolMax: number,
  work: (knex: Database['knex']) => Promise<Result>,
): Promise<Result> {
  const database = connectPostgres({ url, statementMs: 0, poolMax });
  try {
    return await work(database.knex);
  } finally {
    await database.close();
  }
}

/** Runs `work` on a database of a server of its own, or on the one that is there, with the tables of Loupe. */
export const onMigratedDatabase = <Result>(
  servers: Servers,
  poolMax: number,
  work: (knex: Database['knex']) => Promise<Result>,
): Promise<Result> =>
  onServers(servers, ({ postgres }) =>
    onDatabase(postgres.url, poolMax, async (knex) => {
      await migrate(knex, migrations);
      return await work(knex);
    }),
  );
