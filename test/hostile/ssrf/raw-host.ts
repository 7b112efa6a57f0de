import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** What a host does with a connection once it has read a request. */
export type Behaviour = (socket: Socket, request: string) => void;

/** A TCP server that says what it likes, since a well-behaved HTTP server can't lie. */
export class RawHost {
  connections = 0;
  /** Head of each request, as it came. */
  readonly requests: string[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  private constructor(behaviour: Behaviour) {
    this.server = createServer((socket) => {
      this.connections += 1;
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket)).on('error', () => undefined);
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
    raw.server.listen(port, host);
    await once(raw.server, 'listening');
    return raw;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** The path of a request, without its leading slash. */
export const pathOf = (request: string): string => (request.split(' ')[1] ?? '/').slice(1);

/** A whole answer; the body may be anything. */
export function respond(
  socket: Socket,
  status: string,
  headers: readonly string[],
  body: string | Buffer = '',
): void {
  socket.write(
    `HTTP/1.1 ${[status, ...headers, `Content-Length: ${Buffer.byteLength(body)}`].join('\r\n')}\r\n\r\n`,
  );
  socket.end(body);
}
