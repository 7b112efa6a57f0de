import pMap from 'p-map';
import { inject, injectable } from 'tsyringe';
import { AppError, notFound } from '../models/errors';
import { type CatalogImage, hasVectors } from '../models/indexing/embedding-version';
import type * as ports from '../models/ports';
import { PORTS } from '../models/ports';
import { viewSizeOf } from '../models/vision/embedding-model';
import { PictureFailed } from './embedder/inference-pool';
import { ForegroundLoad } from './foreground-load';

/** How many images of a job have vectors now, and how many are listed as failures. */
export interface IndexOutcome {
  readonly embedded: number;
  readonly failed: number;
}

export interface ImageIndex {
  index(versionId: number, images: readonly CatalogImage[], signal?: AbortSignal): Promise<IndexOutcome>;
}

type Embedded = { readonly imageId: number; readonly vectors: readonly Float32Array[] };
type Failed = { readonly imageId: number; readonly reason: string };

/** Embeds images of the catalog. Safe to repeat: existing vectors are not computed again. */
@injectable()
export class ImageIndexer implements ImageIndex {
  constructor(
    @inject(PORTS.EmbeddingRepository) private readonly embeddings: ports.EmbeddingRepository,
    @inject(PORTS.EmbedderRegistry) private readonly embedders: ports.EmbedderRegistry,
    @inject(PORTS.ImageStore) private readonly store: ports.ImageStore,
    @inject(PORTS.ImageSource) private readonly source: ports.ImageSource,
    @inject(PORTS.ImagePreparer) private readonly preparer: ports.ImagePreparer,
    @inject(ForegroundLoad) private readonly photos: ForegroundLoad,
  ) {}

  /**
   * Embeds the images that have no vectors under a version, or are to be fetched again; those that can't be embedded are listed with the reason.
   * @param signal stops between two images; then nothing is stored
   * @throws notFound for a deleted version; faults of a store or of the inference, which may be retried
   */
  async index(
    versionId: number,
    images: readonly CatalogImage[],
    signal?: AbortSignal,
  ): Promise<IndexOutcome> {
    const version = await this.embeddings.version(versionId);
    if (!version || !hasVectors(version)) throw notFound(`There is no embedding version ${versionId}.`);
    const missing = await this.embeddings.missing(
      versionId,
      images.map(({ id }) => id),
    );
    const wanted = images.filter(({ id, refetch }) => refetch || missing.has(id));
    if (wanted.length === 0) return { embedded: images.length, failed: 0 };
    const embedder = await this.embedders.forVersion(version);
    const embed = (image: CatalogImage): Promise<Embedded | Failed> => this.#embed(image, embedder, signal);
    // Few at once, so that decoding large catalog pictures does not delay callers' photos.
    const results = await pMap(wanted, embed, { concurrency: 4 });
    const embedded = results.filter((result) => 'vectors' in result);
    const failed = results.filter((result) => 'reason' in result);
    if (embedded.length > 0) await this.embeddings.store(versionId, embedded);
    if (failed.length > 0) await this.embeddings.recordFailures(versionId, failed);
    return { embedded: images.length - failed.length, failed: failed.length };
  }

  async #embed(image: CatalogImage, embedder: ports.Embedder, signal?: AbortSignal) {
    signal?.throwIfAborted();
    try {
      const bytes = await this.#bytes(image.address, signal);
      const vectors = await this.photos.runBetween(async () => {
        signal?.throwIfAborted();
        const picture = await this.preparer.decode(bytes, viewSizeOf(embedder.manifest, 'catalog'));
        return embedder.embed(picture, 'catalog');
      }, signal);
      return { imageId: image.id, vectors };
    } catch (failure) {
      // An aborted fetch says nothing about the image.
      signal?.throwIfAborted();
      return { imageId: image.id, reason: reasonOf(failure) };
    }
  }

  async #bytes(address: string, signal?: AbortSignal): Promise<Buffer> {
    if (!address.startsWith('/')) {
      if (!URL.canParse(address)) throw new PictureFailed(`${address} is no address`);
      return this.source.fetch(new URL(address), signal);
    }
    const bytes = await this.store.get(address);
    if (!bytes) throw new PictureFailed('the stored image is missing');
    return bytes;
  }
}

/** Why this image can't be embedded; any other failure may pass, and is rethrown. */
function reasonOf(failure: unknown): string {
  if (failure instanceof PictureFailed) return failure.message;
  if (failure instanceof AppError && failure.code === 'unprocessable') {
    return `${failure.extras.reason ?? failure.code}: ${failure.message}`;
  }
  throw failure;
}
