import { UNCALIBRATED } from '../../models/vision/confidence';
import type { ModelManifest } from '../../models/vision/embedding-model';

/** A manifest: `dimensions` values, `views` crops of each catalog picture of 8 x 8 pixels, values as they are. */
export function modelManifest(id: string, dimensions: number, views = 1): ModelManifest {
  return {
    id,
    version: '1.0.0',
    format: 'tfjs-layers',
    file: 'model.json',
    input: {
      width: 8,
      height: 8,
      layout: 'nhwc',
      channels: 'rgb',
      mean: [0, 0, 0],
      scale: [1, 1, 1],
      fit: 'contain',
      background: [255, 255, 255],
    },
    output: { dimensions },
    views: { catalog: Array(views).fill([0, 0, 1, 1]), query: [[0, 0, 1, 1]] },
    calibration: UNCALIBRATED,
    licence: 'none',
    digests: {},
  };
}
