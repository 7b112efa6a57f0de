import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A way to Redis that a test can cut and mend. */
export interface RedisProxy {
  readonly url: string;
  /** Breaks every connection and refuses new ones. */
  cut(): Promise<void>;
  mend(): Promise<void>;
}

/** Opens a proxy in front of a Redis. */
export async function openRedisProxy(redisUrl: string): Promise<RedisProxy> {
  const target = new URL(redisUrl);
  const sockets = new Set<Socket>();
  let server = await listen(0);
  const { port } = server.address() as AddressInfo;
  const url = new URL(redisUrl);
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
