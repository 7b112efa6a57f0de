import { deflateSync } from 'node:zlib';
import {
  ANSWERED_OR_UNDECODABLE,
  type CorpusLimits,
  type HostileEntry,
  picturesOf,
  TOO_LARGE,
} from './entry';
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
import { filled, times } from './repetition';
import type { SoundPictures } from './sound-pictures';

const MEGABYTE = 1_000_000;
const text = (value: string): Buffer => Buffer.from(value, 'latin1');

/** PNGs that inflate, or have more parts than anybody reads. */
export function pngBombs({ png }: SoundPictures, { pixelsMax, bytesMax }: CorpusLimits): HostileEntry[] {
  const side = Math.floor(Math.sqrt(pixelsMax));
  const whole = { width: side, height: side, depth: 16, colour: COLOUR.rgba } as const;
  const compressed = (type: string, head: string): PngChunk => ({
    type,
    data: Buffer.concat([text(head), deflatedZeros(60)]),
  });
  const small = { width: 10, height: 10 };
  const room = bytesMax - 50_000;
  const bomb = picturesOf('bombs', 'PNG ');
  return [
    bomb(
      'of four times the pixels that are allowed',
      () => blankPng({ width: side * 2, height: side * 2 }),
      TOO_LARGE,
    ),
    bomb('of 16 bits and alpha at the limit', () => blankPng(whole)),
    bomb('of 16 bits and alpha at the limit, interlaced', () =>
      pngOf([ihdr({ ...whole, interlaced: true }), idat(blankPixels(whole)), IEND]),
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

const zeros = new Map<number, Buffer>();

/** A thousandth of what it becomes; made once, since that takes its time. */
function deflatedZeros(megabytes: number): Buffer {
  const known = zeros.get(megabytes) ?? deflateSync(Buffer.alloc(megabytes * MEGABYTE));
  zeros.set(megabytes, known);
  return known;
}

/** The PNG with bytes put in behind its header. */
const behindHeader = (png: Buffer, bytes: Buffer): Buffer =>
  Buffer.concat([png.subarray(0, 33), bytes, png.subarray(33)]);
