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
  deserializeMessage,
  INVALID_REQUEST,
  PARSE_ERROR,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { LoupeClient } from '../../api/client/loupe-client';
import { badRequest } from '../../models/errors';
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
    for await (const lines of wholeLines(process.stdin, messageBytesMax(imageBytesMax))) {
      for (const line of lines.toString().split('\n')) if (line.trim() !== '') deliver(line, wire);
    }
  } finally {
    unread.end();
  }
}

/** Answers what is no JSON, or no message of MCP, such as a batch, as JSON-RPC prescribes; the SDK ignores it, and the client waits. */
function deliver(line: string, wire: StdioServerTransport): void {
  try {
    wire.onmessage?.(deserializeMessage(line));
  } catch (failure) {
    const error =
      failure instanceof SyntaxError
        ? { code: PARSE_ERROR, message: 'Parse error: each line must be one message as JSON.' }
        : { code: INVALID_REQUEST, message: 'Invalid request: send one message of JSON-RPC 2.0, no batch.' };
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error })}\n`);
  }
}

/** The transport's own reader joins and searches all that it holds at each chunk, which takes seconds for a photo. */
async function* wholeLines(input: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    const end = chunk.lastIndexOf('\n') + 1;
    if (end > 0) {
      yield Buffer.concat([...held, chunk.subarray(0, end)]);
      held = [];
      size = 0;
    }
    held.push(chunk.subarray(end));
    size += chunk.length - end;
    if (size > bytesMax) throw badRequest(`A message is larger than the limit of ${bytesMax} bytes.`);
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
