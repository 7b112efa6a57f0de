import { isInstalled } from './backend-choice';
import { ModelRefused } from './manifest';

/** The package that runs ONNX models. Installed by the operator who wants it: docs/architecture.md, "Decisions". */
const ONNX_PACKAGE = 'onnxruntime-node';

/** The version that was measured and tested here. */
const ONNX_VERSION = '1.30.0';

/** Its install script fetches GPU libraries that are not used here, from a place that not every machine reaches. */
export const ONNX_INSTALL = `npm install --no-save ${ONNX_PACKAGE}@${ONNX_VERSION}`;

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

/** Whether ONNX models can be run here. */
export const isOnnxInstalled = (): boolean => isInstalled(ONNX_PACKAGE);

/** @throws ModelRefused with the command that installs what is missing */
export function checkOnnxInstalled(model: string): void {
  if (isOnnxInstalled()) return;
  throw new ModelRefused(
    model,
    `format onnx needs the package ${ONNX_PACKAGE}, which is not installed; install it with: ${ONNX_INSTALL}`,
  );
}

/**
 * ONNX Runtime. Works in threads as well as in processes.
 *
 * @throws ModelRefused where its package is not installed
 * @throws Error when it is installed and does not load
 */
export function openOnnxRuntime(model: string): OnnxRuntime {
  checkOnnxInstalled(model);
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
