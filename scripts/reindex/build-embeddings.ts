import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../models/errors';
import type { CatalogImage, Coverage, EmbeddingVersion } from '../../models/indexing/embedding-version';
import type { EmbeddingRepository, IndexQueue } from '../../models/ports';
import type { BuildProgress } from './build-progress';

export interface BuildPorts {
  readonly embeddings: EmbeddingRepository;
  readonly queue: IndexQueue;
}

/** Images asked for at once by each lane: jobs enough for the workers of many hosts, few enough to stop soon. */
const BATCH_IMAGES = 128;
const LANES = 8;

/** A batch that fails (the queue is away, workers died over it) is tried again for minutes before the build gives up. */
const ATTEMPTS = 8;
const WAIT_FIRST_MS = 500;
const WAIT_MAX_MS = 30_000;

/**
 * Embeds every image of a live row under a version, until it is proven that none is left: images - embedded - listed
 * failures = 0. Then the index is made, and what came meanwhile is seen to. May be stopped at any moment and begun
 * again: only what is not there is computed.
 *
 * @param signal ends the build between two batches
 * @returns the coverage that was proven
 * @throws the reason of `signal`; AppError when the workers fail for good
 */
export async function buildEmbeddings(
  { embeddings, queue }: BuildPorts,
  version: EmbeddingVersion,
  progress: BuildProgress,
  signal: AbortSignal,
): Promise<Coverage> {
  for (;;) {
    let coverage = await embeddings.coverage(version.id);
    while (coverage.pending > 0) {
      await embedPending({ embeddings, queue }, version, coverage, progress, signal);
      const after = await embeddings.coverage(version.id);
      if (after.pending >= coverage.pending && after.done <= coverage.done && after.failed <= coverage.failed)
        throw new Error(`${after.pending} images were worked on and are still not embedded`);
      coverage = after;
    }
    await embeddings.markBuilt(version.id);
    if (!(await embeddings.isIndexed(version.id)))
      progress.note('building the index; searches and imports go on');
    await embeddings.buildIndex(version.id, (notice) => progress.note(`index: ${notice}`));
    signal.throwIfAborted();
    const proven = await embeddings.coverage(version.id);
    if (proven.pending === 0) return proven;
  }
}

/** One pass over what is pending, in the order of the ids. */
async function embedPending(
  ports: BuildPorts,
  version: EmbeddingVersion,
  coverage: Coverage,
  progress: BuildProgress,
  signal: AbortSignal,
): Promise<void> {
  const count = { seenTo: coverage.done + coverage.failed, failed: coverage.failed };
  progress.begin(count.seenTo + coverage.pending, count.seenTo);
  const next = batchesOf(ports.embeddings, version.id);
  const lane = async (): Promise<void> => {
    for (let batch = await next(); batch.length > 0; batch = await next()) {
      signal.throwIfAborted();
      const { failed } = await embedPatiently(ports.queue, version, batch, progress, signal);
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
  embeddings: EmbeddingRepository,
  versionId: number,
): () => Promise<readonly CatalogImage[]> {
  let afterId = 0;
  let last: Promise<readonly CatalogImage[]> = Promise.resolve([]);
  return () => {
    last = last.then(async () => {
      const batch = await embeddings.pending(versionId, BATCH_IMAGES, afterId);
      afterId = batch.at(-1)?.id ?? afterId;
      return batch;
    });
    return last;
  };
}

async function embedPatiently(
  queue: IndexQueue,
  version: EmbeddingVersion,
  batch: readonly CatalogImage[],
  progress: BuildProgress,
  signal: AbortSignal,
): Promise<{ failed: number }> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await queue.embed(version.id, batch);
    } catch (failure) {
      if (!(failure instanceof AppError) || failure.code === 'not_found' || attempt === ATTEMPTS)
        throw failure;
      if (signal.aborted) throw signal.reason;
      progress.note(`${reasonOf(failure)}; trying again`);
      await delay(Math.min(WAIT_MAX_MS, WAIT_FIRST_MS * 2 ** attempt), undefined, { signal });
    }
  }
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

/** What went wrong in here is told in full: whoever reads it is the operator. */
const reasonOf = (failure: AppError): string =>
  failure.code === 'internal_error' && failure.cause !== undefined ? String(failure.cause) : failure.message;
