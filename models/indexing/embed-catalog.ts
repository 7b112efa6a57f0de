import pMap from 'p-map';
import type { EmbeddingRepository, IndexQueue, Progress } from '../ports';
import type { EmbeddingVersion } from '../vision/embedding-model';
import type { CatalogImage, Coverage } from './embedding-version';
import { type RetryOptions, retry } from './retry';

/** What a build asks of the versions. */
type BuiltEmbeddings = Pick<
  EmbeddingRepository,
  'coverage' | 'pending' | 'markBuilt' | 'isIndexed' | 'buildIndex'
>;

export interface BuildPorts {
  readonly embeddings: BuiltEmbeddings;
  readonly queue: Pick<IndexQueue, 'embed'>;
}

/** Images asked for at once by each of the lanes: jobs enough for the workers of many hosts, few enough to stop soon. */
const BATCH_IMAGES = 128;
const LANES = 8;

/**
 * Embeds every image of a live row under a version, until it is proven that none is left: images - embedded - listed
 * failures = 0. Then the index is made, and what came meanwhile is seen to. May be stopped at any moment and begun
 * again: only what is not there is computed. A queue or a database that is away is waited for.
 *
 * @param signal ends the build between two batches
 * @returns the coverage that was proven
 * @throws the reason of `signal`; AppError when the workers or the database fail for good
 */
export async function embedCatalog(
  { embeddings, queue }: BuildPorts,
  version: Pick<EmbeddingVersion, 'id'>,
  progress: Progress,
  signal: AbortSignal,
): Promise<Coverage> {
  const patience: RetryOptions = { note: (line) => progress.note(line), signal };
  const coverageNow = () => retry(() => embeddings.coverage(version.id), patience);
  const firstPending = () => retry(() => embeddings.pending(version.id, 1, 0), patience);
  for (;;) {
    let coverage = await coverageNow();
    while (coverage.pending > 0) {
      const [first] = await firstPending();
      await embedPending({ embeddings, queue }, version, coverage, progress, patience);
      const after = await coverageNow();
      // Where pictures are replaced meanwhile, as many are left, but others.
      const isStuck =
        after.pending >= coverage.pending && after.done <= coverage.done && after.failed <= coverage.failed;
      if (isStuck && first?.id === (await firstPending())[0]?.id)
        throw new Error(`${after.pending} images were worked on and are still not embedded`);
      coverage = after;
    }
    await retry(() => finish(embeddings, version, progress), patience);
    signal.throwIfAborted();
    const proven = await coverageNow();
    if (proven.pending === 0) return proven;
  }
}

async function finish(
  embeddings: BuiltEmbeddings,
  version: Pick<EmbeddingVersion, 'id'>,
  progress: Progress,
): Promise<void> {
  await embeddings.markBuilt(version.id);
  if (!(await embeddings.isIndexed(version.id)))
    progress.note('building the index; searches and imports go on');
  await embeddings.buildIndex(version.id, (notice) => progress.note(`index: ${notice}`));
}

/** One pass over what is pending, in the order of the ids. Does not wait for the workers when it is stopped. */
async function embedPending(
  { embeddings, queue }: BuildPorts,
  version: Pick<EmbeddingVersion, 'id'>,
  coverage: Coverage,
  progress: Progress,
  patience: RetryOptions,
): Promise<void> {
  const count = { seenTo: coverage.done + coverage.failed, failed: coverage.failed };
  progress.begin('images', count.seenTo + coverage.pending, count.seenTo);
  const embed = async (batch: readonly CatalogImage[]): Promise<void> => {
    const { failed } = await retry(() => queue.embed(version.id, batch), patience);
    count.seenTo += batch.length;
    count.failed += failed;
    progress.reach(count.seenTo, count.failed);
  };
  const { signal } = patience;
  await pMap(pendingBatches(embeddings, version.id, patience), embed, { concurrency: LANES, signal });
  progress.end();
}

async function* pendingBatches(
  embeddings: BuiltEmbeddings,
  versionId: number,
  patience: RetryOptions,
): AsyncGenerator<readonly CatalogImage[]> {
  for (let afterId = 0; ; ) {
    const batch = await retry(() => embeddings.pending(versionId, BATCH_IMAGES, afterId), patience);
    const last = batch.at(-1);
    if (!last) return;
    afterId = last.id;
    yield batch;
  }
}
