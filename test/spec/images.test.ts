import { get } from 'node:http';
import { unavailable } from '../../models/errors';
import { type ImageStore, PORTS } from '../../models/ports';
import { StoreFault } from '../../models/store-fault';
import { useService } from '../support/service';

/** contract 13.11, 13.12: pictures over HTTP. */
const CDN = 'https://cdn.example/shop';
const service = useService({ IMAGE_BASE_URL: CDN, PUBLIC_URL: 'https://shop.example' });

/** The path of a stored picture of the fixture. */
async function picture(): Promise<string> {
  const [row] = (await service.api.item('product_birkin_croc', '')).body.data;
  return new URL(row?.images[0] ?? '').pathname.replace('/shop', '');
}

// contract 13.11
test('addresses of pictures begin with IMAGE_BASE_URL in every version, those of price files do not', async () => {
  const stored = expect.stringMatching(new RegExp(`^${CDN}/images/[0-9a-f]{64}\\.png$`));
  const [row] = (await service.api.item('product_birkin_croc', 'pricing')).body.data;
  expect(row?.images).toEqual([stored]);
  expect(row?.thumbnails).toEqual([expect.stringContaining(`${CDN}/images/`)]);
  expect(JSON.stringify(row?.variants)).toContain('https://shop.example/files/pricing_data/');
  const legacy = await service.api.v2({ query: 'birkin croc' });
  expect(JSON.stringify(legacy.body)).toContain(`${CDN}/images/`);
  expect(JSON.stringify(legacy.body)).not.toContain('shop.example/images/');
});

// contract 13.5, 13.11
test('a picture is served byte for byte, for ever, runs nothing, and is not sent again to who has it', async () => {
  const path = await picture();
  const stored = await service.resolve<ImageStore>(PORTS.ImageStore).get(path);
  const answer = await fetch(`${service.url}${path}`);
  expect(Buffer.from(await answer.arrayBuffer()).equals(stored ?? Buffer.of())).toBe(true);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-length': String(stored?.length),
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': expect.stringContaining('sandbox'),
  });
  const head = await fetch(`${service.url}${path}`, { method: 'HEAD' });
  expect(head.headers.get('content-length')).toBe(String(stored?.length));
  const headers = { 'If-None-Match': answer.headers.get('etag') ?? '' };
  expect((await fetch(`${service.url}${path}`, { headers })).status).toBe(304);
});

test('a caller who leaves in the middle ends the reading of the store', async () => {
  const path = await picture();
  const ended = new Promise<void>((resolve) => {
    const images = service.resolve<ImageStore>(PORTS.ImageStore);
    jest.spyOn(images, 'open').mockResolvedValueOnce({
      bytes: 1_000_000_000,
      content: (async function* () {
        try {
          for (;;) yield Buffer.alloc(65_536);
        } finally {
          resolve();
        }
      })(),
    });
  });
  get(`${service.url}${path}`, (answer) => answer.once('data', () => answer.destroy()));
  await ended;
});

// contract 13.12, 14.4
test('while the store is away a picture is a 503; /readyz is 200 with a warning, and the catalog is answered', async () => {
  const path = await picture();
  const images = service.resolve<ImageStore>(PORTS.ImageStore);
  const away = unavailable('Images can not be read now.', 60, new StoreFault('it is away', true));
  const spies = [
    jest.spyOn(images, 'open').mockRejectedValue(away),
    jest.spyOn(images, 'check').mockRejectedValue(new StoreFault('it is away', true)),
  ];
  try {
    const { anybody } = service;
    expect(await anybody.send('GET', path)).toMatchObject({ status: 503, body: { error: 'unavailable' } });
    const readiness = await anybody.send('GET', '/readyz');
    expect(readiness).toMatchObject({
      status: 200,
      body: { status: 'degraded', checks: { images: 'failed', storage: 'ok' }, warnings: ['images'] },
    });
    expect((await service.api.query({ query: 'birkin' })).status).toBe(200);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
});

test('a picture that breaks off on the way is no whole answer', async () => {
  const path = await picture();
  const images = service.resolve<ImageStore>(PORTS.ImageStore);
  jest.spyOn(images, 'open').mockResolvedValueOnce({
    bytes: 100,
    content: (async function* () {
      yield Buffer.alloc(50);
      throw new Error('the bucket went away');
    })(),
  });
  await expect(fetch(`${service.url}${path}`).then((answer) => answer.arrayBuffer())).rejects.toThrow();
});
