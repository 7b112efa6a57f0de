import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** contract 7.5: a photo's host proves the name that the caller wrote, even where its address is allowed. */
const pemOf = (name: string) => join(__dirname, 'ssrf', `${name}.pem`);
const asked: unknown[] = [];
let servers: Server[];

beforeAll(async () => {
  // Each file holds a certificate for localhost that signs itself, and its key.
  servers = ['trusted', 'unknown'].map((name) => {
    const pem = readFileSync(pemOf(name));
    return createServer({ cert: pem, key: pem }, (_request, response) => response.end('photo'));
  });
  for (const server of servers) {
    server.on('tlsClientError', () => undefined);
    server.on('secureConnection', (socket) => asked.push(socket.servername));
    server.listen(0, 'localhost');
    await once(server, 'listening');
  }
});

afterAll(async () => {
  for (const server of servers) server.close();
});

async function fetched(urls: readonly string[]): Promise<unknown> {
  const script = join(__dirname, 'ssrf/fetch-addresses.ts');
  const { stdout } = await promisify(execFile)(process.execPath, ['--require', 'tsx/cjs', script, ...urls], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: pemOf('trusted') },
  });
  return JSON.parse(stdout);
}

test('a host with a certificate for another name, or from an untrusted issuer, is unreachable', async () => {
  const [known, stranger] = servers.map((server) => server.address() as AddressInfo);
  if (!known || !stranger) throw new Error('two servers listen');
  const byNumber = known.family === 'IPv6' ? `[${known.address}]` : known.address;
  expect(
    await fetched([
      `https://localhost:${known.port}/`,
      `https://${byNumber}:${known.port}/`,
      `https://localhost:${stranger.port}/`,
      `http://localhost:${known.port}/`,
    ]),
  ).toEqual(['photo', 'url_unreachable', 'url_unreachable', 'url_unreachable']);
  expect(asked[0]).toBe('localhost');
});
