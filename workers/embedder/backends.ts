import { dirname } from 'node:path';
import type * as wasm from '@tensorflow/tfjs-backend-wasm';
import type * as tensorflow from '@tensorflow/tfjs-core';

/** What computes, fastest first: ONNX Runtime, portable WebAssembly with SIMD, plain JavaScript as a last resort. */
export const BACKENDS = ['onnx', 'wasm', 'cpu'] as const;
export type BackendName = (typeof BACKENDS)[number];

/** What an operator may ask for; `auto` takes the fastest that works. */
export type BackendChoice = 'auto' | BackendName;

interface Backend {
  /** Rows of one inference at most. More gain nothing where it was measured, and take memory; plain JavaScript gains nothing at all. */
  readonly rowsMax: number;
  /** Makes it ready in this thread. @throws Error when it does not start */
  start(): Promise<void>;
}

const TABLE: Readonly<Record<BackendName, Backend>> = {
  onnx: { rowsMax: 4, start: async () => void openOnnxRuntime() },
  wasm: {
    rowsMax: 8,
    start: async () => {
      const { setWasmPaths }: typeof wasm = require('@tensorflow/tfjs-backend-wasm');
      setWasmPaths(`${dirname(require.resolve('@tensorflow/tfjs-backend-wasm'))}/`);
      await setTensorFlowBackend('wasm');
    },
  },
  cpu: {
    rowsMax: 1,
    start: async () => {
      require('@tensorflow/tfjs-backend-cpu');
      await setTensorFlowBackend('cpu');
    },
  },
};

export const rowsMaxOf = (backend: BackendName): number => TABLE[backend].rowsMax;

/** Whether ONNX Runtime, an optional dependency, is there. */
export function isOnnxInstalled(): boolean {
  try {
    return require.resolve('onnxruntime-node') !== '';
  } catch {
    return false;
  }
}

/** The backends to try, best first. */
export function backendsFor(choice: BackendChoice): readonly BackendName[] {
  if (choice !== 'auto') return [choice];
  return BACKENDS.filter((name) => name !== 'onnx' || isOnnxInstalled());
}

/** A backend, ready to run in this thread. */
export interface OpenBackend {
  readonly name: BackendName;
  /** May be opened for models that this one can't take. */
  readonly others: readonly BackendName[];
}

/**
 * Starts the first backend of the list that works here.
 *
 * @throws Error with the reason of each backend that did not start
 */
export async function openBackend(wanted: readonly BackendName[]): Promise<OpenBackend> {
  const { enableProdMode }: typeof tensorflow = require('@tensorflow/tfjs-core');
  enableProdMode();
  const reasons: string[] = [];
  for (const [index, name] of wanted.entries()) {
    try {
      await TABLE[name].start();
      return { name, others: wanted.slice(index + 1) };
    } catch (failure) {
      reasons.push(`${name}: ${failure instanceof Error ? failure.message : String(failure)}`);
    }
  }
  throw new Error(`no backend starts here (${reasons.join('; ')})`);
}

async function setTensorFlowBackend(name: BackendName): Promise<void> {
  const { setBackend }: typeof tensorflow = require('@tensorflow/tfjs-core');
  if (!(await setBackend(name))) throw new Error('it did not start');
}

/** Why ONNX Runtime can't be opened where it is not, with the command that installs it. */
export const ONNX_MISSING = 'ONNX Runtime is not installed here; npm ci installs it';

/** ONNX Runtime. @throws Error when its package is not installed or does not load */
export function openOnnxRuntime(): typeof import('onnxruntime-node') {
  if (!isOnnxInstalled()) throw new Error(ONNX_MISSING);
  return require('onnxruntime-node');
}
