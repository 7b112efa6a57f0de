import { type ChildProcess, fork } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import type { BackendName, EnginePlan } from './backends';
import type { RunsOn } from './loaded-model';
import { type ModelFolder, ModelRefused } from './model-folder';

/** An engine ended while it was asked something. */
export class EngineEnded extends Error {
  constructor(reason: string) {
    super(`The inference engine ended: ${reason}`);
    this.name = 'EngineEnded';
  }
}

/** A running thread or process, as messages go to it and come from it. */
interface Carrier {
  send(request: EngineRequest): void;
  onReply(listener: (reply: EngineReply) => void): void;
  onEnd(listener: (reason: string) => void): void;
  end(): Promise<unknown>;
}

interface PendingCall {
  readonly request: EngineRequest;
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
    this.#carrier.onReply((reply) => this.#settle(reply));
    this.ended = new Promise((resolve) => {
      this.#carrier.onEnd((reason) => {
        this.#end ??= reason;
        for (const call of this.#pending.values()) call.reject(new EngineEnded(this.#end));
        this.#pending.clear();
        resolve(this.#end);
      });
    });
  }

  /**
   * Asks the engine.
   *
   * @throws ModelRefused when a model can't be used, EngineEnded when the engine is gone, Error for its other faults
   */
  call<Kind extends EngineCallKind>(
    kind: Kind,
    request: EngineCalls[Kind]['request'],
  ): Promise<EngineCalls[Kind]['result']> {
    if (this.#end !== null) return Promise.reject(new EngineEnded(this.#end));
    const id = this.#nextId++;
    const message = { id, kind, ...request } as EngineRequest;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, {
        request: message,
        resolve: (result) => resolve(result as EngineCalls[Kind]['result']),
        reject,
      });
      this.#carrier.send(message);
    });
  }

  /** Ends the engine at once, whatever it does. */
  async stop(): Promise<void> {
    await this.#carrier.end();
    await this.ended;
  }

  #settle(reply: EngineReply): void {
    const call = this.#pending.get(reply.id);
    if (!call) return;
    this.#pending.delete(reply.id);
    if (reply.ok) call.resolve(reply.result);
    else if (reply.refused && call.request.kind === 'load') {
      call.reject(new ModelRefused(call.request.model.folder, reply.reason));
    } else call.reject(new Error(reply.reason));
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
    // What is sent is not needed here any more.
    send: (request) => thread.postMessage(request, request.kind === 'run' ? [request.pixels.buffer] : []),
    onReply: (listener) => thread.on('message', listener),
    onEnd: (listener) => {
      thread.on('error', (failure) => listener(failure.message));
      thread.on('exit', (code) => listener(`exit code ${code}`));
    },
    end: () => thread.terminate(),
  };
}

function startProcess(): Carrier {
  const child: ChildProcess = fork(entry(), [], {
    execArgv: execArgv(),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return {
    send: (request) => {
      child.send(request);
    },
    onReply: (listener) => child.on('message', (message) => listener(message as EngineReply)),
    onEnd: (listener) => {
      child.on('error', (failure) => listener(failure.message));
      child.on('exit', (code, signal) => listener(signal ?? `exit code ${code}`));
    },
    end: async () => child.kill('SIGKILL'),
  };
}

/** What an engine can be asked, and what it answers. One engine is one worker thread or child process. */
export interface EngineCalls {
  /** Starts the first backend that works. */
  open: { request: { readonly backends: readonly BackendName[] }; result: BackendName };
  /** Brings a model into memory, tries it, and warms up every batch size up to `rowsMax`. */
  load: {
    request: { readonly key: string; readonly model: ModelFolder; readonly rowsMax: number };
    result: RunsOn;
  };
  unload: { request: { readonly key: string }; result: null };
  run: { request: RunRequest; result: Embeddings };
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

export type EngineCallKind = keyof EngineCalls;

/** A call as it travels; `id` pairs it with its reply. */
export type EngineRequest = {
  [Kind in EngineCallKind]: { readonly id: number; readonly kind: Kind } & EngineCalls[Kind]['request'];
}[EngineCallKind];

/** `refused` tells a model that can't be used from a fault of the engine. */
export type EngineReply =
  | { readonly id: number; readonly ok: true; readonly result: EngineCalls[EngineCallKind]['result'] }
  | { readonly id: number; readonly ok: false; readonly reason: string; readonly refused: boolean };
