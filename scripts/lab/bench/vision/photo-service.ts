import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { InstalledModel } from '../../../../models/ports';
import { modelReference } from '../../../../models/vision/embedding-model';
import { onInstallation } from '../installation';
import { Client, successful } from '../load';
import { everyNth, type PhotoSet, writeRemoval } from './photo-set';

/** One item in so many is taken out of the catalog, so that its photos show what the catalog does not have. */
const UNKNOWN_EVERY = 5;

interface Row {
  readonly id: string;
  readonly confidence: number;
}

/** What the service made of photos. */
export interface Answer {
  /** The first row, a product or a taxonomy row; null for an empty answer. */
  readonly first: Row | null;
  /** The product rows, best first. */
  readonly products: readonly Row[];
}

/** A service whose catalog is a set of photos. */
export interface PhotoService {
  /**
   * @param files photos of one item
   * @param asked further parameters of the call
   */
  identify(files: readonly string[], asked?: object): Promise<Answer>;
  /** Takes one in five of these products out of the catalog; which those were. */
  removeSome(products: readonly string[]): Promise<ReadonlySet<string>>;
}

const identified = z.object({ data: z.array(z.object({ id: z.string(), confidence: z.number() })) });

/** Runs `work` with a service as it is started, with the model, and with the photos of the set as its catalog. */
export const withPhotoService = <Result>(
  set: PhotoSet,
  model: InstalledModel,
  work: (service: PhotoService) => Promise<Result>,
): Promise<Result> => {
  const MODEL = modelReference(model.manifest);
  const settings = { RATE_PER_SECOND: '0', VISION_CONCURRENCY: '0', MODEL };
  return onInstallation({ mode: 'embedded', settings }, async (installation, folder) => {
    const { loupe } = installation;
    if (!model.bundled) await loupe('models', 'add', model.folder);
    await installation.start();
    await loupe('catalog', 'import', set.bundle);
    const client = new Client(installation.url, await installation.key());
    return await work({
      async identify(files, asked = {}) {
        const images = await Promise.all(
          files.map(async (file) => ({ base64: (await readFile(file)).toString('base64') })),
        );
        const body = { ...(images.length === 1 ? images[0] : { images }), ...asked };
        const { text } = await successful(client.post('/v3/vision/identify', body));
        const { data } = identified.parse(JSON.parse(text));
        return { first: data[0] ?? null, products: data.filter(({ id }) => id.startsWith('product_')) };
      },
      async removeSome(products) {
        const removed = new Set(everyNth([...new Set(products)], UNKNOWN_EVERY));
        await writeRemoval(join(folder, 'removal'), [...removed]);
        await loupe('catalog', 'import', join(folder, 'removal'));
        return removed;
      },
    });
  });
};
