import { deflateSync } from 'node:zlib';
import {
  ANSWERED_OR_UNDECODABLE,
  type CorpusLimits,
  type HostileEntry,
  picture,
  TOO_LARGE,
  UNDECODABLE,
} from './entry';
import { app, jpegOf, jpegParts, jpegWith, MARKER, segment } from './jpeg';
import {
  blankPixels,
  blankPng,
  COLOUR,
  chunkBytes,
  IEND,
  idat,
  ihdr,
  type PngChunk,
  pngChunks,
  pngOf,
  pngWith,
} from './png';
import type { SoundPictures } from './sound-pictures';
import { animation, riffChunk, vp8x, webpChunks, webpOf } from './webp';

const KIND = 'bombs';
const MEGABYTE = 1_000_000;

const zeros = new Map<number, Buffer>();

/** A thousandth of what it becomes; made once, since that takes its time. */
function deflatedZeros(megabytes: number): Buffer {
  const known = zeros.get(megabytes) ?? deflateSync(Buffer.alloc(megabytes * MEGABYTE));
  zeros.set(megabytes, known);
  return known;
}
const text = (value: string): Buffer => Buffer.from(value, 'latin1');
const times = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** As many of the same bytes as there is room for. */
const filled = (unit: Buffer, room: number): Buffer =>
  Buffer.alloc(Math.floor(room / unit.length) * unit.length, unit);

/** The PNG with bytes put in behind its header. */
const behindHeader = (png: Buffer, bytes: Buffer): Buffer =>
  Buffer.concat([png.subarray(0, 33), bytes, png.subarray(33)]);

/** Few bytes that ask for much memory or time. */
export function bombs(pictures: SoundPictures, limits: CorpusLimits): HostileEntry[] {
  return [...pngBombs(pictures, limits), ...jpegBombs(pictures, limits), ...webpBombs(pictures, limits)];
}

function pngBombs({ png }: SoundPictures, { pixelsMax, bytesMax }: CorpusLimits): HostileEntry[] {
  const side = Math.floor(Math.sqrt(pixelsMax));
  const whole = { width: side, height: side, depth: 16, colour: COLOUR.rgba } as const;
  const compressed = (type: string, head: string): PngChunk => ({
    type,
    data: Buffer.concat([text(head), deflatedZeros(60)]),
  });
  const small = { width: 10, height: 10 };
  const room = bytesMax - 50_000;
  const bomb = (name: string, make: () => Buffer, verdicts = ANSWERED_OR_UNDECODABLE) =>
    picture(KIND, `PNG ${name}`, make, verdicts);
  return [
    bomb(
      'of four times the pixels that are allowed',
      () => blankPng({ width: side * 2, height: side * 2 }),
      TOO_LARGE,
    ),
    bomb('of 16 bits and alpha at the limit', () => blankPng(whole)),
    bomb(
      'of 16 bits and alpha at the limit, interlaced',
      () => pngOf([ihdr({ ...whole, interlaced: true }), idat(blankPixels(whole)), IEND]),
      [...ANSWERED_OR_UNDECODABLE, ...TOO_LARGE],
    ),
    bomb('with pixels for a hundred times its size', () =>
      pngOf([ihdr(small), idat(deflatedZeros(60)), IEND]),
    ),
    bomb('with 60 MB in zTXt', () => pngWith(png.rgb, compressed('zTXt', 'Comment\0\0'))),
    bomb('with 60 MB in iTXt', () => pngWith(png.rgb, compressed('iTXt', 'Comment\0\x01\0\0\0'))),
    bomb('with 60 MB in iCCP', () => pngWith(png.rgb, compressed('iCCP', 'profile\0\0'))),
    bomb('with 60 MB in twenty zTXt', () =>
      pngWith(
        png.rgb,
        ...times(20, (index) => ({
          type: 'zTXt',
          data: Buffer.concat([text(`Key${index}\0\0`), deflatedZeros(3)]),
        })),
      ),
    ),
    bomb('with thousands of tEXt', () =>
      behindHeader(png.rgb, filled(chunkBytes({ type: 'tEXt', data: text('Key\0x') }), room)),
    ),
    bomb('with thousands of empty IDAT', () =>
      behindHeader(blankPng(small), filled(chunkBytes(idat(Buffer.alloc(0))), room)),
    ),
    bomb('with its pixels in IDAT of one byte', () =>
      pngOf(
        pngChunks(png.rgb).flatMap((chunk) =>
          chunk.type === 'IDAT' ? [...chunk.data].map((byte) => idat(Buffer.of(byte))) : [chunk],
        ),
      ),
    ),
    bomb('that says it has four thousand million frames', () =>
      pngWith(png.rgb, { type: 'acTL', data: Buffer.from('ffffffff00000000', 'hex') }),
    ),
    bomb('with a palette of thousands', () => pngWith(png.rgb, { type: 'PLTE', data: Buffer.alloc(9000) }), [
      ...ANSWERED_OR_UNDECODABLE,
    ]),
    bomb('with an eXIf as large as is allowed', () =>
      pngWith(png.rgb, { type: 'eXIf', data: Buffer.alloc(bytesMax - png.rgb.length - 12) }),
    ),
  ];
}

function jpegBombs({ jpeg }: SoundPictures, { bytesMax }: CorpusLimits): HostileEntry[] {
  const parts = jpegParts(jpeg.progressive);
  const scan = parts.slice(-2).map(({ bytes }) => bytes);
  const scanBytes = scan.reduce((sum, bytes) => sum + bytes.length, 0);
  const room = bytesMax - jpeg.progressive.length;
  const repeated = (marker: number, data: Buffer): Buffer => filled(segment(marker, data), room);
  const table = parts.find(({ marker }) => marker === MARKER.dht)?.bytes.subarray(4) ?? Buffer.alloc(0);
  const bomb = (name: string, make: () => Buffer, verdicts = ANSWERED_OR_UNDECODABLE) =>
    picture(KIND, `JPEG ${name}`, make, verdicts);
  return [
    bomb('with 90 scans more', () =>
      jpegOf([...parts.map(({ bytes }) => bytes), ...times(90, () => scan).flat()]),
    ),
    bomb(
      'with as many scans as there is room for',
      () =>
        jpegOf([
          ...parts.map(({ bytes }) => bytes),
          ...times(Math.floor(room / scanBytes), () => scan).flat(),
        ]),
      UNDECODABLE,
    ),
    bomb('with as many Huffman tables as there is room for', () =>
      jpegWith(jpeg.baseline, repeated(MARKER.dht, table)),
    ),
    bomb('with as many comments as there is room for', () =>
      jpegWith(jpeg.baseline, repeated(MARKER.com, Buffer.alloc(60_000))),
    ),
    bomb('with as many empty comments as there is room for', () =>
      jpegWith(jpeg.baseline, repeated(MARKER.com, Buffer.alloc(0))),
    ),
    bomb('with as many APP1 as there is room for', () =>
      jpegWith(jpeg.baseline, repeated(app(1), Buffer.concat([text('Exif\0\0'), Buffer.alloc(60_000)]))),
    ),
    bomb('with as many APP2 as there is room for', () =>
      jpegWith(
        jpeg.baseline,
        repeated(app(2), Buffer.concat([text('ICC_PROFILE\0\x01\xff'), Buffer.alloc(60_000)])),
      ),
    ),
    bomb(
      'with more APP than bytes are allowed',
      () =>
        jpegWith(
          jpeg.baseline,
          repeated(app(9), Buffer.alloc(60_000)),
          segment(app(9), Buffer.alloc(60_000)),
          segment(app(9), Buffer.alloc(1000)),
        ),
      [...TOO_LARGE, '413'],
    ),
    bomb('with fill bytes for a picture', () =>
      Buffer.concat([jpeg.baseline.subarray(0, 2), Buffer.alloc(room, 0xff), jpeg.baseline.subarray(2)]),
    ),
    bomb('with restart markers for a picture', () =>
      jpegOf([
        ...jpegParts(jpeg.baseline).map(({ bytes }) => bytes),
        Buffer.from('ffd0'.repeat(Math.floor(room / 4)), 'hex'),
      ]),
    ),
    bomb(
      'with a thousand frame headers',
      () =>
        jpegOf([
          ...times(1000, () => parts.find(({ marker }) => marker === MARKER.sof2)?.bytes ?? Buffer.alloc(0)),
          ...parts.map(({ bytes }) => bytes),
        ]),
      UNDECODABLE,
    ),
    bomb(
      'with nothing but starts',
      () => Buffer.from('ffd8'.repeat(Math.floor(room / 2)), 'hex'),
      UNDECODABLE,
    ),
    bomb(
      'of zeros behind its start',
      () => Buffer.concat([jpeg.baseline.subarray(0, 3), Buffer.alloc(room)]),
      UNDECODABLE,
    ),
  ];
}

function webpBombs({ webp }: SoundPictures, { bytesMax, pixelsMax }: CorpusLimits): HostileEntry[] {
  const [still] = webpChunks(webp.lossy);
  const extended = (flag: 'icc' | 'exif' | 'xmp', type: string, data: Buffer) =>
    webpOf([
      vp8x(96, 72, flag),
      ...(flag === 'icc' ? [{ type, data }] : []),
      ...(still ? [still] : []),
      ...(flag === 'icc' ? [] : [{ type, data }]),
    ]);
  const side = Math.min(16_383, Math.floor(Math.sqrt(pixelsMax)));
  const bomb = (name: string, make: () => Buffer, verdicts = ANSWERED_OR_UNDECODABLE) =>
    picture(KIND, `WebP ${name}`, make, verdicts);
  return [
    bomb('with as many frames as there is room for', () =>
      animation(
        96,
        72,
        times(Math.floor(bytesMax / (webp.lossy.length + 40)), () => webp.lossy),
      ),
    ),
    bomb('with a frame larger than its canvas', () => animation(20, 20, [webp.lossy, webp.lossy])),
    bomb('with small frames on the largest canvas', () => animation(side, side, [webp.lossy, webp.lossy]), [
      ...ANSWERED_OR_UNDECODABLE,
      ...TOO_LARGE,
    ]),
    bomb('with an ICC profile for a picture', () => extended('icc', 'ICCP', Buffer.alloc(bytesMax - 10_000))),
    bomb('with an EXIF for a picture', () => extended('exif', 'EXIF', Buffer.alloc(bytesMax - 10_000))),
    bomb('with an XMP for a picture', () => extended('xmp', 'XMP ', Buffer.alloc(bytesMax - 10_000, 0x20))),
    bomb('with thousands of unknown chunks', () =>
      webpOf([
        vp8x(96, 72),
        ...times(Math.min(20_000, Math.floor(bytesMax / 20)), () => ({
          type: 'JUNK',
          data: Buffer.alloc(0),
        })),
        ...(still ? [still] : []),
      ]),
    ),
    bomb('that says it is four gigabytes long', () => webpOf(webpChunks(webp.lossy), 0xffff_fffe)),
    bomb('that says it is empty', () => webpOf(webpChunks(webp.lossy), 4)),
    bomb(
      'with a chunk of four gigabytes',
      () => webpOf([{ type: 'VP8 ', data: still?.data ?? Buffer.alloc(0), size: 0xffff_fff0 }]),
      UNDECODABLE,
    ),
    bomb('with a chunk of no bytes', () => webpOf([{ type: 'VP8 ', data: Buffer.alloc(0) }]), UNDECODABLE),
    bomb('with chunks within chunks', () => webpOf([{ type: 'ANMF', data: nested(1000) }]), UNDECODABLE),
  ];
}

/** Frames within frames. */
function nested(depth: number): Buffer {
  let inner: Buffer = Buffer.alloc(16);
  for (let level = 0; level < depth; level += 1) inner = riffChunk({ type: 'ANMF', data: inner });
  return inner;
}
