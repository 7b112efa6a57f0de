import type { EmbeddingVersion, ModelManifest } from './embedding-model';

/** A small, upright photo as JPEG, for other processes and for records. */
export interface PreparedImage extends Size {
  readonly jpeg: Buffer;
  /** The size of the photo as sent, upright, without a region. */
  readonly source: Size;
  /** SHA-256 of the photo as sent, and of its region, hexadecimal: its identity for caches and records. */
  readonly digest: string;
}

/** In pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Pixels of a picture: width x height x 3 bytes, red, green and blue. */
export interface Pixels extends Size {
  readonly pixels: Buffer;
}

export type Vectors = readonly Float32Array[];

/** A small, upright photo as pixels, to be embedded soon. */
export type DecodedImage = Pixels & Pick<PreparedImage, 'digest'>;

export type SmallImage = Pick<PreparedImage, 'jpeg' | 'digest'> | DecodedImage;

/** One catalog image near the photos of a call, by the nearest pair of views. */
export interface Neighbour {
  readonly imageId: number;
  /** Cosine distance, 0 (same direction) to 2, of the nearest pair of a query view and a catalog view. */
  readonly distance: number;
  /** The distance of the image's nearest view to each view of each photo, in order, of those that were embedded; absent if only the nearest pair is known. */
  readonly byView?: readonly number[];
}

/** With the live products within the search that show the image. */
export interface CatalogNeighbour extends Neighbour {
  /** Ids, in their order. */
  readonly products: readonly string[];
}

/** Whether what was found settles a search. */
export type IsEnough = (found: readonly CatalogNeighbour[]) => boolean;

/** A single photo is searched by its first view and, if that is not enough, by all its views with what the first found. */
export type PhotoSearch = [photos: readonly Vectors[], isEnough?: IsEnough, known?: readonly Neighbour[]];

export type SearchedVersion = Pick<EmbeddingVersion, 'id' | 'model'> & Pick<ModelManifest, 'calibration'>;

/** The workers' result for the photos of a call. Ids and distances only, so that it stays small. */
export interface Neighbourhood {
  /** Embedding version that every neighbour belongs to. */
  readonly version: SearchedVersion;
  /** Nearest first, one per catalog image; ties by image id. */
  readonly neighbours: readonly CatalogNeighbour[];
  /** Of a narrowed search: the nearest whatever its scope. */
  readonly rivals?: readonly CatalogNeighbour[];
  readonly timings: StageTimings;
}

/** Milliseconds spent by a photo in each stage after its intake. */
export interface StageTimings {
  readonly queueMs: number;
  readonly embedMs: number;
  readonly neighboursMs: number;
}
