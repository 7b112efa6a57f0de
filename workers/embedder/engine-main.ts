/** What an inference thread or process runs: answers the calls of `engine-handle.ts`, one after another. */
import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { openBackend } from './backends';
import type { EngineReply, EngineRequest } from './engine-handle';
import { InferenceEngine } from './inference-engine';
import { ModelRefused } from './model-folder';

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
