/** Crop of a picture as fractions of its size: `[left, top, width, height]`, each within 0..1. */
export type View = readonly [left: number, top: number, width: number, height: number];

/** Where an inference runs: the formats a manifest may name. */
export const MODEL_FORMATS = ['tfjs-layers', 'tfjs-graph', 'tf-saved-model', 'onnx'] as const;
export type ModelFormat = (typeof MODEL_FORMATS)[number];

/** The signals of a candidate, and of the possibility that the photo shows none of them; `confidence.ts` explains each. */
export const CANDIDATE_SIGNALS = ['nearest', 'views'] as const;
export const NONE_SIGNALS = ['constant', 'similarity', 'nearest', 'views', 'others', 'spread'] as const;

/** Conditional logit: each candidate and "none of them" has a share in proportion to `exp(sum of weight * signal)`. */
export interface ChoiceModel {
  readonly kind: 'choice';
  readonly candidate: Readonly<Record<(typeof CANDIDATE_SIGNALS)[number], number>>;
  readonly none: Readonly<Record<(typeof NONE_SIGNALS)[number], number>>;
  /** 0 to 1: how a taxonomy row shares in "none of them" (`taxonomyConfidence`); 1 gives it none of that, 0 all of it. */
  readonly kin: number;
}

/** Calibrated confidence of a model, and the confidence that the best row of an answer needs (contract 7.8, 7.9). */
export interface Calibration {
  readonly confidence: ChoiceModel;
  readonly floor: number;
}

/** Kernels of libvips, from soft to sharp. */
export const RESAMPLING_KERNELS = ['linear', 'mitchell', 'cubic', 'lanczos3'] as const;
export type ResamplingKernel = (typeof RESAMPLING_KERNELS)[number];

export interface ModelManifest {
  readonly id: string;
  readonly version: string;
  readonly format: ModelFormat;
  /** The model file, relative to the manifest. */
  readonly file: string;
  readonly input: {
    readonly name?: string | null;
    readonly width: number;
    readonly height: number;
    readonly layout: 'nhwc' | 'nchw';
    readonly channels: 'rgb' | 'bgr';
    /** Per channel: value = (pixel 0..255 - mean) * scale. */
    readonly mean: readonly [number, number, number];
    readonly scale: readonly [number, number, number];
    readonly fit: 'contain' | 'cover' | 'fill';
    readonly background: readonly [number, number, number];
    /** How pictures are resampled, ideally as in training; default: `lanczos3`. */
    readonly kernel?: ResamplingKernel;
  };
  readonly output: { readonly name?: string | null; readonly dimensions: number };
  /** The crops that are embedded for each catalog picture and for each query. */
  readonly views: { readonly catalog: readonly View[]; readonly query: readonly View[] };
  /**
   * The first view of a photo is enough if its best product is this similar, any other less by the margin, and its distance
   * (1 - similarity) at most `ratio` times that of any other (default: 1, any). Else all are used.
   */
  readonly certain?:
    | { readonly similarity: number; readonly margin: number; readonly ratio?: number }
    | undefined;
  /** Null until one is fitted: such a model can be built and evaluated, but not promoted (`UNCALIBRATED`). */
  readonly calibration: Calibration | null;
  readonly licence: string;
  readonly description?: string;
  /** SHA-256 of every file, hexadecimal. */
  readonly digests: Readonly<Record<string, string>>;
  readonly golden?: string;
}

/** Longest side of a prepared photo or picture: enough for half-size crops of any usual input. */
export const PREPARED_SIDE = 640;

export interface ViewSize {
  /** Its longest side, in pixels; if that is not a whole number, the picture's sides are rounded. */
  readonly side: number;
  readonly kernel: ResamplingKernel;
}

/** For models that do not specify it. */
export const USUAL_KERNEL = 'lanczos3';

/** Below this the decoder skips rows at the end of a picture, and would not notice their loss. */
const SIDE_MIN = 400;

/** The size at which each view just fills the input of a model; that of a prepared picture if the input is covered. */
export function viewSizeOf({ input, views }: ModelManifest, kind: keyof ModelManifest['views']): ViewSize {
  const { width, height, fit, kernel = USUAL_KERNEL } = input;
  const smallest = Math.min(...views[kind].flatMap((view) => view.slice(2)));
  const side = fit === 'contain' ? Math.max(width, height) / smallest : PREPARED_SIDE;
  return { side: Math.min(PREPARED_SIDE, Math.max(SIDE_MIN, side)), kernel };
}

/** One name for a model and its version, as operators type it: `loupe-eye@1.0.0`. */
export const modelReference = (manifest: { id: string; version: string }): string =>
  `${manifest.id}@${manifest.version}`;

/** `building` (beside the live one) -> `live` (at most one) -> `retired` (for a rollback) -> `pruned` (its vectors are deleted). */
export const VERSION_STATES = ['building', 'live', 'retired', 'pruned'] as const;
export type VersionState = (typeof VERSION_STATES)[number];

/** How the map of an adapted version was fitted (contract 14.20). */
export interface Adaptation {
  /** The version whose vectors are mapped. */
  readonly from: number;
  /** Products that the map was fitted on, and pictures and photos of them. */
  readonly products: number;
  readonly pictures: number;
  /** The amount added to the scatter in every direction, as a multiple of its mean. */
  readonly shrinkage: number;
  /** The map is the scatter to the negative of this power. */
  readonly power: number;
}

/** All embeddings of the catalog's images under one model, and one map where it is adapted. */
export interface EmbeddingVersion {
  readonly id: number;
  /** `id@version` of the model; of an adapted version with `+adapted-N` behind it. */
  readonly model: string;
  /** Of the network. */
  readonly manifest: ModelManifest;
  /** How the map was fitted that its vectors pass through; null for the vectors as the network gives them. */
  readonly adaptation: Adaptation | null;
  readonly state: VersionState;
  readonly createdAt: Date;
  readonly promotedAt: Date | null;
}

/**
 * Does work under the version that was live when the call came. If that fails and another one is live by then, it is done
 * under that: the first may have lost its vectors or its model meanwhile.
 */
export async function withLiveVersion<Result>(
  version: EmbeddingVersion,
  embeddings: { live(): Promise<EmbeddingVersion | null> },
  work: (version: EmbeddingVersion) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(version);
  } catch (failure) {
    const live = await embeddings.live().catch(() => null);
    if (live === null || live.id === version.id) throw failure;
    return withLiveVersion(live, embeddings, work);
  }
}
