/** Where the content of a chunk of a RIFF file stands. */
interface Chunk {
  readonly from: number;
  readonly to: number;
}

const FLAG = { animation: 0x02, exif: 0x08, alpha: 0x10, icc: 0x20 } as const;
const FLAGS_AT = 20;
const FRAME_HEADER_BYTES = 16;

/**
 * The first frame of an animated WebP as a still picture; other pictures as they are. The decoder looks through all
 * frames for each of them, so a file of half a million tiny ones would keep it busy for hours; and it puts every frame
 * on a canvas that may be a thousand times its size.
 *
 * @returns null when the file is cut off or holds no frame
 */
export function firstFrame(picture: Buffer): Buffer | null {
  if (!isAnimatedWebp(picture)) return picture;
  if (picture.readUInt32LE(4) + 8 > picture.length) return null;
  const chunks = firstChunks(picture, { from: 12, to: picture.length });
  const frame = chunks.get('ANMF');
  if (!frame || frame.to - frame.from < FRAME_HEADER_BYTES) return null;
  const pixels = firstChunks(picture, { from: frame.from + FRAME_HEADER_BYTES, to: frame.to });
  const [icc, exif] = [chunks.get('ICCP'), chunks.get('EXIF')];
  const kept = [['ICCP', icc] as const, ...pixels, ['EXIF', exif] as const];
  const flags = (icc ? FLAG.icc : 0) | (exif ? FLAG.exif : 0) | ((picture[FLAGS_AT] ?? 0) & FLAG.alpha);
  // Width and height of the frame become those of the canvas.
  const size = picture.subarray(frame.from + 6, frame.from + 12);
  return webpOf([
    chunkOf('VP8X', Buffer.concat([Buffer.of(flags, 0, 0, 0), size])),
    ...kept.flatMap(([type, chunk]) =>
      chunk ? [chunkOf(type, picture.subarray(chunk.from, chunk.to))] : [],
    ),
  ]);
}

const isAnimatedWebp = (picture: Buffer): boolean =>
  picture.toString('latin1', 0, 4) === 'RIFF' &&
  picture.toString('latin1', 8, 16) === 'WEBPVP8X' &&
  ((picture[FLAGS_AT] ?? 0) & FLAG.animation) !== 0;

const WANTED = new Set(['ICCP', 'ANMF', 'EXIF', 'ALPH', 'VP8 ', 'VP8L']);

/** The first chunk of each type that a still picture needs; there may be millions of others. */
function firstChunks(file: Buffer, { from: start, to: end }: Chunk): Map<string, Chunk> {
  const found = new Map<string, Chunk>();
  for (let at = start; at + 8 <= end; ) {
    const type = file.toString('latin1', at, at + 4);
    const from = at + 8;
    const to = from + file.readUInt32LE(at + 4);
    if (WANTED.has(type) && !found.has(type) && to <= end) found.set(type, { from, to });
    at = to + ((to - from) % 2);
  }
  return found;
}

function chunkOf(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

const webpOf = (chunks: readonly Buffer[]): Buffer =>
  chunkOf('RIFF', Buffer.concat([Buffer.from('WEBP', 'latin1'), ...chunks]));
