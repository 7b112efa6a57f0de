import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelManifest } from '../../models/vision/embedding-model';
import { SIDE, tinyManifest } from './tiny-models';

/** An ONNX file that is written byte by byte, so that no test needs a network from elsewhere. */
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
  await mkdir(folder, { recursive: true });
  const bytes = onnxFile(model);
  await writeFile(join(folder, 'model.onnx'), bytes);
  const tiny = tinyManifest(model.kernel[0]?.length ?? 0);
  const manifest: ModelManifest = {
    ...tiny,
    format: 'onnx',
    file: 'model.onnx',
    input: { ...tiny.input, layout: model.shape[1] === 3 ? 'nchw' : 'nhwc' },
    digests: { 'model.onnx': createHash('sha256').update(bytes).digest('hex') },
    ...change,
  };
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
  return manifest;
}

export const NCHW: TinyOnnx['shape'] = ['rows', 3, SIDE, SIDE];

const FLOAT = 1;
const HALF = 10;

/** ModelProto (onnx.proto3), IR version 8, opset 17. */
function onnxFile({ shape, kernel, outputs = ['embedding'], half = false }: TinyOnnx): Buffer {
  const nchw = shape[1] === 3;
  const width = kernel[0]?.length ?? 0;
  const graph = [
    ...(nchw ? [] : [message(1, node('Transpose', ['image'], 'turned', ints('perm', [0, 3, 1, 2])))]),
    message(1, node('GlobalAveragePool', [nchw ? 'image' : 'turned'], 'pooled')),
    message(1, node('Flatten', ['pooled'], 'flat')),
    message(1, node('MatMul', ['flat', 'kernel'], 'product')),
    ...outputs.map((output) => message(1, node('Cast', ['product'], output, int('to', half ? HALF : FLOAT)))),
    text(2, 'tiny'),
    message(5, floats('kernel', [kernel.length, width], kernel.flat())),
    message(11, value('image', FLOAT, shape)),
    ...outputs.map((output) => message(12, value(output, half ? HALF : FLOAT, [shape[0] ?? 'rows', width]))),
  ];
  const opset = message(8, [number(2, 17)]);
  return Buffer.concat([number(1, 8), opset, message(7, graph)]);
}

const node = (operator: string, inputs: readonly string[], output: string, attribute?: Buffer): Buffer[] => [
  ...inputs.map((input) => text(1, input)),
  text(2, output),
  text(4, operator),
  ...(attribute ? [attribute] : []),
];

const int = (name: string, value: number): Buffer =>
  message(5, [text(1, name), number(3, value), number(20, 2)]);

const ints = (name: string, values: readonly number[]): Buffer =>
  message(5, [text(1, name), ...values.map((each) => number(8, each)), number(20, 7)]);

const floats = (name: string, shape: readonly number[], values: readonly number[]): Buffer[] => [
  ...shape.map((length) => number(1, length)),
  number(2, FLOAT),
  text(8, name),
  message(9, [Buffer.from(Float32Array.from(values).buffer)]),
];

function value(name: string, type: number, shape: readonly (number | string)[]): Buffer[] {
  const dimensions = shape.map((each) =>
    message(1, [typeof each === 'number' ? number(1, each) : text(2, each)]),
  );
  return [text(1, name), message(2, [message(1, [number(1, type), message(2, dimensions)])])];
}

/** Protocol buffers: a field of bytes (wire type 2), and one with a number (wire type 0). */
const message = (field: number, parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([varint(field * 8 + 2), varint(body.length), body]);
};
const text = (field: number, content: string): Buffer => message(field, [Buffer.from(content)]);
const number = (field: number, content: number): Buffer =>
  Buffer.concat([varint(field * 8), varint(content)]);

function varint(content: number): Buffer {
  const bytes: number[] = [];
  let rest = content;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}
