import { type CorpusLimits, type HostileEntry, picturesOf, TOO_LARGE, UNDECODABLE } from './entry';
import { app, jpegOf, jpegParts, jpegWith, MARKER, segment } from './jpeg';
import { filled, times } from './repetition';
import type { SoundPictures } from './sound-pictures';

const text = (value: string): Buffer => Buffer.from(value, 'latin1');

/** JPEGs with more scans, tables or metadata than anybody reads. */
export function jpegBombs({ jpeg }: SoundPictures, { bytesMax }: CorpusLimits): HostileEntry[] {
  const parts = jpegParts(jpeg.progressive);
  const scan = parts.slice(-2).map(({ bytes }) => bytes);
  const scanBytes = scan.reduce((sum, bytes) => sum + bytes.length, 0);
  const room = bytesMax - jpeg.progressive.length;
  const repeated = (marker: number, data: Buffer): Buffer => filled(segment(marker, data), room);
  const table = parts.find(({ marker }) => marker === MARKER.dht)?.bytes.subarray(4) ?? Buffer.alloc(0);
  const bomb = picturesOf('bombs', 'JPEG ');
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
