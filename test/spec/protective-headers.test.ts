import { useService } from '../support/service';

/** Headers that every answer has for browsers. */
const service = useService();

// contract 14.4
test.each(['/healthz', '/v3/account', '/docs', '/'])(
  'no other site frames %s, by any of the two headers, and plain HTTP promises no TLS',
  async (path) => {
    const { headers } = await service.anybody.send('GET', path, {
      headers: { 'X-Forwarded-Proto': 'https' },
    });
    expect(headers.get('X-Frame-Options')).toBe('DENY');
    expect(headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('Strict-Transport-Security')).toBeNull();
  },
);

describe('behind a proxy that ends TLS', () => {
  const proxied = useService({ TRUST_PROXY: '1' });

  test('answers that went over TLS promise it, others do not', async () => {
    const promised = async (protocol: string) => {
      const headers = { 'X-Forwarded-Proto': protocol };
      return (await proxied.anybody.send('GET', '/healthz', { headers })).headers.get(
        'Strict-Transport-Security',
      );
    };
    expect(await promised('https')).toMatch(/^max-age=\d{8}/);
    expect(await promised('http')).toBeNull();
  });
});
