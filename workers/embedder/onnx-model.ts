import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { valueOfHalf } from '../../models/vision/linear-map';
import { openOnnxRuntime } from './backends';
import { inputShape, type LoadedModel } from './loaded-model';
import { type ModelFolder, ModelRefused } from './model-folder';

/** The pool runs an engine per core, so each engine computes in one thread. */
const ONE_THREAD: InferenceSession.SessionOptions = {
  executionProviders: ['cpu'],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  graphOptimizationLevel: 'all',
};

/**
 * An ONNX model with a `float32` input. A fixed batch size is filled up with rows whose results are dropped.
 * @param file its path, or its bytes @throws ModelRefused for inputs and outputs that are not those of its manifest
 * @throws Error where ONNX Runtime is not installed, with how to install it
 */
export async function loadOnnx(model: ModelFolder, file: string | Uint8Array): Promise<LoadedModel> {
  const runtime = openOnnxRuntime();
  // Two overloads that TypeScript does not merge.
  const session = await runtime.InferenceSession.create(file as string, ONE_THREAD);
  const { input, output, fixedRows } = signatureOf(model, session);
  const infer: LoadedModel['predict'] = async (values, shape) => {
    const pictures = new runtime.Tensor('float32', values, shape);
    const answer = await session.run({ [input]: pictures }, [output]);
    return floatsOf(model, answer[output]);
  };
  return {
    predict: fixedRows === null ? infer : inFixedBatches(fixedRows, infer),
    dispose: () => void session.release(),
    runsOn: { backend: 'onnx', reason: null },
  };
}

type Value = InferenceSession.ValueMetadata;

/**
 * The input and output that the manifest names, or the only ones. The input must have the size and layout of the manifest, as
 * a picture in the wrong layout would be embedded without an error. @returns their names, and the batch size or null for any
 * @throws ModelRefused with the reason
 */
function signatureOf({ folder, manifest }: ModelFolder, session: InferenceSession) {
  const chosen = (kind: 'input' | 'output', values: readonly Value[]): Value => {
    const { name } = manifest[kind];
    const found = name ? values.find((value) => value.name === name) : values.length === 1 ? values[0] : null;
    if (found) return found;
    const reason = name ? `it has no ${kind} ${name}` : `name one in ${kind}.name`;
    throw new ModelRefused(folder, `${reason}; its ${kind}s are ${namesOf(values)}`);
  };
  const pictures = chosen('input', session.inputMetadata);
  const output = chosen('output', session.outputMetadata).name;
  const others = session.inputMetadata.filter(({ name }) => name !== pictures.name);
  if (others.length > 0) {
    const reason = `it wants more than pictures: ${namesOf(others)}; export its image encoder alone`;
    throw new ModelRefused(folder, reason);
  }
  const { name: input } = pictures;
  const type = pictures.isTensor ? pictures.type : 'no tensor';
  if (type !== 'float32')
    throw new ModelRefused(folder, `its input ${input} is ${type}; export it with a float32 input`);
  const shape = shapeOf(pictures);
  const wanted = inputShape(manifest.input, 1);
  const fits =
    shape.length === wanted.length &&
    shape.every((length, index) => index === 0 || !isFixed(length) || length === wanted[index]);
  if (shape.length > 0 && !fits) {
    const said = `${manifest.input.layout} [rows, ${wanted.slice(1).join(', ')}]`;
    throw new ModelRefused(folder, `its input ${input} is [${shape.join(', ')}], its manifest says ${said}`);
  }
  const [rows] = shape;
  return { input, output, fixedRows: rows !== undefined && isFixed(rows) ? rows : null };
}

const shapeOf = (value: Value): readonly (number | string)[] => (value.isTensor ? value.shape : []);

const namesOf = (values: readonly Value[]): string =>
  values.map((value) => `${value.name} [${shapeOf(value).join(', ')}]`).join(', ');

const isFixed = (length: number | string): length is number => typeof length === 'number' && length > 0;

/** @throws ModelRefused when the values of an output are neither `float32` nor `float16` */
function floatsOf({ folder }: ModelFolder, tensor: Tensor | undefined): Float32Array {
  if (tensor?.data instanceof Float32Array) return tensor.data;
  if (tensor?.type === 'float16' && ArrayBuffer.isView(tensor.data)) {
    const { buffer, byteOffset, byteLength } = tensor.data;
    return Float32Array.from(new Uint16Array(buffer, byteOffset, byteLength / 2), valueOfHalf);
  }
  throw new ModelRefused(folder, `its output is ${tensor?.type ?? 'missing'}, neither float32 nor float16`);
}

function inFixedBatches(fixedRows: number, infer: LoadedModel['predict']): LoadedModel['predict'] {
  return async (values, [rows, ...rest]) => {
    const perRow = rest.reduce((product, length) => product * length, 1);
    const answers: number[] = [];
    for (let first = 0; first < rows; first += fixedRows) {
      const batch = new Float32Array(fixedRows * perRow);
      batch.set(values.subarray(first * perRow, (first + fixedRows) * perRow));
      const answer = await infer(batch, [fixedRows, ...rest]);
      const taken = Math.min(fixedRows, rows - first);
      answers.push(...answer.subarray(0, (answer.length / fixedRows) * taken));
    }
    return Float32Array.from(answers);
  };
}
