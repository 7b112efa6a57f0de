import { isInstalled, ONNX_PACKAGE } from './backend-choice';
import { type OpenNetwork, onnxOfNetwork } from './conversion/onnx-of-network';
import type { LoadedModel } from './loaded-model';
import { inputShape } from './loaded-model';
import { type ModelFolder, ModelRefused } from './model-folder';

/** An input or output as the runtime describes it; a dimension that is no number is free. */
export interface OnnxValue {
  readonly name: string;
  readonly type?: string;
  readonly shape?: readonly (number | string)[];
}

export interface OnnxTensor {
  readonly type: string;
  readonly data: unknown;
}

export interface OnnxSession {
  readonly inputMetadata: readonly OnnxValue[];
  readonly outputMetadata: readonly OnnxValue[];
  run(
    feeds: Readonly<Record<string, OnnxTensor>>,
    fetches: readonly string[],
  ): Promise<Readonly<Record<string, OnnxTensor>>>;
  release(): Promise<void>;
}

/** What is used of ONNX Runtime. */
export interface OnnxRuntime {
  readonly InferenceSession: {
    create(file: string | Uint8Array, options: Readonly<Record<string, unknown>>): Promise<OnnxSession>;
  };
  readonly Tensor: new (type: 'float32', data: Float32Array, shape: readonly number[]) => OnnxTensor;
}

/** Whether ONNX Runtime is there. */
export const isOnnxInstalled = (): boolean => isInstalled(ONNX_PACKAGE);

/** Why it can't be opened where it is not, with the command that installs it. */
export const ONNX_MISSING = 'ONNX Runtime is not installed here; npm ci installs it';

/**
 * ONNX Runtime. Works in threads as well as in processes.
 *
 * @throws Error when its package is not installed or does not load
 */
export function openOnnxRuntime(): OnnxRuntime {
  if (!isOnnxInstalled()) throw new Error(ONNX_MISSING);
  return loadRuntime(ONNX_PACKAGE);
}

/** The name is no literal because the package need not be there. */
function loadRuntime(name: string): OnnxRuntime {
  const runtime: unknown = require(name);
  if (isOnnxRuntime(runtime)) return runtime;
  throw new Error(`${name} has no InferenceSession and Tensor`);
}

function isOnnxRuntime(value: unknown): value is OnnxRuntime {
  return typeof value === 'object' && value !== null && 'InferenceSession' in value && 'Tensor' in value;
}

/** Which values of an ONNX graph are the pictures and the embeddings. */
export interface OnnxSignature {
  readonly input: string;
  readonly output: string;
  /** Rows that an inference must have; null when any number will do. */
  readonly fixedRows: number | null;
}

/**
 * Finds the input and the output that the manifest names, or the only ones there are, and compares the input with the
 * size and layout of the manifest: a picture laid out wrongly would be embedded without a word.
 *
 * @throws ModelRefused with the reason
 */
export function signatureOf(model: ModelFolder, session: OnnxSession): OnnxSignature {
  const { input, output } = model.manifest;
  const pictures = chosen(model, 'input', input.name, session.inputMetadata);
  const embeddings = chosen(model, 'output', output.name, session.outputMetadata);
  if (session.inputMetadata.length > 1) {
    const others = session.inputMetadata.filter(({ name }) => name !== pictures.name);
    throw new ModelRefused(
      model.folder,
      `it wants more than pictures: ${namesOf(others)}; export its image encoder alone`,
    );
  }
  if (pictures.type !== 'float32') {
    throw new ModelRefused(
      model.folder,
      `its input ${pictures.name} is ${pictures.type}; export it with a float32 input`,
    );
  }
  return { input: pictures.name, output: embeddings.name, fixedRows: rowsOf(model, pictures) };
}

function chosen(
  { folder }: ModelFolder,
  kind: 'input' | 'output',
  name: string | null | undefined,
  values: readonly OnnxValue[],
): OnnxValue {
  const found = name ? values.find((value) => value.name === name) : values.length === 1 ? values[0] : null;
  if (found) return found;
  const reason = name ? `it has no ${kind} ${name}` : `name one in ${kind}.name`;
  throw new ModelRefused(folder, `${reason}; its ${kind}s are ${namesOf(values)}`);
}

const namesOf = (values: readonly OnnxValue[]): string =>
  values.map(({ name, shape = [] }) => `${name} [${shape.join(', ')}]`).join(', ');

/** Fixed rows of the input, after its other dimensions were compared with the manifest. */
function rowsOf({ folder, manifest }: ModelFolder, { name, shape = [] }: OnnxValue): number | null {
  if (shape.length === 0) return null;
  const wanted = inputShape(manifest.input, 1);
  const fits =
    shape.length === wanted.length &&
    shape.every((length, index) => index === 0 || !isFixed(length) || length === wanted[index]);
  if (!fits) {
    const { layout } = manifest.input;
    throw new ModelRefused(
      folder,
      `its input ${name} is [${shape.join(', ')}], its manifest says ${layout} [rows, ${wanted.slice(1).join(', ')}]`,
    );
  }
  const [rows] = shape;
  return rows !== undefined && isFixed(rows) ? rows : null;
}

const isFixed = (length: number | string): length is number => typeof length === 'number' && length > 0;

/**
 * The values of an output as `float32`.
 *
 * @throws ModelRefused when they are neither `float32` nor `float16`
 */
export function floatsOf({ folder }: ModelFolder, tensor: OnnxTensor | undefined): Float32Array {
  if (tensor?.data instanceof Float32Array) return tensor.data;
  if (tensor?.type === 'float16' && ArrayBuffer.isView(tensor.data)) {
    const { buffer, byteOffset, byteLength } = tensor.data;
    return Float32Array.from(new Uint16Array(buffer, byteOffset, byteLength / 2), fromHalf);
  }
  throw new ModelRefused(folder, `its output is ${tensor?.type ?? 'missing'}, neither float32 nor float16`);
}

/** IEEE 754 half precision, from its bits. */
function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = (bits & 0x3ff) / 1024;
  if (exponent === 0) return sign * 2 ** -14 * fraction;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * 2 ** (exponent - 15) * (1 + fraction);
}

/** The pool takes one engine per core, so an engine computes in its own thread alone. */
export const ONE_THREAD = {
  executionProviders: ['cpu'],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  graphOptimizationLevel: 'all',
} as const;

/**
 * An ONNX model with a `float32` input. Its batch dimension may be free or fixed: a fixed one is filled up with rows
 * whose answers are dropped.
 *
 * @param file its path, or its bytes
 * @throws ModelRefused for a model whose inputs and outputs are not what its manifest says
 * @throws Error where ONNX Runtime is not installed, saying how to install it
 */
export async function loadOnnx(model: ModelFolder, file: string | Uint8Array): Promise<LoadedModel> {
  const runtime = openOnnxRuntime();
  const session = await runtime.InferenceSession.create(file, ONE_THREAD);
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

/**
 * A model of TensorFlow.js on ONNX Runtime, with the same weights.
 *
 * @throws Error where ONNX Runtime is not told one of its operations
 */
export async function loadConverted(
  model: ModelFolder,
  open: () => Promise<OpenNetwork>,
): Promise<LoadedModel> {
  const { input, output } = model.manifest;
  const [, ...picture] = inputShape(input, 1);
  const names = { input: input.name ?? 'pictures', output: output.name ?? 'embeddings' };
  return loadOnnx(model, await onnxOfNetwork(open, { ...names, picture }));
}

/** The same inference for a network that takes exactly so many rows. */
function inFixedBatches(fixedRows: number, infer: LoadedModel['predict']): LoadedModel['predict'] {
  return async (values, [rows, ...rest]) => {
    const perRow = rest.reduce((product, length) => product * length, 1);
    const answers: Float32Array[] = [];
    for (let first = 0; first < rows; first += fixedRows) {
      const batch = new Float32Array(fixedRows * perRow);
      batch.set(values.subarray(first * perRow, (first + fixedRows) * perRow));
      const answer = await infer(batch, [fixedRows, ...rest]);
      const taken = Math.min(fixedRows, rows - first);
      answers.push(answer.subarray(0, (answer.length / fixedRows) * taken));
    }
    return concatenated(answers);
  };
}

function concatenated(parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
