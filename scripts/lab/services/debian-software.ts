import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildPgvector } from './build-pgvector';
import { DebianPackages } from './debian-packages';
import { commandSucceeds } from './run-command';
import type { Environment, ProviderOptions } from './service';

/** Where the programs lie that `private-postgres` and `private-redis` start. */
export interface Software {
  /** Folder with initdb, postgres, pg_isready and psql. */
  readonly postgresBinaries: string;
  /** The redis-server program. */
  readonly redisServer: string;
  /** Folders with shared libraries that only these programs need. */
  readonly libraryPath: string;
  /** In words: "PostgreSQL 15 with pgvector 0.8.7, Redis 7.0". */
  readonly description: string;
}

/** Raised by one whenever the recipe below changes, so that no old copy is taken for a new one. */
const RECIPE = 1;

/**
 * PostgreSQL with pgvector and Redis from Debian's archive, unpacked into a cache folder of this user: nothing is
 * installed and no service starts. The first call takes a minute or two; later calls find the finished copy.
 * @throws Error on machines without apt, without the packages or, where pgvector must be built, without a compiler.
 */
export async function debianSoftware(options: ProviderOptions): Promise<Software> {
  const release = await debianRelease();
  const cache = cacheFolder(options.environment);
  const root = join(cache, `${release.id}-${release.codename}-${process.arch}-${RECIPE}`);
  const record = join(root, 'loupe-software.json');
  if (!(await exists(record))) await prepare(root, cache, release.codename, options);
  return located(root, JSON.parse(await readFile(record, 'utf8')));
}

/** What was found out while the copy was made; paths are relative, so the folder may move. */
interface Prepared {
  readonly postgresMajor: string;
  readonly description: string;
}

/** Made aside and moved in one step: a run that is killed or a second one at the same time leaves nothing half done. */
async function prepare(
  root: string,
  cache: string,
  codename: string,
  options: ProviderOptions,
): Promise<void> {
  if (!(await commandSucceeds('apt-get', ['--version']))) {
    throw new Error(
      'no apt on this machine: give TEST_DATABASE_URL and TEST_REDIS_URL, or start a Docker engine',
    );
  }
  await mkdir(cache, { recursive: true, mode: 0o755 });
  const aside = await mkdtemp(join(cache, 'preparing-'));
  try {
    const copy = join(aside, 'root');
    const packages = new DebianPackages(join(aside, 'apt'), options.environment);
    const prepared = await unpackAll(packages, copy, codename, options);
    await writeFile(join(copy, 'loupe-software.json'), JSON.stringify(prepared));
    await rename(copy, root).catch(async (error: unknown) => {
      if (!(await exists(join(root, 'loupe-software.json')))) throw error;
    });
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

async function unpackAll(
  packages: DebianPackages,
  root: string,
  codename: string,
  options: ProviderOptions,
): Promise<Prepared> {
  options.log('Debian packages: reading the package lists');
  await packages.update();
  const metaPackage = (await packages.dependencies('postgresql')).find((name) =>
    /^postgresql-\d+$/.test(name),
  );
  if (metaPackage === undefined) throw new Error('apt knows no package postgresql');
  const major = metaPackage.slice('postgresql-'.length);
  const packaged = await packages.candidate(`postgresql-${major}-pgvector`);
  const names = [`postgresql-${major}`, `postgresql-client-${major}`, 'redis-server', 'redis-tools'];
  if (packaged !== undefined) names.push(`postgresql-${major}-pgvector`);
  options.log(`Debian packages: unpacking PostgreSQL ${major} and Redis (nothing is installed)`);
  await packages.unpack(names, packaged === undefined ? [`postgresql-server-dev-${major}`] : [], root);
  const vector =
    packaged ?? (await buildPgvector({ packages, root, postgresMajor: major, codename, ...options }));
  await rm(join(root, '.packages'), { recursive: true, force: true });
  const redis = await packages.candidate('redis-server');
  return {
    postgresMajor: major,
    description: `PostgreSQL ${major} with pgvector ${upstream(vector)}, Redis ${upstream(redis ?? '')}`,
  };
}

async function located(root: string, prepared: Prepared): Promise<Software> {
  const folders = await Promise.all(['usr/lib', 'lib'].map((folder) => libraryFolders(join(root, folder))));
  return {
    postgresBinaries: join(root, 'usr/lib/postgresql', prepared.postgresMajor, 'bin'),
    redisServer: join(root, 'usr/bin/redis-server'),
    libraryPath: folders.flat().join(':'),
    description: prepared.description,
  };
}

/** The folders of one machine type, such as `x86_64-linux-gnu`. */
async function libraryFolders(parent: string): Promise<readonly string[]> {
  const names = await readdir(parent).catch(() => []);
  return names.filter((name) => name.includes('-linux-gnu')).map((name) => join(parent, name));
}

/**
 * Of this user, except for root: servers refuse to run as root, and nobody else may look into root's home, so root's copy
 * lies where every user can run it.
 */
function cacheFolder(environment: Environment): string {
  if (process.getuid?.() === 0) return '/var/cache/loupe/services';
  const caches = environment['XDG_CACHE_HOME'] ?? join(environment['HOME'] ?? '.', '.cache');
  return join(caches, 'loupe/services');
}

async function debianRelease(): Promise<{ id: string; codename: string }> {
  const text = await readFile('/etc/os-release', 'utf8').catch(() => '');
  const value = (name: string) => new RegExp(`^${name}="?([\\w.-]+)"?$`, 'm').exec(text)?.[1];
  return { id: value('ID') ?? 'unknown', codename: value('VERSION_CODENAME') ?? 'unknown' };
}

/** `5:7.0.15-1~deb12u10` -> `7.0.15`. */
function upstream(version: string): string {
  return version.replace(/^\d+:/, '').replace(/-[^-]*$/, '');
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
