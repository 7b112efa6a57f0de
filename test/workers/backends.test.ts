import { join } from 'node:path';
import type { ModelManifest } from '../../models/vision/embedding-model';
import { type BackendName, isInstalled } from '../../workers/embedder/backends';
import { InferencePool } from '../../workers/embedder/inference-pool';
import { readManifest } from '../../workers/embedder/model-folder';
import { silent } from '../support/log-sink';
import { temporaryFolder } from '../support/temporary-folder';
import { SIDE, type TinyModel, throwsOnBright, writeModel } from './tiny-models';

/** contract 14.11. Skipped by name on platforms that ONNX Runtime is not published for. */
const whereOnnx = isInstalled('onnx') ? describe : describe.skip;
const others: readonly BackendName[] = isInstalled('tensorflow')
  ? ['tensorflow', 'wasm', 'cpu']
  : ['wasm', 'cpu'];

/** How far a value of a unit vector may be off. */
const TOLERANCE = 1e-4;

/** Lines of the log. */
const told: unknown[] = [];

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function poolOn(backend: BackendName | 'auto'): Promise<InferencePool> {
  const pool = await InferencePool.start({
    threads: 1,
    backend,
    waitingMax: 10,
    batchTimeoutMs: 60_000,
    logger: { ...silent, info: (fields) => told.push(fields) },
  });
  cleanups.push(() => pool.close());
  return pool;
}

interface Folder {
  readonly folder: string;
  readonly manifest: ModelManifest;
}

/** The unit vector of a picture with some texture, and what computed it. */
async function embedded(model: Folder, backend: BackendName | 'auto') {
  const pool = await poolOn(backend);
  await pool.load('model', model);
  const { width, height } = model.manifest.input;
  const pixels = Array.from(
    { length: width * height * 3 },
    (_, at) => (at * 29 + Math.floor(at / 700) * 13) % 251,
  );
  const vectors = await pool.embed('model', [Uint8Array.from(pixels)], 'query');
  return { vectors, ranOn: Object.values(pool.stats()?.models ?? {}) };
}

function farthest(found: readonly Float32Array[], expected: readonly Float32Array[]): number {
  expect(found.length).toBe(expected.length);
  return Math.max(
    ...found.flatMap((vector, picture) =>
      Array.from(vector, (value, at) => Math.abs(value - (expected[picture]?.[at] ?? Number.NaN))),
    ),
  );
}

async function tiny(model: TinyModel): Promise<Folder> {
  const folder = temporaryFolder();
  return { folder, manifest: await writeModel(folder, model) };
}

const numbers = (
  name: string,
  shape: readonly number[],
  from = -0.5,
  factor = 1,
): TinyModel['weights'][number] => ({
  name,
  shape,
  values: Array.from(
    { length: shape.reduce((all, length) => all * length, 1) },
    (_, at) => factor * (from + ((at * 37) % 101) / 101),
  ),
});

const layer = (class_name: string, name: string, config: object = {}) => ({
  class_name,
  config: { name, ...config },
});

/** What convolutional networks are made of, beside what the bundled models have. */
const everyLayer: TinyModel = {
  layers: [
    layer('ZeroPadding2D', 'pad', {
      batch_input_shape: [null, SIDE, SIDE, 3],
      padding: [
        [0, 1],
        [2, 1],
      ],
    }),
    layer('Conv2D', 'conv', {
      filters: 4,
      kernel_size: [3, 2],
      strides: [1, 1],
      padding: 'valid',
      dilation_rate: [1, 2],
    }),
    layer('BatchNormalization', 'norm', { axis: 3, epsilon: 0.001 }),
    layer('ReLU', 'relu', { max_value: 6 }),
    layer('DepthwiseConv2D', 'depth', { kernel_size: [3, 3], depth_multiplier: 2, padding: 'same' }),
    layer('MaxPooling2D', 'most', { pool_size: [2, 2], strides: [1, 1], padding: 'same' }),
    layer('AveragePooling2D', 'mean', { pool_size: [3, 3], strides: [2, 2], padding: 'same' }),
    layer('Flatten', 'flat'),
    layer('Dense', 'dense', { units: 6, activation: 'sigmoid' }),
    layer('Reshape', 'turn', { target_shape: [1, 2, 3] }),
    layer('Flatten', 'back'),
  ],
  weights: [
    numbers('conv/kernel', [3, 2, 3, 4]),
    numbers('conv/bias', [4]),
    numbers('norm/gamma', [4]),
    numbers('norm/beta', [4]),
    numbers('norm/moving_mean', [4]),
    numbers('norm/moving_variance', [4], 0.5),
    numbers('depth/depthwise_kernel', [3, 3, 4, 2]),
    numbers('depth/bias', [8]),
    numbers('dense/kernel', [160, 6], -0.5, 0.02),
    numbers('dense/bias', [6]),
  ],
  dimensions: 6,
};

whereOnnx('on ONNX Runtime', () => {
  describe.each(['bundled', 'bundled-earlier'])('the model in %s', (name) => {
    test('gives the vectors that it gives on every other backend here', async () => {
      const folder = join(__dirname, '../../workers/embedder', name);
      const model = { folder, manifest: await readManifest(folder) };
      const found = await embedded(model, 'onnx');
      expect(found.ranOn).toEqual(['onnx']);
      for (const backend of others) {
        const expected = await embedded(model, backend);
        expect(expected.ranOn).toEqual([backend]);
        expect(farthest(found.vectors, expected.vectors)).toBeLessThan(TOLERANCE);
      }
    }, 300_000);
  });

  test('a network of other layers gives the vectors that it gives on wasm', async () => {
    const model = await tiny(everyLayer);
    const found = await embedded(model, 'onnx');
    const expected = await embedded(model, 'wasm');
    expect(farthest(found.vectors, expected.vectors)).toBeLessThan(TOLERANCE);
  });

  test('a network with an operation that is not known is refused, and on auto runs on wasm beside others', async () => {
    const model = await tiny(throwsOnBright);
    await expect(embedded(model, 'onnx')).rejects.toThrow('it does not load as tfjs-layers: a cast to int32');
    const pool = await poolOn('auto');
    told.splice(0);
    await pool.load('unknown', model);
    const other = await tiny(everyLayer);
    await pool.load('known', { ...other, manifest: { ...other.manifest, id: 'known' } });
    expect(told).toMatchObject([
      { model: 'tiny@1.0.0', backend: 'wasm', reason: 'a cast to int32' },
      { model: 'known@1.0.0', backend: 'onnx', reason: null },
    ]);
    expect(pool.stats()?.models).toEqual({ 'tiny@1.0.0': 'wasm', 'known@1.0.0': 'onnx' });
    const grey = new Uint8Array(SIDE * SIDE * 3).fill(100);
    const [vector] = await pool.embed('unknown', [grey], 'query');
    expect(vector).toHaveLength(3);
  });
});
