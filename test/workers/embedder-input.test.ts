import { inputShape, inputValues } from '../../workers/embedder/loaded-model';
import { tinyManifest } from './tiny-models';

describe('the values a model is given', () => {
  const input = {
    ...tinyManifest(3).input,
    width: 2,
    height: 1,
    mean: [10, 20, 30],
    scale: [1, 2, 0.5],
  } as const;
  // Two pictures of two pixels: red, green, blue each.
  const pixels = Uint8Array.from([11, 22, 33, 14, 25, 36, 10, 20, 30, 0, 0, 0]);

  test('are (pixel - mean) * scale, channels together', () => {
    expect(inputShape(input, 2)).toEqual([2, 1, 2, 3]);
    expect([...inputValues(input, 2, pixels)]).toEqual([1, 4, 1.5, 4, 10, 3, 0, 0, 0, -10, -40, -15]);
  });

  test('are laid out as one plane per channel for nchw', () => {
    const planes = { ...input, layout: 'nchw' } as const;
    expect(inputShape(planes, 2)).toEqual([2, 3, 1, 2]);
    expect([...inputValues(planes, 2, pixels)]).toEqual([1, 4, 4, 10, 1.5, 3, 0, -10, 0, -40, 0, -15]);
  });

  test('begin with blue for bgr, mean and scale in the order of the model', () => {
    const blueFirst = { ...input, channels: 'bgr' } as const;
    expect([...inputValues(blueFirst, 1, pixels.subarray(0, 3))].slice(0, 3)).toEqual([23, 4, -9.5]);
  });
});
