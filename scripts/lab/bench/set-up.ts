import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectPostgres, type Database } from '../../../db/core/knex';
import { migrations } from '../../../db/migrations';
import { migrate } from '../../../db/migrations/migrate';
import { processEnvironment } from '../../config';
import { type ServiceProcess, startProcess } from '../service-processes';
import { bringUpServers, type Servers } from '../services/servers';

/** Runs `work` with a folder of its own, which is gone afterwards. */
export async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'loupe-bench-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export type Knex = Database['knex'];

/** Settings of processes. */
export type Settings = Readonly<Record<string, string>>;

/**
 * Runs `work` with a Redis, and a PostgreSQL that brings what it commits to the disk: those of `TEST_DATABASE_URL` and
 * `TEST_REDIS_URL`, else new ones that are thrown away.
 *
 * @param settings of a PostgreSQL that is brought up
 */
export async function onServers<Result>(
  settings: Settings,
  work: (services: Servers) => Promise<Result>,
): Promise<Result> {
  const services = await bringUpServers({
    environment: processEnvironment(),
    log: (line) => process.stderr.write(`${line}\n`),
    durable: true,
    settings,
  });
  try {
    return await work(services);
  } finally {
    await services.stop();
  }
}

/** Creates a database on a server and answers its address. */
export async function createDatabase(server: string, name: string): Promise<string> {
  await onDatabase(server, 1, (knex) => knex.raw('CREATE DATABASE ??', [name]));
  return Object.assign(new URL(server), { pathname: name }).href;
}

/** Runs `work` on a database, whose statements may take as long as they do. */
export async function onDatabase<Result>(
  url: string,
  poolMax: number,
  work: (knex: Knex) => Promise<Result>,
): Promise<Result> {
  const database = connectPostgres({ url, statementMs: 0, poolMax });
  try {
    return await work(database.knex);
  } finally {
    await database.close();
  }
}

/** Runs `work` on a database of such a server, with the tables of Loupe. */
export const onMigratedDatabase = <Result>(
  settings: Settings,
  poolMax: number,
  work: (knex: Knex) => Promise<Result>,
): Promise<Result> =>
  onServers(settings, ({ postgres }) =>
    onDatabase(postgres.url, poolMax, async (knex) => {
      await migrate(knex, migrations);
      return await work(knex);
    }),
  );

/** Servers, and processes of the service that run on them. */
export interface Stand {
  /** To work in. */
  readonly folder: string;
  readonly settings: Settings & { readonly DATA_DIR: string };
  readonly knex: Knex;
  /** What was started and is stopped at the end; a process may be replaced in place. */
  readonly processes: ServiceProcess[];
  /** Starts a process of each role. */
  start(...roles: readonly string[]): Promise<void>;
}

/** Runs `work` on servers, with a folder and a database. */
export const onStand = <Result>(given: Settings, work: (stand: Stand) => Promise<Result>): Promise<Result> =>
  inFolder((folder) =>
    onServers({}, ({ postgres, redis }) =>
      onDatabase(postgres.url, 4, async (knex) => {
        const servers = { DATABASE_URL: postgres.url, REDIS_URL: redis.url };
        const settings = { ...given, DATA_DIR: join(folder, 'data'), ...servers };
        const processes: ServiceProcess[] = [];
        const start = async (...roles: readonly string[]) => {
          for (const ROLE of roles) processes.push(await startProcess({ ...settings, ROLE }));
        };
        try {
          return await work({ folder, settings, knex, processes, start });
        } finally {
          for (const each of processes.reverse()) await each.stop();
        }
      }),
    ),
  );
