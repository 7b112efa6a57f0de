import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isInstalled } from '../../workers/embedder/backends';
import { loadTried } from '../../workers/embedder/embedder-registry';
import { InferencePool } from '../../workers/embedder/inference-pool';
import { silent } from '../support/log-sink';
import { temporaryFolder } from '../support/temporary-folder';
import {
  meanColour,
  NCHW,
  SIDE,
  type TinyModel,
  type TinyOnnx,
  writeModel,
  writeOnnxModel,
} from './tiny-models';

/** Skipped by name on platforms that ONNX Runtime is not published for. */
const whereInstalled = isInstalled('onnx') ? test : test.skip;

const KERNEL = [
  [1, 0.5, 0, 2],
  [0, 1, -0.5, 0.25],
  [-1, 0, 1, 0.125],
];

/** The same network for TensorFlow.js. */
const tensorFlow: TinyModel = {
  layers: [
    meanColour.layers[0] ?? {},
    { class_name: 'Dense', config: { name: 'dense', units: 4, use_bias: false, activation: 'linear' } },
  ],
  weights: [{ name: 'dense/kernel', shape: [3, 4], values: KERNEL.flat() }],
  dimensions: 4,
};

/** Eleven pictures: more than one batch. */
const pictures = Array.from({ length: 11 }, (_, picture) =>
  Uint8Array.from({ length: SIDE * SIDE * 3 }, (_value, at) => (at * (picture * 7 + 3) + picture * 20) % 251),
);

whereInstalled('the runtime that is installed knows no address to report its use to', () => {
  const bin = join(dirname(require.resolve('onnxruntime-node/package.json')), 'bin');
  const libraries = readdirSync(bin, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /onnxruntime.*\.(dll|dylib|so)/.test(name),
  );
  expect(libraries).not.toHaveLength(0);
  for (const library of libraries) {
    expect(readFileSync(join(bin, library)).includes('events.data.microsoft.com')).toBe(false);
  }
});

describe('an ONNX model', () => {
  let pool: InferencePool;
  const folder = temporaryFolder();

  beforeAll(async () => {
    pool = await InferencePool.start({
      threads: 2,
      backend: 'wasm',
      waitingMax: 100,
      batchTimeoutMs: 30_000,
      logger: silent,
    });
  });

  afterAll(() => pool.close());

  beforeEach(() => rm(folder, { recursive: true }));

  const load = async (model: TinyOnnx, change: Parameters<typeof writeOnnxModel>[2] = {}) => {
    const manifest = await writeOnnxModel(folder, model, change);
    const key = String(expect.getState().currentTestName);
    await loadTried(pool, key, { folder, manifest });
    return () => pool.embed(key, pictures, 'catalog');
  };

  const byTensorFlow = async () => {
    const manifest = await writeModel(folder, tensorFlow);
    await loadTried(pool, 'tensorflow', { folder, manifest });
    return pool.embed('tensorflow', pictures, 'catalog');
  };

  whereInstalled.each<[string, TinyOnnx]>([
    ['channels first', { shape: NCHW, kernel: KERNEL }],
    ['channels last', { shape: ['rows', SIDE, SIDE, 3], kernel: KERNEL }],
    ['a size of its own choice', { shape: ['rows', 3, 'height', 'width'], kernel: KERNEL }],
    ['one picture at a time', { shape: [1, 3, SIDE, SIDE], kernel: KERNEL }],
    ['four pictures at a time', { shape: [4, 3, SIDE, SIDE], kernel: KERNEL }],
  ])('with %s gives the vectors of the same network in TensorFlow.js', async (_case, model) => {
    const expected = await byTensorFlow();
    const found = await (await load(model))();
    expect(found).toHaveLength(pictures.length);
    for (const [picture, vector] of found.entries()) {
      for (const [index, value] of vector.entries()) {
        expect(value).toBeCloseTo(expected[picture]?.[index] ?? Number.NaN, 6);
      }
    }
  });

  whereInstalled('may answer in half precision', async () => {
    const expected = await byTensorFlow();
    const found = await (await load({ shape: NCHW, kernel: KERNEL, half: true }))();
    for (const [picture, vector] of found.entries()) {
      for (const [index, value] of vector.entries()) {
        expect(Math.abs(value - (expected[picture]?.[index] ?? Number.NaN))).toBeLessThan(1e-3);
      }
    }
  });

  whereInstalled('answers by the output that its manifest names', async () => {
    const model = { shape: NCHW, kernel: KERNEL, outputs: ['first', 'second'] };
    const embed = await load(model, { output: { name: 'second', dimensions: 4 } });
    await expect(embed()).resolves.toHaveLength(pictures.length);
    await expect(load(model)).rejects.toThrow(
      'name one in output.name; its outputs are first [rows, 4], second [rows, 4]',
    );
    await expect(load(model, { output: { name: 'third', dimensions: 4 } })).rejects.toThrow(
      'it has no output third; its outputs are first [rows, 4], second [rows, 4]',
    );
  });

  whereInstalled('laid out otherwise than its manifest says is refused', async () => {
    const model = { shape: NCHW, kernel: KERNEL };
    const { input } = await writeOnnxModel(folder, model);
    await expect(load(model, { input: { ...input, layout: 'nhwc' } })).rejects.toThrow(
      'its input image is [rows, 3, 8, 8], its manifest says nhwc [rows, 8, 8, 3]',
    );
    await expect(load(model, { input: { ...input, width: 16 } })).rejects.toThrow(
      'its manifest says nchw [rows, 3, 8, 16]',
    );
  });
});
