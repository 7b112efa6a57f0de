import { deflateSync, inflateSync } from 'node:zlib';
import { ANSWERED, type HostileEntry, picture, UNDECODABLE } from './entry';
import { app, type JpegPart, jpegOf, jpegParts, jpegWith, MARKER, segment, withFrame } from './jpeg';
import { chunkBytes, idat, PNG_SIGNATURE, pngChunks, pngOf, pngWith } from './png';
import { restartedJpeg } from './restarted-jpeg';
import { namedPictures, type SoundPictures } from './sound-pictures';
import { vp8x, webpChunks, webpOf } from './webp';

/** A picture that shows what a sound one shows, and is odd. */
export interface Oddity {
  readonly name: string;
  readonly bytes: Buffer;
  readonly sound: Buffer;
}

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
const EOI = Buffer.from([0xff, MARKER.eoi]);
const JUNK = latin('some bytes that are no marker');

/** Pictures in which every pixel is there, and about which decoders complain or might. */
export function oddities({ jpeg, png, webp }: SoundPictures): Oddity[] {
  const of = (format: string, sound: Buffer, variants: Readonly<Record<string, Buffer>>): Oddity[] =>
    Object.entries(variants).map(([name, bytes]) => ({ name: `${format}: ${name}`, bytes, sound }));
  const restarted = restartedJpeg();
  return [
    ...Object.entries(jpeg).flatMap(([form, sound]) => of(`${form} JPEG`, sound, oddSegments(sound))),
    ...(['baseline', 'grey', 'cmyk'] as const).flatMap((form) =>
      of(`${form} JPEG`, jpeg[form], oddSequential(jpeg[form])),
    ),
    ...of('progressive JPEG', jpeg.progressive, oddProgressive(jpeg.progressive)),
    ...of('JPEG with restarts', restarted, {
      'whose restarts begin at 3': restartedJpeg({ firstRestart: 3 }),
      'whose restarts are all 0': restartedJpeg({ modulus: 1 }),
    }),
    ...Object.entries(png).flatMap(([form, sound]) => of(`${form} PNG`, sound, oddPng(sound))),
    ...(['lossy', 'lossless'] as const).flatMap((form) =>
      of(`${form} WebP`, webp[form], oddWebp(webp[form])),
    ),
    ...of('alpha WebP', webp.alpha, oddLengths(webp.alpha)),
  ];
}

/** Pictures in which pixels are missing, also where the file is given an end or a right length. */
export function lostPixels(pictures: SoundPictures): { readonly name: string; readonly bytes: Buffer }[] {
  const { jpeg, png, webp } = pictures;
  const cut = (bytes: Buffer, part: number) => bytes.subarray(0, Math.floor(bytes.length * part));
  const cuts = namedPictures(pictures).flatMap(([name, bytes]) =>
    [0.5, 0.9].map((part) => ({ name: `${name} cut at ${part}`, bytes: cut(bytes, part) })),
  );
  const jpegs = Object.entries(jpeg).flatMap(([form, bytes]) => [
    { name: `${form} JPEG without an end`, bytes: bytes.subarray(0, -2) },
    ...[0.5, 0.9].map((part) => ({
      name: `${form} JPEG cut at ${part} and given an end`,
      bytes: Buffer.concat([cut(bytes, part), EOI]),
    })),
    { name: `${form} JPEG cut in half and odd`, bytes: cut(jpegWith(bytes, jfif(2, 1)), 0.5) },
    {
      name: `${form} JPEG cut in half, odd and given an end`,
      bytes: Buffer.concat([cut(jpegWith(bytes, jfif(2, 1)), 0.5), EOI]),
    },
    { name: `${form} JPEG said to be higher`, bytes: withFrame(bytes, (data) => data.writeUInt16BE(200, 1)) },
  ]);
  const halfWebp = (bytes: Buffer) => {
    const half = Buffer.from(cut(bytes, 0.5));
    half.writeUInt32LE(half.length - 8, 4);
    return half;
  };
  return [
    ...cuts,
    ...jpegs,
    ...Object.entries(png).map(([form, bytes]) => ({
      name: `${form} PNG with half of its rows`,
      bytes: withPixels(bytes, (rows) => deflateSync(rows.subarray(0, rows.length / 2))),
    })),
    ...(['lossy', 'lossless', 'alpha'] as const).map((form) => ({
      name: `${form} WebP cut in half and given the right length`,
      bytes: halfWebp(webp[form]),
    })),
  ];
}

/** Both as requests. */
export const oddPictures = (pictures: SoundPictures): HostileEntry[] => [
  ...oddities(pictures).map(({ name, bytes }) => picture('odd', name, () => bytes, ANSWERED)),
  ...lostPixels(pictures).map(({ name, bytes }) => picture('lost pixels', name, () => bytes, UNDECODABLE)),
];

const jfif = (major: number, minor: number, unit = 0, density = 1, thumbnail = 0): Buffer =>
  segment(
    app(0),
    Buffer.concat([
      latin('JFIF\0'),
      Buffer.from([major, minor, unit, density >> 8, density & 255, density >> 8, density & 255]),
      Buffer.from([thumbnail, thumbnail]),
    ]),
  );

function oddSegments(jpeg: Buffer): Record<string, Buffer> {
  const parts = jpegParts(jpeg);
  const beforeMarker = (marker: number, bytes: Buffer): Buffer =>
    jpegOf(parts.flatMap((part) => (part.marker === marker ? [bytes, part.bytes] : [part.bytes])));
  const isCmyk = parts.some(({ marker }) => marker === app(14));
  const added: Record<string, Buffer> = {
    'an EXIF that is none': segment(app(1), latin('Exif\0\0this is no TIFF')),
    'an XMP that is cut off': segment(app(1), latin('http://ns.adobe.com/xap/1.0/\0<x:xmpmeta')),
    'a profile that is none': segment(app(2), latin('ICC_PROFILE\0\x01\x01this is no profile')),
    'a third part of two of a profile': segment(app(2), latin('ICC_PROFILE\0\x03\x02part')),
    'an index of pictures that is none': segment(app(2), latin('MPF\0none')),
    'IPTC that is none': segment(app(13), latin('Photoshop 3.0\x008BIMnone')),
    'a short Adobe segment': segment(app(14), latin('Adobe\0')),
    'a comment of no bytes': segment(MARKER.com, Buffer.alloc(0)),
    ...Object.fromEntries(
      [3, 5, 8, 10, 11, 12, 15].map((number) => [`APP${number}`, segment(app(number), latin('\0\xff\xd9'))]),
    ),
    ...(isCmyk
      ? {}
      : {
          'JFIF 2.01': jfif(2, 1),
          'JFIF 0.0': jfif(0, 0),
          'JFIF 255.255': jfif(255, 255),
          'a density of nothing': jfif(1, 2, 9, 0),
          'a JFIF thumbnail that is not there': jfif(1, 1, 1, 72, 32),
          'JFIF twice': Buffer.concat([jfif(1, 1), jfif(2, 2)]),
        }),
  };
  return {
    ...Object.fromEntries(
      Object.entries(added).map(([name, bytes]) => [`with ${name}`, jpegWith(jpeg, bytes)]),
    ),
    'with bytes behind its start': jpegWith(jpeg, JUNK),
    'with zeros behind its start': jpegWith(jpeg, Buffer.alloc(3)),
    'with bytes before its tables': beforeMarker(MARKER.dqt, JUNK),
    'with bytes before its scans': beforeMarker(MARKER.sos, JUNK),
    'with 0xff 0x00 before its scans': beforeMarker(MARKER.sos, Buffer.from([0xff, 0])),
    'with fill bytes before its scans': beforeMarker(MARKER.sos, Buffer.alloc(7, 0xff)),
    'with bytes before its end': jpegOf([...parts.map(({ bytes }) => bytes), JUNK]),
    'with its end twice': Buffer.concat([jpeg, EOI]),
    'with bytes behind its end': Buffer.concat([jpeg, JUNK]),
    'with a film behind its end': Buffer.concat([jpeg, latin('\0\0\0\x18ftypmp42'), Buffer.alloc(5000, 7)]),
  };
}

/** Scan parameters mean nothing here; some telephones write others than the standard asks for. */
function oddSequential(jpeg: Buffer): Record<string, Buffer> {
  const parts = jpegParts(jpeg);
  const parameters = (first: number, last: number, bits: number): Buffer =>
    jpegOf(
      parts.map(({ marker, bytes }) =>
        marker === MARKER.sos ? Buffer.concat([bytes.subarray(0, -3), Buffer.of(first, last, bits)]) : bytes,
      ),
    );
  const isYcc = parts.some(({ marker, bytes }) => marker === MARKER.sof0 && bytes[9] === 3);
  const adobe = segment(app(14), latin('Adobe\0\x64\0\0\0\0\x07'));
  return {
    'whose scan ends at 0': parameters(0, 0, 0),
    'whose scan begins at 5': parameters(5, 63, 0),
    'whose scan is one of refinement': parameters(0, 63, 0x21),
    ...(isYcc ? { 'with an unknown transform of Adobe': jpegWith(withoutJfif(parts), adobe) } : {}),
  };
}

const withoutJfif = (parts: readonly JpegPart[]): Buffer =>
  jpegOf(parts.filter(({ marker }) => marker !== app(0)).map(({ bytes }) => bytes));

function oddProgressive(jpeg: Buffer): Record<string, Buffer> {
  const parts = jpegParts(jpeg);
  const scans = parts.flatMap(({ marker }, index) => (marker === MARKER.sos ? [index] : []));
  const twice = (scan: number): Buffer =>
    jpegOf(
      parts.flatMap(({ bytes }, index) =>
        index === scan + 1 ? [bytes, ...parts.slice(scan, scan + 2).map((part) => part.bytes)] : [bytes],
      ),
    );
  return {
    ...Object.fromEntries(scans.map((scan, index) => [`with scan ${index} twice`, twice(scan)])),
    'with bytes between its scans': jpegOf(
      parts.flatMap(({ marker, bytes }) => (marker === null ? [bytes, JUNK] : [bytes])),
    ),
  };
}

function oddPng(png: Buffer): Record<string, Buffer> {
  const chunks = pngChunks(png);
  const added: Readonly<Record<string, readonly [type: string, data: Buffer]>> = {
    'a profile that is none': ['iCCP', latin('a\0\0none')],
    'an EXIF that is none': ['eXIf', latin('none')],
    'a gamma cut off': ['gAMA', Buffer.alloc(3)],
    'an unknown intent': ['sRGB', Buffer.of(9)],
    'a time that is none': ['tIME', Buffer.alloc(7, 255)],
    'a background cut off': ['bKGD', Buffer.alloc(9)],
    'a text that does not inflate': ['zTXt', latin('a\0\0none')],
    'an unknown chunk': ['abCd', latin('x')],
  };
  const withChecksum = (type: string): Buffer =>
    Buffer.concat([
      PNG_SIGNATURE,
      ...chunks.flatMap((chunk, index) => [
        chunkBytes(chunk),
        ...(index === 0 ? [chunkBytes({ type, data: latin('a\0b') }, 1)] : []),
      ]),
    ]);
  return {
    ...Object.fromEntries(
      Object.entries(added).map(([name, [type, data]]) => [`with ${name}`, pngWith(png, { type, data })]),
    ),
    'with a wrong checksum of a text': withChecksum('tEXt'),
    'with more data than rows': withPixels(png, (rows) =>
      deflateSync(Buffer.concat([rows, Buffer.alloc(999)])),
    ),
    'with bytes behind its end': Buffer.concat([png, JUNK]),
  };
}

/** The picture with its filtered rows compressed anew. */
function withPixels(png: Buffer, deflated: (rows: Buffer) => Buffer): Buffer {
  const chunks = pngChunks(png);
  const data = chunks.filter(({ type }) => type === 'IDAT').map((chunk) => chunk.data);
  const others = chunks.filter(({ type }) => type !== 'IDAT' && type !== 'IEND');
  return pngOf([
    ...others,
    idat(deflated(inflateSync(Buffer.concat(data)))),
    { type: 'IEND', data: Buffer.alloc(0) },
  ]);
}

function oddWebp(webp: Buffer): Record<string, Buffer> {
  const still = webpChunks(webp);
  const exif = { type: 'EXIF', data: latin('none') };
  const reserved = { ...vp8x(96, 72), data: Buffer.concat([Buffer.of(0xc1), vp8x(96, 72).data.subarray(1)]) };
  return {
    ...oddLengths(webp),
    'with an EXIF that is none': webpOf([vp8x(96, 72, 'exif'), ...still, exif]),
    'with an EXIF that is not there': webpOf([vp8x(96, 72, 'exif'), ...still]),
    'with an EXIF longer than the file': webpOf([vp8x(96, 72, 'exif'), ...still, { ...exif, size: 4000 }]),
    'with a profile that is none': webpOf([
      vp8x(96, 72, 'icc'),
      { type: 'ICCP', data: latin('none') },
      ...still,
    ]),
    'with reserved flags': webpOf([reserved, ...still]),
    'with an unknown chunk first': webpOf([{ type: 'JUNK', data: Buffer.alloc(4) }, ...still]),
    'with an unknown chunk last': webpOf([...still, { type: 'JUNK', data: Buffer.alloc(3) }]),
  };
}

function oddLengths(webp: Buffer): Record<string, Buffer> {
  const saying = (length: number): Buffer => {
    const copy = Buffer.from(webp);
    copy.writeUInt32LE(length, 4);
    return copy;
  };
  return {
    ...Object.fromEntries(
      [-100, -2, -1, 1, 2, 8, 100].map((more) => [`${more} bytes long`, saying(webp.length - 8 + more)]),
    ),
    'of no length': saying(0),
    'of the largest length': saying(0xffff_ffff),
    'with bytes behind its end': Buffer.concat([webp, JUNK]),
    'with bytes at its end that are no chunk': Buffer.concat([saying(webp.length - 8 + JUNK.length), JUNK]),
  };
}
