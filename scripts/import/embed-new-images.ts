import { AppError } from '../../models/errors';
import { type EmbeddingPorts, embedPending, maintainedVersions } from '../../models/indexing/embed-pending';
import type { Progress } from '../../models/ports';
import type { EmbeddingVersion } from '../../models/vision/embedding-model';

export interface EmbeddedImages {
  readonly embedded: number;
  readonly notEmbedded: number;
}

const BATCH_IMAGES = 256;
const BATCH_IMAGES_MIN = 16;
/** Enough for a small catalog to show progress. */
const BATCHES_MIN = 20;
const LISTED_MAX = 100;
export const NOT_EMBEDDED: EmbeddedImages = { embedded: 0, notEmbedded: 0 };

export interface NewImagePorts extends EmbeddingPorts {
  /** Whether anybody embeds what is in the queue. */
  readonly hasWorkers: () => Promise<boolean>;
}

/**
 * Has the workers embed every image of a live product that has no embedding, those that failed before too, for every version
 * that is maintained, the live one first (contract 13.9); with `refetch` also those that are not stored here. A build embeds
 * what comes meanwhile itself.
 */
export async function embedNewImages(
  ports: NewImagePorts,
  progress: Progress,
  refetch = false,
): Promise<EmbeddedImages> {
  const versions = await maintainedVersions(ports.embeddings);
  const results: EmbeddedImages[] = [];
  for (const version of versions) results.push(await embedFor(version, ports, progress, refetch));
  return results[versions.findIndex(({ state }) => state === 'live')] ?? NOT_EMBEDDED;
}

async function embedFor(
  version: EmbeddingVersion,
  ports: NewImagePorts,
  progress: Progress,
  refetch: boolean,
): Promise<EmbeddedImages> {
  const { embeddings, queue } = ports;
  await embeddings.retryFailures(version.id);
  const { pending } = await embeddings.coverage(version.id, undefined, refetch);
  if (pending === 0) return NOT_EMBEDDED;
  if (!(await ports.hasWorkers()))
    progress.note('no worker is running; the pictures wait in the queue for one (--no-wait does not wait)');
  progress.begin(`pictures, ${version.model}`, pending);
  const result = { embedded: 0, notEmbedded: 0 };
  const batch = Math.min(BATCH_IMAGES, Math.max(BATCH_IMAGES_MIN, Math.ceil(pending / BATCHES_MIN)));
  const onBatch = ({ embedded, failed }: { embedded: number; failed: number }) => {
    result.embedded += embedded;
    result.notEmbedded += failed;
    progress.reach(Math.min(pending, result.embedded + result.notEmbedded), result.notEmbedded);
  };
  let refusal: unknown;
  const embed: typeof queue.embed = (...given) =>
    queue.embed(...given).catch((failure: unknown) => {
      if (failure instanceof AppError) refusal = failure;
      throw failure;
    });
  const options = { batch, onBatch, refetch };
  await embedPending({ embeddings, queue: { embed } }, version.id, options).catch((failure) => {
    if (failure !== refusal || !(failure instanceof AppError)) throw failure;
    // The catalog is imported; its pictures wait for the next run.
    progress.note(`not embedded: ${failure.message}`);
    result.notEmbedded = Math.max(0, pending - result.embedded);
  });
  progress.end();
  await embeddings.buildIndex(version.id);
  const { failed } = await embeddings.coverage(version.id);
  // Also of those that keep their earlier vectors.
  const failures = await embeddings.failures(version.id, LISTED_MAX);
  for (const { image, reason } of failures) progress.note(`not embedded: ${image.address}: ${reason}`);
  if (failed > failures.length) progress.note(`not embedded: ${failed - failures.length} more`);
  return result;
}
