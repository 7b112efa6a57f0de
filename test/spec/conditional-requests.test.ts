import { once } from 'node:events';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { buildOpenApi } from '../../api/ops/openapi/document';
import { RECORD_SCHEMAS } from '../../scripts/import/record-lines';
import { useService } from '../support/service';

/** contract 12.3: a request with conditions is answered in full, at every address that is read. */
const ADMIN_TOKEN = 'operator-token-of-32-characters-x';
const service = useService({ ADMIN_TOKEN });

const CONDITIONS: Readonly<Record<string, string>> = {
  'If-None-Match': '*',
  'If-Match': '"x"',
  'If-Modified-Since': new Date(Date.now() + 86_400_000).toUTCString(),
  'If-Unmodified-Since': new Date(0).toUTCString(),
  'If-Range': '*',
  Range: 'bytes=0-0',
};

const { paths } = buildOpenApi({ records: RECORD_SCHEMAS }) as { paths: Record<string, object> };
const READ = [...Object.keys(paths).filter((path) => Object.hasOwn(paths[path] ?? {}, 'get')), '/', '/docs'];
const IDS: Readonly<Record<string, string>> = {
  '/v3/catalog': 'product_birkin_croc',
  '/api/v3': 'product_birkin_croc',
};

/** `fetch` adds headers of its own to a conditional request. */
async function sent(url: URL, options: RequestOptions) {
  const call = request(url, options).end();
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  let bytes = 0;
  for await (const chunk of answer) bytes += (chunk as Buffer).length;
  return { status: answer.statusCode, headers: answer.headers, bytes };
}

// contract 12.3, 10.3
test.each(READ.filter((path) => path !== '/images/{file}'))('GET %s', async (path) => {
  const id = Object.entries(IDS).find(([start]) => path.startsWith(start))?.[1] ?? service.key.accountId;
  const url = new URL(path.replace('{id}', id).replaceAll(/\{\w+\}/g, 'x'), service.url);
  const key = path.startsWith('/admin')
    ? ADMIN_TOKEN
    : (await service.newKey({ scopes: ['catalog:read', 'catalog:write', 'vision:identify'] })).key;
  const call = (method: string, headers: object) =>
    sent(url, { method, headers: { Authorization: `Bearer ${key}`, ...headers } });
  const plain = await call('GET', {});

  for (const [name, value] of Object.entries(CONDITIONS)) {
    for (const headers of [{ [name]: value }, { [name]: value, 'If-None-Match': '*' }]) {
      const answer = await call('GET', headers);
      expect([name, answer.status, answer.headers['etag']]).toEqual([name, plain.status, undefined]);
      expect(answer.bytes > 0).toBe(plain.bytes > 0);
      expect(answer.headers['x-credits-used']).toBe(plain.headers['x-credits-used']);
      expect((await call('HEAD', headers)).status).toBe(plain.status);
    }
  }
});
