import { crc32, deflateSync } from 'node:zlib';

/** Takes pictures apart and puts them together, as no encoder does that wants them to be sound. */

/** A chunk of a PNG or WebP; `size` replaces the true length of a WebP chunk. */
export interface Chunk {
  readonly type: string;
  readonly data: Buffer;
  readonly size?: number;
}

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
const PNG_SIGNATURE = latin('\x89PNG\r\n\x1a\n');
const SOS = 0xda;

/** A marker segment of a JPEG with its length. */
export function segment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

/** The segments of a well-formed JPEG and the coded data behind each start of scan, each a view of its bytes. */
export function jpegParts(jpeg: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 2; at < jpeg.length - 2; ) {
    const end = at + 2 + jpeg.readUInt16BE(at + 2);
    parts.push(jpeg.subarray(at, end));
    const isScan = jpeg[at + 1] === SOS;
    at = end;
    if (!isScan) continue;
    const next = endOfCodedData(jpeg, at);
    parts.push(jpeg.subarray(at, next));
    at = next;
  }
  return parts;
}

/** The position of the next marker that is neither a stuffed byte nor a restart. */
function endOfCodedData(jpeg: Buffer, from: number): number {
  for (let at = from; at < jpeg.length - 1; at += 1) {
    const next = jpeg[at + 1] ?? 0;
    if (jpeg[at] === 0xff && next !== 0 && (next < 0xd0 || next > 0xd7)) return at;
  }
  return jpeg.length;
}

export const jpegOf = (parts: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from([0xff, 0xd8]), ...parts, Buffer.from([0xff, 0xd9])]);

/** The JPEG with its frame header saying this size. */
export function withSize(jpeg: Buffer, width: number, height: number): Buffer {
  const copy = Buffer.from(jpeg);
  const frame = jpegParts(copy).find((part) => part[0] === 0xff && (part[1] === 0xc0 || part[1] === 0xc2));
  if (!frame) throw new Error('no frame header');
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return copy;
}

/** Colour types of PNG, and the samples that a pixel of each has. */
export const COLOUR = { grey: 0, rgb: 2, rgba: 6 } as const;
const SAMPLES = { 0: 1, 2: 3, 6: 4 } as const;

export interface PngHeader {
  readonly width: number;
  readonly height: number;
  readonly depth?: 1 | 8 | 16;
  readonly colour?: (typeof COLOUR)[keyof typeof COLOUR];
  readonly interlaced?: boolean;
}

/** The bytes of a PNG chunk with its checksum. */
export function pngChunk({ type, data }: Chunk): Buffer {
  const body = Buffer.concat([latin(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

export const pngOf = (chunks: readonly Chunk[]): Buffer =>
  Buffer.concat([PNG_SIGNATURE, ...chunks.map(pngChunk)]);

/** The chunks of a well-formed PNG. */
export function pngChunks(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = PNG_SIGNATURE.length; at + 12 <= png.length; ) {
    const end = at + 8 + png.readUInt32BE(at);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, end) });
    at = end + 4;
  }
  return chunks;
}

export function ihdr({
  width,
  height,
  depth = 8,
  colour = COLOUR.rgb,
  interlaced = false,
}: PngHeader): Chunk {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([depth, colour, 0, 0, interlaced ? 1 : 0], 8);
  return { type: 'IHDR', data };
}

export const IEND: Chunk = { type: 'IEND', data: Buffer.alloc(0) };
export const idat = (data: Buffer): Chunk => ({ type: 'IDAT', data });

/** A whole picture of one colour, deflated to a thousandth of its pixels. */
export function blankPng(header: PngHeader): Buffer {
  const { width, height, depth = 8, colour = COLOUR.rgb } = header;
  const rowBytes = 1 + Math.ceil((width * SAMPLES[colour] * depth) / 8);
  return pngOf([ihdr(header), idat(deflateSync(Buffer.alloc(rowBytes * height), { level: 1 })), IEND]);
}

/** The bytes of a WebP chunk. */
export function webpChunk({ type, data, size }: Chunk): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(size ?? data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

/** A WebP file; `size` replaces its true length. */
export const webpOf = (chunks: readonly Chunk[], size?: number): Buffer =>
  webpChunk({
    type: 'RIFF',
    data: Buffer.concat([latin('WEBP'), ...chunks.map(webpChunk)]),
    ...(size === undefined ? {} : { size }),
  });

/** The chunks of a well-formed WebP. */
export function webpChunks(webp: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 12; at + 8 <= webp.length; ) {
    const length = webp.readUInt32LE(at + 4);
    chunks.push({ type: webp.toString('latin1', at, at + 4), data: webp.subarray(at + 8, at + 8 + length) });
    at += 8 + length + (length % 2);
  }
  return chunks;
}

const FLAGS = { animation: 0x02, xmp: 0x04, exif: 0x08, alpha: 0x10, icc: 0x20 } as const;

/** The header of the extended form of WebP. */
export function vp8x(width: number, height: number, ...flags: readonly (keyof typeof FLAGS)[]): Chunk {
  const data = Buffer.alloc(10);
  data[0] = flags.reduce((sum, flag) => sum | FLAGS[flag], 0);
  data.writeUIntLE(width - 1, 4, 3);
  data.writeUIntLE(height - 1, 7, 3);
  return { type: 'VP8X', data };
}

/** An animation of still WebPs of one size, on white. */
export function animation(width: number, height: number, stills: readonly Buffer[]): Buffer {
  const frame = (still: Buffer): Chunk => {
    const head = Buffer.alloc(16);
    head.writeUIntLE(width - 1, 6, 3);
    head.writeUIntLE(height - 1, 9, 3);
    head.writeUIntLE(100, 12, 3);
    const pixels = webpChunks(still).filter(({ type }) => ['VP8 ', 'VP8L', 'ALPH'].includes(type));
    return { type: 'ANMF', data: Buffer.concat([head, ...pixels.map(webpChunk)]) };
  };
  const head: Chunk = { type: 'ANIM', data: Buffer.from([255, 255, 255, 255, 0, 0]) };
  return webpOf([vp8x(width, height, 'animation'), head, ...stills.map(frame)]);
}
