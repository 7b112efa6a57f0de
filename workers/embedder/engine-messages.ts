import type { BackendName } from './backend-choice';
import type { RunsOn } from './loaded-model';
import type { ModelFolder } from './model-files';

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
