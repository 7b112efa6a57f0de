import { dirname } from 'node:path';
import util from 'node:util';
import type * as wasm from '@tensorflow/tfjs-backend-wasm';
import type * as tensorflow from '@tensorflow/tfjs-core';
import { messageOf } from '../../models/errors';
import { type ModelFolder, ModelRefused } from './model-folder';

/** Inference backends, fastest first: libtensorflow, ONNX Runtime, WebAssembly with SIMD, plain JavaScript. */
export const BACKENDS = ['tensorflow', 'onnx', 'wasm', 'cpu'] as const;
export type BackendName = (typeof BACKENDS)[number];

/** The operator's options; `auto` takes the fastest that works. */
export type BackendChoice = 'auto' | BackendName;

interface Backend {
  /** The package that provides it; null for those that are always installed. */
  readonly package: string | null;
  /** Threads share the memory of the process, but libtensorflow crashes in them. */
  readonly isolation: 'thread' | 'process';
  /** Batch size. Larger ones gained nothing in measurements and took memory; plain JavaScript gains nothing from batches. */
  readonly rowsMax: number;
  /** Starts it in this thread or process. @throws Error when that fails */
  start(): Promise<void>;
}

const TABLE: Readonly<Record<BackendName, Backend>> = {
  tensorflow: {
    package: '@tensorflow/tfjs-node',
    isolation: 'process',
    rowsMax: 8,
    start: async () => {
      openNativeTensorFlow();
      await setTensorFlowBackend('tensorflow');
    },
  },
  onnx: {
    package: 'onnxruntime-node',
    isolation: 'thread',
    rowsMax: 4,
    start: async () => void openOnnxRuntime(),
  },
  wasm: {
    package: null,
    isolation: 'thread',
    rowsMax: 8,
    start: async () => {
      const { setWasmPaths }: typeof wasm = require('@tensorflow/tfjs-backend-wasm');
      setWasmPaths(`${dirname(require.resolve('@tensorflow/tfjs-backend-wasm'))}/`);
      await setTensorFlowBackend('wasm');
    },
  },
  cpu: {
    package: null,
    isolation: 'thread',
    rowsMax: 1,
    start: async () => {
      require('@tensorflow/tfjs-backend-cpu');
      await setTensorFlowBackend('cpu');
    },
  },
};

export const rowsMaxOf = (backend: BackendName): number => TABLE[backend].rowsMax;

export function isInstalled(backend: BackendName): boolean {
  const { package: name } = TABLE[backend];
  try {
    return name === null || require.resolve(name) !== '';
  } catch {
    return false;
  }
}

/** How to run engines: isolation, and backends, of which the first that starts is used, and later ones for models that it can't run. */
export interface EnginePlan {
  readonly isolation: Backend['isolation'];
  readonly backends: readonly BackendName[];
}

/** The plans to try, best first. */
export function enginePlans(choice: BackendChoice): readonly EnginePlan[] {
  const wanted = choice === 'auto' ? BACKENDS.filter(isInstalled) : [choice];
  return (['process', 'thread'] as const)
    .map((isolation) => ({
      isolation,
      backends: wanted.filter((name) => TABLE[name].isolation === isolation),
    }))
    .filter(({ backends }) => backends.length > 0);
}

export interface OpenBackend {
  readonly name: BackendName;
  /** Fallbacks for models that this one can't run. */
  readonly others: readonly BackendName[];
}

/** The first backend of the list that works here. @throws Error with the reason of each that did not start */
export async function openBackend(wanted: readonly BackendName[]): Promise<OpenBackend> {
  const { enableProdMode }: typeof tensorflow = require('@tensorflow/tfjs-core');
  enableProdMode();
  const reasons: string[] = [];
  for (const [index, name] of wanted.entries()) {
    try {
      await TABLE[name].start();
      return { name, others: wanted.slice(index + 1) };
    } catch (failure) {
      reasons.push(`${name}: ${messageOf(failure)}`);
    }
  }
  throw new Error(`no backend starts here (${reasons.join('; ')})`);
}

async function setTensorFlowBackend(name: BackendName): Promise<void> {
  const { setBackend }: typeof tensorflow = require('@tensorflow/tfjs-core');
  if (!(await setBackend(name))) throw new Error('it did not start');
}

export const ONNX_MISSING = 'ONNX Runtime is not installed here; npm ci installs it';

export const NEEDS_NATIVE = 'tf-saved-model needs the native backend (@tensorflow/tfjs-node)';

/** Reports before any download that a format can't be run here. @throws ModelRefused with what to install */
export function checkRuntime({ folder, manifest: { format } }: ModelFolder): void {
  if (format === 'onnx' && !isInstalled('onnx')) throw new ModelRefused(folder, ONNX_MISSING);
  if (format === 'tf-saved-model' && !isInstalled('tensorflow')) throw new ModelRefused(folder, NEEDS_NATIVE);
}

/** ONNX Runtime. @throws Error when its package is not installed or does not load */
export function openOnnxRuntime(): typeof import('onnxruntime-node') {
  if (!isInstalled('onnx')) throw new Error(ONNX_MISSING);
  return require('onnxruntime-node');
}

/** What the native package adds to TensorFlow.js: the SavedModel format. */
interface NativeTensorFlow {
  readonly node: { loadSavedModel(folder: string): Promise<SavedModel> };
}

interface SavedModel {
  predict(input: tensorflow.Tensor): tensorflow.Tensor | tensorflow.Tensor[] | tensorflow.NamedTensorMap;
  dispose(): void;
}

/** Loading registers the backend. The name is not a literal because the package is not a dependency. */
export function openNativeTensorFlow(): NativeTensorFlow {
  const name = TABLE.tensorflow.package ?? '';
  if (!isInstalled('tensorflow')) throw new Error(`${name} is not installed here (docs/models.md)`);
  restoreRemovedUtilities();
  const native: Partial<NativeTensorFlow> = require(name);
  if (native.node && 'loadSavedModel' in native.node) return { node: native.node };
  throw new Error(`${name} has no node.loadSavedModel`);
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
