import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { childEnvironment, LOUPE_ARGUMENTS, REPOSITORY_ROOT } from '../../scripts/lab/service-processes';
import { serveMcpOverHttp } from '../../scripts/mcp/serve-mcp';
import { rawAnswer } from '../support/interrupted-calls';
import { listening } from '../support/local-server';
import { runLoupeHere } from '../support/run-loupe';
import { type TestKey, useService } from '../support/service';
import { temporaryFolder } from '../support/temporary-folder';

/** contract 14.13: the tools of `loupe mcp`, called as the SDK's own client calls them. */
const service = useService();
const BIRKIN = 'product_birkin_croc';
const clients: Client[] = [];
const folder = temporaryFolder();
let server: Server;
let url: string;
let payer: TestKey;

beforeAll(async () => {
  ({ server, url } = await serveMcpOverHttp({ baseUrl: service.url, imageBytesMax: 20 * 2 ** 20, port: 0 }));
  payer = await service.newKey({ credits: 1_000 });
});

afterAll(async () => {
  for (const client of clients) await client.close();
  server.closeAllConnections();
  server.close();
});

async function connected(transport: Parameters<Client['connect']>[0]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  clients.push(client);
  return client;
}

const overHttp = (key: string) => {
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  return connected(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
};

const overStdio = (key: string, address = service.url) =>
  connected(
    new StdioClientTransport({
      command: process.execPath,
      args: [...LOUPE_ARGUMENTS, 'mcp'],
      cwd: REPOSITORY_ROOT,
      env: childEnvironment({ LOUPE_URL: address, LOUPE_API_KEY: key }),
    }),
  );

async function called(client: Client, name: string, parameters: Record<string, unknown>) {
  const { content, isError, structuredContent } = await client.callTool({ name, arguments: parameters });
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  const answer = text.startsWith('{') ? JSON.parse(text) : null;
  return { isError: isError === true, text, answer, structuredContent };
}

const URL_PHOTO = { url: 'https://example.org/a.jpg' };
const REFUSED: readonly (readonly [tool: string, argument: Record<string, unknown>])[] = [
  ['search', { querry: 'birkin' }],
  ['search', { filters: [{ field: 'brand', includes: ['a'] }] }],
  ['look_up', { ids: [BIRKIN], query: 'birkin' }],
  ['identify', { photos: [{ ...URL_PHOTO, region: {} }] }],
  ['identify', { photos: Array(6).fill(URL_PHOTO) }],
  ['identify', { photos: [{ url: 'file:///etc/passwd' }] }],
  ['similar', { id: 7 }],
];

describe('the tools', () => {
  let client: Client;
  let local: Client;
  beforeAll(async () => {
    [client, local] = await Promise.all([overHttp(payer.key), overStdio(payer.key)]);
  });

  test('are identify, search, look_up and similar, each with a title, bounds and the schema of its answers', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(['identify', 'look_up', 'search', 'similar']);
    expect(client.getInstructions()).toContain('identify');
    for (const { title, inputSchema, outputSchema } of tools) {
      const strict = expect.objectContaining({ additionalProperties: false });
      expect([title, inputSchema]).toEqual([expect.any(String), strict]);
      expect(outputSchema).toMatchObject({ type: 'object', properties: { data: { type: 'array' } } });
    }
    const properties = Object.assign({}, ...tools.map((tool) => tool.inputSchema.properties));
    const photos = { minItems: 1, maxItems: 5 };
    expect(properties).toMatchObject({ photos, ids: { maxItems: 100 }, query: { maxLength: 512 } });
  });

  test('refuse unknown or wrong arguments, free of charge', async () => {
    const before = await service.creditsBooked(payer.accountId);
    const wrong = expect.stringMatching(/argument|invalid/i);
    for (const [tool, parameters] of REFUSED) {
      const { isError, text } = await called(client, tool, parameters);
      expect([parameters, isError, text]).toEqual([parameters, true, wrong]);
    }
    expect(await service.creditsBooked(payer.accountId)).toBe(before);
  });

  test('answer as the API does, in the declared form, and charge the caller', async () => {
    const before = await service.creditsBooked(payer.accountId);
    // The client checks what it receives against the declared form.
    await client.listTools();
    expect((await called(client, 'search', { page: 1e300 })).answer.page).toBe(1e300);
    const asked = { query: 'birkin', includes: [] };
    const found = await called(client, 'search', asked);
    expect(found.answer.data).toEqual((await service.api.query(asked)).body.data);
    const rows = await called(client, 'look_up', { ids: [BIRKIN, 'product_none'], includes: ['pricing'] });
    expect(rows.answer.not_found).toEqual(['product_none']);
    const alike = await called(client, 'similar', { id: BIRKIN, size: 3 });
    expect(alike.answer).toMatchObject({ success: true });
    for (const each of [found, rows]) expect(each.structuredContent).toEqual(each.answer);
    const used = [found, rows, alike].reduce((sum, { answer }) => sum + answer.credits_used, 0);
    expect(await service.creditsBooked(payer.accountId)).toBe(before + used);
  });

  test('identify photos, and name the prediction for feedback', async () => {
    await service.sees([BIRKIN, 0.01]);
    const base64 = service.photo.base64;
    const photos = [{ base64 }, { base64: `data:image/png;base64,${base64}` }];
    const { answer } = await called(client, 'identify', { photos });
    expect(answer.data[0]).toMatchObject({ id: BIRKIN, confidence: expect.any(Number) });
    expect(await service.prediction(answer.predictionId)).not.toBeNull();
  });

  test.each([
    ['HTTP', () => client],
    ['stdio', () => local],
  ])('let the service say that a photo is too large, over %s', async (_name, by) => {
    const base64 = Buffer.alloc(11 * 2 ** 20).toString('base64');
    const { answer } = await called(by(), 'identify', { photos: [{ base64 }] });
    expect(answer).toMatchObject({ error: 'payload_too_large' });
  });

  test('end, over stdio, at a message over the limit', async () => {
    const base64 = Buffer.alloc(45 * 2 ** 20).toString('base64');
    const calling = called(await overStdio(payer.key), 'identify', { photos: [{ base64 }] });
    await expect(calling).rejects.toThrow('Connection closed');
  });

  test('answer, over stdio, what is no message as JSON-RPC prescribes', async () => {
    const env = childEnvironment({ LOUPE_URL: service.url, LOUPE_API_KEY: 'lpk_x' });
    const child = spawn(process.execPath, [...LOUPE_ARGUMENTS, 'mcp'], { cwd: REPOSITORY_ROOT, env });
    child.stdin.end(Buffer.from('{"id": \n"\xff"\n[]\n\n{"id":1}\n', 'latin1'));
    const answers = (await text(child.stdout)).trimEnd().split('\n');
    const codes = answers.map((each) => JSON.parse(each)).map(({ id, error }) => [id, error.code]);
    expect(codes).toEqual([-32700, -32700, -32600, -32600].map((code) => [null, code]));
  });

  test('end their call of the service when they are cancelled', async () => {
    const hanging = createServer();
    const cancelled = await overStdio('lpk_x', `http://${await listening(hanging)}`);
    for (const [name, parameters] of [
      ['identify', { photos: [URL_PHOTO] }],
      ['search', {}],
      ['look_up', { ids: [BIRKIN] }],
      ['similar', { id: BIRKIN }],
    ] as const) {
      const cancel = new AbortController();
      const received = once(hanging, 'request') as Promise<[IncomingMessage]>;
      const calling = cancelled.callTool({ name, arguments: parameters }, { signal: cancel.signal });
      const [{ socket }] = await received;
      cancel.abort(new Error('cancelled'));
      await expect(calling).rejects.toThrow('cancelled');
      if (!socket.destroyed) await once(socket, 'close');
    }
    hanging.close();
  });

  test.each([
    ['similar', { id: 'product_none' }, 'not_found'],
    ['search', { category_id: 'shoes' }, 'category_id'],
    ['search', {}, 'insufficient_credits'],
  ])('tell the model what the service refuses, and why: %s %j', async (tool, parameters, reason) => {
    const poor = reason === 'insufficient_credits' && (await service.newKey({ credits: 0 })).key;
    const refused = await called(poor ? await overHttp(poor) : client, tool, parameters);
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining(reason) });
  });

  test('never repeat a key', async () => {
    const { text } = await called(await overHttp(`lpk_${'0'.repeat(40)}`), 'search', {});
    expect([text.includes('unauthorized'), text.includes('lpk_')]).toEqual([true, false]);
  });

  test('read a file of this machine only over stdio', async () => {
    await service.sees([BIRKIN, 0.01]);
    const path = join(folder, 'photo.png');
    await writeFile(path, service.photoBytes);
    const remote = await called(client, 'identify', { photos: [{ path }] });
    expect([remote.isError, remote.text]).toEqual([true, expect.stringMatching(/photos/)]);
    expect((await called(local, 'identify', { photos: [{ path }] })).answer.data[0]?.id).toBe(BIRKIN);
    const none = await called(local, 'identify', { photos: [{ path: join(folder, 'none.png') }] });
    expect([none.isError, none.text]).toEqual([true, expect.stringContaining('none.png')]);
  });
});

test('over HTTP only callers with a key on this machine are answered, and no page from another host name', async () => {
  const statusWith = async (headers: Record<string, string>) =>
    (await rawAnswer(url, { method: 'POST', headers, setHost: !('Host' in headers) }, '{}')).status;
  expect(await statusWith({})).toBe(401);
  expect(await statusWith({ Authorization: 'Basic YTpi' })).toBe(401);
  expect((server.address() as AddressInfo).address).toBe('127.0.0.1');
  const Authorization = `Bearer ${service.key.key}`;
  expect(await statusWith({ Authorization, Host: 'attacker.example' })).toBe(403);
  expect(await statusWith({ Authorization, Origin: 'https://attacker.example' })).toBe(403);
  expect(await statusWith({ Authorization, Host: `localhost:${new URL(url).port}` })).not.toBe(403);
});

test('without a key, or a service, the command says what to set', async () => {
  const settings = { DATA_DIR: folder, PORT: '0' };
  const keyless = await runLoupeHere(['mcp'], { ...settings, LOUPE_URL: service.url });
  const alone = await runLoupeHere(['mcp'], { ...settings, LOUPE_API_KEY: 'lpk_x' });
  expect(keyless).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('LOUPE_API_KEY') });
  expect(alone).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('LOUPE_URL') });
});
