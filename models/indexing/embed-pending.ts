import pMap from 'p-map';
import type { EmbeddingRepository, IndexQueue } from '../ports';
import type { CatalogImage, VersionRecord } from './embedding-version';

export interface EmbeddingPorts {
  readonly embeddings: EmbeddingRepository;
  readonly queue: IndexQueue;
}

export type Retry = <Result>(work: () => Promise<Result>) => Promise<Result>;

export interface EmbedOptions {
  /** Images asked for at a time, by each lane. */
  readonly batch: number;
  readonly lanes?: number;
  readonly signal?: AbortSignal;
  /** Begins with all that are not stored here, also those that the version has. */
  readonly refetch?: boolean;
  /** Around each call of the database and the queue. */
  readonly again?: Retry;
  readonly onBatch?: (done: { embedded: number; failed: number }, images: number) => void;
}

/** One pass over the images that a version lacks, by id. @throws the reason of `signal` at once; what a store throws */
export async function embedPending(
  { embeddings, queue }: { embeddings: EmbeddingRepository; queue: Pick<IndexQueue, 'embed'> },
  versionId: number,
  { batch: size, lanes = 1, signal, refetch, again = (work) => work(), onBatch }: EmbedOptions,
): Promise<void> {
  const pages = async function* (isAgain: boolean): AsyncGenerator<readonly CatalogImage[]> {
    const after = (afterId: number) => {
      const page = { afterId, limit: size };
      return again(() => (isAgain ? embeddings.refetchable(page) : embeddings.pending(versionId, page)));
    };
    for (let batch = await after(0); batch.length > 0; batch = await after(batch.at(-1)?.id ?? 0))
      yield batch;
  };
  const batches = async function* () {
    if (refetch) yield* pages(true);
    yield* pages(false);
  };
  const embed = async (batch: readonly CatalogImage[]): Promise<void> => {
    const done = await again(() => queue.embed(versionId, batch));
    onBatch?.(done, batch.length);
  };
  await pMap(batches(), embed, { concurrency: lanes, ...(signal && { signal }) });
}

/** The versions that new images are embedded for, the live one first. */
export async function maintainedVersions(
  embeddings: Pick<EmbeddingRepository, 'versions'>,
): Promise<readonly VersionRecord[]> {
  const versions = (await embeddings.versions()).filter(({ maintained }) => maintained);
  const isLive = ({ state }: VersionRecord) => state === 'live';
  return versions.sort((one, other) => Number(isLive(other)) - Number(isLive(one)));
}
