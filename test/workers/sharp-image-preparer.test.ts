import sharp from 'sharp';
import { AppError } from '../../models/errors';
import { SharpImagePreparer } from '../../workers/image/sharp-image-preparer';
import { animation, type Chunk, vp8x, webpChunks, webpOf } from '../hostile/picture-parts';

// Sources are made before the preparer blocks the loaders it does not need.
const preparer = () => new SharpImagePreparer({ bytesMax: 2_000_000, pixelsMax: 4_000_000 });

const noise = (width: number, height: number, channels: 3 | 4 = 3) =>
  sharp(Buffer.from(Array.from({ length: width * height * channels }, (_, i) => (i * 7919) % 251)), {
    raw: { width, height, channels },
  });

/** Red and green above, blue and white below. */
const quadrants = () =>
  sharp(
    Buffer.from(
      Array.from({ length: 40 * 40 }, (_, at) => {
        const right = at % 40 >= 20;
        const below = at >= 20 * 40;
        if (below) return right ? [255, 255, 255] : [0, 0, 255];
        return right ? [0, 255, 0] : [255, 0, 0];
      }).flat(),
    ),
    { raw: { width: 40, height: 40, channels: 3 } },
  );

const NAMES: Readonly<Record<string, string>> = {
  '100': 'red',
  '010': 'green',
  '001': 'blue',
  '111': 'white',
};
const nameOf = (pixel: readonly number[]): string =>
  NAMES[pixel.map((value) => (value > 127 ? 1 : 0)).join('')] ?? pixel.join(',');

async function faultOf(bytes: Buffer, by = preparer()): Promise<AppError> {
  const failure = await by.prepare(bytes).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(failure instanceof AppError)) throw new Error(`expected a refusal, got ${String(failure)}`);
  return failure;
}

describe('A picture that is sent', () => {
  test.each(['jpeg', 'png', 'webp'] as const)('is prepared from %s as one small JPEG', async (format) => {
    const bytes = await noise(900, 450).toFormat(format).toBuffer();
    const prepared = await preparer().prepare(bytes);
    const metadata = await sharp(prepared.jpeg).metadata();
    expect(metadata).toMatchObject({
      format: 'jpeg',
      width: 640,
      height: 320,
      channels: 3,
      space: 'srgb',
      depth: 'uchar',
    });
    expect(prepared).toMatchObject({ width: 640, height: 320 });
    expect(prepared.digest).toMatch(/^[0-9a-f]{64}$/);
  });

  test.each([
    ['grey', () => noise(90, 60).greyscale().png()],
    ['16 bits deep', () => noise(90, 60).toColourspace('rgb16').png()],
    ['CMYK', () => noise(90, 60).toColourspace('cmyk').jpeg()],
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
      expect((await decoded.jpeg()).equals(jpeg)).toBe(true);
      const shown = await sharp(jpeg).raw().toBuffer();
      const off = shown.reduce((sum, value, at) => sum + Math.abs(value - (decoded.pixels[at] ?? 0)), 0);
      // What a JPEG of this quality loses of noise.
      expect(off / shown.length).toBeLessThan(12);
    }
  });

  test('has as many pixels as are asked for, and none are made up', async () => {
    const bytes = await noise(900, 450).jpeg().toBuffer();
    const size = async (side: number) => {
      const { width, height } = await preparer().decode(bytes, { side, kernel: 'mitchell' });
      return [width, height];
    };
    expect(await size(407.3)).toEqual([407, 204]);
    expect(await size(2_000)).toEqual([900, 450]);
  });

  test('is never enlarged', async () => {
    const bytes = await noise(40, 30).png().toBuffer();
    expect(await preparer().prepare(bytes)).toMatchObject({ width: 40, height: 30 });
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
    const { jpeg, width, height } = await preparer().prepare(bytes);
    const { data } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true });
    const colourAt = (x: number, y: number) => nameOf([...data.subarray(3 * (y * width + x)).subarray(0, 3)]);
    expect([colourAt(5, 5), colourAt(5, height - 5)].join(' ')).toBe(leftSide);
    expect((await sharp(jpeg).metadata()).orientation).toBeUndefined();
  });

  test('is its first frame where it moves', async () => {
    const [first, second] = await Promise.all(
      ['#ff0000', '#00ff00'].map((background) =>
        sharp({ create: { width: 32, height: 32, channels: 3, background } })
          .webp()
          .toBuffer(),
      ),
    );
    if (!first || !second) throw new Error('no frames');
    const { jpeg, width, height } = await preparer().prepare(animation(32, 32, [first, second]));
    expect([width, height]).toEqual([32, 32]);
    const { data } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true });
    expect(nameOf([...data.subarray(0, 3)])).toBe('red');
  });

  test('is its first frame at once, however many follow, with its own orientation', async () => {
    const still = await noise(40, 20).withMetadata({ orientation: 6 }).webp().toBuffer();
    const empty = Buffer.alloc(24);
    empty.write('ANMF', 'latin1');
    empty.writeUInt32LE(16, 4);
    const exif = webpChunks(still).filter(({ type }) => type === 'EXIF');
    const frames = webpChunks(animation(40, 20, [still])).filter(({ type }) => type !== 'VP8X');
    const unknown: Chunk = { type: 'JUNK', data: Buffer.alloc(0) };
    const moving = webpOf([vp8x(40, 20, 'animation', 'exif'), ...frames, unknown, ...exif]);
    const many = Buffer.concat([moving, Buffer.alloc(70_000 * empty.length, empty)]);
    many.writeUInt32LE(many.length - 8, 4);
    expect(await preparer().prepare(many)).toMatchObject({ width: 20, height: 40 });
  });

  test('is its first frame on its canvas, as a still picture of that', async () => {
    const part = await noise(40, 30).png().toBuffer();
    const frame = await sharp(part).webp({ lossless: true }).toBuffer();
    const still = await sharp({ create: { width: 100, height: 90, channels: 3, background: 'white' } })
      .composite([{ input: part, left: 60, top: 60 }])
      .png()
      .toBuffer();
    const moving = animation(100, 90, [frame, frame]);
    moving.writeUIntLE(30, moving.indexOf('ANMF') + 8, 3);
    moving.writeUIntLE(30, moving.indexOf('ANMF') + 11, 3);
    moving.writeUIntLE(39, moving.indexOf('ANMF') + 14, 3);
    moving.writeUIntLE(29, moving.indexOf('ANMF') + 17, 3);
    const by = preparer();
    const regions = [
      undefined,
      { x: 0, y: 0, width: 0.5, height: 0.5 },
      { x: 0.6, y: 0.6, width: 0.4, height: 0.4 },
    ];
    for (const region of regions) {
      const { digest: _, ...prepared } = await by.prepare(moving, region ? { region } : {});
      expect(await by.prepare(still, region ? { region } : {})).toMatchObject(prepared);
    }
    expect(await by.thumbnail(moving, 50)).toEqual(await by.thumbnail(still, 50));
  });

  test('has the pixels of its canvas, however small its frames are', async () => {
    const frame = await noise(40, 30).webp().toBuffer();
    const fault = await faultOf(animation(4000, 3000, [frame, frame]));
    expect(fault.message).toContain('4000 x 3000');
  });

  test('is laid on white where it is transparent', async () => {
    const clear = await sharp({
      create: { width: 8, height: 8, channels: 4, background: { r: 9, g: 9, b: 9, alpha: 0 } },
    })
      .png()
      .toBuffer();
    const { data } = await sharp((await preparer().prepare(clear)).jpeg)
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(Math.min(...data)).toBeGreaterThan(250);
  });

  test('may be grey, 16 bits deep, CMYK or with a palette', async () => {
    const pictures = await Promise.all([
      noise(50, 50).greyscale().png().toBuffer(),
      noise(50, 50).toColourspace('rgb16').png().toBuffer(),
      noise(50, 50).toColourspace('cmyk').jpeg().toBuffer(),
      noise(50, 50).png({ palette: true }).toBuffer(),
    ]);
    for (const picture of pictures) {
      const { jpeg } = await preparer().prepare(picture);
      expect(await sharp(jpeg).metadata()).toMatchObject({ channels: 3, space: 'srgb' });
    }
  });
});

describe('A caller whose deadline has passed', () => {
  test('waits no longer, and its picture is not decoded', async () => {
    const bytes = await noise(40, 30).png().toBuffer();
    const late = preparer().prepare(bytes, { signal: AbortSignal.abort(new Error('the deadline')) });
    await expect(late).rejects.toThrow('the deadline');
  });
});

describe('What can not be used is refused with its reason', () => {
  test.each([
    ['GIF', Buffer.from('GIF89a\x01\0\x01\0')],
    ['PDF', Buffer.from('%PDF-1.7\n')],
    ['SVG', Buffer.from('<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['HEIC', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0')],
    ['AVIF', Buffer.from('\0\0\0\x18ftypavif\0\0\0\0')],
    ['TIFF', Buffer.from('II*\0\x08\0\0\0', 'latin1')],
    ['ICO', Buffer.from('\0\0\x01\0\x01\0', 'latin1')],
    ['BMP', Buffer.from('BM\x46\0\0\0', 'latin1')],
    ['JPEG 2000', Buffer.from('\xff\x4f\xff\x51\0\x2f', 'latin1')],
    ['JPEG XL', Buffer.from('\xff\x0a\xfa\x7f', 'latin1')],
    ['MP4 video', Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0')],
    ['QuickTime video', Buffer.from('\0\0\0\x18ftypqt  \0\0\0\0')],
    ['AVI video', Buffer.from('RIFF\x24\0\0\0AVI LIST')],
    ['Matroska or WebM video', Buffer.from('\x1aE\xdf\xa3\x01\0', 'latin1')],
    ['an HTML page', Buffer.from('\n<!DOCTYPE html><html><body>')],
    ['a ZIP archive', Buffer.from('PK\x03\x04\x14\0')],
  ])('%s: image_format, and its name is told', async (name, bytes) => {
    const fault = await faultOf(bytes);
    expect(fault.extras.reason).toBe('image_format');
    expect(fault.message).toContain(name);
  });

  const frameOf = (marker: number, bits = 8): Buffer =>
    Buffer.from([0xff, marker, 0, 11, bits, 0, 32, 0, 32, 1, 1, 0x11, 0]);
  const jpegOfFrame = (frame: Buffer): Buffer =>
    Buffer.concat([
      Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0]),
      frame,
      Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 1, 2, 3, 0xff, 0xd9]),
    ]);

  test.each([
    ['JPEG-LS', frameOf(0xf7)],
    ['a lossless JPEG', frameOf(0xc3)],
    ['a hierarchical JPEG', frameOf(0xc5)],
    ['a JPEG of 12 bits a channel', frameOf(0xc1, 12)],
    ['a JPEG of 16 bits a channel', frameOf(0xc3, 16)],
  ])('%s that can not be decoded: image_format, and its name is told', async (name, frame) => {
    const by = preparer();
    const picture = jpegOfFrame(frame);
    const fault = await faultOf(picture, by);
    expect([fault.extras.reason, fault.message]).toEqual([
      'image_format',
      `This is ${name}; send JPEG, PNG, WebP.`,
    ]);
    await expect(by.thumbnail(picture, 32)).rejects.toThrow(name);
  });

  test('a damaged JPEG of a usual kind: image_undecodable', async () => {
    expect((await faultOf(jpegOfFrame(frameOf(0xc0)))).extras.reason).toBe('image_undecodable');
  });

  test('too many pixels: image_too_large before anything is decoded', async () => {
    const header =
      'iVBORw0KGgoAAAANSUhEUgAAJxAAACcQAQAAAACSNV+KAAAAFElEQVQAAAAAAAAAAAAAAAAAAAAAAAAAAKM5zQ4AAAAASUVORK5CYII=';
    const fault = await faultOf(Buffer.from(header, 'base64'));
    expect(fault.extras.reason).toBe('image_too_large');
    expect(fault.message).toContain('10000 x 10000');
  });

  // Interlaced pictures of 7000 x 7000 pixels, which have to be held whole.
  test.each([
    [
      '16 bits and alpha',
      'iVBORw0KGgoAAAANSUhEUgAAG1gAABtYEAYAAAG+DFdaAAAAFElEQVQAAAAAAAAAAAAAAAAAAAAAAAAAAKM5zQ4AAAAASUVORK5CYII=',
    ],
    [
      '16 bits',
      'iVBORw0KGgoAAAANSUhEUgAAG1gAABtYEAIAAAExbsANAAAAFElEQVQAAAAAAAAAAAAAAAAAAAAAAAAAAKM5zQ4AAAAASUVORK5CYII=',
    ],
  ])('what takes more memory than all pictures share is decoded elsewhere: %s', async (_what, picture) => {
    const large = new SharpImagePreparer({ bytesMax: 2_000_000, pixelsMax: 50_000_000 });
    const fault = await faultOf(Buffer.from(picture, 'base64'), large);
    expect(fault.extras.reason).toBe('image_undecodable');
  });

  test('too many bytes: image_too_large', async () => {
    expect((await faultOf(Buffer.alloc(2_000_001))).extras.reason).toBe('image_too_large');
  });
});
