import { tensor4d, tidy } from '@tensorflow/tfjs-core';
import type { ModelManifest } from '../../models/vision/embedding-model';
import type { OpenBackend } from './backends';
import type { Embeddings } from './engine-messages';
import { inputShape, inputValues } from './input-values';
import { ModelRefused } from './manifest';
import type { ModelFolder } from './model-files';
import { type LoadedModel, loadModel } from './model-loaders';

interface WarmModel {
  readonly manifest: ModelManifest;
  readonly network: LoadedModel;
}

/**
 * Models in memory and the inference with them. Blocks its thread while it computes, so it lives in a thread or
 * process of its own (`engine-main.ts`).
 */
export class InferenceEngine {
  readonly #models = new Map<string, WarmModel>();

  constructor(private readonly backend: OpenBackend) {}

  /**
   * Loads a model, proves on a trial picture that it answers what its manifest says, and runs every batch size once,
   * so that no caller pays for the first time.
   *
   * @throws ModelRefused with the reason
   */
  async load(key: string, model: ModelFolder, rowsMax: number): Promise<void> {
    const warm = { manifest: model.manifest, network: await loadModel(model, this.backend) };
    try {
      const [trial] = infer(warm, 1, trialPictures(model.manifest, 1));
      if (trial && !trial.every(Number.isFinite))
        throw new Error('a trial picture gives values that are not finite');
      for (let rows = 2; rows <= rowsMax; rows += 1) infer(warm, rows, trialPictures(model.manifest, rows));
    } catch (failure) {
      warm.network.dispose();
      throw new ModelRefused(
        model.folder,
        failure instanceof Error ? failure.message : String(failure),
        failure,
      );
    }
    this.#models.set(key, warm);
  }

  unload(key: string): void {
    this.#models.get(key)?.network.dispose();
    this.#models.delete(key);
  }

  /** Embeds a batch; `rows` is at most the `rowsMax` that the model was loaded with. */
  run(key: string, rows: number, pixels: Uint8Array): Embeddings {
    const model = this.#models.get(key);
    if (!model) throw new Error(`no model ${key} is loaded`);
    const { dimensions } = model.manifest.output;
    const vectors = new Float32Array(rows * dimensions);
    const broken: number[] = [];
    for (const [row, vector] of infer(model, rows, pixels).entries()) {
      if (!putUnitVector(vectors, row * dimensions, vector)) broken.push(row);
    }
    return { vectors, broken };
  }
}

/** One raw embedding per picture. */
function infer({ manifest, network }: WarmModel, rows: number, pixels: Uint8Array): Float32Array[] {
  const values = tidy(() => {
    const output = network.predict(
      tensor4d(inputValues(manifest.input, rows, pixels), inputShape(manifest.input, rows)),
    );
    return output.dataSync();
  });
  const { dimensions } = manifest.output;
  if (values.length !== rows * dimensions) {
    throw new Error(
      `it answers ${values.length / rows} values for a picture, its manifest says ${dimensions}`,
    );
  }
  return Array.from({ length: rows }, (_, row) =>
    Float32Array.from(values.subarray(row * dimensions, (row + 1) * dimensions)),
  );
}

/** Writes a vector with length 1; false when it has no direction (not finite, or zero). */
function putUnitVector(target: Float32Array, offset: number, vector: Float32Array): boolean {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (!Number.isFinite(length) || length === 0) return false;
  for (const [index, value] of vector.entries()) target[offset + index] = value / length;
  return true;
}

/** Pictures with some texture, so that no channel of a healthy network stays silent. */
function trialPictures({ input }: ModelManifest, rows: number): Uint8Array {
  return Uint8Array.from({ length: rows * input.width * input.height * 3 }, (_, index) => (index * 97) % 256);
}
