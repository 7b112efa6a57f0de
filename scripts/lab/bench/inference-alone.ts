import { cpus } from 'node:os';
import { pino } from 'pino';
import type { InstalledModel } from '../../../models/ports';
import type { EmbeddingVersion } from '../../../models/vision/embedding-model';
import { PooledEmbedderRegistry } from '../../../workers/embedder/embedder-registry';
import { defaultThreads } from '../../../workers/embedder/inference-pool';
import { SharpImagePreparer } from '../../../workers/image/sharp-image-preparer';
import { runConcurrently } from './measure';

const CONCURRENCY = 16;

/** What the service computes embeddings with, for one model, in this process. */
export const embeddersOf = ({ folder }: InstalledModel): PooledEmbedderRegistry =>
  new PooledEmbedderRegistry({
    threads: defaultThreads(cpus().length),
    backend: 'auto',
    waitingMax: 1000,
    batchTimeoutMs: 30_000,
    logger: pino({ level: 'warn' }),
    folderOf: () => folder,
    mapOf: async () => null,
  });

/** A model as a version of the database would have it. */
export const versionOf = ({ manifest }: InstalledModel) => ({ manifest }) as EmbeddingVersion;

/** Photos a second of intake and inference in this process, without HTTP, queue or database. */
export async function inferencePerSecond(
  model: InstalledModel,
  views: 'catalog' | 'query',
  count: number,
  photoAt: (index: number) => Promise<Buffer | null>,
): Promise<number> {
  const preparer = new SharpImagePreparer({ bytesMax: 1 << 30, pixelsMax: 1 << 30 });
  const embedders = embeddersOf(model);
  try {
    const embedder = await embedders.forVersion(versionOf(model));
    const embed = async (index: number) => {
      const { jpeg } = await preparer.prepare((await photoAt(index)) ?? Buffer.alloc(0));
      await embedder.embed([jpeg], views);
    };
    await runConcurrently(CONCURRENCY * 2, CONCURRENCY, embed);
    const { totalMs } = await runConcurrently(count, CONCURRENCY, embed);
    return (1000 * count) / totalMs;
  } finally {
    await embedders.close();
  }
}
