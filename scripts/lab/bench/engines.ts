import { tmpdir } from 'node:os';
import type { InstalledModel } from '../../../models/ports';
import { BACKENDS, type BackendName } from '../../../workers/embedder/backend-choice';
import { openBackend } from '../../../workers/embedder/backends';
import { FLOAT, onnxFile } from '../../../workers/embedder/conversion/onnx-file';
import { inputShape, inputValues } from '../../../workers/embedder/input-values';
import type { LoadedModel } from '../../../workers/embedder/loaded-model';
import { loadModel } from '../../../workers/embedder/model-loaders';
import { multiplyAddsOf } from '../../../workers/embedder/multiply-adds';
import { ONE_THREAD } from '../../../workers/embedder/onnx-loader';
import { isOnnxInstalled, openOnnxRuntime } from '../../../workers/embedder/onnx-runtime';
import { renderViews } from '../../../workers/embedder/render-views';
import { FolderModelLibrary } from '../../../workers/library/model-library';
import { type Cell, type Measurement, percentile } from './measure';
import { drawPhotos, machine } from './vision-installation';

const ROWS = [1, 8] as const;
const PHOTO_SIDE = 640;
const PEAK_SIDE = 1024;

/** A network on one backend, and how long its inferences took so far: milliseconds of processor time, by rows. */
interface Contestant {
  readonly backend: BackendName;
  readonly network: LoadedModel;
  readonly times: ReadonlyMap<number, number[]>;
  /** Unit vectors of the pictures. */
  readonly vectors: Float32Array;
  /** One inference of each number of rows, after one that counts for nothing. */
  turn(): Promise<void>;
}

/** Floating-point operations a second. */
const peakOf = (productMs: readonly number[]): number =>
  (2 * PEAK_SIDE ** 3 * 1000) / percentile(productMs, 0);

/**
 * The bundled models on each backend that starts here, in turns in one process, on one thread: pictures per second of
 * processor time, beside WebAssembly and what the processor can do, and how far their vectors are apart.
 */
export async function benchEngines({
  models,
  rounds,
}: {
  models: readonly string[];
  rounds: number;
}): Promise<Measurement> {
  const rows: Cell[][] = [];
  const product = await openProduct();
  const productMs: number[] = [];
  for (const name of models) {
    const model = await new FolderModelLibrary(tmpdir()).find(name);
    const operations = 2 * ((await multiplyAddsOf(model)) ?? Number.NaN);
    const contestants = await contest(model);
    const isSlow = ({ backend }: Contestant) => backend === 'cpu';
    for (let round = 0; round < rounds; round += 1) {
      if (product) productMs.push(await processorMs(product));
      for (const each of contestants) if (!isSlow(each)) await each.turn();
    }
    // By itself: its garbage would be collected in the turns of the others.
    for (const each of contestants.filter(isSlow)) await each.turn();
    for (const { network } of contestants) network.dispose();
    const peak = peakOf(productMs);
    const wasm = contestants.find(({ backend }) => backend === 'wasm');
    for (const each of contestants) {
      for (const count of each.times.keys()) {
        const speed = perSecond(each, count);
        rows.push([
          name,
          each.backend,
          count,
          speed.toFixed(1),
          (wasm ? speed / perSecond(wasm, count) : Number.NaN).toFixed(2),
          `${((100 * speed * operations) / peak).toFixed(0)} %`,
          wasm ? farthest(each.vectors, wasm.vectors).toExponential(1) : '',
        ]);
      }
    }
  }
  return {
    title: `engines: bundled models on each backend, one thread, ${machine()}`,
    head: ['model', 'backend', 'batch', 'images/s', 'of wasm', 'of peak', 'farthest from wasm'],
    rows,
    notes: [
      `Images per second of processor time, median of ${rounds} turns (cpu: one). Farthest: largest difference of one value of a unit vector.`,
      `Peak: ${(peakOf(productMs) / 1e9).toFixed(0)} GFLOP/s, the product of two ${PEAK_SIDE} x ${PEAK_SIDE} matrices in ONNX Runtime on one thread, in the same turns; its best. Operations of a network count the border of each picture too.`,
    ],
  };
}

async function contest(model: InstalledModel): Promise<Contestant[]> {
  const { input, output } = model.manifest;
  const pixels = Buffer.concat(await drawnPictures(model, Math.max(...ROWS)));
  const valuesOf = (rows: number) =>
    inputValues(input, rows, pixels.subarray(0, rows * input.width * input.height * 3));
  const values = new Map(ROWS.map((rows) => [rows, valuesOf(rows)]));
  const contestants: Contestant[] = [];
  for (const backend of BACKENDS) {
    const network = await openBackend([backend])
      .then((open) => loadModel(model, open))
      .catch((failure: Error) => process.stderr.write(`${backend}: ${failure.message.split('\n')[0]}\n`));
    if (typeof network !== 'object') continue;
    const predict = async (rows: (typeof ROWS)[number]) =>
      network.predict(values.get(rows) ?? new Float32Array(), inputShape(input, rows));
    const vectors = unitVectors(await predict(8), output.dimensions);
    const times = new Map<number, number[]>();
    const turn = async (): Promise<void> => {
      if (backend !== 'onnx') await openBackend([backend]);
      for (const rows of backend === 'cpu' ? ([1] as const) : ROWS) {
        await predict(rows);
        times.set(rows, [...(times.get(rows) ?? []), await processorMs(() => predict(rows))]);
      }
    };
    contestants.push({ backend, network, vectors, times, turn });
  }
  return contestants;
}

const perSecond = ({ times }: Contestant, rows: number): number =>
  (1000 * rows) / percentile(times.get(rows) ?? [], 0.5);

/** So many views of drawn photos. */
async function drawnPictures({ manifest }: InstalledModel, count: number): Promise<Uint8Array[]> {
  const { views, input } = manifest;
  const photos = await drawPhotos(Math.ceil(count / views.query.length), PHOTO_SIDE);
  const rendered = await Promise.all(photos.map((photo) => renderViews(photo, views.query, input)));
  return rendered.flat().slice(0, count);
}

/** Other programs on the machine count for less than in the time by the clock. */
async function processorMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Multiplies two large matrices: the most that one thread reaches here. Null without ONNX Runtime. */
async function openProduct(): Promise<(() => Promise<unknown>) | null> {
  if (!isOnnxInstalled()) return null;
  const runtime = openOnnxRuntime();
  const shape = [PEAK_SIDE, PEAK_SIDE];
  const values = Float32Array.from({ length: PEAK_SIDE ** 2 }, (_, at) => (at % 7) / 7);
  const file = onnxFile({
    nodes: [{ operator: 'MatMul', inputs: ['left', 'right'], output: 'product' }],
    constants: [{ name: 'right', shape, values }],
    inputs: [{ name: 'left', type: FLOAT, shape }],
    outputs: [{ name: 'product', type: FLOAT, shape }],
  });
  const session = await runtime.InferenceSession.create(file, ONE_THREAD);
  const left = new runtime.Tensor('float32', values, shape);
  return () => session.run({ left }, ['product']);
}

function unitVectors(values: Float32Array, dimensions: number): Float32Array {
  return values.map((value, at) => {
    const from = at - (at % dimensions);
    return value / Math.hypot(...values.subarray(from, from + dimensions));
  });
}

const farthest = (left: Float32Array, right: Float32Array): number =>
  left.reduce((most, value, at) => Math.max(most, Math.abs(value - (right[at] ?? Number.NaN))), 0);
