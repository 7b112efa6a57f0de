import type { OpenBackend } from './backends';
import type { ModelFolder } from './model-files';

/** A model in memory, of whatever format and runtime. */
export interface LoadedModel {
  /**
   * Pictures in the layout of the manifest -> their embeddings, one after another, as the network gives them.
   *
   * @param shape rows first, as `inputShape` gives it
   */
  predict(values: Float32Array, shape: readonly [number, number, number, number]): Answer;
  dispose(): void;
}

/** TensorFlow answers at once, ONNX Runtime with a promise; both block the thread meanwhile. */
export type Answer = Float32Array | Promise<Float32Array>;

/** Brings a model of one format into memory. */
export type ModelLoader = (model: ModelFolder, backend: OpenBackend) => Promise<LoadedModel>;
