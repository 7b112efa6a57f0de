import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { type CatalogAnswer, LoupeClient, type Photo } from '../../api/client/loupe-client';
import { notFound } from '../../models/errors';
import { runningService } from '../composition/running-service';
import { startService } from '../composition/service';
import { type StoreServices, withStores } from '../composition/services';
import { readConfig } from '../config';
import { asTable, printAnswer } from './output';

/** `loupe identify`: a photo to catalog rows, through the running service or through one of its own. */
export function registerIdentify(identify: Command): void {
  identify
    .argument('<photo>', 'a file or an address')
    .option('--json', 'print JSON')
    .action(async (place: string, options: { json?: boolean }) => {
      const answer = await identifyHere(await photoAt(place));
      printAnswer(options.json, answer, () => describeMatches(answer));
    });
}

/** The matches as a table, best first. */
export function describeMatches({ data }: CatalogAnswer): string {
  if (data.length === 0) return 'nothing in the catalog matches';
  return asTable(
    ['', 'id', 'name', 'confidence'],
    data.map(({ id, name, confidence }, index) => [index + 1, id, name, confidence?.toFixed(3) ?? null]),
  );
}

async function photoAt(place: string): Promise<Photo> {
  if (/^https?:\/\//i.test(place)) return { url: place };
  try {
    return { bytes: await readFile(place) };
  } catch (failure) {
    throw notFound(`The file "${place}" can not be read.`, failure);
  }
}

/** Asks the service that runs here, or one that is started for this photo. */
async function identifyHere(photo: Photo): Promise<CatalogAnswer> {
  const config = readConfig();
  const running = await runningService(config);
  if (running) return withStores((services) => identifyAt(running, services, photo));
  const service = await startService({
    ...config,
    ROLE: 'all',
    PORT: 0,
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
  });
  try {
    return await identifyAt(service.url, service.services, photo);
  } finally {
    await service.close();
  }
}

/** With a key of the operator's own account for one call. */
function identifyAt(baseUrl: string, { keys }: StoreServices, photo: Photo): Promise<CatalogAnswer> {
  const limits = { perSecond: 0, perMinute: 0, concurrency: 0 };
  return keys.lend('operator', { name: 'loupe identify', versions: ['v3'], test: false, limits }, (key) =>
    new LoupeClient({ baseUrl, key }).identify(photo),
  );
}
