import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  INVALID_REQUEST,
  PARSE_ERROR,
  parseJSONRPCMessage,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { LoupeClient } from '../../api/client/loupe-client';
import { badRequest } from '../../models/errors';
import type { ReadLine } from '../../models/ports';
import { readLines, TOO_LONG } from '../import/read-lines';
import { mcpServer, messageBytesMax } from './mcp-server';

/** Serves the tools to the program that started this one, with one key, until its input ends. @throws AppError for a message over the limit */
export async function serveMcpOverStdio({ baseUrl, imageBytesMax }: McpService, key: string): Promise<void> {
  const unread = new PassThrough();
  const wire = new StdioServerTransport(unread, process.stdout);
  serveStdio(
    () => mcpServer({ client: new LoupeClient({ baseUrl, key }), imageBytesMax, readsFiles: true }),
    { transport: wire },
  );
  try {
    for await (const lines of readLines(process.stdin, messageBytesMax(imageBytesMax)))
      for (const line of lines) deliver(line, wire);
  } finally {
    unread.end();
  }
}

/** The SDK's reader takes seconds for a photo, and ignores what is no JSON or no message, such as a batch: its client would wait. */
function deliver(line: ReadLine<unknown>, wire: StdioServerTransport): void {
  const refuse = (code: number, message: string) =>
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })}\n`);
  if ('reason' in line) {
    if (line.reason.startsWith(TOO_LONG)) throw badRequest(`A message is ${line.reason}.`);
    return void refuse(PARSE_ERROR, 'Parse error: each line must be one message as JSON, in UTF-8.');
  }
  try {
    wire.onmessage?.(parseJSONRPCMessage(line.record));
  } catch {
    refuse(INVALID_REQUEST, 'Invalid request: send one message of JSON-RPC 2.0, no batch.');
  }
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
