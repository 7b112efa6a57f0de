import { on } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

export interface EngineOptions {
  /** Folder of the cluster; an empty one becomes a cluster. */
  readonly folder: string;
  readonly durable: boolean;
  readonly signals: SharedArrayBuffer;
}

/** Places in the shared counters. */
export const Signal = {
  /** Counts messages that were sent in, so that the thread can wait for the next. */
  input: 0,
  /** Bytes of answers that are on their way to a client. */
  outputBytes: 1,
} as const;

const SIGNAL_BYTES = 8;

export type EngineInput = { readonly kind: 'input'; readonly bytes: Uint8Array } | { readonly kind: 'close' };

export type EngineOutput =
  | { readonly kind: 'ready'; readonly greeting: Uint8Array }
  | { readonly kind: 'output'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** A piece of input was read; its statements may still be running. */
  | { readonly kind: 'consumed'; readonly bytes: number }
  /** The database needs more input to go on: the rows of a COPY. */
  | { readonly kind: 'awaiting-input' }
  | { readonly kind: 'idle' }
  | { readonly kind: 'log'; readonly line: string }
  | { readonly kind: 'closed' }
  | { readonly kind: 'died'; readonly reason: string };

/** What the engine reports to the host. `died` is its last report. */
export interface EngineEvents {
  log(line: string): void;
  died(reason: string): void;
}

/** A client that waits for its turn with the database, or has it. */
export interface TurnClient {
  /** The database is yours until you release it. */
  granted(): void;
  /** The database answers. Each byte must be acknowledged once. */
  answer(bytes: Buffer): void;
  /** The database has read all input, or done all that it asked, or waits for more within it. */
  advance(): void;
}

/**
 * The database in its thread: bytes of the wire protocol in, bytes out, both with back pressure. One client at a time has it,
 * first come, first served, for a turn: all messages up to the answer `ReadyForQuery` outside a transaction. That is the unit in
 * which PostgreSQL's protocol can be shared: single messages of two clients must not mix, as unnamed statements and portals
 * belong to the session.
 */
export class Engine {
  turnsGranted = 0;
  private backlogBytes = 0;
  /** The last report of the database on its input. */
  private work: 'reading' | 'awaiting-input' | 'idle' = 'idle';
  private closed: (() => void) | undefined;
  private readonly waiting: TurnClient[] = [];
  private current: TurnClient | undefined;
  private emptied: (() => void) | undefined;

  private constructor(
    private readonly worker: Worker,
    private readonly signals: Int32Array,
    private readonly events: EngineEvents,
    /** The messages for a client that connects. The cancel key in them has no effect: the backend can't be interrupted. */
    readonly greeting: Buffer,
  ) {
    worker.on('message', (message: EngineOutput) => this.receive(message));
    worker.on('error', (error) => events.died(error.stack ?? error.message));
    worker.on('exit', () => {
      if (!this.closed) events.died('its thread ended');
    });
  }

  /** Opens the database; @throws Error with its reason if it can't be opened. */
  static async start(options: Omit<EngineOptions, 'signals'>, events: EngineEvents): Promise<Engine> {
    const signals = new SharedArrayBuffer(SIGNAL_BYTES);
    const worker = new Worker(join(__dirname, 'engine-thread.ts'), {
      workerData: { ...options, signals },
      execArgv: ['--require', require.resolve('tsx/cjs')],
    });
    const greeting = await awaitOpen(worker, events.log);
    return new Engine(worker, new Int32Array(signals), events, greeting);
  }

  get isBusy(): boolean {
    return this.current !== undefined || this.waiting.length > 0;
  }

  /** Bytes that were sent and that the database has not taken yet. */
  get backlog(): number {
    return this.backlogBytes;
  }

  get isIdle(): boolean {
    return this.work === 'idle' && this.backlogBytes === 0;
  }

  /** Whether it waits for more rows of a COPY. */
  get awaitsInput(): boolean {
    return this.work === 'awaiting-input' && this.backlogBytes === 0;
  }

  /** Asks for a turn; `granted` is called when it begins, perhaps at once. */
  request(client: TurnClient): void {
    this.waiting.push(client);
    this.grantNext();
  }

  release(client: TurnClient): void {
    if (this.current === client) this.current = undefined;
    this.grantNext();
  }

  async untilIdle(): Promise<void> {
    if (!this.isBusy) return;
    await new Promise<void>((resolve) => {
      this.emptied = resolve;
    });
  }

  input(bytes: Uint8Array): void {
    this.backlogBytes += bytes.length;
    // A copy of its own: sent as it is, it would take along the whole buffer that it is a part of.
    const own = new Uint8Array(bytes);
    this.post({ kind: 'input', bytes: own }, [own.buffer]);
  }

  /** Says that `bytes` of the output have left (or will never leave) this process. */
  acknowledge(bytes: number): void {
    Atomics.sub(this.signals, Signal.outputBytes, bytes);
    Atomics.notify(this.signals, Signal.outputBytes);
  }

  /** Closes the database cleanly: the next start has nothing to recover. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.closed = resolve;
      this.post({ kind: 'close' });
    });
    await this.worker.terminate();
  }

  private grantNext(): void {
    if (this.current !== undefined) return;
    this.current = this.waiting.shift();
    if (!this.current) this.emptied?.();
    else {
      this.turnsGranted += 1;
      this.current.granted();
    }
  }

  private post(message: EngineInput, transfer: ArrayBuffer[] = []): void {
    this.worker.postMessage(message, transfer);
    Atomics.add(this.signals, Signal.input, 1);
    Atomics.notify(this.signals, Signal.input);
  }

  private receive(message: EngineOutput): void {
    switch (message.kind) {
      case 'output':
        this.current?.answer(Buffer.from(message.bytes.buffer));
        break;
      case 'consumed':
        this.backlogBytes -= message.bytes;
        this.advance('reading');
        break;
      case 'awaiting-input':
      case 'idle':
        this.advance(message.kind);
        break;
      case 'log':
        this.events.log(message.line);
        break;
      case 'closed':
        this.closed?.();
        break;
      case 'died':
        this.events.died(message.reason);
        break;
    }
  }

  private advance(work: 'reading' | 'awaiting-input' | 'idle'): void {
    this.work = work;
    if (this.backlogBytes === 0) this.current?.advance();
  }
}

/** Waits until the database is open. @returns its greeting for clients */
async function awaitOpen(worker: Worker, log: EngineEvents['log']): Promise<Buffer> {
  const faults: string[] = [];
  for await (const event of on(worker, 'message', { close: ['exit'] })) {
    const message: EngineOutput = event[0];
    if (message.kind === 'ready') return Buffer.from(message.greeting);
    if (message.kind === 'died') faults.push(message.reason);
    if (message.kind !== 'log') break;
    log(message.line);
    // PostgreSQL's own words say more than that it could not be started.
    const fault = /\b(?:FATAL|PANIC|DETAIL|HINT): +(.*)/.exec(message.line)?.[1];
    if (fault) faults.push(fault);
  }
  throw new Error(faults.join('; ') || 'its thread ended');
}
