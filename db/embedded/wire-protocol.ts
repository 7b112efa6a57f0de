/**
 * What the embedded host must understand of PostgreSQL's wire protocol, version 3: framing, its own messages, message types.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */

/** One message with its type byte and length, as it travels. The startup packet has no type byte. */
export type Frame = Buffer;

export const Frontend = {
  bind: 'B',
  close: 'C',
  copyData: 'd',
  copyDone: 'c',
  copyFail: 'f',
  describe: 'D',
  execute: 'E',
  flush: 'H',
  functionCall: 'F',
  parse: 'P',
  query: 'Q',
  sync: 'S',
  terminate: 'X',
} as const;

const Backend = { error: 'E', notice: 'N', readyForQuery: 'Z' } as const;

/** Request codes that stand where a startup packet has its protocol version. */
export const RequestCode = { cancel: 80877102, ssl: 80877103, gssEncryption: 80877104 } as const;

const HEADER_BYTES = 5;

export const typeOf = (frame: Frame): string => String.fromCharCode(frame[0] ?? 0);

export function frame(type: string, body: Uint8Array = new Uint8Array(0)): Frame {
  const message = Buffer.allocUnsafe(HEADER_BYTES + body.length);
  message.write(type, 0, 'latin1');
  message.writeInt32BE(body.length + 4, 1);
  message.set(body, HEADER_BYTES);
  return message;
}

export const query = (sql: string): Frame => frame(Frontend.query, Buffer.from(`${sql}\0`));

export function startup(parameters: Readonly<Record<string, string>>): Buffer {
  const pairs = Object.entries(parameters).map(([name, value]) => `${name}\0${value}\0`);
  const body = Buffer.from(`${pairs.join('')}\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(body.length + 8, 0);
  head.writeInt32BE(3 << 16, 4);
  return Buffer.concat([head, body]);
}

/** The `application_name` in a whole startup packet; empty if there is none. */
export function applicationNameIn(packet: Buffer): string {
  const parts = packet.toString('utf8', 8).split('\0');
  for (let i = 0; i + 1 < parts.length && parts[i] !== ''; i += 2) {
    if (parts[i] === 'application_name') return parts[i + 1] ?? '';
  }
  return '';
}

/** What a client needs to know of an error: SQLSTATE and text; `FATAL` ends the connection. */
export const errorResponse = (severity: 'ERROR' | 'FATAL', sqlState: string, message: string): Frame =>
  frame(Backend.error, Buffer.from(`S${severity}\0V${severity}\0C${sqlState}\0M${message}\0\0`));

export const notice = (message: string): Frame =>
  frame(Backend.notice, Buffer.from(`SNOTICE\0VNOTICE\0C00000\0M${message}\0\0`));

/** Cuts a stream of bytes into whole messages; holds no more than one unfinished message beside what was not taken. */
export class FrameReader {
  private chunks: Buffer[] = [];
  private bytes = 0;

  /** `frameBytesMax`: a longer message is refused before its bytes are gathered. */
  constructor(private readonly frameBytesMax: number) {}

  /** Bytes that were pushed and not yet taken. */
  get buffered(): number {
    return this.bytes;
  }

  push(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.bytes += chunk.length;
  }

  /** The next whole message, or undefined until more bytes come. @throws RangeError on a length out of bounds. */
  next(): Frame | undefined {
    return this.take(1);
  }

  /** The next whole startup packet: a length without a type byte before it. */
  nextStartup(): Buffer | undefined {
    return this.take(0);
  }

  private take(lengthOffset: 0 | 1): Buffer | undefined {
    if (this.bytes < lengthOffset + 4) return undefined;
    const length = this.head(lengthOffset + 4).readInt32BE(lengthOffset);
    if (length < 4 || length > this.frameBytesMax) {
      throw new RangeError(`a message of ${length} bytes, outside 4 to ${this.frameBytesMax}`);
    }
    const total = lengthOffset + length;
    if (this.bytes < total) return undefined;
    const taken = this.head(total);
    this.drop(taken, total);
    return taken.subarray(0, total);
  }

  /** The first chunk, joined with as many after it as `bytes` needs. */
  private head(bytes: number): Buffer {
    const first = this.chunks[0] ?? Buffer.alloc(0);
    if (first.length >= bytes) return first;
    let count = 0;
    for (let gathered = 0; gathered < bytes; count += 1) gathered += this.chunks[count]?.length ?? 0;
    const joined = Buffer.concat(this.chunks.slice(0, count));
    this.chunks.splice(0, count, joined);
    return joined;
  }

  private drop(first: Buffer, bytes: number): void {
    this.bytes -= bytes;
    if (first.length === bytes) this.chunks.shift();
    else this.chunks[0] = first.subarray(bytes);
  }
}

const READY_BYTES = 6;
const READY = Backend.readyForQuery.charCodeAt(0);

/** Walks over the database's answers and finds each ReadyForQuery, also across chunks, copying nothing between. */
export class ReadyScanner {
  /** The beginning of a message whose header is in the next chunk. */
  private partial: Buffer = Buffer.alloc(0);
  /** Bytes of the next chunks that belong to a message already looked at. */
  private skip = 0;

  /** The status of each ReadyForQuery that ends in `chunk`: I outside a transaction, T in one, E in a failed one. */
  scan(chunk: Buffer): string[] {
    const statuses: string[] = [];
    const bytes = this.partial.length > 0 ? Buffer.concat([this.partial, chunk]) : chunk;
    let at = this.skip;
    while (at + HEADER_BYTES <= bytes.length) {
      const isReady = bytes[at] === READY;
      if (isReady && at + READY_BYTES > bytes.length) break;
      if (isReady) statuses.push(String.fromCharCode(bytes[at + HEADER_BYTES] ?? 0));
      at += 1 + bytes.readInt32BE(at + 1);
    }
    this.skip = Math.max(0, at - bytes.length);
    this.partial = this.skip > 0 ? Buffer.alloc(0) : Buffer.from(bytes.subarray(at));
    return statuses;
  }
}
