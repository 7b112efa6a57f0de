import '@tensorflow/tfjs-backend-cpu';
import { loadLayersModel } from '@tensorflow/tfjs-layers';
import { type ModelFolder, modelFiles } from './model-files';

/**
 * Multiplications with an addition that a TensorFlow.js layers model takes for one picture: each kernel once for every place
 * of its output. Null for other formats, whose graphs do not say their shapes.
 */
export async function multiplyAddsOf({ folder, manifest }: ModelFolder): Promise<number | null> {
  if (manifest.format !== 'tfjs-layers') return null;
  const model = await loadLayersModel(modelFiles({ folder, manifest }));
  try {
    return model.layers.reduce((sum, layer) => {
      const kernels = layer.weights.filter(({ name }) => /kernel/.test(name));
      const [, ...places] = [layer.outputShape].flat(1).slice(0, -1);
      const count = places.reduce((product: number, side) => product * Number(side ?? 1), 1);
      return (
        sum +
        count *
          kernels.reduce(
            (each, { shape }) =>
              each + shape.reduce<number>((product, side) => product * Number(side ?? 1), 1),
            0,
          )
      );
    }, 0);
  } finally {
    model.dispose();
  }
}
