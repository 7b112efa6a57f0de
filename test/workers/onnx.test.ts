import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ModelManifest } from '../../models/vision/embedding-model';
import { type BackendName, isInstalled } from '../../workers/embedder/backends';
import { loadVerified } from '../../workers/embedder/embedder-registry';
import { InferencePool } from '../../workers/embedder/inference-pool';
import { type ModelFolder, readManifest } from '../../workers/embedder/model-folder';
import { temporaryFolder } from '../support/temporary-folder';
import * as tiny from './tiny-models';

/** contract 14.11. Skipped by name on platforms that ONNX Runtime is not published for. */
const whereInstalled = isInstalled('onnx') ? test : test.skip;
const others = (['tensorflow', 'wasm', 'cpu'] as const).filter(isInstalled);

const pools = new Map<string, Promise<InferencePool>>();
afterAll(() => Promise.all([...pools.values()].map(async (pool) => (await pool).close())));

function poolOn(backend: BackendName): Promise<InferencePool> {
  const pool = pools.get(backend) ?? InferencePool.start({ ...tiny.POOL, backend });
  pools.set(backend, pool);
  return pool;
}

/** The unit vectors of pictures with some texture: more than one batch of small ones. */
async function embedded(model: ModelFolder, backend: BackendName): Promise<readonly Float32Array[]> {
  const pool = await poolOn(backend);
  await loadVerified(pool, 'model', model);
  const { width, height } = model.manifest.input;
  const pictures = Array.from({ length: width > tiny.SIDE ? 1 : 11 }, (_, picture) =>
    Uint8Array.from(
      { length: width * height * 3 },
      (_value, at) => (at * (7 * picture + 29) + Math.floor(at / 700) * 13) % 251,
    ),
  );
  try {
    return await pool.embed('model', pictures, 'catalog');
  } finally {
    await pool.engines.unload('model');
  }
}

/** @param apart how far a value of a unit vector may be off */
function expectSame(found: readonly Float32Array[], expected: readonly Float32Array[], apart = 1e-4): void {
  expect(found).toHaveLength(expected.length);
  const apartMost = found.flatMap((vector, picture) =>
    Array.from(vector, (value, at) => Math.abs(value - (expected[picture]?.[at] ?? Number.NaN))),
  );
  expect(Math.max(...apartMost)).toBeLessThan(apart);
}

async function tinyFolder(model: tiny.TinyModel, change: Partial<ModelManifest> = {}): Promise<ModelFolder> {
  const folder = temporaryFolder();
  return { folder, manifest: await tiny.writeModel(folder, model, change) };
}

whereInstalled('the runtime that is installed knows no address to report its use to', () => {
  const bin = join(dirname(require.resolve('onnxruntime-node/package.json')), 'bin');
  const libraries = readdirSync(bin, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /onnxruntime.*\.(dll|dylib|so)/.test(name),
  );
  expect(libraries).not.toHaveLength(0);
  for (const library of libraries)
    expect(readFileSync(join(bin, library)).includes('events.data.microsoft.com')).toBe(false);
});

const numbers = (name: string, shape: readonly number[], from = -0.5, factor = 1) => ({
  ...{ name, shape },
  values: Array.from(
    { length: shape.reduce((all, length) => all * length, 1) },
    (_, at) => factor * (from + ((at * 37) % 101) / 101),
  ),
});
const zeros = [
  [0, 1],
  [2, 1],
];

/** What convolutional networks are made of, beside what the bundled models have. */
const everyLayer: tiny.TinyModel = {
  layers: [
    tiny.layer('ZeroPadding2D', 'pad', { ...tiny.PICTURES, padding: zeros }),
    tiny.layer('Conv2D', 'conv', {
      filters: 4,
      kernel_size: [3, 2],
      padding: 'valid',
      dilation_rate: [1, 2],
    }),
    tiny.layer('BatchNormalization', 'norm', { axis: 3, epsilon: 0.001 }),
    tiny.layer('ReLU', 'relu', { max_value: 6 }),
    tiny.layer('DepthwiseConv2D', 'depth', { kernel_size: [3, 3], depth_multiplier: 2, padding: 'same' }),
    tiny.layer('MaxPooling2D', 'most', { pool_size: [2, 2], strides: [1, 1], padding: 'same' }),
    tiny.layer('AveragePooling2D', 'mean', { pool_size: [3, 3], strides: [2, 2], padding: 'same' }),
    tiny.layer('Flatten', 'flat'),
    tiny.layer('Dense', 'dense', { units: 6, activation: 'sigmoid' }),
    tiny.layer('Reshape', 'turn', { target_shape: [1, 2, 3] }),
    tiny.layer('Flatten', 'back'),
  ],
  weights: [
    numbers('conv/kernel', [3, 2, 3, 4]),
    numbers('conv/bias', [4]),
    ...['gamma', 'beta', 'moving_mean'].map((name) => numbers(`norm/${name}`, [4])),
    numbers('norm/moving_variance', [4], 0.5),
    numbers('depth/depthwise_kernel', [3, 3, 4, 2]),
    numbers('depth/bias', [8]),
    numbers('dense/kernel', [160, 6], -0.5, 0.02),
    numbers('dense/bias', [6]),
  ],
  dimensions: 6,
};

describe('a network of TensorFlow.js', () => {
  const bundled = async (name: string): Promise<ModelFolder> => {
    const folder = join(__dirname, '../../workers/embedder', name);
    return { folder, manifest: await readManifest(folder) };
  };

  whereInstalled.each<[string, () => Promise<ModelFolder>]>([
    ['bundled', () => bundled('bundled')],
    ['bundled with the release before', () => bundled('bundled-earlier')],
    ['of other layers', () => tinyFolder(everyLayer)],
  ])('%s gives the vectors that it gives on every other backend here', async (_name, opened) => {
    const model = await opened();
    const found = await embedded(model, 'onnx');
    for (const backend of others) expectSame(found, await embedded(model, backend));
  });

  whereInstalled('with an unknown operation is refused, and on auto runs on wasm beside others', async () => {
    const model = await tinyFolder(tiny.throwsOnBright);
    await expect(embedded(model, 'onnx')).rejects.toThrow('it does not load as tfjs-layers: a cast to int32');
    const told: unknown[] = [];
    const logger = { ...tiny.POOL.logger, info: (fields: object) => told.push(fields) };
    const pool = await InferencePool.start({ ...tiny.POOL, backend: 'auto', logger });
    pools.set('auto', Promise.resolve(pool));
    await pool.engines.load('unknown', model);
    await pool.engines.load('known', await tinyFolder(everyLayer, { id: 'known' }));
    expect(told).toMatchObject([
      { model: 'tiny@1.0.0', backend: 'wasm', reason: 'a cast to int32' },
      { model: 'known@1.0.0', backend: 'onnx', reason: null },
    ]);
    expect(pool.stats()?.models).toEqual({ 'tiny@1.0.0': 'wasm', 'known@1.0.0': 'onnx' });
    const grey = new Uint8Array(tiny.SIDE * tiny.SIDE * 3).fill(100);
    expect((await pool.embed('unknown', [grey], 'query'))[0]).toHaveLength(3);
  });
});

describe('an ONNX model', () => {
  const kernel = [
    [1, 0.5, 0, 2],
    [0, 1, -0.5, 0.25],
    [-1, 0, 1, 0.125],
  ];
  const vectorsOf = async (model: Partial<tiny.TinyOnnx>, change: Partial<ModelManifest> = {}) => {
    const folder = temporaryFolder();
    const manifest = await tiny.writeOnnxModel(folder, { shape: tiny.NCHW, kernel, ...model }, change);
    return embedded({ folder, manifest }, 'wasm');
  };
  const outputs = ['first', 'second'];

  whereInstalled.each<[string, Partial<tiny.TinyOnnx>, apart: number, output?: string]>([
    ['with channels first', { shape: tiny.NCHW }, 1e-6],
    ['with channels last', { shape: ['rows', tiny.SIDE, tiny.SIDE, 3] }, 1e-6],
    ['with a size of its own choice', { shape: ['rows', 3, 'height', 'width'] }, 1e-6],
    ['with one picture at a time', { shape: [1, 3, tiny.SIDE, tiny.SIDE] }, 1e-6],
    ['with four pictures at a time', { shape: [4, 3, tiny.SIDE, tiny.SIDE] }, 1e-6],
    ['in half precision', { half: true }, 1e-3],
    ['with the output that its manifest names', { outputs }, 1e-6, 'second'],
  ])('%s gives the vectors that TensorFlow.js gives', async (_case, model, apart, output = '') => {
    const expected = await embedded(await tinyFolder(tiny.timesMatrix(kernel)), 'wasm');
    const change = output === '' ? {} : { output: { name: output, dimensions: 4 } };
    expectSame(await vectorsOf(model, change), expected, apart);
  });

  whereInstalled('without the output that its manifest names, or with several, is refused', async () => {
    const has = 'its outputs are first [rows, 4], second [rows, 4]';
    await expect(vectorsOf({ outputs })).rejects.toThrow(`name one in output.name; ${has}`);
    const third = { output: { name: 'third', dimensions: 4 } };
    await expect(vectorsOf({ outputs }, third)).rejects.toThrow(`it has no output third; ${has}`);
  });

  whereInstalled('laid out otherwise than its manifest says is refused', async () => {
    const { input } = await tiny.writeOnnxModel(temporaryFolder(), { shape: tiny.NCHW, kernel });
    const has = 'its input image is [rows, 3, 8, 8], its manifest says';
    const turned = vectorsOf({}, { input: { ...input, layout: 'nhwc' } });
    await expect(turned).rejects.toThrow(`${has} nhwc [rows, 8, 8, 3]`);
    const wider = vectorsOf({}, { input: { ...input, width: 16 } });
    await expect(wider).rejects.toThrow(`${has} nchw [rows, 3, 8, 16]`);
  });
});
