import { profile } from '@tensorflow/tfjs-core';
import { openBackend } from './backends';
import { inputShape } from './input-values';
import type { ModelFolder } from './model-files';
import { loadModel } from './model-loaders';

/** Operations that multiply and add: over a kernel, over one channel of it, or along the rows of a matrix. */
const COUNTED: Readonly<Record<string, 'kernel' | 'channel' | 'rows'>> = {
  Conv2D: 'kernel',
  FusedConv2D: 'kernel',
  DepthwiseConv2dNative: 'channel',
  FusedDepthwiseConv2D: 'channel',
  BatchMatMul: 'rows',
  _FusedMatMul: 'rows',
};

/**
 * Multiplications with an addition that a model of TensorFlow.js takes for one picture, counted while it runs. Null for
 * the formats that other engines run.
 */
export async function multiplyAddsOf(model: ModelFolder): Promise<number | null> {
  const { format, input } = model.manifest;
  if (format !== 'tfjs-layers' && format !== 'tfjs-graph') return null;
  const network = await loadModel(model, await openBackend(['wasm', 'cpu']));
  try {
    const { kernels } = await profile(async () => {
      await network.predict(new Float32Array(3 * input.width * input.height), inputShape(input, 1));
    });
    return kernels.reduce((sum, { name, inputShapes, outputShapes }) => {
      const each = COUNTED[name];
      if (each === undefined) return sum;
      const weights = inputShapes[1] ?? [];
      return sum + product(outputShapes[0] ?? []) * perValue(each, weights);
    }, 0);
  } finally {
    network.dispose();
  }
}

/** Multiplications for one value of the output. */
function perValue(each: 'kernel' | 'channel' | 'rows', weights: readonly number[]): number {
  if (each === 'rows') return weights.at(-2) ?? 1;
  return product(weights.slice(0, each === 'kernel' ? 3 : 2));
}

const product = (lengths: readonly number[]): number => lengths.reduce((all, length) => all * length, 1);
