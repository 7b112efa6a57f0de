/** What the host and the thread of its database say to each other. */

/** How a database is opened. */
export interface EngineOptions {
  /** Folder of the cluster; an empty one is made a cluster. */
  readonly folder: string;
  /** Whether a commit waits until the disk has it. */
  readonly durable: boolean;
  /** Shared counters, see `Signal`. */
  readonly signals: SharedArrayBuffer;
}

/** Places in the shared counters. */
export const Signal = {
  /** Counts messages that were sent in, so that the thread can wait for the next. */
  input: 0,
  /** Bytes of answers that are on their way to a client. */
  outputBytes: 1,
} as const;

export const SIGNAL_BYTES = 8;

/** The thread pauses while this much of its answers waits for a client to read. */
export const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;

/** Answers leave the thread in pieces of at most this size. */
export const OUTPUT_CHUNK_BYTES = 64 * 1024;

export type EngineInput = { readonly kind: 'input'; readonly bytes: Uint8Array } | { readonly kind: 'close' };

export type EngineOutput =
  | { readonly kind: 'ready'; readonly greeting: Uint8Array }
  | { readonly kind: 'output'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** A piece of input was read; what it asks may be under way. */
  | { readonly kind: 'consumed'; readonly bytes: number }
  /** What was read can't be done without more: the rows of a COPY. */
  | { readonly kind: 'hungry' }
  /** All that was read is done. */
  | { readonly kind: 'rested' }
  | { readonly kind: 'log'; readonly line: string }
  | { readonly kind: 'closed' }
  | { readonly kind: 'died'; readonly reason: string };
