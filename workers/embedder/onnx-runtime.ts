import { isInstalled, ONNX_PACKAGE } from './backend-choice';

/** The version that was measured and tested here, the files of this platform, no install script: package.json. */
export const ONNX_INSTALL = 'npm run onnx:install';

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
export const ONNX_MISSING = `ONNX Runtime is not installed; install it with: ${ONNX_INSTALL}`;

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
