import type { ModelManifest } from '../../models/vision/embedding-model';
import { FLOAT, HALF, onnxFile } from '../../workers/embedder/conversion/onnx-file';
import { SIDE, tinyManifest, writeFiles } from './tiny-models';

/** An ONNX file that is written here, so that no test needs a network from elsewhere. */
export interface TinyOnnx {
  /** Dimensions of the input; a name is a free one. */
  readonly shape: readonly (number | string)[];
  /** Three rows: what each of red, green and blue adds to the embedding. */
  readonly kernel: readonly (readonly number[])[];
  /** Names of outputs, all the same embedding. */
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
  const turn = {
    operator: 'Transpose',
    inputs: ['image'],
    output: 'turned',
    attributes: { perm: [0, 3, 1, 2] },
  };
  return onnxFile({
    nodes: [
      ...(nchw ? [] : [turn]),
      { operator: 'GlobalAveragePool', inputs: [nchw ? 'image' : 'turned'], output: 'pooled' },
      { operator: 'Flatten', inputs: ['pooled'], output: 'flat' },
      { operator: 'MatMul', inputs: ['flat', 'kernel'], output: 'product' },
      ...outputs.map((output) => ({
        operator: 'Cast',
        inputs: ['product'],
        output,
        attributes: { to: type },
      })),
    ],
    constants: [{ name: 'kernel', shape: [kernel.length, width], values: Float32Array.from(kernel.flat()) }],
    inputs: [{ name: 'image', type: FLOAT, shape }],
    outputs: outputs.map((name) => ({ name, type, shape: [shape[0] ?? 'rows', width] })),
  });
}
