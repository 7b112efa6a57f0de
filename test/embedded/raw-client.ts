import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { socketPath } from '../../db/embedded/run-folder';
import { type Frame, FrameReader, frame, startup, typeOf } from '../../db/embedded/wire-protocol';

export const text = (value: string): Buffer => Buffer.from(`${value}\0`);
export const parse = (sql: string): Frame =>
  frame('P', Buffer.concat([text(''), text(sql), Buffer.alloc(2)]));
export const bind = (): Frame => frame('B', Buffer.concat([text(''), text(''), Buffer.alloc(6)]));
export const execute = (): Frame => frame('E', Buffer.concat([text(''), Buffer.alloc(4)]));
export const flush = (): Frame => frame('H');
export const sync = (): Frame => frame('S');

/** The first value of each row among the messages. */
export const rowsIn = (messages: readonly Frame[]): string[] =>
  messages.filter((message) => typeOf(message) === 'D').map((message) => message.toString('utf8', 11));

/** A client that sends exactly the given messages, one by one. */
export class RawClient {
  private readonly reader = new FrameReader(1 << 20);
  private constructor(readonly socket: Socket) {
    socket.on('error', () => undefined);
  }

  static async open(socketFolder: string): Promise<RawClient> {
    const client = new RawClient(connect(socketPath(socketFolder)));
    client.send(startup({ user: 'postgres' }));
    await client.until('Z');
    return client;
  }

  send(...messages: Buffer[]): void {
    this.socket.write(Buffer.concat(messages));
  }

  /** All messages up to the first of `type`. */
  async until(type: string): Promise<Frame[]> {
    const seen: Frame[] = [];
    for (;;) {
      for (let next = this.reader.next(); next; next = this.reader.next()) {
        seen.push(next);
        if (typeOf(next) === type) return seen;
      }
      const [chunk] = await once(this.socket, 'data');
      this.reader.push(chunk);
    }
  }
}
