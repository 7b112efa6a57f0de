import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import {
  type EngineInput,
  type EngineOptions,
  type EngineOutput,
  SIGNAL_BYTES,
  Signal,
} from './engine-messages';
import { Backend, type Frame, frames, typeOf } from './wire-protocol';

/** Who gets the answers of an engine. */
export interface EngineUser {
  output(bytes: Buffer): void;
  /** All input was read, or all that it asked is done, or it waits for more within it. */
  advanced(): void;
}

/** What the host is told of its engine. `died` is the last that is heard of it. */
export interface EngineEvents {
  log(line: string): void;
  died(reason: string): void;
}

/** The database in its thread: bytes of the wire protocol in, bytes out, both with back pressure. */
export class Engine {
  private backlogBytes = 0;
  /** What the database said last of its work on the input. */
  private work: 'reading' | 'hungry' | 'rested' = 'rested';
  private isClosed = false;
  private closed: (() => void) | undefined;
  private user: EngineUser | undefined;

  private constructor(
    private readonly worker: Worker,
    private readonly signals: Int32Array,
    private readonly events: EngineEvents,
    /** What the database says to a client that connects, up to its key. */
    readonly greeting: Buffer,
  ) {
    worker.on('message', (message: EngineOutput) => this.receive(message));
    worker.on('error', (error) => events.died(error.stack ?? error.message));
    worker.on('exit', () => {
      if (!this.isClosed) events.died('its thread ended');
    });
  }

  /** Opens the database; @throws Error with its reason if it can't be opened. */
  static async start(options: Omit<EngineOptions, 'signals'>, events: EngineEvents): Promise<Engine> {
    const signals = new SharedArrayBuffer(SIGNAL_BYTES);
    const worker = new Worker(join(__dirname, 'engine-thread.ts'), { workerData: { ...options, signals } });
    const greeting = await opened(worker, events.log);
    return new Engine(worker, new Int32Array(signals), events, greeting);
  }

  /** Names the one who sends the input and gets the output. */
  attach(user: EngineUser): void {
    this.user = user;
  }

  /** Bytes that were sent and that the database did not take yet. */
  get backlog(): number {
    return this.backlogBytes;
  }

  /** Whether all that was sent is done. */
  get isResting(): boolean {
    return this.work === 'rested' && this.backlogBytes === 0;
  }

  /** Whether it waits within a COPY for more than was sent. */
  get isHungry(): boolean {
    return this.work === 'hungry' && this.backlogBytes === 0;
  }

  /** Sends whole messages of one turn. */
  input(bytes: Uint8Array): void {
    this.backlogBytes += bytes.length;
    // A copy of its own: sent as it is, the whole buffer that it is a part of would go along.
    const own = new Uint8Array(bytes);
    this.post({ kind: 'input', bytes: own }, [own.buffer]);
  }

  /** Says that `bytes` of the output have left (or will never leave) this process. */
  acknowledge(bytes: number): void {
    Atomics.sub(this.signals, Signal.outputBytes, bytes);
    Atomics.notify(this.signals, Signal.outputBytes);
  }

  /** Closes the database as it should be: nothing is to be recovered at the next start. */
  async close(): Promise<void> {
    this.isClosed = true;
    await new Promise<void>((resolve) => {
      this.closed = resolve;
      this.post({ kind: 'close' });
    });
    await this.worker.terminate();
  }

  private post(message: EngineInput, transfer: ArrayBuffer[] = []): void {
    this.worker.postMessage(message, transfer);
    Atomics.add(this.signals, Signal.input, 1);
    Atomics.notify(this.signals, Signal.input);
  }

  private advance(work: 'reading' | 'hungry' | 'rested'): void {
    this.work = work;
    if (this.backlogBytes === 0) this.user?.advanced();
  }

  private receive(message: EngineOutput): void {
    switch (message.kind) {
      case 'output':
        this.user?.output(Buffer.from(message.bytes.buffer));
        break;
      case 'consumed':
        this.backlogBytes -= message.bytes;
        this.advance('reading');
        break;
      case 'hungry':
      case 'rested':
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
      case 'ready':
        break;
    }
  }
}

/** Waits until the database is open: what it says to a client that connects. */
function opened(worker: Worker, log: EngineEvents['log']): Promise<Buffer> {
  const faults: string[] = [];
  return new Promise<Buffer>((resolve, reject) => {
    worker.on('error', reject);
    worker.on('message', function opening(message: EngineOutput) {
      if (message.kind === 'log') {
        log(message.line);
        // PostgreSQL's own words say more than that it could not be started.
        const fault = /\b(?:FATAL|PANIC|DETAIL|HINT): +(.*)/.exec(message.line)?.[1];
        if (fault) faults.push(fault);
        return;
      }
      worker.off('message', opening);
      worker.off('error', reject);
      if (message.kind === 'ready') {
        resolve(Buffer.concat(frames(Buffer.from(message.greeting)).filter(isForEveryClient)));
      } else {
        if (message.kind === 'died') faults.push(message.reason);
        reject(new Error(faults.join('; ')));
      }
    });
  });
}

/** Not so the key and the first ReadyForQuery, which each connection has of its own. */
const isForEveryClient = (message: Frame): boolean =>
  typeOf(message) !== Backend.keyData && typeOf(message) !== Backend.readyForQuery;
