import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UNCALIBRATED } from '../../../../models/vision/confidence';
import type { ModelManifest } from '../../../../models/vision/embedding-model';

const SIDE = 16;

const MODEL = {
  format: 'layers-model',
  modelTopology: {
    keras_version: '2.15.0',
    backend: 'tensorflow',
    model_config: {
      class_name: 'Sequential',
      config: {
        name: 'tiny',
        layers: [
          {
            class_name: 'AveragePooling2D',
            config: {
              name: 'shrunk',
              batch_input_shape: [null, SIDE, SIDE, 3],
              dtype: 'float32',
              pool_size: [2, 2],
              strides: [2, 2],
              padding: 'valid',
            },
          },
          { class_name: 'Flatten', config: { name: 'flat' } },
        ],
      },
    },
  },
  weightsManifest: [],
};

/**
 * Installs a model that costs next to nothing: one view, whose 8 x 8 mean colours are the embedding, white being zero. What is
 * measured with it is everything but the network.
 */
export async function installTinyModel(dataDir: string, id: string): Promise<void> {
  const folder = join(dataDir, 'models', `${id}@1.0.0`);
  await mkdir(folder, { recursive: true });
  const model = JSON.stringify(MODEL);
  await writeFile(join(folder, 'model.json'), model);
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifestOf(id, model)));
}

const manifestOf = (id: string, model: string): ModelManifest => ({
  id,
  version: '1.0.0',
  format: 'tfjs-layers',
  file: 'model.json',
  input: {
    width: SIDE,
    height: SIDE,
    layout: 'nhwc',
    channels: 'rgb',
    mean: [255, 255, 255],
    scale: [-1 / 255, -1 / 255, -1 / 255],
    fit: 'contain',
    background: [255, 255, 255],
  },
  output: { dimensions: (SIDE / 2) ** 2 * 3 },
  views: { catalog: [[0, 0, 1, 1]], query: [[0, 0, 1, 1]] },
  calibration: UNCALIBRATED,
  licence: 'CC0-1.0',
  digests: { 'model.json': createHash('sha256').update(model).digest('hex') },
});
