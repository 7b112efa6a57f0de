import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A way to a server that a test can cut and mend. */
export interface ServerProxy {
  readonly url: string;
  /** Breaks every connection and refuses new ones. */
  cut(): Promise<void>;
  mend(): Promise<void>;
}

/** Opens a proxy in front of a server with an address of its own (host and port). */
export async function openServerProxy(serverUrl: string): Promise<ServerProxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let server = await listen(0);
  const { port } = server.address() as AddressInfo;
  const url = new URL(serverUrl);
  url.host = `127.0.0.1:${port}`;

  function forward(from: Socket): void {
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
      socket.pipe(other);
    }
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
    mend: async () => {
      server = await listen(port);
    },
  };
}
