/**
 * The thread of PGlite. It reads and writes like a PostgreSQL backend on a blocking socket: it waits for more rows of a COPY,
 * and for answers to be read, so neither a huge import nor a huge answer is ever whole in memory.
 */
import { fsyncSync } from 'node:fs';
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { type EngineInput, type EngineOptions, type EngineOutput, Signal } from './engine';
import { startup } from './wire-protocol';

type Backend = PGlite['Module'];

/** The thread pauses while this much of its answers waits for a client to read. */
const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;

/** Answers leave the thread in pieces of at most this size. */
const OUTPUT_CHUNK_BYTES = 64 * 1024;

/** PGlite's status when the backend leaves a statement by an error: the one exception after which it goes on. */
const STATEMENT_FAILED = 100;

class BlockingConnection {
  private input: Uint8Array = new Uint8Array(0);
  private inputRead = 0;
  private output = new Uint8Array(OUTPUT_CHUNK_BYTES);
  private outputBytes = 0;

  constructor(
    private readonly backend: Backend,
    private readonly port: MessagePort,
    private readonly signals: Int32Array,
  ) {
    backend._pgl_set_rw_cbs(
      backend.addFunction((ptr, bytesMax) => this.read(ptr, bytesMax), 'ipi'),
      backend.addFunction((ptr, bytes) => this.write(ptr, bytes), 'ipi'),
    );
  }

  /** Runs all messages in `bytes`, and those that they make the backend wait for. */
  run(bytes: Uint8Array): void {
    this.take(bytes);
    try {
      while (this.inputRead < this.input.length || this.backend._pq_buffer_remaining_data() > 0) {
        this.runOneMessage();
      }
      this.backend._PostgresSendReadyForQueryIfNecessary();
      this.backend._pgl_pq_flush();
    } finally {
      this.flush();
    }
    this.post({ kind: 'idle' });
  }

  private runOneMessage(): void {
    const stack = this.backend.stackSave();
    try {
      this.backend._PostgresMainLoopOnce();
    } catch (error) {
      this.backend.stackRestore(stack);
      if (!(error instanceof Object && 'status' in error && error.status === STATEMENT_FAILED)) throw error;
      this.backend._PostgresMainLongJmp();
    }
  }

  private take(bytes: Uint8Array): void {
    this.input = bytes;
    this.inputRead = 0;
  }

  private read(ptr: number, bytesMax: number): number {
    if (this.inputRead === this.input.length) this.awaitInput();
    const bytes = this.input.subarray(this.inputRead, this.inputRead + bytesMax);
    this.backend.HEAPU8.set(bytes, ptr);
    this.inputRead += bytes.length;
    if (this.inputRead === this.input.length) this.post({ kind: 'consumed', bytes: this.input.length });
    return bytes.length;
  }

  private awaitInput(): void {
    this.flush();
    this.post({ kind: 'awaiting-input' });
    for (;;) {
      const seen = Atomics.load(this.signals, Signal.input);
      const received = receiveMessageOnPort(this.port);
      if (received) {
        const message: EngineInput = received.message;
        if (message.kind === 'close') throw new Error('closed within a turn');
        this.take(message.bytes);
        return;
      }
      Atomics.wait(this.signals, Signal.input, seen);
    }
  }

  private write(ptr: number, bytes: number): number {
    // The heap may have grown and moved since the last call: take it anew each time.
    let from = this.backend.HEAPU8.subarray(ptr, ptr + bytes);
    while (from.length > 0) {
      const part = from.subarray(0, OUTPUT_CHUNK_BYTES - this.outputBytes);
      this.output.set(part, this.outputBytes);
      this.outputBytes += part.length;
      from = from.subarray(part.length);
      if (this.outputBytes === OUTPUT_CHUNK_BYTES) this.flush();
    }
    return bytes;
  }

  private flush(): void {
    if (this.outputBytes === 0) return;
    this.awaitReaders();
    const bytes = this.output.slice(0, this.outputBytes);
    this.outputBytes = 0;
    Atomics.add(this.signals, Signal.outputBytes, bytes.length);
    this.post({ kind: 'output', bytes }, [bytes.buffer]);
  }

  private awaitReaders(): void {
    for (;;) {
      const outstanding = Atomics.load(this.signals, Signal.outputBytes);
      if (outstanding < OUTPUT_BYTES_MAX) return;
      Atomics.wait(this.signals, Signal.outputBytes, outstanding);
    }
  }

  private post(message: EngineOutput, transfer: ArrayBuffer[] = []): void {
    this.port.postMessage(message, transfer);
  }
}

/** Settings that fit the one process into a service's machine: a small log and little memory. */
const SERVER_SETTINGS = {
  shared_buffers: '64MB',
  max_wal_size: '128MB',
  min_wal_size: '32MB',
  // Failing statements are their callers' business: they are told, and the host's log stays readable.
  log_min_messages: 'log',
  log_checkpoints: 'off',
} as const;

/** Small segments of the log: a new cluster is copied and kept with one of them. */
const INITDB_PARAMETERS = ['--wal-segsize=4'];

async function openDatabase(
  { folder, durable }: EngineOptions,
  log: (line: string) => void,
): Promise<PGlite> {
  const settings = Object.entries(SERVER_SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const database = await PGlite.create({
    dataDir: folder,
    extensions: { vector },
    initDbStartParams: INITDB_PARAMETERS,
    startParams: [...PGlite.defaultStartParams.filter((given) => !(durable && given === '-F')), ...settings],
    onStderr: (line) => {
      log(line);
      return false;
    },
  });
  if (durable) makeFsyncReal(database);
  return database;
}

/** Emscripten's file system has no fsync and quietly succeeds: a commit would not survive a loss of power. */
function makeFsyncReal(database: PGlite): void {
  const { NODEFS } = database.Module.FS.filesystems as unknown as {
    NODEFS: { stream_ops: { fsync?: (stream: { nfd?: number }) => number } };
  };
  NODEFS.stream_ops.fsync = ({ nfd }) => {
    if (nfd !== undefined) fsyncSync(nfd);
    return 0;
  };
}

async function serve(port: MessagePort, options: EngineOptions): Promise<void> {
  const post = (message: EngineOutput) => port.postMessage(message);
  const fail = (error: unknown) => {
    const reason = reasonOf(error);
    post({ kind: 'log', line: error instanceof Error ? (error.stack ?? reason) : reason });
    post({ kind: 'died', reason });
    port.close();
  };
  try {
    const database = await openDatabase(options, (line) => post({ kind: 'log', line }));
    const greeting = await database.execProtocolRaw(startup({ user: 'postgres', database: 'postgres' }));
    post({ kind: 'ready', greeting: greeting.slice() });
    const connection = new BlockingConnection(database.Module, port, new Int32Array(options.signals));
    port.on('message', (message: EngineInput) => {
      if (message.kind === 'input') {
        try {
          connection.run(message.bytes);
        } catch (error) {
          fail(error);
        }
        return;
      }
      database.close().then(() => {
        post({ kind: 'closed' });
        port.close();
      }, fail);
    });
  } catch (error) {
    fail(error);
  }
}

const NO_SPACE = 51;

/** What went wrong, in words: PGlite's file system throws objects with a number of WASI. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  if (!(error instanceof Object && 'errno' in error)) return String(error);
  return error.errno === NO_SPACE
    ? 'no space is left on its disk'
    : `its files fail (WASI error ${error.errno})`;
}

if (parentPort) void serve(parentPort, workerData as EngineOptions);
