import { fork } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { BackendName, EnginePlan } from './backends';
import type { RunsOn } from './loaded-model';
import { type ModelFolder, ModelRefused } from './model-folder';

/** What an engine can be asked, and what it answers. One engine is one worker thread or child process. */
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
  }): Promise<RunsOn>;
  unload(request: { readonly key: string }): Promise<null>;
  run(request: RunRequest): Promise<Embeddings>;
}

/** Pictures for one inference: `rows` times width x height x 3 bytes, red, green and blue. */
export interface RunRequest {
  readonly key: string;
  readonly rows: number;
  readonly pixels: Uint8Array<ArrayBuffer>;
}

/** Unit vectors of a run, one after another; `broken` lists the rows for which the model gave no direction. */
export interface Embeddings {
  readonly vectors: Float32Array<ArrayBuffer>;
  readonly broken: readonly number[];
}

type Kind = keyof EngineCalls;
type RequestOf<Call extends Kind> = Parameters<EngineCalls[Call]>[0];
export type EngineResult = Awaited<ReturnType<EngineCalls[Kind]>>;

/** A call as it travels; `id` pairs it with its reply. */
export type EngineRequest = {
  [Call in Kind]: { readonly id: number; readonly kind: Call; readonly request: RequestOf<Call> };
}[Kind];

/** `refused` is the model that can't be used; null for a fault of the engine. */
export type EngineReply =
  | { readonly id: number; readonly ok: true; readonly result: EngineResult }
  | { readonly id: number; readonly ok: false; readonly reason: string; readonly refused: string | null };

/** An engine ended while it was asked something. */
class EngineEnded extends Error {
  constructor(reason: string) {
    super(`The inference engine ended: ${reason}`);
    this.name = 'EngineEnded';
  }
}

/** A running thread or process, which emits `message`, `error` and `exit`. */
interface Carrier {
  readonly events: EventEmitter;
  send(message: EngineRequest): unknown;
  end(): unknown;
}

interface PendingCall {
  resolve(result: unknown): void;
  reject(failure: Error): void;
}

/** One inference engine in a thread or process of its own: calls in, results out, and word of its end. */
export class EngineHandle {
  /** Resolves with the reason when the engine ends, for whatever reason. */
  readonly ended: Promise<string>;
  readonly #pending = new Map<number, PendingCall>();
  readonly #carrier: Carrier;
  #nextId = 1;
  #end: string | null = null;

  constructor(carrier: EnginePlan['carrier']) {
    this.#carrier = carrier === 'thread' ? startThread() : startProcess();
    const { events } = this.#carrier;
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

  /** @throws ModelRefused when a model can't be used, EngineEnded when the engine is gone, Error for its other faults */
  async call<Call extends Kind>(
    kind: Call,
    request: RequestOf<Call>,
  ): Promise<Awaited<ReturnType<EngineCalls[Call]>>> {
    if (this.#end !== null) throw new EngineEnded(this.#end);
    const id = this.#nextId++;
    const result = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#carrier.send({ id, kind, request } as EngineRequest);
    });
    return (await result) as Awaited<ReturnType<EngineCalls[Call]>>;
  }

  /** Ends the engine at once, whatever it does. */
  async stop(): Promise<void> {
    await this.#carrier.end();
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
const entry = (): string => require.resolve('./engine-main');
const execArgv = (): string[] => ['--require', require.resolve('tsx/cjs')];

function startThread(): Carrier {
  // What a library prints in there is not part of the answer of a command on stdout.
  const thread = new Worker(entry(), { execArgv: execArgv(), stdout: true });
  thread.stdout.resume();
  return {
    events: thread,
    // Pixels that are sent are not needed here any more.
    send: (message) =>
      thread.postMessage(message, message.kind === 'run' ? [message.request.pixels.buffer] : []),
    end: () => thread.terminate(),
  };
}

function startProcess(): Carrier {
  const child = fork(entry(), [], {
    execArgv: execArgv(),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return { events: child, send: (message) => child.send(message), end: () => child.kill('SIGKILL') };
}
