import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export type ServerProxy = Awaited<ReturnType<typeof openServerProxy>>;

export async function openServerProxy(serverUrl: string) {
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
    /** Breaks every connection and refuses new ones. */
    cut: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    /** Loses what is sent over the connections that are open, as a firewall that forgot them; new ones work. */
    drop: () => {
      for (const socket of sockets) socket.unpipe().removeAllListeners('data').resume();
    },
    connections: () => connections,
    /** Answers a Redis command of this name with an error, as the server would; until called with null. */
    refuse: (command: string, error: string | null) => {
      if (error === null) refused.delete(command);
      else refused.set(command, error);
    },
    mend: async () => {
      server = await listen(port);
    },
  };
}
