import type { BackendName } from './backend-choice';

/** A model in memory, of whatever format and runtime. */
export interface LoadedModel {
  /**
   * Pictures in the layout of the manifest -> their embeddings, one after another, as the network gives them.
   *
   * @param shape rows first, as `inputShape` gives it
   */
  predict(values: Float32Array, shape: readonly [number, number, number, number]): Answer;
  dispose(): void;
  readonly runsOn: RunsOn;
}

/** What computes a model, and why not the backend of its engine. */
export interface RunsOn {
  readonly backend: BackendName;
  readonly reason: string | null;
}

/** TensorFlow answers at once, ONNX Runtime with a promise; both block the thread meanwhile. */
export type Answer = Float32Array | Promise<Float32Array>;
