import sharp from 'sharp';
import { type HousekeepingStore, type ImageStore, PORTS } from '../../models/ports';
import { bag, fresh, RUN, useWrittenCatalog } from '../support/written-catalog';

/** contract 15.9: pictures of the catalog stored over HTTP. */
const { service, writer } = useWrittenCatalog({ IMAGE_BYTES_MAX: '200000' });

interface Stored {
  readonly url: string;
  readonly thumbnail: string;
}

const store = (raw: Buffer, type = 'image/jpeg') =>
  writer.send<Stored>('POST', '/v3/catalog/images', { raw, headers: { 'Content-Type': type } });

/** A picture of 1280 by 640 pixels, larger than what the model looks at, that no other test has. */
let count = 0;
function drawn(): sharp.Sharp {
  count += 1;
  const colour = parseInt(RUN.slice(-4), 36) + count;
  return sharp({
    create: {
      ...{ width: 1280, height: 640, channels: 3 },
      background: { r: colour % 256, g: (colour >> 8) % 256, b: count },
    },
  });
}

const bytesOf = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());
const pathOf = (url: string) => new URL(url).pathname;

describe('POST /v3/catalog/images', () => {
  test.each([
    ['jpeg', 'jpg'],
    ['png', 'png'],
    ['webp', 'webp'],
  ] as const)(
    'stores a %s byte for byte, with a thumbnail, whatever type is declared',
    async (format, extension) => {
      const bytes = await drawn().toFormat(format).toBuffer();
      const { status, body, headers } = await store(bytes, 'application/octet-stream');
      expect(status).toBe(201);
      expect(body).toEqual({
        success: true,
        url: expect.stringMatching(new RegExp(`^${service.url}/images/[0-9a-f]{64}\\.${extension}$`)),
        thumbnail: expect.stringMatching(/\/images\/[0-9a-f]{64}\.jpg$/),
        width: 1280,
        height: 640,
        credits_used: 0,
      });
      expect(headers.get('Location')).toBe(body.url);
      expect(await bytesOf(body.url)).toEqual(bytes);
      expect(await sharp(await bytesOf(body.thumbnail)).metadata()).toMatchObject({
        ...{ format: 'jpeg', width: 320, height: 160 },
      });
    },
  );

  test('says the size of the upright picture, and the same address for the same bytes', async () => {
    const turned = await drawn().withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const first = await store(turned);
    expect(first.body).toMatchObject({ width: 640, height: 1280 });
    expect((await store(turned, 'image/png')).body).toEqual(first.body);
  });

  test('gives a picture to the record that names its address, with the thumbnail where it names none', async () => {
    const { body: stored } = await store(await drawn().jpeg().toBuffer());
    const named = fresh('product');
    const bare = fresh('product');
    const { body } = await writer.write([
      bag(named, { images: [stored.url], thumbnails: ['https://shop.example/small.jpg'] }),
      bag(bare, { images: ['https://shop.example/large.jpg', stored.url] }),
    ]);
    expect(body).toMatchObject({ accepted: 2 });
    expect((await writer.item(named)).body.data[0]).toMatchObject({
      images: [stored.url],
      thumbnails: ['https://shop.example/small.jpg'],
    });
    expect((await writer.item(bare)).body.data[0]).toMatchObject({
      images: ['https://shop.example/large.jpg', stored.url],
      thumbnails: ['https://shop.example/large.jpg', stored.thumbnail],
    });
    expect((await writer.recordStatus(bare)).body.pictures).toMatchObject({ failed: 0 });
  });

  // contract 7.2, 7.3, 7.19
  test('refuses what is no usable picture with the reasons that a photo has, and stores nothing', async () => {
    const whole = await drawn().jpeg().toBuffer();
    const noise = sharp({
      create: {
        ...{ width: 290, height: 290, channels: 3, background: 'white' },
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
      },
    });
    for (const [bytes, reason] of [
      [whole.subarray(0, whole.length / 2), 'image_undecodable'],
      [await drawn().gif().toBuffer(), 'image_format'],
      [Buffer.from('no picture'), 'image_format'],
      [await noise.png().toBuffer(), 'image_too_large'],
    ] as const) {
      const { status, body } = await store(bytes);
      expect([status, body]).toMatchObject([422, { reason }]);
    }
  });

  // contract 12.2
  test('refuses an undeclared or empty body, and one far beyond the limit', async () => {
    const bytes = await drawn().png().toBuffer();
    for (const type of ['application/x-www-form-urlencoded', 'application/json', 'multipart/form-data']) {
      expect((await store(bytes, type)).status).toBe(415);
    }
    expect((await store(Buffer.alloc(0))).status).toBe(400);
    expect((await store(Buffer.alloc(400_000))).status).toBe(413);
  });

  // contract 13.5
  test('keeps a picture that is sent again as if it were new, and loses one that nobody names', async () => {
    const images = service.resolve<ImageStore>(PORTS.ImageStore);
    const bytes = await drawn().png().toBuffer();
    const { url, thumbnail } = (await store(bytes)).body;
    const stored = [pathOf(url), pathOf(thumbnail)];
    const collect = () =>
      service
        .resolve<HousekeepingStore>(PORTS.HousekeepingStore)
        .collectImages(stored, service.clock.now(), async (gone) => {
          for (const address of gone) await images.remove(address);
        });
    await collect();
    service.clock.advance(1);
    await store(bytes);
    expect(await collect()).toBe(0);
    service.clock.advance(1);
    expect(await collect()).toBe(2);
    expect(await images.size(pathOf(url))).toBeNull();
    expect((await store(bytes)).status).toBe(201);
    expect(await bytesOf(url)).toEqual(bytes);
  });
});
