import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Stream } from 'node:stream';
import { connectEmbedded, connectPostgres, type Database } from '../../db/core/knex';
import { processEnvironment } from '../../scripts/config';
import { startProcess } from '../../scripts/lab/service-processes';
import { ApiClient } from './api-client';
import { createOwnDatabase, migratedInServer, openMigrated } from './database';
import { openAccount } from './open-account';
import { loupeHere } from './run-loupe';
import { inOwnBucket } from './s3-bucket';

type Settings = Readonly<Record<string, string>>;

/** Where the processes of a test keep their state: a data folder, and an empty migrated database. */
export type Installation = Awaited<ReturnType<typeof newInstallation>>;

/**
 * An installation on `TEST_DATABASE_URL` and `TEST_REDIS_URL`, else on the embedded default, whose database stays open until
 * `remove` and does not wait for the disk. @param settings of its processes, added to their addresses and one thread
 */
export async function newInstallation(settings: Settings) {
  const { TEST_DATABASE_URL, TEST_REDIS_URL } = processEnvironment();
  const folder = await mkdtemp(join(tmpdir(), 'lpi-'));
  const dataDir = join(folder, 'data');
  const { own, connect, close } = TEST_DATABASE_URL
    ? await inServer(TEST_DATABASE_URL, dataDir)
    : await embeddedIn(dataDir);
  const redis = TEST_REDIS_URL ? { REDIS_URL: TEST_REDIS_URL } : {};
  const all: Settings = {
    ...{ DATA_DIR: dataDir, QUEUE_PREFIX: basename(folder), INFERENCE_THREADS: '1' },
    ...{ ...own, ...redis, ...settings },
  };
  const remove = async () => {
    await close();
    await rm(folder, { recursive: true, force: true });
  };
  return { folder, dataDir, settings: all, connect, remove };
}

async function inServer(server: string, dataDir: string) {
  const { url, drop } = await createOwnDatabase(server, migratedInServer());
  const own = { DATABASE_URL: url, ...(await inOwnBucket(join(dataDir, 'images'))) };
  return { own, connect: async () => connectPostgres({ url, poolMax: 2 }), close: drop };
}

async function embeddedIn(dataDir: string) {
  const close = await openMigrated(dataDir);
  return { own: {}, connect: (): Promise<Database> => connectEmbedded({ dataDir }), close };
}

interface Start {
  readonly onServers: readonly string[];
  readonly embedded: readonly string[];
  readonly log: Stream;
  readonly more: Settings;
}

export type RunningInstallation = Awaited<ReturnType<typeof runInstallation>>;

/**
 * An installation with its processes, a connection to its database, and a live key without limits. Starts these roles on
 * PostgreSQL and Redis, or others embedded. @param log a file for their logs @param more settings of the processes alone
 */
export async function runInstallation(
  { folder, dataDir, settings, connect, remove }: Installation,
  { onServers = ['api', 'worker'], embedded = ['all'], log, more = {} }: Partial<Start> = {},
) {
  const roles = settings['REDIS_URL'] === undefined ? embedded : onServers;
  const processes = await Promise.all(roles.map((ROLE) => startProcess({ ...settings, ...more, ROLE }, log)));
  const database = await connect();
  const { knex } = database;
  const { key } = await openAccount(knex);
  return {
    ...{ folder, dataDir, settings, processes, knex, key },
    api: (process = 0) => new ApiClient(processes[process]?.url ?? '', key),
    /** Runs a command beside the service, and returns the JSON that it prints. */
    loupe: <Document = unknown>(...words: readonly string[]) =>
      loupeHere(settings, ...words) as Promise<Document>,
    stop: async () => {
      for (const each of [...processes].reverse()) await each.stop();
      await database.close();
      await remove();
    },
  };
}
