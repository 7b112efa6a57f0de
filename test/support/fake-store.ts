import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A server that is none: it says to each connection what it was told to. */
export interface FakeStore {
  readonly port: number;
  close(): Promise<void>;
}

async function listen(talk: (socket: Socket) => void): Promise<FakeStore> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    talk(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function frame(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

const int16 = (value: number): Buffer => {
  const buffer = Buffer.alloc(2);
  buffer.writeInt16BE(value);
  return buffer;
};

const int32 = (value: number): Buffer => {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32BE(value);
  return buffer;
};

type Value = string | number | boolean | null;

function rowFrames(row: Readonly<Record<string, Value>>): Buffer {
  const fields = Object.entries(row).map(([name, value]) => {
    const type = typeof value === 'number' ? 23 : typeof value === 'boolean' ? 16 : 25;
    const tail = [int32(0), int16(0), int32(type), int16(-1), int32(-1), int16(0)];
    return Buffer.concat([Buffer.from(`${name}\0`), ...tail]);
  });
  const cells = Object.values(row).map((value) => {
    if (value === null) return int32(-1);
    const text = Buffer.from(typeof value === 'boolean' ? (value ? 't' : 'f') : String(value));
    return Buffer.concat([int32(text.length), text]);
  });
  return Buffer.concat([
    frame('T', Buffer.concat([int16(fields.length), ...fields])),
    frame('D', Buffer.concat([int16(cells.length), ...cells])),
    frame('C', Buffer.from('SELECT 1\0')),
  ]);
}

const READY = frame('Z', Buffer.from('I'));

/** A PostgreSQL that lets everybody in and answers each statement with one row. */
export const postgresWith = (row: Readonly<Record<string, Value>>): Promise<FakeStore> =>
  listen((socket) => {
    socket.once('data', () => {
      socket.write(Buffer.concat([frame('R', int32(0)), READY]));
      socket.on('data', (bytes) => {
        if (bytes.subarray(0, 1).toString() === 'Q') socket.write(Buffer.concat([rowFrames(row), READY]));
      });
    });
  });

/** A PostgreSQL that answers whoever comes with an error. */
export const postgresRefusing = (code: string, message: string): Promise<FakeStore> =>
  listen((socket) => {
    socket.once('data', () => socket.end(frame('E', Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`))));
  });

/** A server that answers the first word of whoever comes with these bytes. */
export const answering = (bytes: string): Promise<FakeStore> =>
  listen((socket) => socket.once('data', () => socket.end(bytes)));

/** A Redis that answers each command by its name, in RESP; `+OK` where nothing is said. */
export const redisWith = (replies: Readonly<Record<string, string>>): Promise<FakeStore> =>
  listen((socket) => {
    socket.on('data', (bytes) => {
      const commands = bytes.toString().match(/\*\d+\r\n\$\d+\r\n\w+/g) ?? [];
      for (const command of commands) {
        const name = command.slice(command.lastIndexOf('\n') + 1).toLowerCase();
        socket.write(`${replies[name] ?? replies['*'] ?? '+OK'}\r\n`);
      }
    });
  });
