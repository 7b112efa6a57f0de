import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { connectEmbedded, connectPostgres, type Database } from '../../../db/core/knex';
import { processEnvironment } from '../../config';
import { programsOf, REPOSITORY_ROOT, type ServiceProcess } from '../service-processes';
import { bringUpServers, type Servers } from '../services/servers';

/** The two ways of running: one process on the embedded database, or an api and a worker on PostgreSQL and Redis. */
export const MODES = ['embedded', 'PostgreSQL and Redis'] as const;
export type Mode = (typeof MODES)[number];

export type Knex = Database['knex'];
/** Settings of processes, or of a PostgreSQL. */
export type Settings = Readonly<Record<string, string>>;

/** Credits of an account, and vision calls of a key at the same time (0: no limit). */
export interface KeyLimits {
  readonly credits?: number;
  readonly concurrency?: number;
  /** Comma-separated; else those of a key that names none. */
  readonly scopes?: string;
  /** Comma-separated; else v3. */
  readonly versions?: string;
}

export interface InstallationOptions {
  readonly mode: Mode;
  readonly settings?: Settings;
  /** Of the PostgreSQL that is brought up. */
  readonly server?: Settings;
  /** Folder of a checkout of another version, to be measured by turns with this one. */
  readonly against?: string;
}

/** Settings under which photos that come again are computed again, and no limit refuses a call. */
export const UNLIMITED: Settings = {
  CONFIDENCE_FLOOR: '0',
  PHOTO_MEMORY_MIB: '0',
  RATE_PER_SECOND: '0',
  RATE_PER_MINUTE: '0',
  VISION_CONCURRENCY: '0',
};

/** A version of the service with data of its own: where its processes and commands run, and which run now. */
export class Installation {
  /** By what each does: `all`, or `api` and `worker`. */
  readonly processes = new Map<string, ServiceProcess>();
  readonly #programs;

  /**
   * @param name of the version
   * @param root folder of its checkout
   */
  constructor(
    readonly name: string,
    readonly root: string,
    readonly mode: Mode,
    readonly settings: Settings & { readonly DATA_DIR: string },
  ) {
    this.#programs = programsOf(root);
  }

  /** Where calls are answered. */
  get url(): string {
    return (this.processes.get('api') ?? this.processes.get('all'))?.url ?? '';
  }

  /** The process that computes embeddings. */
  get computing(): ServiceProcess | undefined {
    return this.processes.get('worker') ?? this.processes.get('all');
  }

  /** Starts the processes of the mode, or on servers only these. */
  async start(roles: readonly string[] = ['api', 'worker'], further: Settings = {}): Promise<void> {
    for (const ROLE of this.mode === 'embedded' ? ['all'] : roles) {
      const settings = { ...this.settings, ...further, ROLE };
      this.processes.set(ROLE, await this.#programs.startProcess(settings));
    }
  }

  async stop(): Promise<void> {
    for (const each of [...this.processes.values()].reverse()) await each.stop();
    this.processes.clear();
  }

  loupe = (...words: readonly string[]): Promise<unknown> => this.#programs.runLoupe(this.settings, ...words);
  spawnLoupe = (...words: readonly string[]) => this.#programs.spawnLoupe(this.settings, ...words);
  key = async (limits?: KeyLimits): Promise<string> => (await openAccount(this.loupe, limits)).key;

  /** Runs `work` on its database, with this version's code; statements may take as long as they do. */
  async onDatabase<Result>(work: (knex: Knex) => Promise<Result>): Promise<Result> {
    const { DATABASE_URL: url, DATA_DIR: dataDir } = this.settings;
    const database = url ? connectPostgres({ url, statementMs: 0 }) : await connectEmbedded({ dataDir });
    try {
      return await work(database.knex);
    } finally {
      await database.close();
    }
  }
}

/** An account on a service with a key of it. @param loupe runs a command of it */
export async function openAccount(
  loupe: (...words: string[]) => Promise<unknown>,
  { credits, concurrency, scopes, versions = 'v3' }: KeyLimits = {},
): Promise<{ accountId: string; key: string }> {
  const option = (name: string, value: string | number | undefined) =>
    value === undefined ? [] : [name, String(value)];
  const account = await loupe('accounts', 'create', '--name', 'bench', ...option('--credits', credits));
  const { id: accountId } = account as { id: string };
  const limits = [...option('--concurrency', concurrency), ...option('--scopes', scopes)];
  const words = ['--account', accountId, '--name', 'bench', '--versions', versions, ...limits];
  const { key } = (await loupe('keys', 'create', ...words)) as { key: string };
  return { accountId, key };
}

/** Runs `work` with a folder of its own, which is gone afterwards. */
export async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'loupe-bench-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Runs `work` with an installation of this version, and one of the version to compare with if that is asked for; nothing is
 * started yet. Servers are those of `TEST_DATABASE_URL` and `TEST_REDIS_URL`, else new ones that bring what they commit to the
 * disk and are thrown away.
 */
export const onInstallations = <Result>(
  { mode, settings = {}, server = {}, against }: InstallationOptions,
  work: (installations: readonly Installation[], folder: string) => Promise<Result>,
): Promise<Result> =>
  inFolder(async (folder) => {
    const versions = [
      ['this', REPOSITORY_ROOT],
      ...(against ? [['other', resolve(against)] as const] : []),
    ] as const;
    const on = async (servers: Servers | null) => {
      const installations = versions.map(async ([name, root], at) => {
        const places = servers ? await placesOn(servers, name, at) : {};
        const own = { ...settings, ...places, DATA_DIR: join(folder, name, 'data') };
        return new Installation(name, root, mode, own);
      });
      const all = await Promise.all(installations);
      return await work(all, folder).finally(async () => {
        for (const each of all) await each.stop();
      });
    };
    return mode === 'embedded' ? on(null) : onServers(server, on);
  });

/** Runs `work` with an installation of this version. */
export const onInstallation = <Result>(
  options: InstallationOptions,
  work: (installation: Installation, folder: string) => Promise<Result>,
): Promise<Result> =>
  onInstallations(options, ([installation], folder) => work(installation as Installation, folder));

async function onServers<Result>(
  settings: Settings,
  work: (servers: Servers) => Promise<Result>,
): Promise<Result> {
  const log = (line: string) => process.stderr.write(`${line}\n`);
  const servers = await bringUpServers({ environment: processEnvironment(), log, durable: true, settings });
  try {
    return await work(servers);
  } finally {
    await servers.stop();
  }
}

/** This version has the database of the address, as a given one may be filled; another one of its own. */
async function placesOn({ postgres, redis }: Servers, name: string, at: number): Promise<Settings> {
  const REDIS_URL = `${redis.url}/${at}`;
  const DATABASE_URL = at === 0 ? postgres.url : await createDatabase(postgres.url, `bench_${name}`);
  return { DATABASE_URL, REDIS_URL };
}

/** Creates a database on a server, in place of one of that name, and answers its address. */
export async function createDatabase(server: string, name: string): Promise<string> {
  const database = connectPostgres({ url: server, poolMax: 1 });
  await database.knex.raw('DROP DATABASE IF EXISTS ??', [name]);
  await database.knex.raw('CREATE DATABASE ??', [name]).finally(() => database.close());
  return Object.assign(new URL(server), { pathname: name }).href;
}
