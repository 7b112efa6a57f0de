import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { LoupeClient } from '../../api/client/loupe-client';
import { mcpServer, messageBytesMax } from './mcp-server';

/** Serves the tools to the program that started this one, with one key, until its input ends. */
export function serveMcpOverStdio({ baseUrl, imageBytesMax }: McpService, key: string): void {
  const maxBufferSize = messageBytesMax(imageBytesMax);
  serveStdio(
    () => mcpServer({ client: new LoupeClient({ baseUrl, key }), imageBytesMax, readsFiles: true }),
    {
      transport: new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize }),
    },
  );
}

export interface McpService {
  readonly baseUrl: string;
  readonly imageBytesMax: number;
}

/** Each request has its own key in Authorization. Web pages are kept out, also by DNS rebinding. @throws when the port can't be opened */
export async function serveMcpOverHttp({ baseUrl, imageBytesMax, port }: McpService & { port: number }) {
  const limit = { maxRequestBodySize: messageBytesMax(imageBytesMax) };
  const handler = createMcpHandler(({ requestInfo }) => {
    const key = keyOf(requestInfo?.headers.get('authorization')) ?? '';
    return mcpServer({ client: new LoupeClient({ baseUrl, key }), imageBytesMax, readsFiles: false });
  }, limit);
  const serve = toNodeHandler(handler, limit);
  const [isHostOurs, isOriginOurs] = [localhostHostValidation(), localhostOriginValidation()];
  const server = createServer((request, response) => {
    if (!isHostOurs(request, response) || !isOriginOurs(request, response)) return;
    if (keyOf(request.headers.authorization) === null) {
      response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end();
      return;
    }
    // Its type is one without exact optional properties.
    void serve(request as Parameters<typeof serve>[0], response);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const keyOf = (header: string | null | undefined): string | null =>
  /^Bearer (\S+)$/i.exec(header ?? '')?.[1] ?? null;
