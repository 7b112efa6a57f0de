import { crc32, deflateSync } from 'node:zlib';

export const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

export interface PngChunk {
  readonly type: string;
  readonly data: Buffer;
}

/** The colour types of PNG with the samples of each pixel. */
export const COLOUR = { grey: 0, rgb: 2, palette: 3, greyAlpha: 4, rgba: 6 } as const;
const SAMPLES = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const;

export interface PngHeader {
  readonly width: number;
  readonly height: number;
  readonly depth?: number;
  readonly colour?: (typeof COLOUR)[keyof typeof COLOUR];
  readonly interlaced?: boolean;
}

/** The bytes of a chunk; `crc` replaces the right check sum. */
export function chunkBytes({ type, data }: PngChunk, crc?: number): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(4);
  frame.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc ?? crc32(body));
  return Buffer.concat([frame, body, check]);
}

export const pngOf = (chunks: readonly PngChunk[]): Buffer =>
  Buffer.concat([PNG_SIGNATURE, ...chunks.map((chunk) => chunkBytes(chunk))]);

export function ihdr({
  width,
  height,
  depth = 8,
  colour = COLOUR.rgb,
  interlaced = false,
}: PngHeader): PngChunk {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([depth, colour, 0, 0, interlaced ? 1 : 0], 8);
  return { type: 'IHDR', data };
}

export const IEND: PngChunk = { type: 'IEND', data: Buffer.alloc(0) };
export const idat = (data: Buffer): PngChunk => ({ type: 'IDAT', data });

/** Rows of zeros, not interlaced; deflated to a thousandth. */
export function blankPixels({ width, height, depth = 8, colour = COLOUR.rgb }: PngHeader): Buffer {
  const rowBytes = 1 + Math.ceil((width * SAMPLES[colour] * depth) / 8);
  return deflateSync(Buffer.alloc(rowBytes * height), { level: 1 });
}

/** A whole picture of one colour. `extra` stands between header and pixels. */
export const blankPng = (header: PngHeader, ...extra: readonly PngChunk[]): Buffer =>
  pngOf([ihdr(header), ...extra, idat(blankPixels(header)), IEND]);

/** The chunks of a well-formed PNG. */
export function pngChunks(png: Buffer): PngChunk[] {
  const chunks: PngChunk[] = [];
  for (let at = PNG_SIGNATURE.length; at + 12 <= png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({
      type: png.toString('latin1', at + 4, at + 8),
      data: png.subarray(at + 8, at + 8 + length),
    });
    at += 12 + length;
  }
  return chunks;
}

/** The picture with chunks put in right behind its header. */
export function pngWith(png: Buffer, ...extra: readonly PngChunk[]): Buffer {
  const [header, ...rest] = pngChunks(png);
  if (!header) throw new Error('no header');
  return pngOf([header, ...extra, ...rest]);
}
