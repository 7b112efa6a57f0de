/** The package that runs ONNX models. Installed by the operator who wants it: README, "Decisions". */
const ONNX_PACKAGE = 'onnxruntime-node';

/** The version that was measured and tested here. */
const ONNX_VERSION = '1.30.0';

/** Its install script fetches GPU libraries that are not used here, from a place that not every machine reaches. */
export const ONNX_INSTALL = `ONNXRUNTIME_NODE_INSTALL=skip npm install --no-save ${ONNX_PACKAGE}@${ONNX_VERSION}`;

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
    create(file: string, options: Readonly<Record<string, unknown>>): Promise<OnnxSession>;
  };
  readonly Tensor: new (type: 'float32', data: Float32Array, shape: readonly number[]) => OnnxTensor;
}

/**
 * ONNX Runtime; null where its package is not installed. Works in threads as well as in processes.
 *
 * @param name another package, for tests
 * @throws Error when it is installed and does not load
 */
export function openOnnxRuntime(name: string = ONNX_PACKAGE): OnnxRuntime | null {
  try {
    require.resolve(name);
  } catch {
    return null;
  }
  const runtime: unknown = require(name);
  if (isOnnxRuntime(runtime)) return runtime;
  throw new Error(`${name} has no InferenceSession and Tensor`);
}

function isOnnxRuntime(value: unknown): value is OnnxRuntime {
  return typeof value === 'object' && value !== null && 'InferenceSession' in value && 'Tensor' in value;
}
