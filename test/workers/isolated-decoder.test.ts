import sharp from 'sharp';
import { AppError } from '../../models/errors';
import { shrunk, type Wanted } from '../../workers/image/decode-picture';
import { IsolatedDecoder } from '../../workers/image/isolated-decoder';

/** Pictures that are decoded in a process of their own, one at a time. */
const PREPARED: Wanted = { whole: { width: 640, height: 480 }, kernel: 'lanczos3', as: 'prepared' };
const PIXELS: Wanted = { whole: { width: 300, height: 225 }, kernel: 'mitchell', as: 'pixels' };
const requestOf = (bytes: Buffer, wanted = PREPARED) => ({
  picture: { bytes, pixelsMax: 1_000_000, isSrgb: false },
  wanted,
});
let photo: Buffer;

beforeAll(async () => {
  const noise = Buffer.from(Array.from({ length: 800 * 600 * 3 }, (_, index) => (index * 31) % 251));
  photo = await sharp(noise, { raw: { width: 800, height: 600, channels: 3 } })
    .jpeg()
    .toBuffer();
});

test.each([PREPARED, PIXELS])('they come out as in this process: $as', async (wanted) => {
  const request = requestOf(photo, wanted);
  const decoder = new IsolatedDecoder();
  const both = await Promise.all([decoder.shrunk(request), decoder.shrunk(request)]);
  const here = await shrunk(request.picture, wanted);
  for (const { data, width, height } of both) {
    expect([width, height]).toEqual([here.width, here.height]);
    expect(data.equals(here.data)).toBe(true);
  }
});

test('a damaged one is image_undecodable', async () => {
  const failure: unknown = await new IsolatedDecoder()
    .shrunk(requestOf(photo.subarray(0, 500)))
    .catch((thrown: unknown) => thrown);
  expect(failure).toBeInstanceOf(AppError);
  expect(failure).toMatchObject({ status: 422, extras: { reason: 'image_undecodable' } });
});

test('a caller that gives up is let go, and the next one is served', async () => {
  const decoder = new IsolatedDecoder();
  const leaving = new AbortController();
  const left = expect(decoder.shrunk(requestOf(photo), { signal: leaving.signal })).rejects.toThrow('gone');
  const next = decoder.shrunk(requestOf(photo));
  leaving.abort(new Error('gone'));
  await left;
  expect((await next).width).toBe(640);
});
