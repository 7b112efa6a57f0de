interface Chunk {
  readonly from: number;
  readonly to: number;
}

interface Chunks {
  /** The first of each type; there may be millions of others. */
  readonly first: ReadonlyMap<string, Chunk>;
  /** Whether each ends where it may. */
  readonly areWhole: boolean;
}

const FLAG = { animation: 0x02, exif: 0x08, alpha: 0x10, icc: 0x20 } as const;
const RESERVED_FLAGS = 0xc1;
const FIRST_AT = 12;
const FLAGS_AT = 20;
const CANVAS_AT = 24;
const CANVAS_BYTES = 6;
const FRAME_HEADER_BYTES = 16;

/**
 * Prepares a WebP for the decoder. Of an animation only the first frame is kept, on its canvas: for each frame the decoder scans
 * all of them, which for half a million takes hours. In a still picture wrong lengths and bytes that are no chunk are removed
 * (contract 7.19). @returns the same buffer if nothing changes; null if the file is cut off or has no picture
 */
export function decodableWebp(file: Buffer): Buffer | null {
  if (file.length < CANVAS_AT + CANVAS_BYTES) return null;
  const declared = 8 + file.readUInt32LE(4);
  const chunks = chunksIn(file, FIRST_AT, Math.min(declared, file.length));
  const isExtended = file.toString('latin1', FIRST_AT, FIRST_AT + 4) === 'VP8X';
  const flags = isExtended ? file.readUInt8(FLAGS_AT) : 0;
  if (declared > file.length && !chunks.areWhole) return null;
  const isAnimated = (flags & FLAG.animation) !== 0;
  if (!isAnimated && isSound(file, chunks, declared, flags)) return file;
  // A length that is too small truncates nothing.
  const { first } = chunks.areWhole ? chunks : chunksIn(file, FIRST_AT, file.length);
  const pixels = isAnimated ? frameOf(file, first.get('ANMF')) : pixelsOf(file, first);
  if (pixels === null) return null;
  if (!isExtended) return webpOf([pixels]);
  const [icc, exif] = [first.get('ICCP'), first.get('EXIF')];
  const kept = (flags & (FLAG.animation | FLAG.alpha)) | (icc ? FLAG.icc : 0) | (exif ? FLAG.exif : 0);
  const canvas = file.subarray(CANVAS_AT, CANVAS_AT + CANVAS_BYTES);
  return webpOf([
    chunkOf('VP8X', Buffer.of(kept, 0, 0, 0), canvas),
    ...(icc ? [chunkOf('ICCP', contentOf(file, icc))] : []),
    ...(isAnimated ? [chunkOf('ANIM', Buffer.alloc(6))] : []),
    pixels,
    ...(exif ? [chunkOf('EXIF', contentOf(file, exif))] : []),
  ]);
}

const FIRST_TYPES = new Set(['VP8 ', 'VP8L', 'VP8X']);

const isSound = (file: Buffer, { areWhole }: Chunks, declared: number, flags: number): boolean =>
  areWhole &&
  declared <= file.length &&
  (flags & RESERVED_FLAGS) === 0 &&
  FIRST_TYPES.has(file.toString('latin1', FIRST_AT, FIRST_AT + 4));

/** The first frame with what it needs and nothing else. */
function frameOf(file: Buffer, frame: Chunk | undefined): Buffer | null {
  if (!frame || frame.to - frame.from < FRAME_HEADER_BYTES) return null;
  const from = frame.from + FRAME_HEADER_BYTES;
  const pixels = pixelsOf(file, chunksIn(file, from, frame.to).first);
  return pixels && chunkOf('ANMF', file.subarray(frame.from, from), pixels);
}

function pixelsOf(file: Buffer, chunks: ReadonlyMap<string, Chunk>): Buffer | null {
  const [alpha, lossy, lossless] = ['ALPH', 'VP8 ', 'VP8L'].map((type) => {
    const chunk = chunks.get(type);
    return chunk && chunkOf(type, contentOf(file, chunk));
  });
  if (lossy) return Buffer.concat([...(alpha ? [alpha] : []), lossy]);
  return lossless ?? null;
}

const WANTED = new Set(['ICCP', 'ANMF', 'EXIF', 'ALPH', 'VP8 ', 'VP8L']);

function chunksIn(file: Buffer, start: number, end: number): Chunks {
  const first = new Map<string, Chunk>();
  let at = start;
  while (at + 8 <= end) {
    const type = file.toString('latin1', at, at + 4);
    const from = at + 8;
    const to = from + file.readUInt32LE(at + 4);
    if (WANTED.has(type) && !first.has(type) && to <= end) first.set(type, { from, to });
    at = to + ((to - from) % 2);
  }
  return { first, areWhole: at === end };
}

const contentOf = (file: Buffer, { from, to }: Chunk): Buffer => file.subarray(from, to);

function chunkOf(type: string, ...contents: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  const length = contents.reduce((sum, { length: bytes }) => sum + bytes, 0);
  head.writeUInt32LE(length, 4);
  return Buffer.concat([head, ...contents, Buffer.alloc(length % 2)]);
}

const webpOf = (chunks: readonly Buffer[]): Buffer =>
  chunkOf('RIFF', Buffer.from('WEBP', 'latin1'), ...chunks);
