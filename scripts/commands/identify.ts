import type { Command } from 'commander';
import { type IdentifyAnswer, LoupeClient, type Photo } from '../../api/client/loupe-client';
import { runningService } from '../composition/running-service';
import { startService } from '../composition/service';
import { type StoreServices, withStores } from '../composition/services';
import { readConfig } from '../config';
import { readPhotoFile } from '../photo-file';
import { asTable, printAnswer } from './output';

/** `loupe identify`: photos of an item to catalog rows, through the running service or through one of its own. */
export function registerIdentify(identify: Command): void {
  identify
    .argument('<photos...>', 'files or addresses, up to five of one item')
    .option('--category <category>', 'the category that it is of')
    .option('--json', 'print JSON')
    .action(async (places: readonly string[], { category, json }: { category?: string; json?: boolean }) => {
      const scope = category === undefined ? {} : { category_id: category };
      const answer = await identifyHere(await Promise.all(places.map(photoAt)), scope);
      printAnswer(json, answer, () => describeMatches(answer));
    });
}

interface Scope {
  readonly category_id?: string;
}

/** The matches as a table, best first. */
export function describeMatches({ data }: IdentifyAnswer): string {
  if (data.length === 0) return 'nothing in the catalog matches';
  return asTable(
    ['', 'id', 'name', 'confidence'],
    data.map(({ id, name, confidence }, index) => [index + 1, id, name, confidence.toFixed(3)]),
  );
}

async function photoAt(place: string): Promise<Photo> {
  if (/^https?:\/\//i.test(place)) return { url: place };
  return { bytes: await readPhotoFile(place, readConfig().IMAGE_BYTES_MAX) };
}

/** Asks the service that runs here, or one that is started for these photos. */
async function identifyHere(photos: readonly Photo[], scope: Scope): Promise<IdentifyAnswer> {
  const config = readConfig();
  const running = await runningService(config);
  if (running) return withStores((services) => identifyAt(running, services, photos, scope));
  const service = await startService({
    ...config,
    ROLE: 'all',
    PORT: 0,
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
  });
  try {
    return await identifyAt(service.url, service.services, photos, scope);
  } finally {
    await service.close();
  }
}

/** With a key of the operator's own account for one call. */
function identifyAt(
  baseUrl: string,
  { keys }: StoreServices,
  photos: readonly Photo[],
  scope: Scope,
): Promise<IdentifyAnswer> {
  const limits = { perSecond: 0, perMinute: 0, concurrency: 0 };
  return keys.withTemporaryKey(
    'operator',
    { name: 'loupe identify', versions: ['v3'], test: false, limits },
    (key) => new LoupeClient({ baseUrl, key }).identify(photos, scope),
  );
}
