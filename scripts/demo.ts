import 'reflect-metadata';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { LoupeClient } from '../api/client/loupe-client';
import type { DemoOffer } from '../api/site/demo-offer';
import { makeFolder, syncTree, writeDurably } from '../db/files/durable-files';
import { API_VERSIONS } from '../models/access/api-key';
import { useAndClose } from '../models/promises';
import { describeMatches } from './commands/identify';
import { printable } from './composition/printable';
import { type RunningService, startService } from './composition/service';
import type { JobServices } from './composition/services';
import { type Config, ConfigError, readConfig } from './config';
import { generateBundle, photoOfProduct, productId } from './lab/generator/generate-bundle';

const CATALOG = { seed: 7, products: 60, images: 2, historyMonths: 18, estimatesPerVariant: 6 } as const;
/** The item in the photo, which is drawn from another angle, on a table, in other light. */
const PHOTOGRAPHED = { index: 17, photoSeed: 4 } as const;
const SAMPLES = [
  { index: 4, photoSeed: 2 },
  { index: 30, photoSeed: 3 },
  { index: 23, photoSeed: 2 },
] as const;

/** `npm run demo`: serves the demonstration catalog and identifies a photo that is not in it; `--once` ends, 0 if the item came first. */
async function main(): Promise<void> {
  const program = new Command('demo').option('--once', 'print the matches and end').parse();
  const { once: isOnce = false } = program.opts<{ once?: boolean }>();
  const config = demoConfig(readConfig(), isOnce);
  const bundle = await drawCatalog(config);
  // The service restricts sharp to decoding photos; after that nothing can be drawn.
  const photo = await drawPhoto(PHOTOGRAPHED);
  const samples = isOnce ? [] : await Promise.all(SAMPLES.map(drawPhoto));
  say('Starting the service on its embedded database …');
  let offer: DemoOffer | null = null;
  await useAndClose(
    startHere(config, () => offer),
    async (service) => {
      const key = await demoKey(service.services);
      await importBundle(bundle, service.services);
      const found = await identifyPhoto(service.url, key, photo, config);
      if (isOnce) {
        process.exitCode = found ? 0 : 1;
      } else {
        offer = { key, photos: [photo, ...samples] };
        printNextSteps(service.url, key, config);
        await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
      }
    },
  );
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** A separate folder and the embedded default, whatever production settings exist. */
function demoConfig(config: Config, isOnce: boolean): Config {
  const none = {
    DATABASE_URL: undefined,
    REDIS_URL: undefined,
    IMAGE_STORE: undefined,
    IMAGE_BASE_URL: undefined,
  };
  const [folder, port] = [join(config.DATA_DIR, 'demo'), isOnce ? 0 : config.PORT];
  return { ...config, ...none, ROLE: 'all', DATA_DIR: folder, PORT: port, LOG_LEVEL: 'warn' };
}

async function startHere(config: Config, demo: () => DemoOffer | null): Promise<RunningService> {
  try {
    return await startService(config, {}, demo);
  } catch (failure) {
    if (config.PORT === 0 || !String(failure).includes('EADDRINUSE')) throw failure;
    say(`Port ${config.PORT} is taken; using a free one.`);
    return startService({ ...config, PORT: 0 }, {}, demo);
  }
}

/** Draws the demonstration's bundle, unless it exists already; returns its folder. */
async function drawCatalog(config: Config): Promise<string> {
  const bundle = join(config.DATA_DIR, `bundle-${Object.values(CATALOG).join('-')}`);
  const complete = `${bundle}.complete`;
  if (!existsSync(complete)) {
    say(`Drawing ${CATALOG.products} bags and watches of fictional maisons …`);
    await rm(bundle, { recursive: true, force: true });
    await generateBundle({ ...CATALOG, out: bundle });
    await syncTree(bundle);
    await writeDurably(complete, '');
  }
  return bundle;
}

async function importBundle(bundle: string, { importCatalog }: JobServices): Promise<void> {
  say('Importing the catalog and embedding its pictures …');
  const { accepted, rejected, report } = await importCatalog({ bundle, dryRun: false, wait: true });
  if (rejected > 0)
    throw new Error(`${rejected} of ${accepted + rejected} records were rejected; see ${report}`);
}

async function demoKey({ keys }: JobServices): Promise<string> {
  const limits = { perSecond: null, perMinute: null, concurrency: null };
  const wanted = { name: 'demo', versions: API_VERSIONS, test: true, limits };
  return (await keys.createInternalKey('demo', wanted)).secret;
}

const drawPhoto = (wanted: Pick<Parameters<typeof photoOfProduct>[0], 'index' | 'photoSeed'>) =>
  photoOfProduct({ seed: CATALOG.seed, size: 1200, ...wanted });

async function identifyPhoto(url: string, key: string, photo: Buffer, config: Config): Promise<boolean> {
  const file = join(config.DATA_DIR, 'photo.jpg');
  makeFolder(config.DATA_DIR);
  await writeFile(file, photo);
  const startedAt = performance.now();
  const answer = await new LoupeClient({ baseUrl: url, key }).identify({ bytes: photo });
  const tookMs = Math.round(performance.now() - startedAt);
  const wanted = productId(CATALOG.seed, PHOTOGRAPHED.index);
  const found = answer.data[0]?.id === wanted;
  process.stdout.write(`${printable(describeMatches(answer))}\n`);
  say(`${file} shows ${wanted}: ${found ? 'found' : 'NOT found'}, in ${tookMs} ms.`);
  return found;
}

function printNextSteps(url: string, key: string, config: Config): void {
  say(`
Open ${url} in a browser: the page is signed in already. Elsewhere it asks for a key:

  ${key}

Or ask the API:

  printf '{"base64": "%s"}' "$(base64 < '${join(config.DATA_DIR, 'photo.jpg')}' | tr -d '\\n')" |
    curl -s ${url}/v3/vision/identify -H 'Authorization: Bearer ${key}' \\
      -H 'Content-Type: application/json' --data @-

  curl -s ${url}/v3/catalog/query -H 'Authorization: Bearer ${key}' \\
    -H 'Content-Type: application/json' -d '{"query": "watch", "page_size": 3}'

Ctrl-C ends it.`);
}

main().then(
  () => process.exit(),
  (failure: unknown) => {
    say(failure instanceof ConfigError ? failure.message : `The demo failed: ${String(failure)}`);
    process.exit(1);
  },
);
