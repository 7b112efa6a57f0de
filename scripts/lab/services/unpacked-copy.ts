import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DebianPackages } from './debian-packages';
import { commandSucceeds } from './run-command';
import type { Environment, ProviderOptions } from './service';

/** Software of Debian's archive, without what was found out about it. */
export interface Recipe<Found> {
  /** Of its folder. */
  readonly name: string;
  /** Unpacks packages into `root`; what it answers is kept beside them. The folder moves afterwards. */
  unpack(packages: DebianPackages, root: string, codename: string): Promise<Found>;
}

/**
 * Software from Debian's archive, unpacked into a cache folder of this user: nothing is installed and no service starts.
 * The first call takes a minute or two; later calls find the finished copy.
 * @throws Error on machines without apt, and what unpacking throws.
 */
export async function unpackedCopy<Found>(
  recipe: Recipe<Found>,
  options: ProviderOptions,
): Promise<{ readonly root: string; readonly found: Found }> {
  const release = await debianRelease();
  const cache = cacheFolder(options.environment);
  const root = join(cache, `${release.id}-${release.codename}-${process.arch}-${recipe.name}`);
  const record = join(root, RECORD);
  if (!(await exists(record))) await prepare(root, cache, release.codename, recipe, options);
  return { root, found: JSON.parse(await readFile(record, 'utf8')) };
}

const RECORD = 'loupe-software.json';

/** Made aside and moved in one step: a run that is killed or a second one at the same time leaves nothing half done. */
async function prepare<Found>(
  root: string,
  cache: string,
  codename: string,
  recipe: Recipe<Found>,
  options: ProviderOptions,
): Promise<void> {
  if (!(await commandSucceeds('apt-get', ['--version']))) {
    throw new Error(
      'no apt on this machine: give TEST_DATABASE_URL, TEST_REDIS_URL and TEST_S3_URL, or start a Docker engine',
    );
  }
  await mkdir(cache, { recursive: true, mode: 0o755 });
  const aside = await mkdtemp(join(cache, 'preparing-'));
  try {
    const copy = join(aside, 'root');
    const packages = new DebianPackages(join(aside, 'apt'), options.environment);
    options.log('Debian packages: reading the package lists');
    await packages.update();
    const found = await recipe.unpack(packages, copy, codename);
    await rm(join(copy, '.packages'), { recursive: true, force: true });
    await writeFile(join(copy, RECORD), JSON.stringify(found));
    await rename(copy, root).catch(async (error: unknown) => {
      if (!(await exists(join(root, RECORD)))) throw error;
    });
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/** Folders of shared libraries of an unpacked copy, joined as the dynamic loader wants them. */
export async function libraryPath(root: string): Promise<string> {
  const folders = await Promise.all(['usr/lib', 'lib'].map((folder) => libraryFolders(join(root, folder))));
  return folders.flat().join(':');
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
export function upstreamVersion(version: string): string {
  return version.replace(/^\d+:/, '').replace(/-[^-]*$/, '');
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
