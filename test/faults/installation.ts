import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectPostgres, type Database } from '../../db/core/knex';
import { processEnvironment } from '../../scripts/config';
import { runLoupe } from '../../scripts/lab/service-processes';
import { bringUpServers, freePort, type Servers } from '../../scripts/lab/services/servers';
import { WebhookReceiver } from '../support/local-server';
import { writeLayoutModel } from './layout-model';
import { Photos } from './photos';
import { ServicePart } from './service-part';
import { SlowHost } from './slow-host';

/** The deadline of every call, in milliseconds: the default of the settings. */
export const DEADLINE_MS = 15_000;

/** The deadline under vision jobs, whose entries are begun again only after four of it. */
export const JOB_DEADLINE_MS = 3_000;

/** Bytes of an image at most; the endless one of the slow host reaches it soon. */
const IMAGE_BYTES_MAX = 1024 * 1024;

/** Photos that may wait: more than the usual load sends at a time, fewer than a crowd does. */
export const WAITING_MAX = 32;

/**
 * The service as an operator runs it: two `api` and two `worker` processes on a PostgreSQL and a Redis of their own, which
 * may be disturbed. Only the model is not the usual one: its inference costs nothing, so that calls are many.
 */
export interface Installation {
  readonly services: Servers;
  readonly database: Database;
  readonly photos: Photos;
  readonly slowHost: SlowHost;
  /** A host of callers that is told of their jobs. */
  readonly receiver: WebhookReceiver;
  readonly apis: readonly ServicePart[];
  readonly workers: readonly ServicePart[];
  stop(): Promise<void>;
}

type Closers = (() => Promise<unknown>)[];

/** @throws Error when no servers can be brought up here that may be disturbed; nothing is left running then */
export async function startInstallation(): Promise<Installation> {
  const closers: Closers = [];
  try {
    return await open(closers);
  } catch (failure) {
    await closeAll(closers);
    throw failure;
  }
}

async function open(closers: Closers): Promise<Installation> {
  const closing = (close: () => Promise<unknown>) => void closers.unshift(close);
  const folder = await mkdtemp(join(tmpdir(), 'loupe-faults-'));
  closing(() => rm(folder, { recursive: true, force: true }));
  const slowHost = await SlowHost.open();
  closing(() => slowHost.close());
  const receiver = new WebhookReceiver();
  await receiver.listen();
  closing(() => receiver.close());
  const services = await bringUpServers({
    environment: withoutGivenServers(),
    log: (line) => process.stderr.write(`${line}\n`),
    durable: true,
  });
  closing(() => services.stop());
  const settings = {
    ...settingsFor(folder, services),
    IMAGE_FETCH_ALLOW: slowHost.address,
    WEBHOOK_ALLOW: receiver.address,
  };
  await writeLayoutModel(join(folder, 'data', 'models', 'layout@1.0.0'), { id: 'layout' });
  const bundle = join(folder, 'bundle');
  const photos = await Photos.ofCatalog(bundle);
  const apis = await Promise.all([1, 2].map(() => onPortOfItsOwn({ ...settings, ROLE: 'api' })));
  const workers = [1, 2].map(() => new ServicePart({ ...settings, ROLE: 'worker', PORT: '0' }));
  const [first, ...others] = [...apis, ...workers];
  closing(() => Promise.all([first, ...others].map((part) => part?.stop())));
  // The first one migrates the database.
  await first?.start();
  await Promise.all(others.map((part) => part.start()));
  await runLoupe(settings, 'catalog', 'import', bundle);
  const database = connectPostgres({ url: services.postgres.url, poolMax: 2 });
  closing(() => database.close());
  return { services, database, photos, slowHost, receiver, apis, workers, stop: () => closeAll(closers) };
}

async function closeAll(closers: Closers): Promise<void> {
  for (const close of closers.splice(0)) await close();
}

/** Servers whose addresses stand in the environment belong to someone else. */
function withoutGivenServers(): Record<string, string | undefined> {
  const environment = processEnvironment();
  for (const name of ['TEST_DATABASE_URL', 'TEST_REDIS_URL', 'DATABASE_URL', 'REDIS_URL']) {
    delete environment[name];
  }
  return environment;
}

function settingsFor(folder: string, services: Servers): Record<string, string> {
  return {
    DATABASE_URL: services.postgres.url,
    REDIS_URL: services.redis.url,
    DATA_DIR: join(folder, 'data'),
    MODEL: 'layout',
    CONFIDENCE_FLOOR: '0',
    INFERENCE_THREADS: '1',
    VISION_DEADLINE_MS: String(DEADLINE_MS),
    IMAGE_FETCH_TIMEOUT_MS: '2000',
    IMAGE_BYTES_MAX: String(IMAGE_BYTES_MAX),
    QUEUE_WAITING_MAX: String(WAITING_MAX),
    // Out of the way, but counted.
    RATE_PER_SECOND: '1000000',
    TEST_CALLS_PER_MONTH: '10000000',
    VISION_CONCURRENCY: '1000',
    LOG_LEVEL: 'error',
  };
}

/** Its address stays the same when it is started again, as behind a load balancer. */
const onPortOfItsOwn = async (settings: Record<string, string>): Promise<ServicePart> =>
  new ServicePart({ ...settings, PORT: String(await freePort()) });
