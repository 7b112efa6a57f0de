import type { SearchScope } from '../catalog/catalog-query';
import type {
  CatalogImage,
  Coverage,
  GroupCoverage,
  ModelReport,
  VersionRecord,
} from '../indexing/embedding-version';
import type { Evaluation } from '../indexing/figures';
import type { Adaptation, Calibration, EmbeddingVersion, ModelManifest } from '../vision/embedding-model';
import type { Vectors } from '../vision/neighbours';

/** Work on the catalog's images, done by the workers when no caller's photo is waiting. */
export interface IndexQueue {
  /** Whether workers of other processes do it. */
  readonly isShared: boolean;
  /** Embeds images for a version; resolves when all are stored or listed as failures. Safe to repeat. */
  embed(versionId: number, images: readonly CatalogImage[]): Promise<{ embedded: number; failed: number }>;
  close(): Promise<void>;
}

/** At most `limit` of what follows an id, in the order of the ids. */
export interface IdPage<Id> {
  readonly afterId: Id;
  readonly limit: number;
}

export interface ImageVectors {
  readonly imageId: number;
  readonly vectors: Vectors;
}

export interface AdaptedVersion {
  /** Of the network, without its calibration and `certain`, which do not apply to mapped vectors. */
  readonly manifest: ModelManifest;
  readonly adaptation: Adaptation;
  readonly map: Float32Array;
  readonly products: readonly string[];
}

/** Embedding versions, their vectors, and the images that could not be embedded. Images are in the order of their ids. */
export interface EmbeddingRepository {
  /** @param stamp that of the caller (`liveStamp`): reads only when it is another one than before; default: always */
  live(stamp?: string | null): Promise<EmbeddingVersion | null>;
  version(id: number): Promise<EmbeddingVersion | null>;
  versions(): Promise<readonly VersionRecord[]>;
  /** The version of a model that is being built or live, else a new one; the first version ever is live. */
  create(manifest: ModelManifest): Promise<EmbeddingVersion>;
  /** The same one for the same map until it is promoted. @throws AppError while another adaptation of the model is unfinished */
  createAdapted(adapted: AdaptedVersion): Promise<EmbeddingVersion>;
  /** By rows; null for a version without a map. */
  mapOf(versionId: number): Promise<Float32Array | null>;
  fittedProducts(versionIds: readonly number[]): Promise<ReadonlySet<string>>;
  /** A page of the images with vectors under a version and none under another. */
  vectorsMissingIn(
    versionId: number,
    otherId: number,
    page: IdPage<number>,
  ): Promise<readonly ImageVectors[]>;
  /** In one step; safe to repeat. @param keepsPrevious whether the previous one is maintained for a rollback; default: true */
  promote(versionId: number, keepsPrevious?: boolean): Promise<void>;
  /** The version was proven to cover all images: new ones are embedded for it too. */
  markBuilt(versionId: number): Promise<void>;
  keepEvaluation(versionId: number, evaluation: Evaluation, calibration: Calibration | null): Promise<void>;
  /** Answers with another calibration from the next call on; the previous one is kept for a rollback. */
  recalibrate(versionId: number, calibration: Calibration): Promise<void>;
  prune(versionId: number): Promise<boolean>;
  /** For the images of live products, or of one product. */
  coverage(versionId: number, productId?: string, refetch?: boolean): Promise<Coverage>;
  /** By category and feed, or of one feed, ordered by group and name; a picture counts once in each. */
  coverageByGroup(versionId: number, feed?: string): Promise<readonly GroupCoverage[]>;
  /** Images of the live ones of these products without a vector, including failed ones. */
  unembedded(versionId: number, productIds: readonly string[]): Promise<readonly CatalogImage[]>;
  /** A page of the images of live products without a vector or a listed failure. */
  pending(versionId: number, page: IdPage<number>): Promise<readonly CatalogImage[]>;
  /** A page of the images of live products that are not stored here, to be fetched again. */
  refetchable(page: IdPage<number>): Promise<readonly CatalogImage[]>;
  missing(versionId: number, imageIds: readonly number[]): Promise<ReadonlySet<number>>;
  /** Replaces the vectors of images and clears their listed failures; stores none for an image that no product shows any more. */
  store(versionId: number, embeddings: readonly ImageVectors[]): Promise<void>;
  recordFailures(versionId: number, failures: readonly { imageId: number; reason: string }[]): Promise<void>;
  /** Forgets listed failures so that the next run tries them again; returns how many there were. */
  retryFailures(versionId: number): Promise<number>;
  failures(versionId: number, limit: number, of?: PicturesOf): Promise<readonly FailedImage[]>;
  /** Makes the approximate index if a version needs one; returns whether it does. Safe to repeat, even after an interruption. */
  buildIndex(versionId: number, onNotice?: (notice: string) => void): Promise<boolean>;
  /** False while a version needs an approximate index and has none. */
  isIndexed(versionId: number): Promise<boolean>;
}

export type PicturesOf = { readonly product: string } | { readonly feed: string };

export interface FailedImage {
  readonly image: CatalogImage;
  readonly reason: string;
}

export interface InstalledModel {
  readonly folder: string;
  readonly manifest: ModelManifest;
  /** Ships with Loupe: the newest, and the one before it, for installations that still use that one. */
  readonly bundled: boolean;
}

/** A folder in the library without a usable model, and why. */
export interface BrokenModel {
  readonly folder: string;
  readonly name: string;
  readonly reason: string;
}

export interface ModelLibrary {
  /** The bundled models first, the newest before the previous one, then added models, by name. */
  all(): Promise<{ readonly models: readonly InstalledModel[]; readonly broken: readonly BrokenModel[] }>;
  /** By `id` or `id@version`, else the newest bundled one. @throws AppError listing the available models */
  find(name: string | undefined): Promise<InstalledModel>;
}

/** How hard a photo is to recognise: 1 = a careful photo, 2 = an ordinary one, 3 = a bad one. */
export type PhotoLevel = 1 | 2 | 3;

/** Turns a catalog picture into what a photo of the item might look like. */
export interface PhotoDistorter {
  /** @param keys fix everything that is random */
  distort(picture: Buffer, level: PhotoLevel, ...keys: readonly (string | number)[]): Promise<Buffer>;
}

export interface LabelledPhotos {
  /** None for a folder without labels. */
  labels(folder: string): Promise<readonly { readonly photo: string; readonly product: string }[]>;
  read(folder: string, photo: string): Promise<Buffer>;
}

/** A live product with a version's vectors of its pictures. */
export interface ProductWithPictures {
  readonly id: string;
  readonly popularity: number;
  /** Including those of its variants, each once; `vectors[view]`, none for a picture that is not embedded. */
  readonly pictures: readonly ImageVectors[];
}

export interface ImageSamples {
  /** Images of live products embedded under all of the versions, not of products that their maps were fitted on; ordered by seed. */
  sample(versionIds: readonly number[], count: number, seed: number): Promise<readonly CatalogImage[]>;
  imagesOf(productIds: readonly string[]): Promise<ReadonlyMap<string, readonly CatalogImage[]>>;
  /** How many live products have at least this many embedded pictures, and the ids of some, always the same. */
  productsWithPictures(
    versionId: number,
    least: number,
    limit: number,
  ): Promise<{ readonly total: number; readonly ids: readonly string[] }>;
  picturesOf(versionId: number, productIds: readonly string[]): Promise<readonly ProductWithPictures[]>;
  productsIn(
    versionId: number,
    scope: SearchScope,
    page: IdPage<string>,
  ): Promise<readonly ProductWithPictures[]>;
  /** `[picture][view]`: the vectors of the embedded ones at the addresses, in their order. */
  vectorsAt(versionId: number, addresses: readonly string[], limit: number): Promise<readonly Vectors[]>;
  /** Share of the images of live rows that each category has. */
  categoryShares(): Promise<ReadonlyMap<string, number>>;
}

/** The facts that all processes of an installation must agree on; secrets by their digests. */
export interface ProcessTraits {
  /** Version of Loupe, with the newest schema step that it knows. */
  readonly release: string;
  /** Of the keys that verify links, the signing key first; none in a process without an API. */
  readonly signingKeys: readonly string[];
  /** Identifies the image store; null while it can't be asked. */
  readonly imageStore: string | null;
}

/** A process that embeds, and the versions that it holds ready, or is to. */
export interface WorkerProcess {
  readonly name: string;
  readonly models: readonly ModelReport[];
}

export interface ServiceProcess {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly traits: ProcessTraits;
  /** Null for a process that does not embed. */
  readonly models: readonly ModelReport[] | null;
}

export interface ProcessRegistry {
  /** Records that a process is alive; returns the others. @throws AppError 503 when the database can't be written soon */
  renew(process: ServiceProcess): Promise<readonly ServiceProcess[]>;
  /** Those that are alive; one that has been silent for a while counts as dead. */
  workers(): Promise<readonly WorkerProcess[]>;
  leave(id: string): Promise<void>;
}
