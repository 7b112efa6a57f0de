import { randomInt } from 'node:crypto';
import type { Socket } from 'node:net';
import { Session, type SessionLimits, type SessionPeer } from './session';
import type { TurnQueue } from './turn-queue';
import {
  backendKeyData,
  errorResponse,
  type Frame,
  FrameReader,
  notice,
  RequestCode,
  readyForQuery,
  startupParameters,
} from './wire-protocol';

export interface ConnectionLimits extends SessionLimits {
  /** A longer message is refused. */
  readonly frameBytesMax: number;
  /** Whole messages of one client that may wait for a turn before its socket is no longer read. */
  readonly waitingBytesMax: number;
}

const REQUEST_CODE_AT = 4;
const REQUEST_BYTES_MIN = 8;

let nextSession = 1;

/** One client's socket: the startup exchange, then a session. */
export class ClientConnection implements SessionPeer {
  private parameters: ReadonlyMap<string, string> | undefined;
  private readonly reader: FrameReader;
  private hasLeft = false;
  private session: Session | undefined;
  private peeked: Frame | undefined;
  private stallTimer: NodeJS.Timeout | undefined;
  private unsent = 0;

  constructor(
    private readonly socket: Socket,
    private readonly limits: ConnectionLimits,
    /** The client has said who it is. */
    private readonly onStarted: () => void,
    /** The client is no more; told once. */
    private readonly onLeft: () => void,
  ) {
    this.reader = new FrameReader(limits.frameBytesMax);
    socket.on('data', (chunk) => this.receive(chunk));
    socket.on('error', () => socket.destroy());
    socket.on('end', () => this.leave());
    socket.on('close', () => this.leave());
  }

  /** Whether the startup packet has come; a mere look whether somebody listens never sends one. */
  get isStarted(): boolean {
    return this.parameters !== undefined;
  }

  /** A parameter of the startup packet. */
  parameter(name: string): string | undefined {
    return this.parameters?.get(name);
  }

  /** Tells the client that it may query. */
  openSession(turns: TurnQueue, greeting: Buffer): void {
    if (!this.isStarted || this.hasLeft || this.session) return;
    const id = nextSession++;
    const key = backendKeyData(id, randomInt(1, 2 ** 31));
    this.socket.write(Buffer.concat([greeting, key, readyForQuery()]));
    this.session = new Session(this, turns, this.limits, id);
    this.session.advance();
  }

  /** Tells a client that waits for the database. */
  notice(message: string): void {
    if (this.isStarted && !this.hasLeft) this.socket.write(notice(message));
  }

  /** Ends the connection with an error. */
  fail(sqlState: string, message: string): void {
    if (this.hasLeft) return;
    this.socket.end(errorResponse('FATAL', sqlState, message));
    this.leave();
  }

  peek(): Frame | undefined {
    this.peeked ??= this.read(() => this.reader.next());
    // Whole messages that can't be sent on are not joined by more; an unfinished one is completed, whatever its size.
    const isFull = this.peeked !== undefined && this.reader.buffered > this.limits.waitingBytesMax;
    if (isFull) this.socket.pause();
    else this.socket.resume();
    return this.peeked;
  }

  shift(): void {
    this.peeked = undefined;
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

  end(reason: 'terminated' | 'idle' | 'unknown message'): void {
    switch (reason) {
      case 'terminated':
        this.socket.end();
        this.leave();
        break;
      case 'idle':
        this.fail('25P03', `idle within a transaction for over ${this.limits.holdIdleMs} ms: rolled back`);
        break;
      case 'unknown message':
        this.fail('08P01', 'a message of a type that the protocol does not have');
        break;
    }
  }

  private receive(chunk: Buffer): void {
    if (this.hasLeft) return;
    this.reader.push(chunk);
    if (!this.isStarted) this.start();
    this.session?.advance();
    if (this.isStarted) this.peek();
  }

  /** What `take` finds; nothing if its length is out of bounds, and then nobody reads on: the client is told. */
  private read(take: () => Frame | undefined): Frame | undefined {
    try {
      return take();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      // Not at once: the session that asks is in the midst of its work.
      setImmediate(() => this.fail('08P01', error.message));
      return undefined;
    }
  }

  private start(): void {
    const next = () => this.read(() => this.reader.nextStartup());
    for (let packet = next(); packet; packet = next()) {
      const code = packet.length < REQUEST_BYTES_MIN ? 0 : packet.readInt32BE(REQUEST_CODE_AT);
      if (code === RequestCode.ssl || code === RequestCode.gssEncryption) {
        this.socket.write('N');
        continue;
      }
      // The one backend can't be interrupted, so a request to cancel is heard and comes to nothing.
      if (code === RequestCode.cancel) this.socket.destroy();
      else if (code >>> 16 !== 3) this.fail('0A000', 'only version 3 of the protocol is spoken here');
      else {
        this.parameters = startupParameters(packet);
        this.onStarted();
      }
      return;
    }
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
    this.onLeft();
  }
}
