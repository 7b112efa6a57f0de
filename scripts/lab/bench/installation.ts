import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { connectEmbedded, connectPostgres, type Database } from '../../../db/core/knex';
import { useAndClose } from '../../../models/promises';
import { processEnvironment } from '../../config';
import { programsOf, REPOSITORY_ROOT, type ServiceProcess } from '../service-processes';
import { bringUpServers, type Servers } from '../services/servers';

/** The two ways of running: one process on the embedded database, or an api and a worker on PostgreSQL and Redis. */
export const MODES = ['embedded', 'PostgreSQL and Redis'] as const;
export type Mode = (typeof MODES)[number];
export type Knex = Database['knex'];
export type Settings = Readonly<Record<string, string>>;

/** Options of benchmarks that fill installations with a generated catalog. */
export interface BenchOptions {
  readonly products: number;
  readonly calls: number;
  /** Folder of a checkout of another version, to be measured by turns with this one. */
  readonly against?: string | undefined;
}

export interface InstallationOptions extends Pick<BenchOptions, 'against'> {
  readonly mode: Mode;
  readonly settings?: Settings;
}

/** Settings that recompute repeated photos and refuse no call for a limit, even on a busy machine. */
export const UNLIMITED: Settings = {
  CONFIDENCE_FLOOR: '0',
  PHOTO_MEMORY_MIB: '0',
  RATE_PER_SECOND: '0',
  RATE_PER_MINUTE: '0',
  VISION_CONCURRENCY: '0',
  VISION_DEADLINE_MS: '60000',
  STOP_TIMEOUT_MS: '60000',
};

/** A quarter of a small server's memory, as PostgreSQL's manual advises; `random_page_cost` as for a disk without heads. */
const POSTGRES: Settings = { shared_buffers: '4GB', max_wal_size: '8GB', random_page_cost: '1.1' };

export class Installation {
  /** The running ones, by role: `all`, or `api` and `worker`. */
  readonly processes = new Map<string, ServiceProcess>();
  readonly #programs;

  /** @param name of the version @param root folder of its checkout */
  constructor(
    readonly name: string,
    readonly root: string,
    readonly mode: Mode,
    readonly settings: Settings & { readonly DATA_DIR: string },
  ) {
    this.#programs = programsOf(root);
  }

  get url(): string {
    return (this.processes.get('api') ?? this.processes.get('all'))?.url ?? '';
  }

  get pids(): number[] {
    return [...this.processes.values()].map(({ process: { pid = 0 } }) => pid);
  }

  async start(roles: readonly string[] = ['api', 'worker']): Promise<void> {
    for (const ROLE of this.mode === 'embedded' ? ['all'] : roles) {
      this.processes.set(ROLE, await this.#programs.startProcess({ ...this.settings, ROLE }));
    }
  }

  async stop(): Promise<void> {
    for (const each of [...this.processes.values()].reverse()) await each.stop();
    this.processes.clear();
  }

  loupe = (...words: readonly string[]): Promise<unknown> => this.#programs.runLoupe(this.settings, ...words);
  spawnLoupe = (...words: readonly string[]) => this.#programs.spawnLoupe(this.settings, ...words);
  /** A new key without limits, of an account with unlimited credits. */
  key = async (): Promise<string> =>
    ((await this.loupe('keys', 'create', '--concurrency', '0')) as { key: string }).key;

  /** Runs `work` on its database, with this version's code and no limit on the time of a statement. */
  onDatabase = <Result>(work: (knex: Knex) => Promise<Result>): Promise<Result> => {
    const { DATABASE_URL: url, DATA_DIR: dataDir } = this.settings;
    const opening = url ? connectPostgres({ url, statementMs: 0 }) : connectEmbedded({ dataDir });
    return useAndClose(opening, ({ knex }) => work(knex));
  };
}

/**
 * Runs `work` with an installation of this version, and of the version to compare with, if any; not started yet. On the servers
 * of `TEST_DATABASE_URL` and `TEST_REDIS_URL`, else on new, durable ones that are removed afterwards.
 */
export async function onInstallations<Result>(
  { mode, settings = {}, against }: InstallationOptions,
  work: (installations: readonly Installation[], folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'loupe-bench-'));
  const roots = [REPOSITORY_ROOT, ...(against ? [resolve(against)] : [])];
  const { INFERENCE_BACKEND = 'auto' } = processEnvironment();
  const log = (line: string) => process.stderr.write(`${line}\n`);
  const asked = { environment: processEnvironment(), log, durable: true, settings: POSTGRES };
  const servers = mode === 'embedded' ? null : await bringUpServers(asked);
  const all: Installation[] = [];
  try {
    for (const [at, root] of roots.entries()) {
      const name = at === 0 ? 'this' : 'other';
      const places = servers ? await placesOn(servers, name, at) : {};
      const own = { INFERENCE_BACKEND, ...settings, ...places, DATA_DIR: join(folder, name, 'data') };
      all.push(new Installation(name, root, mode, own));
    }
    return await work(all, folder);
  } finally {
    for (const each of all) await each.stop();
    await servers?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

export const onInstallation = <Result>(
  options: InstallationOptions,
  work: (installation: Installation, folder: string) => Promise<Result>,
): Promise<Result> =>
  onInstallations(options, ([installation], folder) => work(installation as Installation, folder));

/** This version has the database of the address, as a given one may be filled; another one has a database of its own. */
async function placesOn({ postgres, redis }: Servers, name: string, at: number): Promise<Settings> {
  const DATABASE_URL = at === 0 ? postgres.url : await createDatabase(postgres.url, `bench_${name}`);
  return { DATABASE_URL, REDIS_URL: `${redis.url}/${at}` };
}

/** Creates a database on a server, replacing one of that name, and returns its address. */
async function createDatabase(server: string, name: string): Promise<string> {
  const database = connectPostgres({ url: server, poolMax: 1 });
  await database.knex.raw('DROP DATABASE IF EXISTS ??', [name]);
  await database.knex.raw('CREATE DATABASE ??', [name]).finally(() => database.close());
  return Object.assign(new URL(server), { pathname: name }).href;
}
