import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processEnvironment } from '../../scripts/config';
import { openAccount } from '../../scripts/lab/bench/vision-installation';
import { generateBundle } from '../../scripts/lab/generator/generate-bundle';
import { runLoupe, type ServiceProcess, startProcess } from '../../scripts/lab/service-processes';
import { bringUpServices } from '../../scripts/lab/services/bring-up-services';

type Settings = Readonly<Record<string, string>>;

/** A service in processes of its own with a small catalog, and a key of a limited account. */
export interface ServedService {
  readonly url: string;
  readonly key: string;
  /** Of the process that answers HTTP. */
  readonly apiPid: number;
  /** What the account has been charged since it was made. */
  creditsBooked(): Promise<number>;
  isReady(): Promise<boolean>;
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
  const folder = await mkdtemp(join(tmpdir(), 'loupe-hostile-'));
  const stores = servers
    ? await bringUpServices({
        environment: processEnvironment(),
        log: (line) => process.stderr.write(`${line}\n`),
      })
    : null;
  const settings: Settings = {
    ...LIMITLESS,
    DATA_DIR: join(folder, 'data'),
    ...(stores ? { DATABASE_URL: stores.postgres.url, REDIS_URL: stores.redis.url } : {}),
  };
  const processes: ServiceProcess[] = [];
  try {
    const api = await startProcess({ ...settings, ROLE: stores ? 'api' : 'all' });
    processes.push(api);
    if (stores) processes.push(await startProcess({ ...settings, ROLE: 'worker' }));
    await work(await served(api, settings, folder));
  } finally {
    for (const process of processes.reverse()) await process.stop();
    await stores?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function served(api: ServiceProcess, settings: Settings, folder: string): Promise<ServedService> {
  const bundle = join(folder, 'bundle');
  await generateBundle({ seed: 11, products: PRODUCTS, out: bundle, images: true, imageSize: 320 });
  await runLoupe(settings, 'catalog', 'import', bundle);
  const { accountId, key } = await openAccount(settings, { credits: CREDITS, versions: 'v2,v3' });
  return {
    url: api.url,
    key,
    apiPid: api.process.pid ?? 0,
    creditsBooked: async () => {
      const accounts = (await runLoupe(settings, 'accounts', 'list')) as { id: string; credits: number }[];
      return CREDITS - (accounts.find(({ id }) => id === accountId)?.credits ?? 0);
    },
    isReady: async () => (await fetch(`${api.url}/readyz`).catch(() => null))?.ok ?? false,
  };
}
