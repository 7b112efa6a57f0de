import { cpus } from 'node:os';
import { join } from 'node:path';
import { generateBundle, photoOfProduct, productId } from '../generator/generate-bundle';
import { runLoupe, type ServiceProcess, startProcess } from '../service-processes';
import { onServers, type Settings } from './set-up';

/** The two ways of running: one process on the embedded database, or an api and a worker on PostgreSQL and Redis. */
export const MODES = ['embedded', 'PostgreSQL and Redis'] as const;
export type Mode = (typeof MODES)[number];

const SEED = 11;
const PHOTOS = 24;

/** A running service with a catalog of pictures, as operators start it. */
export interface VisionInstallation {
  readonly mode: Mode;
  readonly url: string;
  /** By what each does: `all`, or `api` and `worker`. */
  readonly processes: Readonly<Record<string, ServiceProcess>>;
  /** A new key with an account of its own; without a number it has as many credits, or calls at a time, as usual. */
  makeKey(limits?: KeyLimits): Promise<string>;
}

/** Credits of the account, and vision calls at the same time (0: no limit). */
export interface KeyLimits {
  readonly credits?: number;
  readonly concurrency?: number;
  /** Comma-separated; else those of a key that names none. */
  readonly scopes?: string;
  /** Comma-separated; else v3. */
  readonly versions?: string;
}

/** What to run, and with what in it. `settings` go before the defaults. */
export interface InstallationOptions {
  readonly mode: Mode;
  readonly products: number;
  /** A folder to work in. */
  readonly folder: string;
  readonly settings: Settings;
  /** Further settings of each process. */
  readonly ofRole?: Readonly<Record<string, Settings>>;
  /** False for a catalog without pictures, with nothing to embed. */
  readonly pictures?: boolean;
}

/** Starts a service with a generated catalog, hands it to `work`, and ends it. */
export async function onVisionInstallation<Result>(
  options: InstallationOptions,
  work: (installation: VisionInstallation) => Promise<Result>,
): Promise<Result> {
  const settings = { ...options.settings, DATA_DIR: join(options.folder, options.mode) };
  if (options.mode === 'embedded') return onProcesses(options, settings, ['all'], work);
  return onServers({}, (services) => {
    const servers = { DATABASE_URL: services.postgres.url, REDIS_URL: services.redis.url };
    return onProcesses(options, { ...settings, ...servers }, ['api', 'worker'], work);
  });
}

/** Photos of products spread over the catalog that are no pictures of it, as JPEG. */
export function drawPhotos(products: number, side: number): Promise<Buffer[]> {
  return Promise.all(
    Array.from({ length: PHOTOS }, (_, photo) =>
      photoOfProduct({
        seed: SEED,
        index: Math.floor((photo * products) / PHOTOS),
        photoSeed: photo,
        level: 1,
        size: side,
      }),
    ),
  );
}

/** Ids of the generated products. */
export const productIds = (products: number): string[] =>
  Array.from({ length: products }, (_, index) => productId(SEED, index));

/** What the figures were measured on, in words. */
export const machine = (): string => `${cpus().length} cores`;

async function onProcesses<Result>(
  { mode, products, folder, ofRole = {}, pictures = true }: InstallationOptions,
  settings: Settings,
  roles: readonly string[],
  work: (installation: VisionInstallation) => Promise<Result>,
): Promise<Result> {
  const processes: Record<string, ServiceProcess> = {};
  try {
    for (const role of roles)
      processes[role] = await startProcess({ ...settings, ...ofRole[role], ROLE: role });
    const bundle = join(folder, `${mode} bundle`);
    await generateBundle({ seed: SEED, products, out: bundle, images: pictures });
    await runLoupe(settings, 'catalog', 'import', bundle, ...(pictures ? [] : ['--no-wait']));
    const url = (processes['api'] ?? processes['all'])?.url ?? '';
    return await work({ mode, url, processes, makeKey: (limits) => makeKey(settings, limits) });
  } finally {
    for (const each of Object.values(processes).reverse()) await each.stop();
  }
}

/** A key with an account of its own on the service that these settings start. */
export const makeKey = async (settings: Settings, limits?: KeyLimits): Promise<string> =>
  (await openAccount(settings, limits)).key;

/** An account on the service that these settings start, and a key of it. */
export async function openAccount(
  settings: Settings,
  { credits, concurrency, scopes, versions = 'v3' }: KeyLimits = {},
): Promise<{ accountId: string; key: string }> {
  const balance = credits === undefined ? [] : ['--credits', String(credits)];
  const atOnce = concurrency === undefined ? [] : ['--concurrency', String(concurrency)];
  const account = await runLoupe(settings, 'accounts', 'create', '--name', 'bench', ...balance);
  const { id: accountId } = account as { id: string };
  const allowed = scopes === undefined ? [] : ['--scopes', scopes];
  const words = ['--account', accountId, '--name', 'bench', '--versions', versions, ...atOnce, ...allowed];
  const { key } = (await runLoupe(settings, 'keys', 'create', ...words)) as { key: string };
  return { accountId, key };
}
