import type { ModelManifest } from '../../models/vision/embedding-model';
import type { BackendName } from './backends';

export interface LoadedModel {
  /** Embeddings one after another, as the network gives them. @param shape rows first, as `inputShape` gives it */
  predict(values: Float32Array, shape: readonly [number, number, number, number]): Answer;
  dispose(): void;
  readonly runsOn: ModelBackend;
}

/** The backend of a model, and why it is not that of its engine. */
export interface ModelBackend {
  readonly backend: BackendName;
  readonly reason: string | null;
}

/** TensorFlow answers at once, ONNX Runtime with a promise; both block the thread meanwhile. */
export type Answer = Float32Array | Promise<Float32Array>;

type Input = ModelManifest['input'];

export function inputShape(input: Input, rows: number): [number, number, number, number] {
  const { width, height } = input;
  return input.layout === 'nhwc' ? [rows, height, width, 3] : [rows, 3, height, width];
}

/** Writes `(pixel - mean) * scale` in the model's layout and channel order into `values`. @param pixels rows x width x height x RGB */
export function putInputValues(input: Input, pixels: Uint8Array, values: Float32Array): void {
  const area = input.width * input.height;
  const [step, plane] = input.layout === 'nhwc' ? [3, 1] : [1, area];
  const tables = [0, 1, 2].map((channel) => valueOfByte(input, channel));
  const [red, green, blue] = input.channels === 'rgb' ? tables : tables.toReversed();
  const [ofRed, ofBlue] = input.channels === 'rgb' ? [0, 2 * plane] : [2 * plane, 0];
  if (!red || !green || !blue) throw new Error('a picture has three channels');
  for (let picture = 0; picture < values.length; picture += 3 * area) {
    for (let at = 0; at < area; at += 1) {
      const from = picture + 3 * at;
      const to = picture + at * step;
      values[to + ofRed] = red[pixels[from] ?? 0] ?? 0;
      values[to + plane] = green[pixels[from + 1] ?? 0] ?? 0;
      values[to + ofBlue] = blue[pixels[from + 2] ?? 0] ?? 0;
    }
  }
}

function valueOfByte(input: Input, channel: number): Float32Array {
  const mean = input.mean[channel] ?? 0;
  const scale = input.scale[channel] ?? 1;
  return Float32Array.from({ length: 256 }, (_, byte) => (byte - mean) * scale);
}
