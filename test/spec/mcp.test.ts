import { writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { processEnvironment } from '../../scripts/config';
import { LOUPE_ARGUMENTS, REPOSITORY_ROOT } from '../../scripts/lab/service-processes';
import { serveMcpOverHttp } from '../../scripts/mcp/serve-mcp';
import { runLoupe } from '../support/run-loupe';
import { useService } from '../support/service';
import { temporaryFolder } from '../support/temporary-folder';

/** contract 14.13: the tools of `loupe mcp`, called as the SDK's own client calls them. */
const service = useService();
const BIRKIN = 'product_birkin_croc';
const clients: Client[] = [];
let server: Server;
let url: string;
const folder = temporaryFolder();

beforeAll(async () => {
  ({ server, url } = await serveMcpOverHttp({ baseUrl: service.url, imageBytesMax: 2 ** 20, port: 0 }));
});

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
});

async function overHttp(key: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  clients.push(client);
  return client;
}

async function overStdio(key: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...LOUPE_ARGUMENTS, 'mcp'],
    cwd: REPOSITORY_ROOT,
    env: { PATH: processEnvironment()['PATH'] ?? '', LOUPE_URL: service.url, LOUPE_API_KEY: key },
  });
  await client.connect(transport);
  clients.push(client);
  return client;
}

/** What a tool answers: its JSON, and whether it is a refusal. */
async function called(client: Client, name: string, parameters: Record<string, unknown>) {
  const { content, isError, structuredContent } = await client.callTool({ name, arguments: parameters });
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  const answer = text.startsWith('{') ? JSON.parse(text) : null;
  return { isError: isError === true, text, answer, structuredContent };
}

describe.each([
  ['over HTTP', overHttp],
  ['over stdio', overStdio],
])('the tools %s', (_how, connect) => {
  test('are identify, search, look_up and similar', async () => {
    const { tools } = await (await connect(service.key.key)).listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(['identify', 'look_up', 'search', 'similar']);
  });

  test('have a title, bounds and the form of their answers', async () => {
    const client = await connect(service.key.key);
    expect(client.getInstructions()).toContain('identify');
    const { tools } = await client.listTools();
    for (const { title, inputSchema, outputSchema } of tools) {
      expect([typeof title, inputSchema]).toEqual([
        'string',
        expect.objectContaining({ additionalProperties: false }),
      ]);
      expect(outputSchema).toMatchObject({ type: 'object', properties: { data: { type: 'array' } } });
    }
    const properties = Object.assign({}, ...tools.map((tool) => tool.inputSchema.properties));
    expect(properties).toMatchObject({
      photos: { minItems: 1, maxItems: 5 },
      ids: { minItems: 1, maxItems: 100 },
      query: { maxLength: 512 },
      page: { minimum: 0 },
      page_size: { minimum: 1 },
      size: { minimum: 1 },
      filters: { maxItems: 100 },
    });
  });

  test('give the answer as data that has that form', async () => {
    const client = await connect(service.key.key);
    // The client checks what it is given against the form that it was told.
    await client.listTools();
    const found = await called(client, 'search', { query: 'birkin', includes: ['taxonomy', 'pricing'] });
    expect(found.structuredContent).toEqual(found.answer);
    const rows = await called(client, 'look_up', { ids: [BIRKIN, 'product_none'] });
    expect(rows.structuredContent).toEqual(rows.answer);
  });

  test.each<[string, string, Record<string, unknown>]>([
    ['an unknown argument', 'search', { querry: 'birkin' }],
    ['one of another tool', 'look_up', { ids: [BIRKIN], query: 'birkin' }],
    ['one in a filter', 'search', { filters: [{ field: 'brand', includes: ['a'] }] }],
    ['one in a photo', 'identify', { photos: [{ url: 'https://example.org/a.jpg', region: {} }] }],
    ['two photos in one', 'identify', { photos: [{ url: 'https://example.org/a.jpg', base64: 'AAAA' }] }],
    ['six photos', 'identify', { photos: Array(6).fill({ url: 'https://example.org/a.jpg' }) }],
    ['an address that is no web address', 'identify', { photos: [{ url: 'file:///etc/passwd' }] }],
    ['a negative page', 'search', { page: -1 }],
    ['no ids', 'look_up', { ids: [] }],
    ['an id that is no text', 'similar', { id: 7 }],
  ])('refuse %s, free', async (_case, tool, parameters) => {
    const { key, accountId } = await service.newKey({ credits: 100 });
    const refused = await called(await connect(key), tool, parameters);
    expect(refused.isError).toBe(true);
    expect(refused.text).toMatch(/argument|invalid/i);
    expect(await service.creditsBooked(accountId)).toBe(0);
  });

  test('answer what the API answers, and charge the caller for it', async () => {
    const { key, accountId } = await service.newKey({ credits: 100 });
    const client = await connect(key);
    const found = await called(client, 'search', { query: 'birkin', includes: [] });
    const { body } = await service.api.query({ query: 'birkin', includes: [] });
    expect(found.answer.data).toEqual(body.data);
    const rows = await called(client, 'look_up', { ids: [BIRKIN, 'product_none'], includes: [] });
    expect(rows.answer.not_found).toEqual(['product_none']);
    const alike = await called(client, 'similar', { id: BIRKIN, size: 3 });
    expect(alike.answer).toMatchObject({ success: true });
    expect(await service.creditsBooked(accountId)).toBe(
      found.answer.credits_used + rows.answer.credits_used + alike.answer.credits_used,
    );
  });

  test('identify photos, and say by which name feedback on that goes', async () => {
    await service.sees([BIRKIN, 0.01]);
    const base64 = (await service.photo()).toString('base64');
    const photos = [{ base64 }, { base64: `data:image/png;base64,${base64}` }];
    const { answer } = await called(await connect(service.key.key), 'identify', { photos });
    expect(answer.data[0]).toMatchObject({ id: BIRKIN, confidence: expect.any(Number) });
    expect(await service.prediction(answer.predictionId)).not.toBeNull();
  });

  test('tell the model what the service refuses, and why', async () => {
    const client = await connect(service.key.key);
    expect(await called(client, 'similar', { id: 'product_none' })).toMatchObject({
      isError: true,
      answer: { error: 'not_found' },
    });
    expect(await called(client, 'search', { category_id: 'shoes' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('category_id'),
    });
    const poor = await connect((await service.newKey({ credits: 0 })).key);
    expect(await called(poor, 'search', {})).toMatchObject({
      isError: true,
      answer: { error: 'insufficient_credits' },
    });
  });

  test('do nothing for a key that is not known', async () => {
    const stranger = await connect(`lpk_${'0'.repeat(40)}`);
    const { isError, answer, text } = await called(stranger, 'search', {});
    expect([isError, answer.error]).toEqual([true, 'unauthorized']);
    expect(text).not.toContain('lpk_');
  });
});

test('over stdio a photo may be a file; over HTTP no file of this machine is read', async () => {
  await service.sees([BIRKIN, 0.01]);
  const path = join(folder, 'photo.png');
  await writeFile(path, await service.photo());
  const photos = [{ path }];
  const here = await called(await overStdio(service.key.key), 'identify', { photos });
  expect(here.answer.data[0]?.id).toBe(BIRKIN);
  const missing = [{ path: join(folder, 'none.png') }];
  const none = await called(await overStdio(service.key.key), 'identify', { photos: missing });
  expect([none.isError, none.text]).toEqual([true, expect.stringContaining('none.png')]);
  const there = await called(await overHttp(service.key.key), 'identify', { photos });
  expect([there.isError, there.text]).toEqual([true, expect.stringMatching(/photos/)]);
});

describe('over HTTP', () => {
  /** The status of a request as a page might have it sent. */
  const statusWith = (headers: Record<string, string>): Promise<number> =>
    new Promise((resolve, reject) => {
      const sent = request(url, { method: 'POST', headers, setHost: !('Host' in headers) }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      });
      sent.on('error', reject);
      sent.end('{}');
    });

  test('nobody is answered without a key', async () => {
    expect(await statusWith({})).toBe(401);
    expect(await statusWith({ Authorization: 'Basic YTpi' })).toBe(401);
  });

  test('only this machine is answered, and no page that came to it by another name', async () => {
    expect((server.address() as AddressInfo).address).toBe('127.0.0.1');
    const Authorization = `Bearer ${service.key.key}`;
    expect(await statusWith({ Authorization, Host: 'attacker.example' })).toBe(403);
    expect(await statusWith({ Authorization, Origin: 'https://attacker.example' })).toBe(403);
    expect(await statusWith({ Authorization, Host: `localhost:${new URL(url).port}` })).not.toBe(403);
  });
});

test('without a key, or a service, the command says what to set', async () => {
  const settings = { DATA_DIR: folder, PORT: '0' };
  const keyless = await runLoupe(['mcp'], { ...settings, LOUPE_URL: service.url });
  expect(keyless).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('LOUPE_API_KEY') });
  const alone = await runLoupe(['mcp'], { ...settings, LOUPE_API_KEY: 'lpk_x' });
  expect(alone).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('LOUPE_URL') });
});
