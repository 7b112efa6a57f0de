import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface ServerProxy {
  readonly url: string;
  /** Breaks every connection and refuses new ones. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  connections(): number;
  /** Answers a Redis command of this name with an error, as the server would; until called with null. */
  refuse(command: string, error: string | null): void;
}

export async function openServerProxy(serverUrl: string): Promise<ServerProxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const refused = new Map<string, string>();
  let server = await listen(0);
  const { port } = server.address() as AddressInfo;
  const url = new URL(serverUrl);
  url.host = `127.0.0.1:${port}`;

  let connections = 0;
  function forward(from: Socket): void {
    connections += 1;
    const to = connect(Number(target.port || 6379), target.hostname);
    for (const [socket, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    to.pipe(from);
    from.on('data', (sent) => {
      const name = /^\*\d+\r\n\$\d+\r\n(\w+)\r\n/.exec(sent.toString('latin1'))?.[1];
      const error = refused.get(name?.toLowerCase() ?? '');
      if (error === undefined) to.write(sent);
      else from.write(`-${error}\r\n`);
    });
  }

  async function listen(onPort: number): Promise<Server> {
    const listening = createServer(forward).listen(onPort, '127.0.0.1');
    await once(listening, 'listening');
    return listening;
  }

  return {
    url: url.toString(),
    cut: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    connections: () => connections,
    refuse: (command, error) => {
      if (error === null) refused.delete(command);
      else refused.set(command, error);
    },
    mend: async () => {
      server = await listen(port);
    },
  };
}
