import { join } from 'node:path';
import { UNCALIBRATED } from '../../models/vision/confidence';
import type { ChoiceModel, View } from '../../models/vision/embedding-model';
import { type Installation, newInstallation } from '../support/installation';
import { type TinyModel, writeModel } from '../workers/tiny-models';

/** Side of the thumbnail that is the embedding. */
const GRID = 8;
const DIMENSIONS = GRID * GRID * 3;

/**
 * An embedding that costs nothing: the picture itself at 8 x 8 pixels, white being zero. It tells the pictures of a small
 * catalog apart, so that a fault shows as a wrong item, and leaves the processor to the faults.
 */
export const layoutModel: TinyModel = {
  layers: [
    {
      class_name: 'Flatten',
      config: { name: 'flat', batch_input_shape: [null, GRID, GRID, 3], dtype: 'float32' },
    },
    {
      class_name: 'Dense',
      config: { name: 'dense', units: DIMENSIONS, use_bias: false, activation: 'linear' },
    },
  ],
  weights: [{ name: 'dense/kernel', shape: [DIMENSIONS, DIMENSIONS], values: identity(DIMENSIONS) }],
  dimensions: DIMENSIONS,
};

function identity(size: number): number[] {
  return Array.from({ length: size * size }, (_, at) => (at % (size + 1) === 0 ? 1 : 0));
}

/** Whatever is a little nearer than all others is sure. */
const SURE: ChoiceModel = {
  ...UNCALIBRATED.confidence,
  candidate: { nearest: 40, views: 40 },
  none: { ...UNCALIBRATED.confidence.none, constant: -200 },
};

/**
 * Writes the model to a folder. The confidence of a product is always sure, so that no row of the taxonomy stands
 * before it.
 *
 * @param change another order of channels and another view make another model of it
 */
export async function writeLayoutModel(
  folder: string,
  change: { readonly id: string; readonly channels?: 'rgb' | 'bgr'; readonly view?: View },
): Promise<void> {
  const { id, channels = 'rgb', view = [0, 0, 1, 1] } = change;
  await writeModel(folder, layoutModel, {
    id,
    calibration: { ...UNCALIBRATED, confidence: SURE },
    input: {
      width: GRID,
      height: GRID,
      layout: 'nhwc',
      channels,
      mean: [255, 255, 255],
      scale: [-1 / 255, -1 / 255, -1 / 255],
      fit: 'contain',
      background: [255, 255, 255],
    },
    views: { catalog: [view], query: [view] },
  });
}

/** An installation whose model costs nothing, and whose callers and confidences are not limited. */
export async function layoutInstallation(
  settings: Readonly<Record<string, string>> = {},
): Promise<Installation> {
  const installation = await newInstallation({
    ...{ MODEL: 'layout', CONFIDENCE_FLOOR: '0', INFERENCE_THREADS: '1', RATE_PER_SECOND: '0' },
    ...settings,
  });
  await writeLayoutModel(join(installation.dataDir, 'models', 'layout@1.0.0'), { id: 'layout' });
  return installation;
}
