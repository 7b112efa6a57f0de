/** Crop of a picture as fractions of its size: `[left, top, width, height]`, each within 0..1. */
export type View = readonly [left: number, top: number, width: number, height: number];

/** Where an inference runs: the formats a manifest may name. */
export const MODEL_FORMATS = ['tfjs-layers', 'tfjs-graph', 'tf-saved-model', 'onnx'] as const;
export type ModelFormat = (typeof MODEL_FORMATS)[number];

/** What a calibration may weigh; `confidence.ts` says what each is. */
export const SIGNALS = [
  'similarity',
  'whole',
  'margin',
  'lead',
  'viewLead',
  'consensus',
  'prominence',
] as const;
export type Signal = (typeof SIGNALS)[number];

/** How signals become a probability: `1 / (1 + exp(-(bias + sum of weight * signal)))`; a signal without a weight has 0. */
export interface LogisticCalibration {
  readonly kind: 'logistic';
  readonly bias: number;
  readonly weights: Readonly<Partial<Record<Signal, number>>>;
}

/** Calibrated confidence of a model, and the confidence below which nothing is returned (contract 7.9). */
export interface Calibration {
  /** Of a product. */
  readonly confidence: LogisticCalibration;
  /** Of a taxonomy row, all products below it together; that of a product where none was fitted. */
  readonly taxonomy?: LogisticCalibration | undefined;
  readonly floor: number;
}

/** Kernels of libvips, from soft to sharp. */
export const RESAMPLING_KERNELS = ['linear', 'mitchell', 'cubic', 'lanczos3'] as const;
export type ResamplingKernel = (typeof RESAMPLING_KERNELS)[number];

/** What an embedding model says of itself; the file `manifest.json` beside its weights. */
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
    /** How pictures are resampled; best as the model's training did. `lanczos3` when left out. */
    readonly kernel?: ResamplingKernel;
  };
  readonly output: { readonly name?: string | null; readonly dimensions: number };
  /** Crops that are embedded of each catalog picture and of each query. */
  readonly views: { readonly catalog: readonly View[]; readonly query: readonly View[] };
  /** Null until somebody fits one: such a model can be built and evaluated, not promoted (`UNCALIBRATED`). */
  readonly calibration: Calibration | null;
  readonly licence: string;
  readonly description?: string;
  /** SHA-256 of every file, hexadecimal. */
  readonly digests: Readonly<Record<string, string>>;
  readonly golden?: string;
}

/** One name for a model and its version, as operators type it: `loupe-eye@1.0.0`. */
export const modelReference = (manifest: { id: string; version: string }): string =>
  `${manifest.id}@${manifest.version}`;

/**
 * States of a set of embeddings, one per model build:
 * `building` (being filled beside the live one) -> `live` (answers are made of it) -> `retired` (kept for a rollback)
 * -> `pruned` (its vectors are gone, its name stays for the records). At most one is live.
 */
export const VERSION_STATES = ['building', 'live', 'retired', 'pruned'] as const;
export type VersionState = (typeof VERSION_STATES)[number];

/** All embeddings of the catalog's images under one model. */
export interface EmbeddingVersion {
  readonly id: number;
  /** `id@version` of the model. */
  readonly model: string;
  readonly manifest: ModelManifest;
  readonly state: VersionState;
  readonly createdAt: Date;
  readonly promotedAt: Date | null;
}
