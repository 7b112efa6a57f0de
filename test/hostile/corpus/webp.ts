/** A chunk of a RIFF file; `size` replaces the true length. */
export interface RiffChunk {
  readonly type: string;
  readonly data: Buffer;
  readonly size?: number;
}

export function riffChunk({ type, data, size }: RiffChunk): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(size ?? data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

/** A WebP file; `size` replaces the true length of the file. */
export function webpOf(chunks: readonly RiffChunk[], size?: number): Buffer {
  const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), ...chunks.map(riffChunk)]);
  return riffChunk({ type: 'RIFF', data: body, ...(size === undefined ? {} : { size }) });
}

/** The chunks of a well-formed WebP. */
export function webpChunks(webp: Buffer): RiffChunk[] {
  const chunks: RiffChunk[] = [];
  for (let at = 12; at + 8 <= webp.length; ) {
    const length = webp.readUInt32LE(at + 4);
    chunks.push({ type: webp.toString('latin1', at, at + 4), data: webp.subarray(at + 8, at + 8 + length) });
    at += 8 + length + (length % 2);
  }
  return chunks;
}

const FLAGS = { animation: 0x02, xmp: 0x04, exif: 0x08, alpha: 0x10, icc: 0x20 } as const;

/** The header of the extended form. */
export function vp8x(width: number, height: number, ...flags: readonly (keyof typeof FLAGS)[]): RiffChunk {
  const data = Buffer.alloc(10);
  data[0] = flags.reduce((sum, flag) => sum | FLAGS[flag], 0);
  data.writeUIntLE(width - 1, 4, 3);
  data.writeUIntLE(height - 1, 7, 3);
  return { type: 'VP8X', data };
}

/** An animation of pictures of the same size, with white behind it. */
export function animation(width: number, height: number, frames: readonly Buffer[]): Buffer {
  const head: RiffChunk = { type: 'ANIM', data: Buffer.from([255, 255, 255, 255, 0, 0]) };
  return webpOf([
    vp8x(width, height, 'animation'),
    head,
    ...frames.map((still) => frame(width, height, still)),
  ]);
}

/** One frame of an animation out of a still picture. */
export function frame(width: number, height: number, still: Buffer): RiffChunk {
  const head = Buffer.alloc(16);
  head.writeUIntLE(width - 1, 6, 3);
  head.writeUIntLE(height - 1, 9, 3);
  head.writeUIntLE(100, 12, 3);
  const pixels = webpChunks(still).filter(({ type }) => ['VP8 ', 'VP8L', 'ALPH'].includes(type));
  return { type: 'ANMF', data: Buffer.concat([head, ...pixels.map(riffChunk)]) };
}

/** The header of a lossless picture of this size, and a few bytes that are no pixels. */
export function losslessHeader(width: number, height: number): RiffChunk {
  const data = Buffer.alloc(24);
  data[0] = 0x2f;
  data.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 1);
  return { type: 'VP8L', data };
}
