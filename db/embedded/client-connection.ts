import type { Socket } from 'node:net';
import * as wire from './wire-protocol';

const FRAME_BYTES_MAX = 256 * 1024 * 1024;

/** Whole messages of one client that may wait for a turn before its socket is no longer read. */
const WAITING_BYTES_MAX = 1024 * 1024;

const REQUEST_CODE_AT = 4;
const REQUEST_BYTES_MIN = 8;

/** One client's socket: the startup exchange, then whole messages, which `Session` handles. */
export abstract class ClientConnection {
  /** The name in the client's startup packet; a mere probe for a listener sends none. */
  applicationName: string | undefined;
  protected gone = false;
  private readonly reader = new wire.FrameReader(FRAME_BYTES_MAX);
  private peeked: wire.Frame | undefined;
  private stallTimer: NodeJS.Timeout | undefined;
  private unsent = 0;

  constructor(
    protected readonly socket: Socket,
    /** A client that holds the database without using it, or without reading its answers, for so long loses it. */
    protected readonly holdIdleMs: number,
    private readonly onStarted: () => void,
    private readonly onLeft: () => void,
  ) {
    socket.on('data', (chunk) => this.receive(chunk));
    socket.on('error', () => socket.destroy());
    socket.on('end', () => this.leave());
    socket.on('close', () => this.leave());
  }

  abstract advance(): void;

  /** Rolls back whatever the client began. */
  protected abstract undo(): void;

  /** Tells a client that waits for the database. */
  notice(message: string): void {
    if (this.applicationName !== undefined && !this.gone) this.socket.write(wire.notice(message));
  }

  fail(sqlState: string, message: string): void {
    if (this.gone) return;
    this.socket.end(wire.errorResponse('FATAL', sqlState, message));
    this.leave();
  }

  /** The next whole message, which stays until `shift`. */
  protected peek(): wire.Frame | undefined {
    this.peeked ??= this.read(() => this.reader.next());
    // No more is read while whole messages can't be sent on; an unfinished one is completed, whatever its size.
    const isFull = this.peeked !== undefined && this.reader.buffered > WAITING_BYTES_MAX;
    if (isFull) this.socket.pause();
    else this.socket.resume();
    return this.peeked;
  }

  protected shift(): void {
    this.peeked = undefined;
  }

  /** Sends to the client; `sent` is called once the bytes are sent or the client is gone. */
  protected reply(bytes: Buffer, sent: () => void): void {
    this.unsent += 1;
    this.watchReader();
    this.socket.write(bytes, () => {
      this.unsent -= 1;
      this.watchReader();
      sent();
    });
  }

  protected leave(): void {
    if (this.gone) return;
    this.gone = true;
    clearTimeout(this.stallTimer);
    this.undo();
    this.onLeft();
  }

  private receive(chunk: Buffer): void {
    if (this.gone) return;
    this.reader.push(chunk);
    if (this.applicationName === undefined) this.start();
    this.advance();
    if (this.applicationName !== undefined) this.peek();
  }

  /** What `take` finds; nothing if its length is out of bounds: then the client is told, and reading stops. */
  private read(take: () => wire.Frame | undefined): wire.Frame | undefined {
    try {
      return take();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      // Deferred: the session that asks is in the middle of its work.
      setImmediate(() => this.fail('08P01', error.message));
      return undefined;
    }
  }

  private start(): void {
    const next = () => this.read(() => this.reader.nextStartup());
    for (let packet = next(); packet; packet = next()) {
      const code = packet.length < REQUEST_BYTES_MIN ? 0 : packet.readInt32BE(REQUEST_CODE_AT);
      if (code === wire.RequestCode.ssl || code === wire.RequestCode.gssEncryption) {
        this.socket.write('N');
        continue;
      }
      // The one backend can't be interrupted, so a request to cancel is accepted and has no effect.
      if (code === wire.RequestCode.cancel) this.socket.destroy();
      else if (code >>> 16 !== 3) this.fail('0A000', 'only version 3 of the protocol is spoken here');
      else {
        this.applicationName = wire.applicationNameIn(packet);
        this.onStarted();
      }
      return;
    }
  }

  /** A client that does not read its answers keeps the database from all others. */
  private watchReader(): void {
    clearTimeout(this.stallTimer);
    if (this.unsent > 0) this.stallTimer = setTimeout(() => this.socket.destroy(), this.holdIdleMs);
  }
}
