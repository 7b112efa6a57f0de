import { request } from 'node:http';
import { connect } from 'node:net';
import { useService } from '../support/service';

/** contract 11.1: what never becomes a request is answered like every other error. */
const service = useService();

describe('what is hardly HTTP', () => {
  /** The whole answer to bytes written to the socket. */
  const raw = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(service.url);
      let answer = '';
      const socket = connect(Number(port), hostname, () => socket.end(text));
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        answer += chunk;
      });
      socket.on('close', () => resolve(answer)).on('error', reject);
    });

  test.each([
    [
      'headers over 16 KiB',
      `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(17_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    [
      'a request line over 16 KiB',
      `GET /${'a'.repeat(17_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    ['no HTTP at all', 'HELLO\r\n\r\n', 400, 'bad_request'],
    ['no Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'bad_request'],
    [
      'two lengths',
      'POST /v3/catalog/query HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'bad_request',
    ],
  ])('%s is refused as JSON', async (_what, text, status, error) => {
    const answer = await raw(text);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/\r\nX-Request-Id: [\w.-]{8,}/i);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ success: false, error });
  });

  test('a body that is no chunk where one was announced is refused as JSON', async () => {
    const answer = await raw(
      `POST /v3/catalog/query HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key.key}\r\n` +
        'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer.match(/HTTP\/1.1 /g)).toHaveLength(1);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ error: 'bad_request' });
  });

  test('an expectation that nobody knows is no reason to refuse', async () => {
    const answer = await raw(
      'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: patience\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(answer).toMatch(/\r\nX-Request-Id: /i);
  });

  test('a large header under 16 KiB is taken', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'X-Long': 'a'.repeat(15_000) };
      request(`${service.url}/healthz`, { headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(200);
  });
});
