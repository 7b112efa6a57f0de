/** What an inference thread or process runs: answers the calls of `engine-handle.ts`, one after another. */
import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { ModelManifest } from '../../models/vision/embedding-model';
import { type OpenBackend, openBackend } from './backends';
import type { Embeddings, EngineReply, EngineRequest } from './engine-handle';
import { loadModel } from './load-model';
import { inputShape, inputValues, type LoadedModel, type RunsOn } from './loaded-model';
import { type ModelFolder, ModelRefused } from './model-folder';

interface WarmModel {
  readonly manifest: ModelManifest;
  readonly network: LoadedModel;
}

/** Models in memory and the inference with them. Blocks its thread while it computes. */
class InferenceEngine {
  readonly #models = new Map<string, WarmModel>();

  constructor(private readonly backend: OpenBackend) {}

  /**
   * Loads a model, proves on trial pictures that it answers what its manifest says and sees a difference, and runs every
   * batch size once, so that no caller pays for the first time.
   *
   * @returns what computes it
   * @throws ModelRefused with the reason
   */
  async load(key: string, model: ModelFolder, rowsMax: number): Promise<RunsOn> {
    const warm = { manifest: model.manifest, network: await loadModel(model, this.backend) };
    try {
      await tryOut(warm, rowsMax);
    } catch (failure) {
      warm.network.dispose();
      if (failure instanceof ModelRefused) throw failure;
      throw new ModelRefused(
        model.folder,
        failure instanceof Error ? failure.message : String(failure),
        failure,
      );
    }
    this.#models.set(key, warm);
    return warm.network.runsOn;
  }

  unload(key: string): void {
    this.#models.get(key)?.network.dispose();
    this.#models.delete(key);
  }

  /** Embeds a batch; `rows` is at most the `rowsMax` that the model was loaded with. */
  async run(key: string, rows: number, pixels: Uint8Array): Promise<Embeddings> {
    const model = this.#models.get(key);
    if (!model) throw new Error(`no model ${key} is loaded`);
    const { dimensions } = model.manifest.output;
    const vectors = new Float32Array(rows * dimensions);
    const broken: number[] = [];
    for (const [row, vector] of (await infer(model, rows, pixels)).entries()) {
      if (!putUnitVector(vectors, row * dimensions, vector)) broken.push(row);
    }
    return { vectors, broken };
  }
}

/** The trial of a model: finite values, other ones for another picture, every batch size. */
async function tryOut(warm: WarmModel, rowsMax: number): Promise<void> {
  const [first = new Float32Array()] = await infer(warm, 1, trialPictures(warm.manifest, 1));
  const [second = new Float32Array()] = await infer(warm, 1, trialPictures(warm.manifest, 1, DARKER));
  if (![first, second].every((vector) => vector.every(Number.isFinite))) {
    throw new Error('a trial picture gives values that are not finite');
  }
  if (isSame(first, second)) throw new Error('two trial pictures that differ give the same values');
  for (let rows = 2; rows <= rowsMax; rows += 1) await infer(warm, rows, trialPictures(warm.manifest, rows));
}

/** Whether two vectors differ by nothing but rounding. */
function isSame(left: Float32Array, right: Float32Array): boolean {
  const largest = left.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return left.every((value, index) => Math.abs(value - (right[index] ?? 0)) <= SAME_UP_TO * largest);
}

const SAME_UP_TO = 1e-6;

/** One raw embedding per picture. */
async function infer(
  { manifest, network }: WarmModel,
  rows: number,
  pixels: Uint8Array,
): Promise<Float32Array[]> {
  const values = await network.predict(
    inputValues(manifest.input, rows, pixels),
    inputShape(manifest.input, rows),
  );
  const { dimensions } = manifest.output;
  if (values.length !== rows * dimensions) {
    throw new Error(
      `it answers ${values.length / rows} values for a picture, its manifest says ${dimensions}`,
    );
  }
  return Array.from({ length: rows }, (_, row) =>
    Float32Array.from(values.subarray(row * dimensions, (row + 1) * dimensions)),
  );
}

/** Writes a vector with length 1; false when it has no direction (not finite, or zero). */
function putUnitVector(target: Float32Array, offset: number, vector: Float32Array): boolean {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (!Number.isFinite(length) || length === 0) return false;
  for (const [index, value] of vector.entries()) target[offset + index] = value / length;
  return true;
}

const BRIGHTER = { step: 97, levels: 256 };
const DARKER = { step: 31, levels: 128 };

/** Pictures with some texture, so that no channel of a healthy network stays silent. */
function trialPictures({ input }: ModelManifest, rows: number, { step, levels } = BRIGHTER): Uint8Array {
  return Uint8Array.from(
    { length: rows * input.width * input.height * 3 },
    (_, index) => (index * step) % levels,
  );
}

let engine: InferenceEngine | null = null;
let latest: Promise<void> = Promise.resolve();

async function answer(request: EngineRequest): Promise<Extract<EngineReply, { ok: true }>['result']> {
  if (request.kind === 'open') {
    const backend = await openBackend(request.backends);
    engine = new InferenceEngine(backend);
    return backend.name;
  }
  if (!engine) throw new Error('the engine was not opened');
  switch (request.kind) {
    case 'load':
      return engine.load(request.key, request.model, request.rowsMax);
    case 'unload':
      engine.unload(request.key);
      return null;
    case 'run':
      return engine.run(request.key, request.rows, request.pixels);
  }
}

async function reply(request: EngineRequest, send: (reply: EngineReply) => void): Promise<void> {
  try {
    send({ id: request.id, ok: true, result: await answer(request) });
  } catch (failure) {
    const refused = failure instanceof ModelRefused;
    const reason = refused ? failure.reason : failure instanceof Error ? failure.message : String(failure);
    send({ id: request.id, ok: false, reason, refused });
  }
}

/** As an import, which goes on beside the service. */
const NICENESS = 10;

/**
 * Inference takes all that the processors give; anyone who answers requests, queries and other callers goes before it. Only
 * Linux can do so with a single thread.
 */
function stepBehind(): void {
  const isWholeProcess = parentPort === null;
  if (!isWholeProcess && process.platform !== 'linux') return;
  if (getPriority() < NICENESS) setPriority(NICENESS);
}

/** Calls wait for one another: a run that follows a load finds the model. */
function listen(
  channel: { on(event: 'message', listener: (request: EngineRequest) => void): unknown },
  send: (reply: EngineReply) => void,
): void {
  channel.on('message', (request) => {
    latest = latest.then(() => reply(request, send));
  });
}

/** Vectors go to the parent without a copy. */
const transferred = (reply: EngineReply): ArrayBuffer[] =>
  reply.ok && typeof reply.result === 'object' && reply.result !== null && 'vectors' in reply.result
    ? [reply.result.vectors.buffer]
    : [];

stepBehind();
const port = parentPort;
if (port) {
  listen(port, (message) => port.postMessage(message, transferred(message)));
} else {
  listen(process, (message) => process.send?.(message));
  process.on('disconnect', () => process.exit());
  // An interrupt at the terminal reaches the whole group; the parent decides when this process ends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
}
