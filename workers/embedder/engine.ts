import { fork } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { BackendName, EnginePlan } from './backends';
import type { ModelBackend } from './loaded-model';
import { type ModelFolder, ModelRefused } from './model-folder';

export interface EngineCalls {
  /** Starts the first backend that works. */
  open(request: { readonly backends: readonly BackendName[] }): Promise<BackendName>;
  /**
   * Brings a model into memory, proves on trial pictures that it answers what its manifest says and sees a difference, and
   * runs every batch size up to `rowsMax` once, so that no caller pays for the first time. @throws ModelRefused
   */
  load(request: {
    readonly key: string;
    readonly model: ModelFolder;
    readonly rowsMax: number;
  }): Promise<ModelBackend>;
  unload(request: { readonly key: string }): Promise<null>;
  /** @param request `pixels`: `rows` times width x height x 3 bytes, red, green and blue; they are given away with their buffer */
  run(request: {
    readonly key: string;
    readonly rows: number;
    readonly pixels: Uint8Array<ArrayBuffer>;
  }): Promise<Embeddings>;
}

/** Unit vectors of a run, one after another; `broken` lists the rows for which the model gave no direction. */
export interface Embeddings {
  readonly vectors: Float32Array;
  readonly broken: readonly number[];
}

type Kind = keyof EngineCalls;
type RequestOf<Call extends Kind> = Parameters<EngineCalls[Call]>[0];
type ResultOf<Call extends Kind> = Awaited<ReturnType<EngineCalls[Call]>>;

export type EngineRequest = {
  [Call in Kind]: { readonly id: number; readonly kind: Call; readonly request: RequestOf<Call> };
}[Kind];

/** `refused` is the model that can't be used; null for a fault of the engine. */
export type EngineReply =
  | { readonly id: number; readonly ok: true; readonly result: ResultOf<Kind> }
  | { readonly id: number; readonly ok: false; readonly reason: string; readonly refused: string | null };

class EngineEnded extends Error {
  constructor(reason: string) {
    super(`The inference engine ended: ${reason}`);
    this.name = 'EngineEnded';
  }
}

/** A call was not answered in time, so its engine was stopped. */
export class EngineTimeout extends Error {
  constructor(timeoutMs: number) {
    super(`The inference engine did not answer within ${timeoutMs} ms`);
    this.name = 'EngineTimeout';
  }
}

/** A running thread or process, which emits `message`, `error` and `exit`. */
interface Channel {
  readonly events: EventEmitter;
  send(message: EngineRequest): unknown;
  end(): unknown;
}

/** An inference engine in a thread or process of its own. */
export class Engine {
  /** Resolves with the reason when the engine ends. */
  readonly ended: Promise<string>;
  /** Calls that keep others from using it. */
  tasks = 0;
  readonly #pending = new Map<number, { resolve(result: unknown): void; reject(failure: Error): void }>();
  readonly #channel: Channel;
  #nextId = 1;
  #end: string | null = null;

  constructor(isolation: EnginePlan['isolation']) {
    this.#channel = isolation === 'thread' ? startThread() : startProcess();
    const { events } = this.#channel;
    events.on('message', (reply: EngineReply) => this.#settle(reply));
    this.ended = new Promise((resolve) => {
      const end = (reason: string) => {
        this.#end ??= reason;
        for (const call of this.#pending.values()) call.reject(new EngineEnded(this.#end));
        this.#pending.clear();
        resolve(this.#end);
      };
      events.on('error', (failure: Error) => end(failure.message));
      events.on('exit', (code: number | null, signal?: string | null) => end(signal ?? `exit code ${code}`));
    });
  }

  /**
   * @param timeoutMs after which the engine is stopped
   * @throws ModelRefused for an unusable model, EngineTimeout after the timeout, EngineEnded if the engine is gone, Error otherwise
   */
  async call<Call extends Kind>(
    kind: Call,
    request: RequestOf<Call>,
    timeoutMs: number,
  ): Promise<ResultOf<Call>> {
    if (this.#end !== null) throw new EngineEnded(this.#end);
    const id = this.#nextId++;
    let late: NodeJS.Timeout | undefined;
    const result = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      late = setTimeout(() => {
        this.#pending.set(id, { resolve, reject: () => reject(new EngineTimeout(timeoutMs)) });
        this.#end ??= `no answer within ${timeoutMs} ms`;
        void this.stop();
      }, timeoutMs);
      this.#channel.send({ id, kind, request } as EngineRequest);
    });
    return (await result.finally(() => clearTimeout(late))) as ResultOf<Call>;
  }

  async stop(): Promise<void> {
    await this.#channel.end();
    await this.ended;
  }

  #settle(reply: EngineReply): void {
    const call = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if (reply.ok) call?.resolve(reply.result);
    else if (reply.refused === null) call?.reject(new Error(reply.reason));
    else call?.reject(new ModelRefused(reply.refused, reply.reason));
  }
}

/** The engine is TypeScript like its parent; under Jest the parent has no loader that it could inherit. */
const start = () => ({
  entry: require.resolve('./engine-main'),
  execArgv: ['--require', require.resolve('tsx/cjs')],
});

function startThread(): Channel {
  const { entry, execArgv } = start();
  // What a library prints there must not appear in a command's output.
  const thread = new Worker(entry, { execArgv, stdout: true });
  thread.stdout.resume();
  const send = (message: EngineRequest) =>
    thread.postMessage(message, message.kind === 'run' ? [message.request.pixels.buffer] : []);
  return { events: thread, send, end: () => thread.terminate() };
}

function startProcess(): Channel {
  const { entry, execArgv } = start();
  const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const;
  const child = fork(entry, [], { execArgv, serialization: 'advanced', stdio: [...stdio] });
  return { events: child, send: (message) => child.send(message), end: () => child.kill('SIGKILL') };
}
