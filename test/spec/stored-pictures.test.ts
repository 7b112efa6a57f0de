import sharp from 'sharp';
import { PostgresHousekeepingStore } from '../../db/core/housekeeping-store';
import { PORTS } from '../../models/ports';
import { bag, fresh, RUN } from '../support/record-lines';
import { useWrittenCatalog } from '../support/written-catalog';

/** contract 15.9: pictures of the catalog stored over HTTP. */
const { service, writer } = useWrittenCatalog({ IMAGE_BYTES_MAX: '200000' });

const store = (raw: Buffer, type = 'image/jpeg') => {
  const headers = { 'Content-Type': type };
  return writer.send<{ url: string; thumbnail: string }>('POST', '/v3/catalog/images', { raw, headers });
};

let count = 0;
/** A picture larger than the model's input, and that no other test has. */
function drawn(): sharp.Sharp {
  count += 1;
  const colour = parseInt(RUN.slice(-4), 36) + count;
  const background = { r: colour % 256, g: (colour >> 8) % 256, b: count };
  return sharp({ create: { width: 1280, height: 640, channels: 3, background } });
}

const bytesOf = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());

test.each(['jpeg', 'png', 'webp'] as const)(
  'a %s is stored byte for byte, with a thumbnail, whatever type is declared',
  async (format) => {
    const bytes = await drawn().toFormat(format).toBuffer();
    const { status, body, headers } = await store(bytes, 'application/octet-stream');
    expect([status, headers.get('Location')]).toEqual([201, body.url]);
    const address = `^${service.url}/images/[0-9a-f]{64}\\.`;
    expect(body).toEqual({
      url: expect.stringMatching(`${address}${format.replace('jpeg', 'jpg')}$`),
      thumbnail: expect.stringMatching(`${address}jpg$`),
      ...{ success: true, width: 1280, height: 640, credits_used: 0 },
    });
    expect(await bytesOf(body.url)).toEqual(bytes);
    const thumbnail = { format: 'jpeg', width: 320, height: 160 };
    expect(await sharp(await bytesOf(body.thumbnail)).metadata()).toMatchObject(thumbnail);
  },
);

test('the answer has the size of the upright picture, and the same address for the same bytes', async () => {
  const turned = await drawn().withMetadata({ orientation: 6 }).jpeg().toBuffer();
  const first = await store(turned);
  expect(first.body).toMatchObject({ width: 640, height: 1280 });
  expect((await store(turned, 'image/png')).body).toEqual(first.body);
});

test('a record that names the address has the picture, with the thumbnail where it names none', async () => {
  const { url, thumbnail } = (await store(await drawn().jpeg().toBuffer())).body;
  const [large, small] = ['https://shop.example/large.jpg', 'https://shop.example/small.jpg'];
  const named = { images: [url], thumbnails: [small] };
  for (const [given, shown] of [
    [named, named],
    [{ images: [large, url] }, { images: [large, url], thumbnails: [large, thumbnail] }],
  ]) {
    const id = fresh('product');
    expect((await writer.write([bag(id, given)])).body.accepted).toBe(1);
    expect((await writer.item(id)).body.data[0]).toMatchObject(shown ?? {});
    expect((await writer.recordStatus(id)).body.pictures.failed).toBe(0);
  }
});

// contract 7.2, 7.3, 7.19, 12.2
test('an unusable picture is refused with the same reasons as a photo, and bodies as everywhere else', async () => {
  const whole = await drawn().jpeg().toBuffer();
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const grey = sharp({ create: { width: 290, height: 290, channels: 3, background: 'white', noise } });
  for (const [bytes, reason] of [
    [whole.subarray(0, whole.length / 2), 'image_undecodable'],
    [await drawn().gif().toBuffer(), 'image_format'],
    [Buffer.from('no picture'), 'image_format'],
    [await grey.png().toBuffer(), 'image_too_large'],
  ] as const)
    expect(await store(bytes)).toMatchObject({ status: 422, body: { reason } });
  for (const type of ['application/x-www-form-urlencoded', 'application/json', 'multipart/form-data'])
    expect((await store(whole, type)).status).toBe(415);
  expect((await store(Buffer.alloc(0))).status).toBe(400);
  expect((await store(Buffer.alloc(400_000))).status).toBe(413);
});

// contract 13.5
test('a picture that is sent again is kept as if it were new, and one that no record names is removed', async () => {
  const images = service.resolve(PORTS.ImageStore);
  const bytes = await drawn().png().toBuffer();
  const { url, thumbnail } = (await store(bytes)).body;
  const stored = [url, thumbnail].map((each) => new URL(each).pathname);
  const remove = async (gone: readonly string[]) => {
    for (const address of gone) await images.remove(address);
  };
  const collect = () =>
    service.resolve(PostgresHousekeepingStore).collectImages(stored, service.clock.now(), remove);
  await collect();
  service.clock.advance(1);
  await store(bytes);
  expect(await collect()).toBe(0);
  service.clock.advance(1);
  expect(await collect()).toBe(2);
  expect(await images.size(String(stored[0]))).toBeNull();
  expect((await store(bytes)).status).toBe(201);
  expect(await bytesOf(url)).toEqual(bytes);
});
