import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, Worker } from 'node:worker_threads';

/** A server that throws every body away and refuses every call: what a flood costs whoever is asked. */
export interface BareServer {
  readonly url: string;
  stop(): Promise<unknown>;
}

/** Starts one in a thread of its own. */
export async function startBareServer(): Promise<BareServer> {
  const thread = new Worker(__filename, { execArgv: ['--require', require.resolve('tsx/cjs')] });
  const [port] = (await once(thread, 'message')) as [number];
  return { url: `http://127.0.0.1:${port}`, stop: () => thread.terminate() };
}

function serve(tell: (port: number) => void): void {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' }).end('{}');
  });
  server.listen(0, '127.0.0.1', () => tell((server.address() as AddressInfo).port));
}

const port = parentPort;
if (port) serve((number) => port.postMessage(number));
