import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { ModelManifest } from '../../models/vision/embedding-model';
import { FLOAT, HALF, onnxFile } from '../../workers/embedder/conversion/onnx-graph';
import { silent } from '../support/log-sink';
import { modelManifest } from '../support/model-manifest';

export const POOL = {
  ...{ threads: 1, batchTimeoutMs: 60_000, logger: silent },
  backend: 'wasm',
} as const;

/** A model whose embedding is known without running it, and what its manifest says. */
export interface TinyModel {
  readonly layers: readonly object[];
  readonly weights: readonly { name: string; shape: readonly number[]; values: readonly number[] }[];
  readonly dimensions: number;
}

export const SIDE = 8;
export const PICTURES = { batch_input_shape: [null, SIDE, SIDE, 3] };

export const layer = (class_name: string, name: string, config: object = {}) => ({
  class_name,
  config: { name, ...config },
});

/** Embeds a picture as its mean colour times a matrix of one row for each of red, green and blue. */
export const timesMatrix = (rows: readonly (readonly number[])[]): TinyModel => ({
  layers: [
    layer('GlobalAveragePooling2D', 'pool', PICTURES),
    layer('Dense', 'dense', { units: rows[0]?.length ?? 0, use_bias: false }),
  ],
  weights: [{ name: 'dense/kernel', shape: [rows.length, rows[0]?.length ?? 0], values: rows.flat() }],
  dimensions: rows[0]?.length ?? 0,
});

/** Embeds a picture as its mean colour: pure red is (1, 0, 0). */
export const meanColour = timesMatrix([
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
]);

const LEVELS = 200;

/** Looks the mean of each channel up in a table that ends at 200: the inference throws for a brighter picture. */
export const throwsOnBright: TinyModel = {
  layers: [
    layer('GlobalAveragePooling2D', 'pool', PICTURES),
    layer('Embedding', 'table', { input_dim: LEVELS, output_dim: 1 }),
    layer('Flatten', 'flat'),
  ],
  weights: [
    {
      name: 'table/embeddings',
      shape: [LEVELS, 1],
      values: Array.from({ length: LEVELS }, (_, at) => at + 1),
    },
  ],
  dimensions: 3,
};

/** Writes a model as TensorFlow.js would, its weights in two shards, and a manifest with true digests. */
export async function writeModel(
  folder: string,
  model: TinyModel,
  change: Partial<ModelManifest> = {},
): Promise<ModelManifest> {
  const weights = Buffer.from(Float32Array.from(model.weights.flatMap((each) => each.values)).buffer);
  const half = Math.floor(weights.length / 2);
  const document = {
    format: 'layers-model',
    modelTopology: {
      ...{ keras_version: '2.15.0', backend: 'tensorflow' },
      model_config: { class_name: 'Sequential', config: { name: 'tiny', layers: model.layers } },
    },
    weightsManifest: [
      {
        paths: ['weights-1.bin', 'weights-2.bin'],
        weights: model.weights.map(({ name, shape }) => ({ name, shape, dtype: 'float32' })),
      },
    ],
  };
  const files = {
    'model.json': Buffer.from(JSON.stringify(document)),
    'weights-1.bin': weights.subarray(0, half),
    'weights-2.bin': weights.subarray(half),
  };
  return writeFiles(folder, files, { ...tinyManifest(model.dimensions), ...change });
}

async function writeFiles(
  folder: string,
  files: Readonly<Record<string, Uint8Array>>,
  given: ModelManifest,
): Promise<ModelManifest> {
  await mkdir(folder, { recursive: true });
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
  const digests = Object.fromEntries(
    Object.entries(files).map(([name, bytes]) => [name, createHash('sha256').update(bytes).digest('hex')]),
  );
  const manifest = { ...given, digests: given.digests === NO_DIGESTS ? digests : given.digests };
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
  return manifest;
}

const NO_DIGESTS: ModelManifest['digests'] = { 'model.json': '0'.repeat(64) };

/** A manifest for a picture of 8 x 8 pixels on black, one whole view. */
export function tinyManifest(dimensions: number): ModelManifest {
  const manifest = modelManifest('tiny', dimensions);
  return {
    ...manifest,
    input: { ...manifest.input, width: SIDE, height: SIDE, background: [0, 0, 0] },
    ...{ licence: 'CC0-1.0', digests: NO_DIGESTS },
  };
}

export async function colouredJpeg(colours: readonly string[], width = 64, height = 64): Promise<Buffer> {
  const stripe = Math.round(width / colours.length);
  const stripes = colours.map((background, index) => ({
    input: { create: { width: stripe, height, channels: 3 as const, background } },
    ...{ left: index * stripe, top: 0 },
  }));
  return sharp({ create: { width, height, channels: 3, background: '#000' } })
    .composite(stripes)
    .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
    .toBuffer();
}

export interface TinyOnnx {
  /** Dimensions of the input; a name is a free one. */
  readonly shape: readonly (number | string)[];
  /** Three rows: what each of red, green and blue adds to the embedding. */
  readonly kernel: readonly (readonly number[])[];
  readonly outputs?: readonly string[];
  /** Element type of the output; the input is float32. */
  readonly half?: boolean;
}

/** Writes the network and a manifest with a true digest: the mean colour of a picture times a matrix. */
export async function writeOnnxModel(
  folder: string,
  model: TinyOnnx,
  change: Partial<ModelManifest> = {},
): Promise<ModelManifest> {
  const tiny = tinyManifest(model.kernel[0]?.length ?? 0);
  const input = { ...tiny.input, layout: model.shape[1] === 3 ? 'nchw' : 'nhwc' } as const;
  const manifest: ModelManifest = { ...tiny, format: 'onnx', file: 'model.onnx', input, ...change };
  return writeFiles(folder, { 'model.onnx': tinyFile(model) }, manifest);
}

export const NCHW: TinyOnnx['shape'] = ['rows', 3, SIDE, SIDE];

function tinyFile({ shape, kernel, outputs = ['embedding'], half = false }: TinyOnnx): Uint8Array {
  const nchw = shape[1] === 3;
  const width = kernel[0]?.length ?? 0;
  const type = half ? HALF : FLOAT;
  const node = (operator: string, inputs: readonly string[], output: string, attributes = {}) => ({
    ...{ operator, inputs, output, attributes },
  });
  return onnxFile({
    nodes: [
      ...(nchw ? [] : [node('Transpose', ['image'], 'turned', { perm: [0, 3, 1, 2] })]),
      node('GlobalAveragePool', [nchw ? 'image' : 'turned'], 'pooled'),
      node('Flatten', ['pooled'], 'flat'),
      node('MatMul', ['flat', 'kernel'], 'product'),
      ...outputs.map((output) => node('Cast', ['product'], output, { to: type })),
    ],
    constants: [{ name: 'kernel', shape: [kernel.length, width], values: Float32Array.from(kernel.flat()) }],
    inputs: [{ name: 'image', type: FLOAT, shape }],
    outputs: outputs.map((name) => ({ name, type, shape: [shape[0] ?? 'rows', width] })),
  });
}
