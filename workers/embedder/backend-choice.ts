/** Where TensorFlow runs: libtensorflow, portable WebAssembly with SIMD, or plain JavaScript as a last resort. */
const BACKENDS = ['tensorflow', 'wasm', 'cpu'] as const;
export type BackendName = (typeof BACKENDS)[number];

/** What an operator may ask for; `auto` takes the fastest that works. */
export type BackendChoice = 'auto' | BackendName;

/** The package that brings libtensorflow. Optional: its download fails where only registries can be reached. */
export const NATIVE_PACKAGE = '@tensorflow/tfjs-node';

/** A way to run engines: in what, and with which backends, the first that starts. */
export interface EnginePlan {
  readonly carrier: 'thread' | 'process';
  readonly backends: readonly BackendName[];
}

/**
 * The ways to try, best first. The native backend needs processes: it crashes in worker threads. The portable ones
 * take threads, which share the memory of the process.
 */
export function enginePlans(choice: BackendChoice): readonly EnginePlan[] {
  const native: EnginePlan = { carrier: 'process', backends: ['tensorflow'] };
  if (choice === 'tensorflow') return [native];
  if (choice !== 'auto') return [{ carrier: 'thread', backends: [choice] }];
  const portable: EnginePlan = { carrier: 'thread', backends: ['wasm', 'cpu'] };
  return isInstalled(NATIVE_PACKAGE) ? [native, portable] : [portable];
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
