import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { connectEmbedded, connectPostgres, type Database } from '../../db/core/knex';
import { processEnvironment } from '../../scripts/config';
import { createOwnDatabase, migratedInServer, openMigrated } from './database';
import { inOwnBucket } from './s3-bucket';

/** Where the processes of a test keep their state: a data folder, and an empty migrated database. */
export interface Installation {
  readonly folder: string;
  readonly dataDir: string;
  /** Of every process; with `REDIS_URL` where apis and workers are processes of their own. */
  readonly settings: Readonly<Record<string, string>>;
  connect(): Promise<Database>;
  remove(): Promise<void>;
}

/**
 * An installation on `TEST_DATABASE_URL` and `TEST_REDIS_URL`, else on the embedded default, whose database stays open until
 * `remove` and does not wait for the disk. @param settings of its processes, added to their addresses and one thread
 */
export async function newInstallation(settings: Readonly<Record<string, string>>): Promise<Installation> {
  const { TEST_DATABASE_URL, TEST_REDIS_URL } = processEnvironment();
  const folder = await mkdtemp(join(tmpdir(), 'lpi-'));
  const dataDir = join(folder, 'data');
  const { own, connect, close } = TEST_DATABASE_URL
    ? await inServer(TEST_DATABASE_URL, dataDir)
    : await embeddedIn(dataDir);
  const redis = TEST_REDIS_URL ? { REDIS_URL: TEST_REDIS_URL } : {};
  return {
    folder,
    dataDir,
    settings: {
      ...{ DATA_DIR: dataDir, QUEUE_PREFIX: basename(folder), INFERENCE_THREADS: '1' },
      ...{ ...own, ...redis, ...settings },
    },
    connect,
    remove: async () => {
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function inServer(server: string, dataDir: string) {
  const { url, drop } = await createOwnDatabase(server, migratedInServer());
  const own = { DATABASE_URL: url, ...(await inOwnBucket(join(dataDir, 'images'))) };
  return { own, connect: async () => connectPostgres({ url, poolMax: 2 }), close: drop };
}

async function embeddedIn(dataDir: string) {
  const close = await openMigrated(dataDir);
  return { own: {}, connect: () => connectEmbedded({ dataDir }), close };
}
