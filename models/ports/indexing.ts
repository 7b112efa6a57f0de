import type { SearchScope } from '../catalog/catalog-query';
import type {
  CatalogImage,
  Coverage,
  GroupCoverage,
  VersionRecord,
  WorkerReadiness,
} from '../indexing/embedding-version';
import type { Evaluation } from '../indexing/figures';
import type { Adaptation, Calibration, EmbeddingVersion, ModelManifest } from '../vision/embedding-model';

/** Work on the catalog's images, done by the workers when no photo of a caller waits. */
export interface IndexQueue {
  /** Whether workers of other processes do it. */
  readonly isShared: boolean;
  /** Embeds images for a version; resolves when all are stored or listed as failures. Safe to repeat. */
  embed(versionId: number, images: readonly CatalogImage[]): Promise<{ embedded: number; failed: number }>;
  close(): Promise<void>;
}

/** The vectors of an image, `vectors[view]`. */
export interface ImageVectors {
  readonly imageId: number;
  readonly vectors: readonly Float32Array[];
}

/** What an adapted version is made of. */
export interface AdaptedVersion {
  /** Of the network, without a calibration: that of the network is not that of the version. */
  readonly manifest: ModelManifest;
  readonly adaptation: Adaptation;
  /** Square, by rows. */
  readonly map: Float32Array;
  /** Ids of the products that it was fitted on. */
  readonly products: readonly string[];
}

/** Embedding versions, their vectors, and what could not be embedded. */
export interface EmbeddingRepository {
  live(): Promise<EmbeddingVersion | null>;
  version(id: number): Promise<EmbeddingVersion | null>;
  /** All that ever were, oldest first. */
  versions(): Promise<readonly VersionRecord[]>;
  /** A version for a model, with its own table of vectors, unless one is built or live; the first one ever is live. */
  create(manifest: ModelManifest): Promise<EmbeddingVersion>;
  /**
   * A version beside the live one whose vectors pass through a map. The same map again is the same version while that is
   * built; it goes on where it was.
   *
   * @throws AppError while another adaptation of the model was begun and not finished
   */
  createAdapted(adapted: AdaptedVersion): Promise<EmbeddingVersion>;
  /** The map of a version, by rows; null of one that has none. */
  mapOf(versionId: number): Promise<Float32Array | null>;
  /** Ids of the products that the maps of these versions were fitted on. */
  fittedProducts(versionIds: readonly number[]): Promise<ReadonlySet<string>>;
  /** Images with their vectors under a version and none under another, by id, after `afterId`. */
  vectorsMissingIn(
    versionId: number,
    otherId: number,
    limit: number,
    afterId: number,
  ): Promise<readonly ImageVectors[]>;
  /**
   * Makes a version the live one in one step; the one before is retired, with its vectors. Safe to repeat. A version that
   * has no vectors any more is refused.
   *
   * @param keepsPrevious whether the one before is kept up for a rollback; else it is as good as gone
   */
  promote(versionId: number, keepsPrevious?: boolean): Promise<void>;
  /** From now on images that come are embedded for the version too: it was proven to cover all that there are. */
  markBuilt(versionId: number): Promise<void>;
  /** Keeps how a version was judged, and the calibration that was fitted then. */
  keepEvaluation(versionId: number, evaluation: Evaluation, calibration: Calibration | null): Promise<void>;
  /** From the next photo on answers under a version are made with another calibration; the one before is kept for a rollback. */
  recalibrate(versionId: number, calibration: Calibration): Promise<void>;
  /** Drops the vectors of a version that is not live; whether there were any. */
  prune(versionId: number): Promise<boolean>;
  /** @param productId only the images of this product; default those of all */
  coverage(versionId: number, productId?: string): Promise<Coverage>;
  /** Of the live products of each category and each feed, or of one feed; a picture counts once in each. By group and name. */
  coverageByGroup(versionId: number, feed?: string): Promise<readonly GroupCoverage[]>;
  /** Images of live ones of these products without a vector, also those that failed, by id. */
  unembedded(versionId: number, productIds: readonly string[]): Promise<readonly CatalogImage[]>;
  /** Images of live products without a vector or a listed failure, by id, after `afterId`. */
  pending(versionId: number, limit: number, afterId: number): Promise<readonly CatalogImage[]>;
  /** Which of these images have no vector under a version. */
  missing(versionId: number, imageIds: readonly number[]): Promise<ReadonlySet<number>>;
  /**
   * Stores all vectors of one image, `vectors[view]`; replaces what was there and clears a listed failure. Of an image that
   * no product shows any more it stores none.
   */
  store(versionId: number, embeddings: readonly ImageVectors[]): Promise<void>;
  recordFailures(versionId: number, failures: readonly { imageId: number; reason: string }[]): Promise<void>;
  /** Forgets listed failures so that the next run tries them again; how many there were. */
  retryFailures(versionId: number): Promise<number>;
  /** @param of only those of this product, or of the live products of this feed; default all. By id */
  failures(versionId: number, limit: number, of?: PicturesOf): Promise<readonly FailedImage[]>;
  /**
   * Makes the approximate index of a version where it has come to need one; whether there is one. Safe to repeat, also
   * after it was broken off.
   *
   * @param onNotice hears what the database says meanwhile
   */
  buildIndex(versionId: number, onNotice?: (notice: string) => void): Promise<boolean>;
  /** False while a version has come to need an approximate index and has none. */
  isIndexed(versionId: number): Promise<boolean>;
}

/** Whose pictures are meant. */
export type PicturesOf = { readonly product: string } | { readonly feed: string };

/** An image that could not be embedded, and why. */
export interface FailedImage {
  readonly image: CatalogImage;
  readonly reason: string;
}

/** What the workers say of the models of versions, so that a change of the model waits for all of them. */
export interface ReadinessRepository {
  /** Tells for one worker; what it told before is replaced. */
  tell(worker: string, told: readonly Omit<WorkerReadiness, 'worker'>[]): Promise<void>;
  /** What living workers told of a version; one that has not told anything for a while counts as dead. */
  of(versionId: number): Promise<readonly WorkerReadiness[]>;
  /** Whether any worker is alive. */
  workers(): Promise<readonly string[]>;
  /** Forgets a worker that ends. */
  forget(worker: string): Promise<void>;
}

/** A model that can be used here: where it lies and what it says of itself. */
export interface InstalledModel {
  readonly folder: string;
  readonly manifest: ModelManifest;
  /** Ships with Loupe: the newest, and the one before it, for installations that still answer with that. */
  readonly bundled: boolean;
}

/** A folder in the library that holds no model that could be used, and why. */
export interface BrokenModel {
  readonly folder: string;
  readonly name: string;
  readonly reason: string;
}

/** The embedding models of this installation. */
export interface ModelLibrary {
  /**
   * Everything there is; a model that is broken does not stand in the way of the others. Of `models` the bundled ones come
   * first, the newest before the one before it, then those that were added, by name.
   */
  all(): Promise<{ readonly models: readonly InstalledModel[]; readonly broken: readonly BrokenModel[] }>;
  /**
   * The installed model of this name, `id` or `id@version`; without a name the newest bundled one.
   *
   * @throws AppError listing what there is
   */
  find(name: string | undefined): Promise<InstalledModel>;
}

/** How hard a photo is to recognise: 1 = a careful photo, 2 = an ordinary one, 3 = a bad one. */
export type PhotoLevel = 1 | 2 | 3;

/** Makes of a catalog picture what a photo of the item might look like. */
export interface PhotoDistorter {
  /** @param keys fix everything that chance decides */
  distort(picture: Buffer, level: PhotoLevel, ...keys: readonly (string | number)[]): Promise<Buffer>;
}

/** Photos of which somebody said what they show. */
export interface LabelledPhotos {
  /** The photos in a folder, each with its product; none of a folder without labels. */
  labels(folder: string): Promise<readonly { readonly photo: string; readonly product: string }[]>;
  read(folder: string, photo: string): Promise<Buffer>;
}

/** A live product with what a version holds of its pictures. */
export interface PicturedProduct {
  readonly id: string;
  readonly popularity: number;
  /** Those of its variants included, each once; `vectors[view]`, none of a picture that is not embedded. */
  readonly pictures: readonly ImageVectors[];
}

/** Pictures of the catalog to make queries of. */
export interface ImageSamples {
  /**
   * Images that are embedded under all of the versions and shown by live products, none of which a map of the versions was
   * fitted on; in an order that the seed fixes.
   */
  sample(versionIds: readonly number[], count: number, seed: number): Promise<readonly CatalogImage[]>;
  /** All images of live products, variants included. */
  imagesOf(productIds: readonly string[]): Promise<ReadonlyMap<string, readonly CatalogImage[]>>;
  /**
   * The live products of which at least so many pictures are embedded: how many there are, and the ids of some, by chance
   * but always the same.
   */
  productsWithPictures(
    versionId: number,
    least: number,
    limit: number,
  ): Promise<{ readonly total: number; readonly ids: readonly string[] }>;
  /** These live products with the vectors of their pictures, by id. */
  picturesOf(versionId: number, productIds: readonly string[]): Promise<readonly PicturedProduct[]>;
  /** The live products of a scope with the vectors of their pictures, by id, after `afterId`. */
  pictured(
    versionId: number,
    scope: SearchScope,
    limit: number,
    afterId: string,
  ): Promise<readonly PicturedProduct[]>;
  /** `[picture][view]`: the vectors of those at the addresses that are embedded, in the order of the addresses. */
  vectorsAt(
    versionId: number,
    addresses: readonly string[],
    limit: number,
  ): Promise<readonly (readonly Float32Array[])[]>;
  /** Share of the images of live rows that each category has. */
  categoryShares(): Promise<ReadonlyMap<string, number>>;
}
