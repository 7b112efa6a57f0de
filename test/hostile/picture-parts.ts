/** Takes pictures apart and puts them together in ways that no encoder does. */

export const isPng = (bytes: Buffer): boolean => bytes.toString('latin1', 0, 4) === '\x89PNG';
export const isWebp = (bytes: Buffer): boolean => bytes.toString('latin1', 8, 12) === 'WEBP';

/** As far as they can be recognised, views of its bytes: the chunks of a PNG or WebP, else the segments of a JPEG and the coded data. */
export function partsOf(bytes: Buffer): Buffer[] {
  if (isPng(bytes)) return split(bytes, 8, 12, (at) => 12 + bytes.readUInt32BE(at));
  if (isWebp(bytes)) return split(bytes, 12, 8, (at) => 8 + 2 * Math.ceil(bytes.readUInt32LE(at + 4) / 2));
  return split(bytes, 2, 4, (at) => markerFrom(bytes, at) - at || 2 + bytes.readUInt16BE(at + 2));
}

function split(bytes: Buffer, from: number, least: number, sizeAt: (at: number) => number): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = from; at + least <= bytes.length; ) {
    const part = bytes.subarray(at, at + sizeAt(at));
    parts.push(part);
    at += part.length;
  }
  return parts;
}

/** The position of the next marker of a JPEG that is neither a stuffed byte nor a restart. */
function markerFrom(jpeg: Buffer, from: number): number {
  for (let at = from; at < jpeg.length - 1; at += 1) {
    const next = jpeg[at + 1] ?? 0;
    if (jpeg[at] === 0xff && next !== 0 && (next < 0xd0 || next > 0xd7)) return at;
  }
  return jpeg.length;
}

export const typeOf = (chunk: Buffer): string => chunk.toString('latin1', 0, 4);

export function webpChunk(type: string, ...data: readonly Buffer[]): Buffer {
  const content = Buffer.concat(data);
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

export const webpOf = (chunks: readonly Buffer[]): Buffer =>
  webpChunk('RIFF', Buffer.from('WEBP'), ...chunks);

const FLAGS = { animation: 0x02, exif: 0x08, alpha: 0x10 } as const;

export function vp8x(width: number, height: number, ...flags: readonly (keyof typeof FLAGS)[]): Buffer {
  const data = Buffer.alloc(10);
  data[0] = flags.reduce((sum, flag) => sum | FLAGS[flag], 0);
  data.writeUIntLE(width - 1, 4, 3);
  data.writeUIntLE(height - 1, 7, 3);
  return webpChunk('VP8X', data);
}

export function animation(width: number, height: number, stills: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(16);
  head.writeUIntLE(width - 1, 6, 3);
  head.writeUIntLE(height - 1, 9, 3);
  head.writeUIntLE(100, 12, 3);
  const frames = stills.map((still) =>
    webpChunk('ANMF', head, ...partsOf(still).filter((part) => /^(VP8[ L]|ALPH)$/.test(typeOf(part)))),
  );
  return webpOf([
    vp8x(width, height, 'animation'),
    webpChunk('ANIM', Buffer.from([255, 255, 255, 255, 0, 0])),
    ...frames,
  ]);
}
