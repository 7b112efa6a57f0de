import { PUBLIC_PREFIXES } from '../../api/paths';
import { useService } from '../support/service';

/** CORS: which pages of other origins may read the answers of which addresses. */
const PAGE = 'https://shop.example';
const ASK = { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'authorization' };

const preflight = (url: string, path: string, origin = PAGE) =>
  fetch(url + path, { method: 'OPTIONS', headers: { Origin: origin, ...ASK } });
const originsOf = (answer: Response) => answer.headers.get('Access-Control-Allow-Origin');
const listOf = (answer: Response, name: string) => (answer.headers.get(name) ?? '').split(/, ?/);

describe('without CORS_ORIGINS', () => {
  const service = useService();

  test('no answer may be read by a page of another origin, and OPTIONS is a method like any unknown one', async () => {
    const asked = await preflight(service.url, '/v3/catalog/query');
    expect(asked.status).toBe(405);
    expect(originsOf(asked)).toBeNull();
    const answer = await service.api.send('POST', '/v3/catalog/query', {
      body: {},
      headers: { Origin: PAGE },
    });
    expect(answer.headers.has('Access-Control-Allow-Origin')).toBe(false);
  });
});

// contract 12.5
describe('with a list of origins', () => {
  const service = useService({ CORS_ORIGINS: `${PAGE}, http://localhost:5173` });

  test.each(PUBLIC_PREFIXES)(
    '%s answers a preflight without a key, with methods, headers and an age',
    async (path) => {
      for (const origin of [PAGE, 'http://localhost:5173']) {
        const answer = await preflight(service.url, `${path}/anything`, origin);
        expect(answer.status).toBe(204);
        expect(originsOf(answer)).toBe(origin);
        expect(listOf(answer, 'Access-Control-Allow-Methods')).toEqual(['GET', 'HEAD', 'POST', 'DELETE']);
        expect(listOf(answer, 'Access-Control-Allow-Headers')).toEqual(
          expect.arrayContaining(['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Request-Id']),
        );
        expect(Number(answer.headers.get('Access-Control-Max-Age'))).toBeGreaterThan(0);
        expect(answer.headers.get('Access-Control-Allow-Credentials')).toBeNull();
        expect(answer.headers.get('Vary')).toContain('Origin');
      }
    },
  );

  test('successes and refusals tell the page what it may read', async () => {
    for (const key of [service.key.key, 'nobody']) {
      const answer = await fetch(`${service.url}/v3/catalog/query`, {
        method: 'POST',
        headers: { Origin: PAGE, Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: '{}',
      });
      expect(answer.status).toBe(key === 'nobody' ? 401 : 200);
      expect(originsOf(answer)).toBe(PAGE);
      expect(listOf(answer, 'Access-Control-Expose-Headers')).toEqual(
        expect.arrayContaining([
          'X-Request-Id',
          'X-Credits-Used',
          'X-Credits-Remaining',
          'RateLimit-Limit',
          'RateLimit-Remaining',
          'RateLimit-Reset',
          'Retry-After',
          'X-Prediction-Id',
        ]),
      );
    }
  });

  test('another origin is told nothing', async () => {
    for (const origin of ['https://shop.example.evil.example', 'http://shop.example', 'null']) {
      expect(originsOf(await preflight(service.url, '/v3/catalog/query', origin))).toBeNull();
    }
  });

  test.each(['/healthz', '/readyz', '/metrics', '/queues', '/openapi.json', '/docs', '/'])(
    '%s is not opened',
    async (path) => {
      const answer = await fetch(service.url + path, { headers: { Origin: PAGE } });
      expect(originsOf(answer)).toBeNull();
      expect(originsOf(await preflight(service.url, path))).toBeNull();
    },
  );

  test('OPTIONS that is no preflight is a method that the address does not have', async () => {
    const answer = await fetch(`${service.url}/v3/catalog/query`, { method: 'OPTIONS' });
    expect(answer.status).toBe(405);
  });
});

describe('with *', () => {
  const service = useService({ CORS_ORIGINS: '*' });

  test('every origin may read the API, without credentials', async () => {
    const answer = await preflight(service.url, '/v3/catalog/query');
    expect(answer.status).toBe(204);
    expect(originsOf(answer)).toBe('*');
    expect(answer.headers.get('Access-Control-Allow-Credentials')).toBeNull();
    expect(originsOf(await fetch(`${service.url}/metrics`, { headers: { Origin: PAGE } }))).toBeNull();
  });
});
