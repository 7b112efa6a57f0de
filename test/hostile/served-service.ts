import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processEnvironment } from '../../scripts/config';
import { generateBundle } from '../../scripts/lab/generator/generate-bundle';
import { runLoupe, type ServiceProcess, startProcess } from '../../scripts/lab/service-processes';
import { bringUpServers } from '../../scripts/lab/services/servers';
import { ADMIN_TOKEN, OperatorClient } from '../support/api-client';
import { copyMigrated } from '../support/database';

type Settings = Readonly<Record<string, string>>;

/** A service in processes of its own with a small catalog, and a key with many credits. */
export interface ServedService {
  readonly url: string;
  readonly key: string;
  /** The process that answers HTTP. */
  readonly api: ChildProcess;
  /** A key of a new account with this many credits. */
  openAccount(credits: number): Promise<string>;
  /** What the account of `key` has been charged. */
  creditsBooked(): Promise<number>;
  isReady(): Promise<boolean>;
  /** Ends and removes it. */
  stop(): Promise<void>;
}

interface ServedOptions {
  /** Whether api and worker run on PostgreSQL and Redis, instead of one embedded process. */
  readonly servers?: boolean;
  readonly settings?: Settings;
  /** Variants that each product has besides its own, of 600 bytes each in an answer. */
  readonly furtherVariants?: number;
}

const CREDITS = 10_000_000;

/** Without limits on the pace of callers. */
const SETTINGS: Settings = {
  ...{ RATE_PER_SECOND: '0', VISION_CONCURRENCY: '0', CONFIDENCE_FLOOR: '0', ADMIN_TOKEN },
};

/** Starts a service and imports its catalog. */
export async function serve(options: ServedOptions): Promise<ServedService> {
  const folder = await mkdtemp(join(tmpdir(), 'loupe-hostile-'));
  const log = (line: string) => void process.stderr.write(`${line}\n`);
  const stores = options.servers ? await bringUpServers({ environment: processEnvironment(), log }) : null;
  const settings: Settings = {
    ...{ ...SETTINGS, ...options.settings, DATA_DIR: join(folder, 'data') },
    ...(stores ? { DATABASE_URL: stores.postgres.url, REDIS_URL: stores.redis.url } : {}),
  };
  const processes: ServiceProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const process of processes.reverse()) await process.stop();
    await stores?.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    // Making a cluster takes longer than copying one.
    if (!stores) await copyMigrated(join(folder, 'data'));
    const api = await startProcess({ ...settings, ROLE: stores ? 'api' : 'all' });
    processes.push(api);
    if (stores) processes.push(await startProcess({ ...settings, ROLE: 'worker' }));
    const bundle = join(folder, 'bundle');
    await generateBundle({ seed: 11, products: 24, out: bundle, images: true, imageSize: 320 });
    await addVariants(join(bundle, 'products.jsonl'), options.furtherVariants ?? 0);
    await runLoupe(settings, 'catalog', 'import', bundle);
    return { ...(await withAccounts(api)), stop };
  } catch (failure) {
    await stop();
    throw failure;
  }
}

async function withAccounts({ url, process: api }: ServiceProcess): Promise<Omit<ServedService, 'stop'>> {
  const operator = new OperatorClient(() => url);
  const open = async (credits: number) => {
    const accountId = await operator.account(credits);
    const { secret } = await operator.key(accountId, { versions: ['v2', 'v3'] });
    return { accountId, key: secret };
  };
  const { accountId, key } = await open(CREDITS);
  return {
    ...{ url, key, api },
    openAccount: async (credits) => (await open(credits)).key,
    creditsBooked: async () => {
      const { body } = await operator.get<{ account: { credits: number } }>(`/accounts/${accountId}`);
      return CREDITS - body.account.credits;
    },
    isReady: async () => (await fetch(`${url}/readyz`).catch(() => null))?.ok ?? false,
  };
}

async function addVariants(file: string, count: number): Promise<void> {
  const fields = Array<object>(8).fill({ field: 'size', name: 'Of a size that takes long to describe' });
  const enlarged = (await readFile(file, 'utf8')).replace(/.+/g, (line) => {
    const { variants, ...product } = JSON.parse(line);
    const ids = Array.from({ length: count }, (_, at) => `variant_further_${product.id}_${at}`);
    return JSON.stringify({ ...product, variants: [...variants, ...ids.map((id) => ({ id, fields }))] });
  });
  await writeFile(file, enlarged);
}
