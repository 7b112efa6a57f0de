import sharp from 'sharp';
import { AppError } from '../../models/errors';
import { preparedPicture } from '../../workers/image/decode-picture';
import { IsolatedDecoder } from '../../workers/image/isolated-decoder';

/** Pictures that are decoded in a process of their own, one at a time. */
const PIXELS_MAX = 1_000_000;

const photo = (): Promise<Buffer> =>
  sharp(Buffer.from(Array.from({ length: 800 * 600 * 3 }, (_, index) => (index * 31) % 251)), {
    raw: { width: 800, height: 600, channels: 3 },
  })
    .jpeg()
    .toBuffer();

test('they come out as in this process', async () => {
  const bytes = await photo();
  const decoder = new IsolatedDecoder();
  const both = await Promise.all([
    decoder.prepare({ bytes, pixelsMax: PIXELS_MAX, isSrgb: false }),
    decoder.prepare({ bytes, pixelsMax: PIXELS_MAX, isSrgb: false }),
  ]);
  const here = await preparedPicture({ bytes, pixelsMax: PIXELS_MAX, isSrgb: false });
  for (const { jpeg, width, height } of both) {
    expect([width, height]).toEqual([here.width, here.height]);
    expect(jpeg.equals(here.jpeg)).toBe(true);
  }
});

test('a damaged one is image_undecodable', async () => {
  const failure = await new IsolatedDecoder()
    .prepare({ bytes: (await photo()).subarray(0, 500), pixelsMax: PIXELS_MAX, isSrgb: false })
    .catch((thrown: unknown) => thrown);
  expect(failure).toBeInstanceOf(AppError);
  expect(failure).toMatchObject({ status: 422, extras: { reason: 'image_undecodable' } });
});

test('a caller that gives up is let go, and the next one is served', async () => {
  const bytes = await photo();
  const decoder = new IsolatedDecoder();
  const leaving = new AbortController();
  const left = decoder
    .prepare({ bytes, pixelsMax: PIXELS_MAX, isSrgb: false }, { signal: leaving.signal })
    .catch((thrown: unknown) => thrown);
  const next = decoder.prepare({ bytes, pixelsMax: PIXELS_MAX, isSrgb: false });
  leaving.abort(new Error('gone'));
  expect(await left).toMatchObject({ message: 'gone' });
  expect((await next).width).toBe(640);
});
