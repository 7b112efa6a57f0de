import { ANSWERED, type CorpusLimits, type HostileEntry, picturesOf, TOO_LARGE, UNDECODABLE } from './entry';
import { withSize } from './jpeg';
import { blankPng, COLOUR, IEND, idat, ihdr, pngOf } from './png';
import type { SoundPictures } from './sound-pictures';
import { losslessHeader, vp8x, webpOf } from './webp';

const size = picturesOf('dimensions');
/** Too many pixels by what it says, or nothing that can be decoded. */
const REFUSED = [...TOO_LARGE, ...UNDECODABLE];
const FEW_BYTES = Buffer.from('789c0300000000 01'.replaceAll(' ', ''), 'hex');

/** Sizes of nothing, of everything, and around the limit on pixels. */
export function dimensions(pictures: SoundPictures, { pixelsMax }: CorpusLimits): HostileEntry[] {
  const side = Math.floor(Math.sqrt(pixelsMax));
  const just = Math.floor(pixelsMax / side);
  const header = (width: number, height: number) => pngOf([ihdr({ width, height }), idat(FEW_BYTES), IEND]);
  const jpeg = (width: number, height: number) => withSize(pictures.jpeg.baseline, width, height);
  return [
    size('PNG 1 x 1', () => blankPng({ width: 1, height: 1 }), ANSWERED),
    size('PNG 1 x 30000', () => blankPng({ width: 1, height: 30_000 }), ANSWERED),
    size('PNG 30000 x 1', () => blankPng({ width: 30_000, height: 1 }), ANSWERED),
    size(
      'PNG 1 x 1, one bit',
      () => blankPng({ width: 1, height: 1, depth: 1, colour: COLOUR.grey }),
      ANSWERED,
    ),
    size('PNG 2 x 60000, interlaced', () => blankPng({ width: 2, height: 60_000, interlaced: true })),
    size('PNG just within the pixels', () => blankPng({ width: side, height: just }), ANSWERED),
    size(
      'PNG one row over the pixels',
      () => blankPng({ width: side, height: just + 1 + (just * side === pixelsMax ? 0 : 1) }),
      TOO_LARGE,
    ),
    ...[
      [0, 0],
      [0, 10],
      [10, 0],
      [0x8000_0000, 10],
      [10, 0xffff_ffff],
    ].map(([width = 0, height = 0]) =>
      size(`PNG that says ${width} x ${height}`, () => header(width, height), UNDECODABLE),
    ),
    ...[
      [0x7fff_ffff, 0x7fff_ffff],
      [0x7fff_ffff, 1],
      [1_000_000, 1_000_000],
      [65_535, 65_535],
      [100_000_000, 1],
      [1, 100_000_000],
    ].map(([width = 0, height = 0]) =>
      size(`PNG that says ${width} x ${height}`, () => header(width, height), REFUSED),
    ),
    size('JPEG that says 65500 x 65500', () => jpeg(65_500, 65_500), TOO_LARGE),
    size('JPEG that says 65535 x 65535', () => jpeg(65_535, 65_535), REFUSED),
    size('JPEG that says 65500 x 1', () => jpeg(65_500, 1)),
    size('JPEG that says 1 x 65500', () => jpeg(1, 65_500)),
    size('JPEG that says 0 x 0', () => jpeg(0, 0), UNDECODABLE),
    size('JPEG that says 96 x 0', () => jpeg(96, 0), UNDECODABLE),
    size('JPEG that says 0 x 72', () => jpeg(0, 72), UNDECODABLE),
    size('JPEG that says more rows than it has', () => jpeg(96, 2000), UNDECODABLE),
    size('JPEG that says fewer rows than it has', () => jpeg(96, 8)),
    size('WebP that says 16384 x 16384', () => webpOf([losslessHeader(16_384, 16_384)]), REFUSED),
    size(
      'WebP with a canvas of 16777216 x 16777216',
      () => webpOf([vp8x(16_777_216, 16_777_216), losslessHeader(8, 8)]),
      REFUSED,
    ),
    size(
      'WebP with a canvas of 16384 x 16384 around a small picture',
      () => webpOf([vp8x(16_384, 16_384, 'animation'), losslessHeader(8, 8)]),
      REFUSED,
    ),
    size(
      'WebP with a canvas that its picture does not fill',
      () => webpOf([vp8x(500, 500), losslessHeader(96, 72)]),
      UNDECODABLE,
    ),
  ];
}
