/** What computes, fastest first: libtensorflow, ONNX Runtime, portable WebAssembly with SIMD, plain JavaScript as a last resort. */
export const BACKENDS = ['tensorflow', 'onnx', 'wasm', 'cpu'] as const;
export type BackendName = (typeof BACKENDS)[number];

/** What an operator may ask for; `auto` takes the fastest that works. */
export type BackendChoice = 'auto' | BackendName;

/** The package that brings libtensorflow. Optional: its download fails where only registries can be reached. */
export const NATIVE_PACKAGE = '@tensorflow/tfjs-node';

/** The package that brings ONNX Runtime. Optional: docs/architecture.md, "Decisions". */
export const ONNX_PACKAGE = 'onnxruntime-node';

/** A way to run engines: in what, and with which backends: the first that starts, a later one for models that it can't take. */
export interface EnginePlan {
  readonly carrier: 'thread' | 'process';
  readonly backends: readonly BackendName[];
}

/**
 * The ways to try, best first. libtensorflow needs processes: it crashes in worker threads. The others take threads,
 * which share the memory of the process.
 */
export function enginePlans(choice: BackendChoice): readonly EnginePlan[] {
  const native: EnginePlan = { carrier: 'process', backends: ['tensorflow'] };
  if (choice === 'tensorflow') return [native];
  if (choice !== 'auto') return [{ carrier: 'thread', backends: [choice] }];
  const threads: EnginePlan = {
    carrier: 'thread',
    backends: isInstalled(ONNX_PACKAGE) ? ['onnx', 'wasm', 'cpu'] : ['wasm', 'cpu'],
  };
  return isInstalled(NATIVE_PACKAGE) ? [native, threads] : [threads];
}

/** Whether a package that need not be there is. */
export function isInstalled(name: string): boolean {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
}
