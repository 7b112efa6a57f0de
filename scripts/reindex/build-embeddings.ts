import type { CatalogImage, Coverage, EmbeddingVersion } from '../../models/indexing/embedding-version';
import type { EmbeddingRepository, IndexQueue } from '../../models/ports';
import type { BuildProgress } from './build-progress';
import { type Patience, patiently } from './patiently';

/** What a build asks of the versions. */
type BuiltEmbeddings = Pick<
  EmbeddingRepository,
  'coverage' | 'pending' | 'markBuilt' | 'isIndexed' | 'buildIndex'
>;

export interface BuildPorts {
  readonly embeddings: BuiltEmbeddings;
  readonly queue: IndexQueue;
}

/** Images asked for at once by each lane: jobs enough for the workers of many hosts, few enough to stop soon. */
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
export async function buildEmbeddings(
  { embeddings, queue }: BuildPorts,
  version: Pick<EmbeddingVersion, 'id'>,
  progress: BuildProgress,
  signal: AbortSignal,
): Promise<Coverage> {
  const patience: Patience = { note: (line) => progress.note(line), signal };
  const coverageNow = () => patiently(() => embeddings.coverage(version.id), patience);
  for (;;) {
    let coverage = await coverageNow();
    while (coverage.pending > 0) {
      await embedPending({ embeddings, queue }, version, coverage, progress, patience);
      const after = await coverageNow();
      if (after.pending >= coverage.pending && after.done <= coverage.done && after.failed <= coverage.failed)
        throw new Error(`${after.pending} images were worked on and are still not embedded`);
      coverage = after;
    }
    await patiently(() => finish(embeddings, version, progress), patience);
    signal.throwIfAborted();
    const proven = await coverageNow();
    if (proven.pending === 0) return proven;
  }
}

async function finish(
  embeddings: BuiltEmbeddings,
  version: Pick<EmbeddingVersion, 'id'>,
  progress: BuildProgress,
): Promise<void> {
  await embeddings.markBuilt(version.id);
  if (!(await embeddings.isIndexed(version.id)))
    progress.note('building the index; searches and imports go on');
  await embeddings.buildIndex(version.id, (notice) => progress.note(`index: ${notice}`));
}

/** One pass over what is pending, in the order of the ids. */
async function embedPending(
  ports: BuildPorts,
  version: Pick<EmbeddingVersion, 'id'>,
  coverage: Coverage,
  progress: BuildProgress,
  patience: Patience,
): Promise<void> {
  const { signal } = patience;
  const count = { seenTo: coverage.done + coverage.failed, failed: coverage.failed };
  progress.begin(count.seenTo + coverage.pending, count.seenTo);
  const next = batchesOf(ports.embeddings, version.id, patience);
  const lane = async (): Promise<void> => {
    for (let batch = await next(); batch.length > 0; batch = await next()) {
      signal.throwIfAborted();
      const { failed } = await patiently(() => ports.queue.embed(version.id, batch), patience);
      count.seenTo += batch.length;
      count.failed += failed;
      progress.reach(count.seenTo, count.failed);
    }
  };
  try {
    await stoppedBy(Promise.all(Array.from({ length: LANES }, lane)), signal);
  } finally {
    progress.end();
  }
}

/** The next batch in line at each call, one call after the other. */
function batchesOf(
  embeddings: BuiltEmbeddings,
  versionId: number,
  patience: Patience,
): () => Promise<readonly CatalogImage[]> {
  let afterId = 0;
  let last: Promise<readonly CatalogImage[]> = Promise.resolve([]);
  return () => {
    last = last.then(async () => {
      const batch = await patiently(() => embeddings.pending(versionId, BATCH_IMAGES, afterId), patience);
      afterId = batch.at(-1)?.id ?? afterId;
      return batch;
    });
    return last;
  };
}

/** Does not wait for the workers when the build is stopped: what they still do is found by the next one. */
function stoppedBy<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  work.catch(() => undefined);
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
