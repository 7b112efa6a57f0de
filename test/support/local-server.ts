import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo, Server as TcpServer } from 'node:net';

/** Has a server listen on a port of its own, on this machine alone; resolves to `host:port`. */
export async function listening(server: TcpServer): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return addressOf(server);
}

/** `host:port` of a server that listens. */
export const addressOf = (server: TcpServer): string => `127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Ends its connections too, whatever they wait for. */
export async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}
