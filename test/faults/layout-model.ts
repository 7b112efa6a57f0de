import type { TinyModel } from '../workers/tiny-models';

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
