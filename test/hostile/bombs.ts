import { deflateSync, gzipSync } from 'node:zlib';
import {
  animation,
  blankPng,
  type Chunk,
  COLOUR,
  IEND,
  idat,
  ihdr,
  jpegOf,
  jpegParts,
  pngChunk,
  pngChunks,
  pngOf,
  segment,
  vp8x,
  webpChunk,
  webpChunks,
  webpOf,
} from './picture-parts';

/** Limits of the service that the largest requests are made for. */
export interface CorpusLimits {
  readonly bytesMax: number;
  readonly pixelsMax: number;
}

/** One hostile request to a vision endpoint. */
export interface HostileEntry {
  readonly kind: string;
  readonly name: string;
  readonly path: string;
  /** Besides the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Accepted answers: a status, with the `reason` or `field` of a refusal behind it. */
  readonly verdicts: readonly string[];
  /** The body as it is sent. Made on demand, since together they are larger than memory should be. */
  readonly body: () => Buffer;
}

/** An entry that may go to any endpoint unless it names one. */
type Bomb = Omit<HostileEntry, 'path'> & { readonly path?: string };
type Make = () => Buffer;
type Row = readonly [name: string, make: Make, ...verdicts: string[]];

const OK = '200';
const UNDECODABLE = '422 image_undecodable';
const TOO_LARGE = '422 image_too_large';
const OTHER_FORMAT = '422 image_format';
const NO_BASE64 = '400 base64';
const JSON_ENDPOINT = '/v3/vision/identify';

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
const DHT = 0xc4;
const APP2 = 0xe2;
const APP9 = 0xe9;
const COM = 0xfe;
const MEGABYTE = 1_000_000;

/** Requests that ask for much memory or time with few bytes, or with as many as the limits allow. */
export function bombs(limits: CorpusLimits, sound: (name: string) => Buffer): Bomb[] {
  const pictures = [
    ...pngBombs(limits, sound('rgb png')),
    ...jpegBombs(limits, sound('baseline jpeg'), sound('progressive jpeg')),
    ...webpBombs(limits, sound('lossy webp'), sound('animated webp')),
  ];
  const length = Math.floor((limits.bytesMax * 4) / 3);
  const fill = (unit: string): string => unit.repeat(Math.floor(length / unit.length));
  return [
    ...pictures.map(([name, make, ...verdicts]) => ({
      ...{ kind: 'bombs', name, verdicts: verdicts.length > 0 ? verdicts : [OK, UNDECODABLE] },
      body: () => latin(`{"base64":"${make().toString('base64')}"}`),
    })),
    ...largeTexts(fill).map(([name, make, ...verdicts]) => ({
      ...{ kind: 'large texts', name, verdicts },
      body: () => latin(`{"base64":"${make()}"}`),
    })),
    ...largeBodies(fill).map(([name, make, ...verdicts]) => ({
      ...{ kind: 'large bodies', name, path: JSON_ENDPOINT, verdicts },
      body: make,
    })),
    ...[Buffer.alloc(60 * MEGABYTE), Buffer.alloc(60 * MEGABYTE, '[')].map((inflated, at) => ({
      ...{ kind: 'large bodies', name: `60 MB as gzip, ${at}`, path: JSON_ENDPOINT, verdicts: ['413'] },
      headers: { 'content-encoding': 'gzip' },
      body: () => gzipSync(inflated),
    })),
  ];
}

/** As many copies of some bytes as there is room for. */
const filled = (unit: Buffer, room: number): Buffer =>
  Buffer.alloc(Math.floor(room / unit.length) * unit.length, unit);

/** The picture with bytes inserted at a position. */
const inserted = (picture: Buffer, at: number, ...bytes: readonly Buffer[]): Buffer =>
  Buffer.concat([picture.subarray(0, at), ...bytes, picture.subarray(at)]);

const BEHIND_IHDR = 33;
const BEHIND_SOI = 2;

function pngBombs({ pixelsMax, bytesMax }: CorpusLimits, png: Buffer): Row[] {
  const side = Math.floor(Math.sqrt(pixelsMax));
  const rows = Math.floor(pixelsMax / side);
  const whole = { width: side, height: side, depth: 16, colour: COLOUR.rgba } as const;
  const small = { width: 10, height: 10 };
  const room = bytesMax - 50_000;
  const zeros = deflateSync(Buffer.alloc(60 * MEGABYTE));
  const deflated = (type: string, head: string): Row => [
    `PNG with 60 MB in ${type}`,
    () => inserted(png, BEHIND_IHDR, pngChunk({ type, data: Buffer.concat([latin(head), zeros]) })),
  ];
  const interlaced = (): Buffer => {
    const [, ...pixels] = pngChunks(blankPng(whole));
    return pngOf([ihdr({ ...whole, interlaced: true }), ...pixels]);
  };
  const splitByByte = (chunk: Chunk): Chunk[] =>
    chunk.type === 'IDAT' ? [...chunk.data].map((byte) => idat(Buffer.of(byte))) : [chunk];
  return [
    ['PNG just within the pixels', () => blankPng({ width: side, height: rows }), OK],
    ['PNG one row over the pixels', () => blankPng({ width: side, height: rows + 1 }), TOO_LARGE],
    ['PNG of four times the pixels', () => blankPng({ width: side * 2, height: side * 2 }), TOO_LARGE],
    ['PNG of 16 bits and alpha at the limit', () => blankPng(whole)],
    ['PNG of 16 bits and alpha at the limit, interlaced', interlaced],
    ['PNG with pixels for a hundred times its size', () => pngOf([ihdr(small), idat(zeros), IEND])],
    deflated('zTXt', 'Comment\0\0'),
    deflated('iTXt', 'Comment\0\x01\0\0\0'),
    deflated('iCCP', 'profile\0\0'),
    [
      'PNG with thousands of tEXt',
      () => inserted(png, BEHIND_IHDR, filled(pngChunk({ type: 'tEXt', data: latin('Key\0x') }), room)),
    ],
    [
      'PNG with thousands of empty IDAT',
      () => inserted(blankPng(small), BEHIND_IHDR, filled(pngChunk(idat(Buffer.alloc(0))), room)),
    ],
    ['PNG with its pixels in IDAT of one byte', () => pngOf(pngChunks(png).flatMap(splitByByte))],
    [
      'PNG with an eXIf as large as is allowed',
      () => {
        const data = Buffer.alloc(bytesMax - png.length - 12);
        return inserted(png, BEHIND_IHDR, pngChunk({ type: 'eXIf', data }));
      },
    ],
  ];
}

function jpegBombs({ bytesMax }: CorpusLimits, jpeg: Buffer, progressive: Buffer): Row[] {
  const parts = jpegParts(progressive);
  const scan = Buffer.concat(parts.slice(-2));
  const room = bytesMax - progressive.length;
  const partWith = (marker: number): Buffer =>
    parts.find((part) => part[0] === 0xff && part[1] === marker) ?? Buffer.alloc(0);
  const scans = (count: number) => jpegOf([...parts, Buffer.alloc(count * scan.length, scan)]);
  const repeated = (marker: number, data: Buffer) =>
    inserted(jpeg, BEHIND_SOI, filled(segment(marker, data), room));
  const profile = Buffer.concat([latin('ICC_PROFILE\0\x01\xff'), Buffer.alloc(60_000)]);
  const beyond = Buffer.alloc(3 * 60_000, segment(APP9, Buffer.alloc(59_996)));
  return [
    ['JPEG with 90 more scans', () => scans(90)],
    ['JPEG filled with scans', () => scans(Math.floor(room / scan.length)), UNDECODABLE],
    ['JPEG filled with Huffman tables', () => repeated(DHT, partWith(DHT).subarray(4))],
    ['JPEG filled with comments', () => repeated(COM, Buffer.alloc(60_000))],
    ['JPEG filled with empty comments', () => repeated(COM, Buffer.alloc(0))],
    ['JPEG filled with parts of a profile', () => repeated(APP2, profile)],
    [
      'JPEG with more segments than bytes are allowed',
      () => inserted(jpeg, BEHIND_SOI, filled(segment(APP9, Buffer.alloc(60_000)), room), beyond),
      TOO_LARGE,
      '413',
    ],
    ['JPEG with fill bytes for a picture', () => inserted(jpeg, BEHIND_SOI, Buffer.alloc(room, 0xff))],
    [
      'JPEG with restart markers for a picture',
      () => jpegOf([...jpegParts(jpeg), filled(Buffer.from('ffd0', 'hex'), room / 2)]),
    ],
    [
      'JPEG with a thousand frame headers',
      () => inserted(progressive, BEHIND_SOI, ...Array<Buffer>(1000).fill(partWith(0xc2))),
      UNDECODABLE,
    ],
    ['JPEG of nothing but starts', () => filled(Buffer.from('ffd8', 'hex'), room), UNDECODABLE],
    [
      'JPEG of zeros behind its start',
      () => Buffer.concat([jpeg.subarray(0, 3), Buffer.alloc(room)]),
      UNDECODABLE,
    ],
  ];
}

function webpBombs({ bytesMax, pixelsMax }: CorpusLimits, webp: Buffer, animated: Buffer): Row[] {
  const still = webpChunks(webp);
  const [width, height] = [32, 24];
  const side = Math.min(16_383, Math.floor(Math.sqrt(pixelsMax)));
  const frames = Math.floor(bytesMax / (webp.length + 40));
  const large = Buffer.alloc(bytesMax - 10_000, ' ');
  const nested = Array.from({ length: 1000 }).reduce<Buffer>(
    (data) => webpChunk({ type: 'ANMF', data }),
    Buffer.alloc(16),
  );
  const emptyFrames = (): Buffer => {
    const empty = webpChunk({ type: 'ANMF', data: Buffer.alloc(16) });
    const whole = Buffer.concat([animated, filled(empty, bytesMax - animated.length)]);
    whole.writeUInt32LE(whole.length - 8, 4);
    return whole;
  };
  const unknown = Array<Chunk>(Math.min(20_000, Math.floor(bytesMax / 20))).fill({
    type: 'JUNK',
    data: Buffer.alloc(0),
  });
  return [
    ['WebP filled with frames', () => animation(width, height, Array<Buffer>(frames).fill(webp))],
    ['WebP filled with empty frames', emptyFrames],
    ['WebP with a frame larger than its canvas', () => animation(20, 20, [webp, webp])],
    [
      'WebP with small frames on the largest canvas',
      () => animation(side, side, [webp, webp]),
      ...[OK, UNDECODABLE, TOO_LARGE],
    ],
    [
      'WebP with a profile for a picture',
      () => webpOf([vp8x(width, height, 'icc'), { type: 'ICCP', data: large }, ...still]),
    ],
    [
      'WebP with an XMP for a picture',
      () => webpOf([vp8x(width, height, 'xmp'), ...still, { type: 'XMP ', data: large }]),
    ],
    ['WebP with thousands of unknown chunks', () => webpOf([vp8x(width, height), ...unknown, ...still])],
    ['WebP with chunks within chunks', () => webpOf([{ type: 'ANMF', data: nested }]), UNDECODABLE],
  ];
}

/** Texts that must not take longer to refuse than a photo of their size takes to read. */
function largeTexts(fill: (unit: string) => string): (readonly [string, () => string, ...string[]])[] {
  return [
    ['digits', () => fill('AAAA'), OTHER_FORMAT],
    ['a space behind every digit', () => fill('A A A A '), OTHER_FORMAT],
    ['white space', () => fill(' '), NO_BASE64],
    ['padding', () => fill('='), NO_BASE64],
    ['white space within padding', () => `AA=${fill(' ')}A`, NO_BASE64],
    ['white space before a data URI', () => `${fill(' ')}data:,`, NO_BASE64],
    ['a type', () => `data:image/${fill('j')};base64,AAAA`, NO_BASE64],
    ['parameters', () => `data:${fill(';')}base64,AAAA`, NO_BASE64],
    ['commas', () => `data:${fill(',')}`, '400', NO_BASE64],
    ['escapes', () => `data:;base64,${fill('%41')}`, OTHER_FORMAT],
    ['escapes, the last broken', () => `data:;base64,${fill('%41')}%`, NO_BASE64],
    ['data URIs', () => fill('data:;base64,'), '400', NO_BASE64],
    ['one wrong sign at the end', () => `${fill('A')}!`, NO_BASE64],
  ];
}

/** Bodies as large as a photo's may be, of everything but a photo. */
function largeBodies(fill: (unit: string) => string): Row[] {
  const refused = ['400', NO_BASE64];
  const manyKeys = Array.from({ length: Math.floor(fill(' ').length / 16) }, (_, at) => `"k${at}":1,`);
  const deep = (open: string, close: string) => `${open.repeat(50_000)}1${close.repeat(50_000)}`;
  const url = (host: string) => latin(`{"url":"http://${host}.example/"}`);
  return [
    ['numbers', () => latin(`{"base64":[${fill('1,')}1]}`), ...refused],
    ['empty lists', () => latin(`{"base64":[${fill('[],')}1]}`), ...refused],
    ['empty objects', () => latin(`{"base64":[${fill('{},')}1]}`), ...refused],
    ['the same key', () => latin(`{${fill('"base64":"AAAA",')}"base64":1}`), ...refused],
    ['many keys', () => latin(`{${manyKeys.join('')}"base64":1}`), ...refused, '400 k0'],
    ['levels', () => latin(`{"base64":${fill('[')}`), ...refused],
    ['a value of fifty thousand levels', () => latin(`{"base64":${deep('[', ']')}}`), ...refused],
    ['an object of fifty thousand levels', () => latin(deep('{"a":', '}')), '400', '400 a'],
    ['a url of letters', () => url('a'.repeat(100_000)), '400 url'],
    ['a url of escapes', () => url('%61'.repeat(30_000)), '400 url'],
    ['a url of labels', () => url('a.'.repeat(30_000)), '400 url'],
    ['a url of letters that fold', () => url('\u00c3\u009f'.repeat(30_000)), '400 url'],
    [
      'thousands of includes',
      () => latin(`{"base64":"AAAA","includes":[${'"taxonomy",'.repeat(5000)}"taxonomy"]}`),
      '400 includes',
      OTHER_FORMAT,
    ],
    ['escaped digits', () => latin(`{"base64":"${fill('\\u0041')}"}`), OTHER_FORMAT, NO_BASE64],
    ['escaped NULs', () => latin(`{"base64":"${fill('\\u0000')}"}`), ...refused],
    ['white space', () => latin(`{${fill(' ')}}`), '400 url'],
    ['one number', () => latin(`{"base64":${fill('9')}}`), ...refused],
    ['digits, over the limit', () => latin(`{"base64":"${fill('A')}${'A'.repeat(70_000)}"}`), '413'],
  ];
}
