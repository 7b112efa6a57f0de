import type { ModelManifest } from '../../models/vision/embedding-model';
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

type Input = ModelManifest['input'];

/** Dimensions of a batch in the layout of a model. */
export function inputShape(input: Input, rows: number): [number, number, number, number] {
  const { width, height } = input;
  return input.layout === 'nhwc' ? [rows, height, width, 3] : [rows, 3, height, width];
}

/**
 * Pixels as a model wants them: `(pixel - mean) * scale` per channel, in its layout and order of channels. Mean and
 * scale are in the model's own order of channels.
 *
 * @param pixels `rows` pictures of width x height x 3 bytes, red, green and blue
 */
export function inputValues(input: Input, rows: number, pixels: Uint8Array): Float32Array {
  const area = input.width * input.height;
  const values = new Float32Array(rows * area * 3);
  const step = input.layout === 'nhwc' ? 3 : 1;
  for (const channel of [0, 1, 2]) {
    const table = valueOfByte(input, channel);
    const source = input.channels === 'rgb' ? channel : 2 - channel;
    const first = input.layout === 'nhwc' ? channel : channel * area;
    for (let picture = 0; picture < values.length; picture += 3 * area) {
      for (let at = 0; at < area; at += 1) {
        values[picture + first + at * step] = table[pixels[picture + at * 3 + source] ?? 0] ?? 0;
      }
    }
  }
  return values;
}

function valueOfByte(input: Input, channel: number): Float32Array {
  const mean = input.mean[channel] ?? 0;
  const scale = input.scale[channel] ?? 1;
  return Float32Array.from({ length: 256 }, (_, byte) => (byte - mean) * scale);
}
