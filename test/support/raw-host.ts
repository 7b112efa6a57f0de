import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

type Behaviour = (socket: Socket, head: string) => void;

/** A TCP server that says what it likes, since a well-behaved HTTP server can't lie. */
export class RawHost {
  connections = 0;
  readonly requests: string[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  private constructor(behaviour: Behaviour) {
    this.#server = createServer((socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket)).on('error', () => undefined);
      let head = '';
      socket.setEncoding('latin1').on('data', (chunk: string) => {
        head += chunk;
        if (!head.includes('\r\n\r\n')) return;
        this.requests.push(head);
        behaviour(socket, head);
        head = '';
      });
    });
  }

  /** @throws when the address does not exist here, such as `::1` on a machine without IPv6 */
  static async listen(host: string, behaviour: Behaviour, port = 0): Promise<RawHost> {
    const raw = new RawHost(behaviour);
    raw.#server.listen(port, host);
    await once(raw.#server, 'listening');
    return raw;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

export const pathOf = (head: string): string => (head.split(' ')[1] ?? '/').slice(1);

/** What a host does, in latin1. */
export interface LyingHost {
  /** `ITSELF` stands for the path of the request, `GZIP_BOMB` for a body that inflates a thousandfold. */
  readonly sends?: string;
  /** Sent again and again for as long as anybody listens; `LONG` stands for 4,000 bytes. */
  readonly pours?: string;
  readonly everyMs?: number;
  /** How the connection continues when nothing is sent endlessly; by default it ends. */
  readonly end?: 'wait' | 'reset';
}

const GZIP_BOMB = gzipSync(Buffer.alloc(5_000_000)).toString('latin1');

export function lie({ sends = '', pours, everyMs = 1, end }: LyingHost, socket: Socket, head: string): void {
  const text = sends.replace('GZIP_BOMB', () => GZIP_BOMB).replace('ITSELF', `/${pathOf(head)}`);
  socket.write(text, 'latin1');
  if (pours !== undefined) {
    const bytes = pours.replace('LONG', 'x'.repeat(4000));
    const timer = setInterval(() => socket.write(bytes), everyMs);
    socket.on('close', () => clearInterval(timer));
  } else if (end === 'reset') setImmediate(() => socket.resetAndDestroy());
  else if (end !== 'wait') socket.end();
}
