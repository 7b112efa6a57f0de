import sharp from 'sharp';
import { AppError } from '../../models/errors';
import { SharpImagePreparer } from '../../workers/image/sharp-image-preparer';
import { animation, partsOf, typeOf, vp8x, webpChunk, webpOf } from '../hostile/picture-parts';

// Sources are made before the preparer blocks the loaders it does not need.
const preparer = (pixelsMax = 4_000_000) => new SharpImagePreparer({ bytesMax: 2_000_000, pixelsMax });

const noise = (width: number, height: number, channels: 3 | 4 = 3) =>
  sharp(Buffer.from(Array.from({ length: width * height * channels }, (_, i) => (i * 7919) % 251)), {
    raw: { width, height, channels },
  });

const plain = (width: number, height: number, background: string) =>
  sharp({ create: { width, height, channels: 4, background } });

const quadrants = () =>
  plain(40, 40, 'white').composite(
    ['#f00', '#0f0', '#00f'].map((colour, at) => ({
      input: { create: { width: 20, height: 20, channels: 3, background: colour } },
      ...{ left: 20 * (at % 2), top: 20 * Math.floor(at / 2) },
    })),
  );

const NAMES = new Map(Object.entries({ '100': 'red', '010': 'green', '001': 'blue', '111': 'white' }));

async function colourAt(jpeg: Buffer, left: number, top: number): Promise<string> {
  const pixel = await sharp(jpeg).extract({ left, top, width: 1, height: 1 }).raw().toBuffer();
  return NAMES.get([...pixel].map((value) => (value > 127 ? 1 : 0)).join('')) ?? [...pixel].join();
}

async function faultOf(bytes: Buffer, by = preparer()): Promise<[reason: unknown, message: string]> {
  const failure: unknown = await by.prepare(bytes).catch((thrown: unknown) => thrown);
  if (!(failure instanceof AppError)) throw new Error(`expected a refusal, got ${String(failure)}`);
  return [failure.extras.reason, failure.message];
}

describe('A picture that is sent', () => {
  test.each(['jpeg', 'png', 'webp'] as const)('is prepared from %s as one small JPEG', async (format) => {
    const bytes = await noise(900, 450).toFormat(format).toBuffer();
    const prepared = await preparer().prepare(bytes);
    const size = { width: 640, height: 320 };
    const usual = { format: 'jpeg', channels: 3, space: 'srgb', depth: 'uchar' };
    expect(await sharp(prepared.jpeg).metadata()).toMatchObject({ ...usual, ...size });
    expect(prepared).toMatchObject({ ...size, digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  test.each([
    ['grey', () => noise(90, 60).greyscale().png()],
    ['16 bits deep', () => noise(90, 60).toColourspace('rgb16').png()],
    ['CMYK', () => noise(90, 60).toColourspace('cmyk').jpeg()],
    ['of a palette', () => noise(90, 60).png({ palette: true })],
    ['transparent', () => noise(90, 60, 4).webp({ lossless: true })],
    ['lying on its side', () => noise(90, 60).withMetadata({ orientation: 6 }).jpeg()],
    ['large', () => noise(1400, 900).jpeg()],
  ])('is the same as pixels and as a JPEG: %s', async (_what, picture) => {
    const bytes = await picture().toBuffer();
    for (const region of [undefined, { x: 0.25, y: 0.1, width: 0.5, height: 0.8 }]) {
      const decoded = await preparer().decode(bytes, { side: 640, kernel: 'lanczos3' }, { region });
      const { jpeg, width, height, digest } = await preparer().prepare(bytes, { region });
      expect(decoded).toMatchObject({ width, height, digest });
      expect(decoded.pixels).toHaveLength(3 * width * height);
      const raw = sharp(decoded.pixels, { raw: { width, height, channels: 3 } });
      const encoded = raw.jpeg({ quality: 88, chromaSubsampling: '4:4:4', optimizeCoding: false });
      expect((await encoded.toBuffer()).equals(jpeg)).toBe(true);
      expect(await sharp(jpeg).metadata()).toMatchObject({ channels: 3, space: 'srgb' });
      const shown = await sharp(jpeg).raw().toBuffer();
      const off = shown.reduce((sum, value, at) => sum + Math.abs(value - (decoded.pixels[at] ?? 0)), 0);
      // Tolerance for the noise of a JPEG of this quality.
      expect(off / shown.length).toBeLessThan(12);
    }
  });

  test('has as many pixels as are requested, and none are invented', async () => {
    const bytes = await noise(900, 450).jpeg().toBuffer();
    const decoded = (side: number) => preparer().decode(bytes, { side, kernel: 'mitchell' });
    expect(await decoded(407.3)).toMatchObject({ width: 407, height: 204 });
    expect(await decoded(2_000)).toMatchObject({ width: 900, height: 450 });
    const small = await noise(40, 30).png().toBuffer();
    expect(await preparer().prepare(small)).toMatchObject({ width: 40, height: 30 });
  });

  test.each([
    [1, 'red blue'],
    [2, 'green white'],
    [3, 'white green'],
    [4, 'blue red'],
    [5, 'red green'],
    [6, 'blue white'],
    [7, 'white blue'],
    [8, 'green red'],
  ])('with EXIF orientation %d shows %s down its left side', async (orientation, leftSide) => {
    const bytes = await quadrants().withMetadata({ orientation }).png().toBuffer();
    const { jpeg } = await preparer().prepare(bytes);
    expect(`${await colourAt(jpeg, 5, 5)} ${await colourAt(jpeg, 5, 35)}`).toBe(leftSide);
    expect((await sharp(jpeg).metadata()).orientation).toBeUndefined();
  });

  test('is laid on white where it is transparent', async () => {
    const { jpeg } = await preparer().prepare(await plain(8, 8, '#09090900').png().toBuffer());
    expect(await colourAt(jpeg, 4, 4)).toBe('white');
  });

  test('becomes its first frame at once if it is animated, however many follow, with its own orientation', async () => {
    const still = await noise(40, 20).withMetadata({ orientation: 6 }).webp().toBuffer();
    const empty = webpChunk('ANMF', Buffer.alloc(16));
    const exif = partsOf(still).filter((part) => typeOf(part) === 'EXIF');
    const frames = partsOf(animation(40, 20, [still])).filter((part) => typeOf(part) !== 'VP8X');
    const unknown = webpChunk('JUNK');
    const moving = webpOf([vp8x(40, 20, 'animation', 'exif'), ...frames, unknown, ...exif]);
    const many = Buffer.concat([moving, Buffer.alloc(70_000 * empty.length, empty)]);
    many.writeUInt32LE(many.length - 8, 4);
    expect(await preparer().prepare(many)).toMatchObject({ width: 20, height: 40 });
  });

  test('becomes its first frame on its canvas, like a still picture of that', async () => {
    const part = await noise(40, 30).png().toBuffer();
    const frame = await sharp(part).webp({ lossless: true }).toBuffer();
    const other = await sharp(part).negate().webp({ lossless: true }).toBuffer();
    const still = await plain(100, 90, 'white')
      .composite([{ input: part, left: 60, top: 60 }])
      .png()
      .toBuffer();
    const moving = animation(100, 90, [frame, other]);
    for (const [at, value] of [30, 30, 39, 29].entries())
      moving.writeUIntLE(value, moving.indexOf('ANMF') + 8 + 3 * at, 3);
    const by = preparer();
    const corners = [0, 0.6].map((at) => ({ x: at, y: at, width: 0.4, height: 0.4 }));
    for (const region of [undefined, ...corners]) {
      const { digest: _, ...prepared } = await by.prepare(moving, { region });
      expect(await by.prepare(still, { region })).toMatchObject(prepared);
    }
    expect(await by.thumbnail(moving, 50)).toEqual(await by.thumbnail(still, 50));
  });

  test('has the pixels of its canvas, however small its frames are', async () => {
    const frame = await noise(40, 30).webp().toBuffer();
    const [, message] = await faultOf(animation(4000, 3000, [frame, frame]));
    expect(message).toContain('4000 x 3000');
  });

  test('is not decoded for a caller whose deadline has passed', async () => {
    const bytes = await noise(40, 30).png().toBuffer();
    const late = preparer().prepare(bytes, { signal: AbortSignal.abort(new Error('the deadline')) });
    await expect(late).rejects.toThrow('the deadline');
  });
});

describe('What cannot be used is refused with its reason', () => {
  test.each([
    ['GIF', 'GIF89a\x01\0\x01\0'],
    ['PDF', '%PDF-1.7\n'],
    ['SVG', '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['HEIC', '\0\0\0\x18ftypheic\0\0\0\0'],
    ['AVIF', '\0\0\0\x18ftypavif\0\0\0\0'],
    ['TIFF', 'II*\0\x08\0\0\0'],
    ['ICO', '\0\0\x01\0\x01\0'],
    ['BMP', 'BM\x46\0\0\0'],
    ['JPEG 2000', '\xff\x4f\xff\x51\0\x2f'],
    ['JPEG XL', '\xff\x0a\xfa\x7f'],
    ['MP4 video', '\0\0\0\x18ftypmp42\0\0\0\0'],
    ['QuickTime video', '\0\0\0\x18ftypqt  \0\0\0\0'],
    ['AVI video', 'RIFF\x24\0\0\0AVI LIST'],
    ['Matroska or WebM video', '\x1aE\xdf\xa3\x01\0'],
    ['an HTML page', '\n<!DOCTYPE html><html><body>'],
    ['a ZIP archive', 'PK\x03\x04\x14\0'],
  ])('%s: image_format, and its name is told', async (name, head) => {
    const fault = await faultOf(Buffer.from(head, 'latin1'));
    expect(fault).toEqual(['image_format', expect.stringContaining(name)]);
  });

  const jpegOf = (marker: number, bits = 8): Buffer =>
    Buffer.from([
      ...[0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0],
      ...[0xff, marker, 0, 11, bits, 0, 32, 0, 32, 1, 1, 0x11, 0],
      ...[0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 1, 2, 3, 0xff, 0xd9],
    ]);

  test.each([
    ['JPEG-LS', jpegOf(0xf7)],
    ['a lossless JPEG', jpegOf(0xc3)],
    ['a hierarchical JPEG', jpegOf(0xc5)],
    ['a JPEG of 12 bits a channel', jpegOf(0xc1, 12)],
    ['a JPEG of 16 bits a channel', jpegOf(0xc3, 16)],
  ])('%s that cannot be decoded: image_format, and its name is told', async (name, picture) => {
    expect(await faultOf(picture)).toEqual(['image_format', `This is ${name}; send JPEG, PNG, WebP.`]);
    await expect(preparer().thumbnail(picture, 32)).rejects.toThrow(name);
  });

  /** The beginning of a PNG of one colour whose rows are missing. */
  const pngOf = (header: string): Buffer =>
    Buffer.from(
      `iVBORw0KGgoAAAANSUhEUgAA${header}AAAAFElEQVQAAAAAAAAAAAAAAAAAAAAAAAAAAKM5zQ4AAAAASUVORK5CYII=`,
      'base64',
    );

  test.each([
    ['a damaged JPEG of a usual kind', jpegOf(0xc0), 'image_undecodable', ''],
    ['too many bytes', Buffer.alloc(2_000_001), 'image_too_large', ''],
    ['too many pixels', pngOf('JxAAACcQAQAAAACSNV+K'), 'image_too_large', '10000 x 10000'],
    // Interlaced pictures of 7000 x 7000 pixels, which take more memory than all pictures share and are decoded elsewhere.
    ['a damaged picture of 16 bits and alpha', pngOf('G1gAABtYEAYAAAG+DFda'), 'image_undecodable', ''],
    ['a damaged picture of 16 bits', pngOf('G1gAABtYEAIAAAExbsAN'), 'image_undecodable', ''],
  ])('%s', async (_what, bytes, reason, words) => {
    expect(await faultOf(bytes, preparer(50_000_000))).toEqual([reason, expect.stringContaining(words)]);
  });
});
