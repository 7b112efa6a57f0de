import type { Command } from '@commander-js/extra-typings';
import { type IdentifyAnswer, LoupeClient, type Photo } from '../../api/client/loupe-client';
import { useAndClose } from '../../models/promises';
import { runningService } from '../composition/running-service';
import { startService } from '../composition/service';
import { type StoreServices, withStores } from '../composition/services';
import { readConfig } from '../config';
import { readPhotoFile } from '../photo-file';
import { asTable, printAnswer } from './terminal';

export function register(identify: Command): void {
  identify
    .argument('<photos...>', 'files or addresses, up to five of one item')
    .option('--category <category>', 'category of the item')
    .option('--json', 'print JSON')
    .action(async (places, { category, json }) => {
      const photos = await Promise.all(places.map(photoAt));
      const scope = category === undefined ? {} : { category_id: category };
      const answer = await withService((baseUrl, { keys }) =>
        keys.withTemporaryKey('operator', KEY, (key) =>
          new LoupeClient({ baseUrl, key }).identify(photos, scope),
        ),
      );
      printAnswer(json, answer, () => describeMatches(answer));
    });
}

const KEY = {
  name: 'loupe identify',
  versions: ['v3'],
  test: false,
  limits: { perSecond: 0, perMinute: 0, concurrency: 0 },
} as const;

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

async function withService<Result>(work: (baseUrl: string, services: StoreServices) => Promise<Result>) {
  const config = readConfig();
  const running = await runningService(config);
  if (running) return withStores((services) => work(running, services));
  const own = { ROLE: 'all', PORT: 0, HOST: '127.0.0.1', LOG_LEVEL: 'warn' } as const;
  return useAndClose(startService({ ...config, ...own }), ({ url, services }) => work(url, services));
}
