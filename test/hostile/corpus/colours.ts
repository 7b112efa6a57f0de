import { deflateSync } from 'node:zlib';
import {
  ANSWERED,
  ANSWERED_OR_UNDECODABLE,
  type HostileEntry,
  OTHER_FORMAT,
  picture,
  picturesOf,
  UNDECODABLE,
} from './entry';
import { app, jpegWith, segment, withFrame } from './jpeg';
import {
  blankPng,
  COLOUR,
  chunkBytes,
  IEND,
  idat,
  ihdr,
  PNG_SIGNATURE,
  type PngChunk,
  pngChunks,
  pngOf,
  pngWith,
} from './png';
import { namedPictures, type SoundPictures } from './sound-pictures';

const KIND = 'colour forms';
const form = picturesOf(KIND);

/** Frames of lossless and hierarchical JPEG and of JPEG-LS. */
const OTHER_KINDS = new Set([0xc3, 0xc5, 0xcb, 0xf7]);

/** Every way to say a colour: the sound ones are answered, the broken ones are no fault of ours. */
export function colourForms(pictures: SoundPictures): HostileEntry[] {
  return [
    ...namedPictures(pictures).map(([name, bytes]) => picture('sound', name, () => bytes, ANSWERED)),
    ...adobeForms(pictures),
    ...frameForms(pictures),
    ...pngForms(),
    ...brokenChunks(pictures),
  ];
}

const adobe = (transform: number): Buffer =>
  segment(app(14), Buffer.concat([Buffer.from('Adobe\0d\0\0\0\0', 'latin1'), Buffer.of(transform)]));

function adobeForms({ jpeg }: SoundPictures): HostileEntry[] {
  const withMarker = (kind: 'baseline' | 'grey' | 'cmyk', transform: number) =>
    form(
      `${kind} JPEG with Adobe transform ${transform}`,
      () => jpegWith(jpeg[kind], adobe(transform)),
      ANSWERED_OR_UNDECODABLE,
    );
  return [
    ...[0, 1, 2, 7, 255].map((transform) => withMarker('baseline', transform)),
    ...[0, 1, 2, 7].map((transform) => withMarker('cmyk', transform)),
    withMarker('grey', 1),
    form(
      'JPEG with half an Adobe marker',
      () => jpegWith(jpeg.baseline, segment(app(14), Buffer.from('Adob'))),
      ANSWERED,
    ),
    form(
      'JPEG with a JFIF of density 0',
      () => jpegWith(jpeg.baseline, segment(app(0), Buffer.from('4a46494600010201000000000000', 'hex'))),
      ANSWERED_OR_UNDECODABLE,
    ),
  ];
}

function frameForms({ jpeg }: SoundPictures): HostileEntry[] {
  const changed = (name: string, change: (data: Buffer) => void, verdicts = UNDECODABLE) =>
    form(`JPEG ${name}`, () => withFrame(jpeg.baseline, change), verdicts);
  const coded = (marker: number) => () => {
    const copy = Buffer.from(jpeg.baseline);
    copy[copy.indexOf(Buffer.from('ffc0', 'hex')) + 1] = marker;
    return copy;
  };
  return [
    ...[0, 1, 9, 12, 16, 255].map((precision) =>
      changed(
        `of ${precision} bits`,
        (data) => void data.writeUInt8(precision, 0),
        [9, 12, 16].includes(precision) ? OTHER_FORMAT : UNDECODABLE,
      ),
    ),
    ...[0, 1, 2, 4, 255].map((components) =>
      changed(`of ${components} components`, (data) => void data.writeUInt8(components, 5)),
    ),
    changed(
      'of three components of the same name',
      (data) => {
        data[9] = data[6] ?? 0;
        data[12] = data[6] ?? 0;
      },
      ANSWERED_OR_UNDECODABLE,
    ),
    ...[0x00, 0x14, 0x51, 0xff].map((factors) =>
      changed(
        `with sampling factors ${factors.toString(16)}`,
        (data) => void data.writeUInt8(factors, 7),
        ANSWERED_OR_UNDECODABLE,
      ),
    ),
    changed('with a table that there is not', (data) => void data.writeUInt8(3, 8)),
    ...[0xc1, 0xc2, 0xc3, 0xc5, 0xc9, 0xca, 0xcb, 0xf7].map((marker) =>
      form(
        `JPEG coded as ${marker.toString(16)}`,
        coded(marker),
        OTHER_KINDS.has(marker)
          ? OTHER_FORMAT
          : [0xc2, 0xca].includes(marker)
            ? UNDECODABLE
            : ANSWERED_OR_UNDECODABLE,
      ),
    ),
  ];
}

function pngForms(): HostileEntry[] {
  const size = { width: 17, height: 13 };
  const grey = [1, 2, 4, 8, 16].map((depth) => ({ ...size, depth, colour: COLOUR.grey }));
  const deep = [COLOUR.rgb, COLOUR.greyAlpha, COLOUR.rgba].flatMap((colour) =>
    [8, 16].map((depth) => ({ ...size, depth, colour })),
  );
  const palettes = [1, 2, 4, 8].map((depth) => ({ ...size, depth, colour: COLOUR.palette }));
  const impossible = [
    [3, COLOUR.grey],
    [4, COLOUR.rgb],
    [16, COLOUR.palette],
    [1, COLOUR.rgba],
    [32, COLOUR.rgba],
    [0, COLOUR.grey],
  ] as const;
  const two: PngChunk = { type: 'PLTE', data: Buffer.from('ff0000 00ff00'.replace(' ', ''), 'hex') };
  const clear: PngChunk = { type: 'tRNS', data: Buffer.of(0, 128) };
  const beyond = { ...size, depth: 8, colour: COLOUR.palette };
  const outside = deflateSync(Buffer.alloc((1 + size.width) * size.height, 0).fill(9, 1, 5));
  return [
    ...[...grey, ...deep].map((header) =>
      form(`PNG of ${header.depth} bits, type ${header.colour}`, () => blankPng(header), ANSWERED),
    ),
    ...palettes.flatMap((header) => [
      form(`PNG with a palette of ${header.depth} bits`, () => blankPng(header, two), ANSWERED),
      form(
        `PNG with a palette of ${header.depth} bits and transparency`,
        () => blankPng(header, two, clear),
        ANSWERED,
      ),
    ]),
    form(
      'PNG with a palette that it leaves',
      () => pngOf([ihdr(beyond), two, idat(outside), IEND]),
      ANSWERED_OR_UNDECODABLE,
    ),
    form('PNG without its palette', () => blankPng(beyond), UNDECODABLE),
    ...impossible.map(([depth, colour]) =>
      form(
        `PNG of ${depth} bits, type ${colour}`,
        () => pngOf([ihdr({ ...size, depth, colour }), idat(deflateSync(Buffer.alloc(2000))), IEND]),
        UNDECODABLE,
      ),
    ),
  ];
}

function brokenChunks({ png }: SoundPictures): HostileEntry[] {
  const [header, ...rest] = pngChunks(png.rgb);
  if (!header) throw new Error('no header');
  const field = (at: number, value: number): PngChunk => {
    const data = Buffer.from(header.data);
    data[at] = value;
    return { type: 'IHDR', data };
  };
  const broken = picturesOf(KIND, 'PNG ');
  const badCheck = (chunk: PngChunk) =>
    Buffer.concat([
      PNG_SIGNATURE,
      ...[header, ...rest].map((each) => chunkBytes(each, each === chunk ? 0 : undefined)),
    ]);
  return [
    broken('with a wrong check sum of its header', () => badCheck(header), UNDECODABLE),
    broken(
      'with a wrong check sum of its pixels',
      () => badCheck(rest.find(({ type }) => type === 'IDAT') ?? header),
      UNDECODABLE,
    ),
    broken('without a header', () => pngOf(rest), UNDECODABLE),
    broken('with two headers', () => pngOf([header, header, ...rest])),
    broken('with its end first', () => pngOf([IEND, header, ...rest]), UNDECODABLE),
    broken('without pixels', () => pngOf([header, IEND]), UNDECODABLE),
    broken('with an unknown critical chunk', () => pngWith(png.rgb, { type: 'ABCD', data: Buffer.alloc(4) })),
    broken('with another compression', () => pngOf([field(10, 1), ...rest]), UNDECODABLE),
    broken('with another filter', () => pngOf([field(11, 1), ...rest]), UNDECODABLE),
    broken('with another interlacing', () => pngOf([field(12, 2), ...rest]), UNDECODABLE),
    broken('with rows of an unknown filter', () =>
      pngOf([header, idat(deflateSync(Buffer.alloc(40_000, 9))), IEND]),
    ),
    broken(
      'with pixels that are not deflated',
      () => pngOf([header, idat(Buffer.alloc(300, 7)), IEND]),
      UNDECODABLE,
    ),
    broken('with a wrong zlib check sum', () =>
      pngOf([
        header,
        ...rest.map((chunk) =>
          chunk.type === 'IDAT' ? idat(Buffer.concat([chunk.data.subarray(0, -4), Buffer.alloc(4)])) : chunk,
        ),
      ]),
    ),
    broken('with gamma 0', () => pngWith(png.rgb, { type: 'gAMA', data: Buffer.alloc(4) })),
    broken('with impossible primaries', () =>
      pngWith(png.rgb, { type: 'cHRM', data: Buffer.alloc(32, 0xff) }),
    ),
    broken('as APNG', () =>
      pngWith(
        png.rgb,
        { type: 'acTL', data: Buffer.from('0000000200000000', 'hex') },
        { type: 'fcTL', data: Buffer.alloc(26) },
      ),
    ),
    broken('as APNG of no frames', () => pngWith(png.rgb, { type: 'acTL', data: Buffer.alloc(8) })),
  ];
}
