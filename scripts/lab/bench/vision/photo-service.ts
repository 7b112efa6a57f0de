import { join } from 'node:path';
import type { InstalledModel } from '../../../../models/ports';
import { modelReference } from '../../../../models/vision/embedding-model';
import { runLoupe, startProcess } from '../../service-processes';
import { makeKey } from '../vision-installation';
import { everyNth, type PhotoSet, writeRemoval } from './photo-set';

/** One item in so many is taken out of the catalog, so that its photos show what the catalog does not have. */
const UNKNOWN_EVERY = 5;

/** A service whose catalog is a set of photos. */
export interface PhotoService {
  readonly url: string;
  readonly key: string;
  /** Takes one in five of these products out of the catalog; which those were. */
  removeSome(products: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface PhotoServiceOptions {
  readonly set: PhotoSet;
  readonly model: InstalledModel;
  /** For its data, and what is removed. */
  readonly folder: string;
}

/** Runs `work` with a service as it is started, and stops it. */
export async function withPhotoService<Result>(
  { set, model, folder }: PhotoServiceOptions,
  work: (service: PhotoService) => Promise<Result>,
): Promise<Result> {
  const settings = {
    DATA_DIR: join(folder, 'data'),
    RATE_PER_SECOND: '0',
    VISION_CONCURRENCY: '0',
    MODEL: modelReference(model.manifest),
  };
  if (!model.bundled) await runLoupe(settings, 'models', 'add', model.folder);
  const process = await startProcess(settings);
  try {
    await runLoupe(settings, 'catalog', 'import', set.bundle);
    const key = await makeKey(settings);
    const removeSome = async (products: readonly string[]) => {
      const removed = new Set(everyNth([...new Set(products)], UNKNOWN_EVERY));
      await writeRemoval(join(folder, 'removal'), [...removed]);
      await runLoupe(settings, 'catalog', 'import', join(folder, 'removal'));
      return removed;
    };
    return await work({ url: process.url, key, removeSome });
  } finally {
    await process.stop();
  }
}
