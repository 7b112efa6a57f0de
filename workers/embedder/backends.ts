import { dirname } from 'node:path';
import util from 'node:util';
import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import * as tensorflow from '@tensorflow/tfjs-core';
import { type BackendName, NATIVE_PACKAGE } from './backend-choice';
import { openOnnxRuntime } from './onnx-runtime';

/** What the native package adds to TensorFlow.js: models in TensorFlow's own format. */
export interface NativeTensorFlow {
  readonly node: { loadSavedModel(folder: string): Promise<SavedModel> };
}

/** A TensorFlow SavedModel as the native package runs it. */
export interface SavedModel {
  predict(input: tensorflow.Tensor): tensorflow.Tensor | tensorflow.Tensor[] | tensorflow.NamedTensorMap;
  dispose(): void;
}

/** A backend, ready to run in this thread or process. */
export interface OpenBackend {
  readonly name: BackendName;
  /** Null unless the backend is `tensorflow`. */
  readonly native: NativeTensorFlow | null;
  /** May be opened for models that this one can't take. */
  readonly others: readonly BackendName[];
}

/**
 * Starts the first backend of the list that works here. The native one must have a process of its own: it crashes in
 * worker threads.
 *
 * @throws Error with the reason of each backend that did not start
 */
export async function openBackend(wanted: readonly BackendName[]): Promise<OpenBackend> {
  tensorflow.enableProdMode();
  const reasons: string[] = [];
  for (const [index, name] of wanted.entries()) {
    try {
      const native = await STARTERS[name]();
      const others = wanted.slice(index + 1);
      if (name === 'onnx' || (await tensorflow.setBackend(name))) return { name, native, others };
      reasons.push(`${name}: did not start`);
    } catch (failure) {
      reasons.push(`${name}: ${failure instanceof Error ? failure.message : String(failure)}`);
    }
  }
  throw new Error(`no backend starts here (${reasons.join('; ')})`);
}

const STARTERS: Readonly<Record<BackendName, () => Promise<NativeTensorFlow | null>>> = {
  tensorflow: async () => loadNative(NATIVE_PACKAGE),
  onnx: async () => {
    openOnnxRuntime();
    return null;
  },
  wasm: async () => {
    setWasmPaths(`${dirname(require.resolve('@tensorflow/tfjs-backend-wasm'))}/`);
    return null;
  },
  cpu: async () => {
    await import('@tensorflow/tfjs-backend-cpu');
    return null;
  },
};

/** Loading registers the backend; the name is no literal because the package need not be there. */
function loadNative(name: string): NativeTensorFlow {
  restoreRemovedUtilities();
  const native: unknown = require(name);
  if (isNative(native)) return native;
  throw new Error(`${name} has no node.loadSavedModel`);
}

function isNative(value: unknown): value is NativeTensorFlow {
  if (typeof value !== 'object' || value === null || !('node' in value)) return false;
  const { node } = value;
  return typeof node === 'object' && node !== null && 'loadSavedModel' in node;
}

/** Node 23 removed two functions of `util` that the released native package still calls. */
function restoreRemovedUtilities(): void {
  const removed: Record<string, (value: unknown) => boolean> = {
    isNullOrUndefined: (value) => value === null || value === undefined,
    isArray: Array.isArray,
  };
  for (const [name, implementation] of Object.entries(removed)) {
    if (!(name in util)) Object.assign(util, { [name]: implementation });
  }
}
