/** The program of an inference thread or process: answers the calls of `engine.ts`, one after another. */
import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { messageOf } from '../../models/errors';
import type { ModelManifest } from '../../models/vision/embedding-model';
import { type OpenBackend, openBackend } from './backends';
import type { EngineCalls, EngineReply, EngineRequest } from './engine';
import { loadModel } from './load-model';
import { inputShape, type LoadedModel, putInputValues } from './loaded-model';
import { ModelRefused } from './model-folder';

interface WarmModel {
  readonly manifest: ModelManifest;
  readonly network: LoadedModel;
}

let backend: OpenBackend | null = null;
const models = new Map<string, WarmModel>();

/** Each blocks this thread while it computes. */
const engine: EngineCalls = {
  open: async ({ backends }) => {
    backend = await openBackend(backends);
    return backend.name;
  },
  load: async ({ key, model, rowsMax }) => {
    if (!backend) throw new Error('the engine was not opened');
    const warm = { manifest: model.manifest, network: await loadModel(model, backend) };
    try {
      await warmUp(warm, rowsMax);
    } catch (failure) {
      warm.network.dispose();
      throw failure instanceof ModelRefused ? failure : new ModelRefused(model.folder, messageOf(failure));
    }
    models.set(key, warm);
    return warm.network.runsOn;
  },
  unload: async ({ key }) => {
    models.get(key)?.network.dispose();
    models.delete(key);
    inputs = new Float32Array();
    return null;
  },
  run: async ({ key, rows, pixels }) => {
    const model = models.get(key);
    if (!model) throw new Error(`no model ${key} is loaded`);
    const { dimensions } = model.manifest.output;
    const vectors = new Float32Array(rows * dimensions);
    const broken: number[] = [];
    for (const [row, vector] of (await infer(model, rows, pixels)).entries()) {
      if (!putUnitVector(vectors, row * dimensions, vector)) broken.push(row);
    }
    return { vectors, broken };
  },
};

/** Tries a model: finite values, different ones for another picture, every batch size. */
async function warmUp(warm: WarmModel, rowsMax: number): Promise<void> {
  const [first = new Float32Array()] = await infer(warm, 1, trialPictures(warm.manifest, 1));
  const [second = new Float32Array()] = await infer(warm, 1, trialPictures(warm.manifest, 1, DARKER));
  if (![first, second].every((vector) => vector.every(Number.isFinite))) {
    throw new Error('a trial picture gives values that are not finite');
  }
  if (isSame(first, second)) throw new Error('two trial pictures that differ give the same values');
  for (let rows = 2; rows <= rowsMax; rows += 1) await infer(warm, rows, trialPictures(warm.manifest, rows));
}

const SAME_UP_TO = 1e-6;

/** Whether two vectors differ by nothing but rounding. */
function isSame(left: Float32Array, right: Float32Array): boolean {
  const largest = left.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return left.every((value, index) => Math.abs(value - (right[index] ?? 0)) <= SAME_UP_TO * largest);
}

/** Reused by each inference: allocating megabytes for each would keep the garbage collector busy. */
let inputs = new Float32Array();

async function infer(
  { manifest: { input, output }, network }: WarmModel,
  rows: number,
  pixels: Uint8Array,
): Promise<Float32Array[]> {
  const shape = inputShape(input, rows);
  const count = shape.reduce((product, length) => product * length);
  if (inputs.length < count) inputs = new Float32Array(count);
  const pictures = inputs.subarray(0, count);
  putInputValues(input, pixels, pictures);
  const values = await network.predict(pictures, shape);
  const { dimensions } = output;
  if (values.length !== rows * dimensions) {
    throw new Error(
      `it answers ${values.length / rows} values for a picture, its manifest says ${dimensions}`,
    );
  }
  return Array.from({ length: rows }, (_, row) => values.slice(row * dimensions, (row + 1) * dimensions));
}

/** Writes a vector normalised to length 1; false when that is impossible (not finite, or zero). */
function putUnitVector(target: Float32Array, offset: number, vector: Float32Array): boolean {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (!Number.isFinite(length) || length === 0) return false;
  for (const [index, value] of vector.entries()) target[offset + index] = value / length;
  return true;
}

const BRIGHTER = { step: 97, levels: 256 };
const DARKER = { step: 31, levels: 128 };

/** Pictures with some texture, so that no channel of a healthy network stays silent. */
const trialPictures = ({ input }: ModelManifest, rows: number, { step, levels } = BRIGHTER): Uint8Array =>
  Uint8Array.from({ length: rows * input.width * input.height * 3 }, (_, at) => (at * step) % levels);

let latest: Promise<unknown> = Promise.resolve();

/** Calls wait for one another: a run that follows a load finds the model. */
const answer = ({ id, kind, request }: EngineRequest): void => {
  const call = engine[kind] as (request: EngineRequest['request']) => ReturnType<EngineCalls[typeof kind]>;
  latest = latest.then(async () => {
    const reply: EngineReply = await call(request).then(
      (result) => ({ id, ok: true, result }),
      (failure: unknown) =>
        failure instanceof ModelRefused
          ? { id, ok: false, reason: failure.reason, refused: failure.model }
          : { id, ok: false, reason: messageOf(failure), refused: null },
    );
    if (port) port.postMessage(reply);
    else process.send?.(reply);
  });
};

/** The same as that of an import. */
const NICENESS = 10;
const port = parentPort;

// Inference takes all processor time it can get; threads that answer requests take priority. Only Linux can lower
// the priority of a single thread.
if ((port === null || process.platform === 'linux') && getPriority() < NICENESS) setPriority(NICENESS);
if (port) {
  port.on('message', answer);
} else {
  process.on('message', answer);
  process.on('disconnect', () => process.exit());
  // An interrupt at the terminal reaches the whole group; the parent decides when this process ends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
}
