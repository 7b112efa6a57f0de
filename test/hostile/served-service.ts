import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processEnvironment } from '../../scripts/config';
import { openAccount } from '../../scripts/lab/bench/vision-installation';
import { generateBundle } from '../../scripts/lab/generator/generate-bundle';
import { runLoupe, type ServiceProcess, startProcess } from '../../scripts/lab/service-processes';
import { bringUpServers } from '../../scripts/lab/services/servers';

type Settings = Readonly<Record<string, string>>;

/** A service in processes of its own with a small catalog, and a key of a limited account. */
export interface ServedService {
  readonly url: string;
  readonly key: string;
  /** The process that answers HTTP. */
  readonly api: ChildProcess;
  /** A key with an account of its own that has so many credits. */
  openAccount(credits: number): Promise<{ accountId: string; key: string }>;
  /** What accounts have left, by id. */
  balances(): Promise<ReadonlyMap<string, number>>;
  /** What the account of `key` has been charged since it was made. */
  creditsBooked(): Promise<number>;
  isReady(): Promise<boolean>;
  /** Ends and removes it. */
  stop(): Promise<void>;
}

export interface ServedOptions {
  /** Whether api and worker run on PostgreSQL and Redis, instead of one embedded process. */
  readonly servers?: boolean;
  /** Instead of no limits. */
  readonly settings?: Settings;
  /** Variants that each product has besides its own, of 600 bytes each in an answer. */
  readonly furtherVariants?: number;
}

const PRODUCTS = 24;
const CREDITS = 10_000_000;

/** As the image of the service sets it, so that what is measured is what runs (Dockerfile). */
const LIMITLESS: Settings = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '1048576',
  RATE_PER_SECOND: '0',
  VISION_CONCURRENCY: '0',
  CONFIDENCE_FLOOR: '0',
};

/** Runs `work` with a service that is stopped and removed afterwards. */
export async function withService(
  servers: boolean,
  work: (service: ServedService) => Promise<void>,
): Promise<void> {
  const service = await serve({ servers });
  try {
    await work(service);
  } finally {
    await service.stop();
  }
}

/** Starts a service. */
export async function serve(options: ServedOptions): Promise<ServedService> {
  const { servers = false, settings: given = {}, furtherVariants = 0 } = options;
  const folder = await mkdtemp(join(tmpdir(), 'loupe-hostile-'));
  const stores = servers
    ? await bringUpServers({
        environment: processEnvironment(),
        log: (line) => process.stderr.write(`${line}\n`),
      })
    : null;
  const settings: Settings = {
    ...LIMITLESS,
    ...given,
    DATA_DIR: join(folder, 'data'),
    ...(stores ? { DATABASE_URL: stores.postgres.url, REDIS_URL: stores.redis.url } : {}),
  };
  const processes: ServiceProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const process of processes.reverse()) await process.stop();
    await stores?.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const api = await startProcess({ ...settings, ROLE: stores ? 'api' : 'all' });
    processes.push(api);
    if (stores) processes.push(await startProcess({ ...settings, ROLE: 'worker' }));
    return { ...(await served(api, settings, folder, furtherVariants)), stop };
  } catch (failure) {
    await stop();
    throw failure;
  }
}

async function served(
  api: ServiceProcess,
  settings: Settings,
  folder: string,
  furtherVariants: number,
): Promise<Omit<ServedService, 'stop'>> {
  const bundle = join(folder, 'bundle');
  await generateBundle({ seed: 11, products: PRODUCTS, out: bundle, images: true, imageSize: 320 });
  if (furtherVariants > 0) await addVariants(join(bundle, 'products.jsonl'), furtherVariants);
  await runLoupe(settings, 'catalog', 'import', bundle);
  const open = (credits: number) => openAccount(settings, { credits, versions: 'v2,v3' });
  const { accountId, key } = await open(CREDITS);
  const balances = async () => {
    const accounts = (await runLoupe(settings, 'accounts', 'list')) as { id: string; credits: number }[];
    return new Map(accounts.map(({ id, credits }) => [id, credits]));
  };
  return {
    url: api.url,
    key,
    api: api.process,
    openAccount: open,
    balances,
    creditsBooked: async () => CREDITS - ((await balances()).get(accountId) ?? 0),
    isReady: async () => (await fetch(`${api.url}/readyz`).catch(() => null))?.ok ?? false,
  };
}

async function addVariants(file: string, count: number): Promise<void> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const enlarged = lines.map((line) => {
    const { variants, ...product } = JSON.parse(line);
    const further = Array.from({ length: count }, (_, at) => ({
      id: `variant_further_${product.id}_${at}`,
      fields: Array.from({ length: 8 }, () => ({
        field: 'size',
        name: 'Of a size that takes long to describe',
      })),
    }));
    return `${JSON.stringify({ ...product, variants: [...variants, ...further] })}\n`;
  });
  await writeFile(file, enlarged.join(''));
}
