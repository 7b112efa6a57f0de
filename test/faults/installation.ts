import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectPostgres, type Database } from '../../db/core/knex';
import { processEnvironment } from '../../scripts/config';
import { runLoupe, type ServiceProcess, startProcess } from '../../scripts/lab/service-processes';
import { bringUpServers, freePort, type Servers } from '../../scripts/lab/services/servers';
import { WebhookReceiver } from '../support/local-server';
import { installLayoutModel, LAYOUT_SETTINGS } from './layout-model';
import { writePictures } from './photos';

/** The deadline of every call: the default of the settings. */
export const DEADLINE_MS = 15_000;
/** The deadline under vision jobs, whose entries are restarted after four deadlines. */
export const JOB_DEADLINE_MS = 3_000;
/** Photos that may wait: more than the usual load sends at a time, fewer than a crowd does. */
export const WAITING_MAX = 32;

/** Two `api` and two `worker` processes on servers of their own, which may be disturbed. The model costs nothing, so that calls are many. */
export interface Installation {
  readonly services: Servers;
  readonly database: Database;
  readonly receiver: WebhookReceiver;
  readonly apis: readonly ServicePart[];
  readonly workers: readonly ServicePart[];
}

/** @param closers filled meanwhile, to be called last first, even if this fails @throws Error without servers that may be disturbed */
export async function startInstallation(closers: (() => Promise<unknown>)[]): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'loupe-faults-'));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  const receiver = new WebhookReceiver();
  closers.push(() => receiver.close());
  const { TEST_DATABASE_URL, TEST_REDIS_URL, DATABASE_URL, REDIS_URL, ...environment } = processEnvironment();
  const log = (line: string) => process.stderr.write(`${line}\n`);
  const services = await bringUpServers({ environment, log, durable: true });
  closers.push(() => services.stop());
  const dataDir = join(folder, 'data');
  const settings = {
    ...{ DATABASE_URL: services.postgres.url, REDIS_URL: services.redis.url, DATA_DIR: dataDir },
    ...{ VISION_DEADLINE_MS: String(DEADLINE_MS), QUEUE_WAITING_MAX: String(WAITING_MAX) },
    WEBHOOK_ALLOW: await receiver.listen(),
    ...LAYOUT_SETTINGS,
    // Never reached, but counted.
    ...{ RATE_PER_SECOND: '1000000', TEST_CALLS_PER_MONTH: '10000000', VISION_CONCURRENCY: '1000' },
    LOG_LEVEL: 'error',
  };
  await installLayoutModel(dataDir);
  const bundle = join(folder, 'bundle');
  await writePictures(bundle);
  const part = (ROLE: string, PORT: string) => new ServicePart({ ...settings, ROLE, PORT });
  const [first, second] = [part('api', String(await freePort())), part('api', String(await freePort()))];
  const workers = [part('worker', '0'), part('worker', '0')];
  const others = [second, ...workers];
  closers.push(() => Promise.all([first, ...others].map((each) => each.stop())));
  // The first one migrates the database.
  await first.start();
  await Promise.all(others.map((each) => each.start()));
  await runLoupe(settings, 'catalog', 'import', bundle);
  const database = connectPostgres({ url: services.postgres.url, poolMax: 2 });
  closers.push(() => database.close());
  return { services, database, receiver, apis: [first, second], workers };
}

export class ServicePart {
  #running: ServiceProcess | null = null;

  constructor(private settings: Readonly<Record<string, string>>) {}

  /** Its address; an api keeps it, as behind a load balancer. */
  get url(): string {
    return this.#running?.url ?? '';
  }

  /** False when it was killed, or ended by itself, which must never happen. */
  get isRunning(): boolean {
    const child = this.#running?.process;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /** Resolves when it says that it is ready; from now on it has these settings too. */
  async start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    this.settings = { ...this.settings, ...settings };
    this.#running = await startProcess(this.settings);
  }

  /** Kills it at once, as the system does when out of memory. */
  async kill(): Promise<void> {
    if (!this.#running || !this.isRunning) return;
    const ended = once(this.#running.process, 'exit');
    this.#running.process.kill('SIGKILL');
    await ended;
  }

  /** Stops it in order, as a deployment does. */
  async stop(): Promise<void> {
    await this.#running?.stop();
  }

  /** Suspends it, with its connections open, until `resume`. */
  pause(): void {
    this.#running?.process.kill('SIGSTOP');
  }

  resume(): void {
    this.#running?.process.kill('SIGCONT');
  }
}
