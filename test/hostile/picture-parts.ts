/** Takes pictures apart and puts them together as no encoder does. */

/** A chunk of a WebP. */
export interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

const SOS = 0xda;

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

/** The bytes of a WebP chunk. */
export function webpChunk({ type, data }: Chunk): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

/** A WebP file. */
export const webpOf = (chunks: readonly Chunk[]): Buffer =>
  webpChunk({ type: 'RIFF', data: Buffer.concat([Buffer.from('WEBP'), ...chunks.map(webpChunk)]) });

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

const FLAGS = { animation: 0x02, exif: 0x08, alpha: 0x10 } as const;

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
