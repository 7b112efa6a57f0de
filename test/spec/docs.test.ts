import { useService } from '../support/service';

/** contract 14.4: the readable reference. */
const service = useService();
const get = (path: string, headers: Record<string, string> = {}) =>
  service.anybody.send('GET', path, { headers });

// contract 14.4
test('/docs is a page that may run, load and reach nothing but its own service', async () => {
  const { status, headers, text } = await get('/docs');
  expect(status).toBe(200);
  expect(headers.get('Content-Type')).toMatch(/^text\/html/);
  const policy = headers.get('Content-Security-Policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy.replace(/img-src [^;]*/, '')).not.toMatch(/unsafe|\*|https?:|data:|blob:/);
  expect(text).not.toMatch(/https?:\/\/|<script>|<style>|\son\w+=|\sstyle=/);
});

test('what the page needs is here, under addresses that change with their content', async () => {
  const { text } = await get('/docs');
  const addresses = [...text.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, address]) => address);
  expect(addresses).toHaveLength(5);
  for (const address of addresses) {
    const { status, headers } = await get(`/${address}`, { 'Accept-Encoding': 'gzip' });
    expect([address, status]).toEqual([address, 200]);
    expect(address).toMatch(/-[0-9a-f]{12}\.(js|css|svg)$/);
    expect(headers.get('Content-Type')).toMatch(/^(text\/(javascript|css)|image\/svg\+xml)/);
    expect(headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('Content-Encoding')).toBe('gzip');
  }
});

test('its address with a slash leads to the one without, below any path', async () => {
  const { status, headers } = await get('/docs/');
  expect([status, headers.get('Location')]).toEqual([308, '../docs']);
});

test.each(['/docs/swagger-ui-000000000000.js', '/docs/..%2fpackage.json'])(
  '%s is a 404 like any other',
  async (path) => {
    expect(await get(path)).toMatchObject({ status: 404, body: { error: 'not_found' } });
  },
);
