import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Server as TcpServer } from 'node:net';
import { text } from 'node:stream/consumers';

/** Has a server listen on a port of its own, on this machine alone; resolves to `host:port`. */
export async function listening(server: TcpServer): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return addressOf(server);
}

export const addressOf = (server: TcpServer): string => `127.0.0.1:${(server.address() as AddressInfo).port}`;

export async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

/** Serves during the tests of a file or block. @param listens is told `host:port` before they begin */
export function useServer(listener: RequestListener, listens: (address: string) => void = () => undefined) {
  const server = createServer(listener);
  beforeAll(async () => listens(await listening(server)));
  afterAll(() => closed(server));
  return server;
}

export interface ReceivedMessage {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Reply = number | readonly [status: number, headers: Record<string, string>];
type Behaviour = (message: ReceivedMessage) => Reply | Promise<Reply>;

export class WebhookReceiver {
  readonly received: ReceivedMessage[] = [];
  #behaviour: Behaviour = () => 204;
  readonly #server: Server = createServer(async (req, res) => {
    const message = { path: req.url ?? '', headers: req.headers, body: await text(req) };
    this.received.push(message);
    this.#server.emit('received');
    const reply = await this.#behaviour(message);
    const [status, headers] = typeof reply === 'number' ? [reply, {}] : reply;
    res.writeHead(status, headers).end();
  });

  /** `host:port`, once it listens. */
  get address(): string {
    return addressOf(this.#server);
  }

  listen(): Promise<string> {
    return listening(this.#server);
  }

  answers(behaviour: Behaviour): void {
    this.#behaviour = behaviour;
  }

  /** Resolves once this many messages have reached a path. */
  async has(count: number, path: string): Promise<ReceivedMessage[]> {
    while (this.to(path).length < count) await once(this.#server, 'received');
    return this.to(path);
  }

  to(path: string): ReceivedMessage[] {
    return this.received.filter((each) => each.path === path);
  }

  close(): Promise<void> {
    return closed(this.#server);
  }
}
