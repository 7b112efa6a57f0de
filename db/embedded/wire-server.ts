import { randomInt } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import type { Engine } from './engine';
import { Session, type SessionLimits, type SessionPeer } from './session';
import { TurnQueue } from './turn-queue';
import {
  backendKeyData,
  errorResponse,
  type Frame,
  FrameReader,
  RequestCode,
  readyForQuery,
  startupParameters,
} from './wire-protocol';

export interface WireServerLimits extends SessionLimits {
  /** A longer message is refused. */
  readonly frameBytesMax: number;
  /** Whole messages of one client that may wait for a turn before its socket is no longer read. */
  readonly waitingBytesMax: number;
}

/** The startup parameter by which a process asks the host to live as long as itself, and that it never queries. */
export const LEASE_PARAMETER = 'loupe_lease';

const BYTES_OF_CODE = 8;

/** Speaks the wire protocol with any number of clients over one database. */
export class WireServer {
  readonly server: Server;
  private readonly connections = new Set<Connection>();
  private turns: TurnQueue | undefined;
  private greeting: Buffer = Buffer.alloc(0);
  private stopping = false;

  /** `onEmpty` is called each time that the last client has left. */
  constructor(
    private readonly limits: WireServerLimits,
    private readonly onEmpty: () => void,
  ) {
    this.server = createServer({ allowHalfOpen: true }, (socket) => this.accept(socket));
  }

  /** Clients that have said who they are; a mere look whether somebody listens counts for nothing. */
  get clients(): number {
    return [...this.connections].filter((connection) => connection.isStarted).length;
  }

  /** Begins to answer; clients that connected before have waited for it. */
  serve(engine: Engine): TurnQueue {
    this.turns = new TurnQueue(engine);
    this.greeting = engine.greeting;
    for (const connection of this.connections) connection.openSession(this.turns, this.greeting);
    return this.turns;
  }

  /** Takes no more clients and resolves when the running turns have ended. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.turns?.idle();
  }

  /** Tells all clients that they must leave. */
  refuse(message: string): void {
    this.stopping = true;
    for (const connection of this.connections) connection.fail('57P03', message);
  }

  private accept(socket: Socket): void {
    const connection = new Connection(socket, this.limits, {
      started: () => {
        if (this.stopping) connection.fail('57P03', 'the embedded database is shutting down');
        else if (this.turns) connection.openSession(this.turns, this.greeting);
      },
      left: () => {
        this.connections.delete(connection);
        if (!connection.isStarted) socket.destroy();
        else if (this.clients === 0) this.onEmpty();
        // The last lease is closed by the end of this process, so that its owner can wait for it.
        else if (connection.isLease) socket.end();
      },
    });
    this.connections.add(connection);
  }
}

interface ConnectionEvents {
  /** The startup packet is complete. */
  started(): void;
  left(): void;
}

/** One client's socket: the startup exchange, then a session. */
class Connection implements SessionPeer {
  isLease = false;
  private readonly reader: FrameReader;
  isStarted = false;
  private hasLeft = false;
  private session: Session | undefined;
  private peeked: Frame | undefined;
  private stallTimer: NodeJS.Timeout | undefined;
  private unsent = 0;

  constructor(
    private readonly socket: Socket,
    private readonly limits: WireServerLimits,
    private readonly events: ConnectionEvents,
  ) {
    this.reader = new FrameReader(limits.frameBytesMax);
    socket.on('data', (chunk) => this.receive(chunk));
    socket.on('error', () => socket.destroy());
    socket.on('end', () => this.leave());
    socket.on('close', () => this.leave());
  }

  openSession(turns: TurnQueue, greeting: Buffer): void {
    if (!this.isStarted || this.hasLeft) return;
    const key = backendKeyData(randomInt(1, 2 ** 31), randomInt(1, 2 ** 31));
    this.socket.write(Buffer.concat([greeting, key, readyForQuery()]));
    this.session = new Session(this, turns, this.limits);
    this.session.advance();
  }

  fail(sqlState: string, message: string): void {
    this.socket.end(errorResponse('FATAL', sqlState, message));
    this.leave();
  }

  peek(): Frame | undefined {
    this.peeked ??= this.reader.next();
    return this.peeked;
  }

  shift(): void {
    this.peeked = undefined;
    if (this.reader.buffered <= this.limits.waitingBytesMax) this.socket.resume();
  }

  send(bytes: Buffer, sent: () => void): void {
    this.unsent += 1;
    this.watchReader();
    this.socket.write(bytes, () => {
      this.unsent -= 1;
      this.watchReader();
      sent();
    });
  }

  end(reason: 'terminated' | 'idle'): void {
    if (reason === 'idle') {
      return this.fail(
        '25P03',
        `the transaction was idle for over ${this.limits.holdIdleMs} ms and was rolled back`,
      );
    }
    this.socket.end();
    this.leave();
  }

  private receive(chunk: Buffer): void {
    if (this.hasLeft) return;
    this.reader.push(chunk);
    try {
      if (!this.isStarted) this.start();
      if (this.session) this.session.advance();
      this.holdBack();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.fail('08P01', error.message);
    }
  }

  private start(): void {
    for (let packet = this.reader.nextStartup(); packet; packet = this.reader.nextStartup()) {
      const code = packet.length >= BYTES_OF_CODE ? packet.readInt32BE(4) : 0;
      if (code === RequestCode.ssl || code === RequestCode.gssEncryption) {
        this.socket.write('N');
        continue;
      }
      if (code === RequestCode.cancel) return void this.socket.destroy();
      if (code >>> 16 !== 3) return this.fail('0A000', 'only version 3 of the protocol is spoken here');
      this.isLease = startupParameters(packet).has(LEASE_PARAMETER);
      this.isStarted = true;
      return this.events.started();
    }
  }

  /** Reads no further while whole messages wait: what has come is bounded, an unfinished message is completed. */
  private holdBack(): void {
    const full = this.reader.buffered > this.limits.waitingBytesMax;
    if (full && this.isStarted && this.peek()) this.socket.pause();
  }

  /** A client that does not read its answers keeps the database from all others. */
  private watchReader(): void {
    clearTimeout(this.stallTimer);
    if (this.unsent > 0) this.stallTimer = setTimeout(() => this.socket.destroy(), this.limits.holdIdleMs);
  }

  private leave(): void {
    if (this.hasLeft) return;
    this.hasLeft = true;
    clearTimeout(this.stallTimer);
    this.session?.leave();
    this.events.left();
  }
}
