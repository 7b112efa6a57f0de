import { join } from 'node:path';
import { UNCALIBRATED } from '../../models/vision/confidence';
import type { ChoiceModel, View } from '../../models/vision/embedding-model';
import { type Installation, newInstallation } from '../support/installation';
import { modelManifest } from '../support/model-manifest';
import { layer, PICTURES, SIDE, type TinyModel, writeModel } from '../workers/tiny-models';

const DIMENSIONS = SIDE ** 2 * 3;

/** The embedding is the picture itself at 8 x 8 pixels, white being zero: it costs nothing, and a fault shows as a wrong item. */
const layoutModel: TinyModel = {
  layers: [
    layer('Flatten', 'flat', PICTURES),
    layer('Dense', 'dense', { units: DIMENSIONS, use_bias: false }),
  ],
  weights: [
    {
      name: 'dense/kernel',
      shape: [DIMENSIONS, DIMENSIONS],
      values: Array.from({ length: DIMENSIONS ** 2 }, (_, at) => Number(at % (DIMENSIONS + 1) === 0)),
    },
  ],
  dimensions: DIMENSIONS,
};

/** Always confident about the nearest product, so that no taxonomy row comes first. */
const SURE: ChoiceModel = {
  ...UNCALIBRATED.confidence,
  candidate: { nearest: 40, views: 40 },
  none: { ...UNCALIBRATED.confidence.none, constant: -200 },
};

/** Installs the model in a data folder; other channels or views make it another model. */
export async function installLayoutModel(
  dataDir: string,
  id = 'layout',
  { channels = 'rgb', view = [0, 0, 1, 1] }: { readonly channels?: 'rgb' | 'bgr'; readonly view?: View } = {},
): Promise<void> {
  await writeModel(join(dataDir, 'models', `${id}@1.0.0`), layoutModel, {
    id,
    calibration: { ...UNCALIBRATED, confidence: SURE },
    input: {
      ...modelManifest(id, DIMENSIONS).input,
      ...{ channels, mean: [255, 255, 255], scale: [-1 / 255, -1 / 255, -1 / 255] },
    },
    views: { catalog: [view], query: [view] },
  });
}

/** Settings for the model, without limits on callers and confidence. */
export const LAYOUT_SETTINGS = {
  ...{ MODEL: 'layout', CONFIDENCE_FLOOR: '0', INFERENCE_THREADS: '1', RATE_PER_SECOND: '0' },
};

export async function layoutInstallation(
  settings: Readonly<Record<string, string>> = {},
): Promise<Installation> {
  const installation = await newInstallation({ ...LAYOUT_SETTINGS, ...settings });
  await installLayoutModel(installation.dataDir);
  return installation;
}
