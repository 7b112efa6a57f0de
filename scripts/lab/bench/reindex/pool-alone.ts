import { cpus } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Database } from '../../../../db/core/knex';
import { LocalImageStore } from '../../../../db/files/local-image-store';
import type { EmbeddingVersion } from '../../../../models/vision/embedding-model';
import { PooledEmbedderRegistry } from '../../../../workers/embedder/embedder-registry';
import { defaultThreads } from '../../../../workers/embedder/inference-pool';
import { SharpImagePreparer } from '../../../../workers/image/sharp-image-preparer';
import { FolderModelLibrary } from '../../../../workers/library/model-library';
import { readConfig } from '../../../config';
import { runConcurrently } from '../measure';

const WARM_UP = 32;
const CONCURRENCY = 16;

/**
 * Catalog images that intake and inference alone do in a second, in this process, with nothing stored: all the images that a
 * build embeds, under the same model.
 */
export async function catalogPoolPerSecond(
  knex: Database['knex'],
  dataDir: string,
  modelId: string,
): Promise<number> {
  const config = readConfig({});
  const preparer = new SharpImagePreparer({
    bytesMax: config.IMAGE_BYTES_MAX,
    pixelsMax: config.IMAGE_PIXELS_MAX,
  });
  const store = new LocalImageStore(join(dataDir, 'images'));
  const addresses: string[] = await knex('images').orderBy('id').pluck('address');
  const model = await new FolderModelLibrary(dataDir).find(modelId);
  const embedders = new PooledEmbedderRegistry({
    threads: defaultThreads(cpus().length),
    backend: 'auto',
    waitingMax: 1000,
    batchTimeoutMs: 30_000,
    logger: pino({ level: 'warn' }),
    folderOf: () => model.folder,
  });
  try {
    const embedder = await embedders.forVersion({ manifest: model.manifest } as EmbeddingVersion);
    const embed = async (index: number) => {
      const bytes = await store.get(addresses[index % addresses.length] ?? '');
      const { jpeg } = await preparer.prepare(bytes ?? Buffer.alloc(0));
      await embedder.embed([jpeg], 'catalog');
    };
    await runConcurrently(WARM_UP, CONCURRENCY, embed);
    const { totalMs } = await runConcurrently(addresses.length, CONCURRENCY, embed);
    return (1000 * addresses.length) / totalMs;
  } finally {
    await embedders.close();
  }
}
