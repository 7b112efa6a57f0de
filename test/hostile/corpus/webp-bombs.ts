import {
  ANSWERED_OR_UNDECODABLE,
  type CorpusLimits,
  type HostileEntry,
  picturesOf,
  TOO_LARGE,
  UNDECODABLE,
} from './entry';
import { filled, times } from './repetition';
import type { SoundPictures } from './sound-pictures';
import { animation, riffChunk, vp8x, webpChunks, webpOf } from './webp';

/** WebPs with more frames or metadata than anybody reads, and lengths that lie. */
export function webpBombs({ webp }: SoundPictures, { bytesMax, pixelsMax }: CorpusLimits): HostileEntry[] {
  const [still] = webpChunks(webp.lossy);
  const extended = (flag: 'icc' | 'exif' | 'xmp', type: string, data: Buffer) =>
    webpOf([
      vp8x(96, 72, flag),
      ...(flag === 'icc' ? [{ type, data }] : []),
      ...(still ? [still] : []),
      ...(flag === 'icc' ? [] : [{ type, data }]),
    ]);
  const side = Math.min(16_383, Math.floor(Math.sqrt(pixelsMax)));
  const bomb = picturesOf('bombs', 'WebP ');
  return [
    bomb('with as many frames as there is room for', () =>
      animation(
        96,
        72,
        times(Math.floor(bytesMax / (webp.lossy.length + 40)), () => webp.lossy),
      ),
    ),
    bomb('with as many empty frames as there is room for', () => manyFrames(webp.animated, bytesMax)),
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

/** The animation with hundreds of thousands of frames behind its own. */
function manyFrames(animated: Buffer, bytesMax: number): Buffer {
  const empty = riffChunk({ type: 'ANMF', data: Buffer.alloc(16) });
  const whole = Buffer.concat([animated, filled(empty, bytesMax - animated.length)]);
  whole.writeUInt32LE(whole.length - 8, 4);
  return whole;
}
