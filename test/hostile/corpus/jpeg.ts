/** A part of a JPEG: a marker segment, or the coded data behind a start of scan. */
export interface JpegPart {
  /** The second byte of the marker; null for coded data. */
  readonly marker: number | null;
  readonly bytes: Buffer;
}

export const MARKER = {
  sof0: 0xc0,
  sof2: 0xc2,
  dht: 0xc4,
  eoi: 0xd9,
  sos: 0xda,
  dqt: 0xdb,
  com: 0xfe,
} as const;
export const app = (number: number): number => 0xe0 + number;

/** A marker segment with its length. */
export function segment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

/** The parts of a well-formed JPEG between its start and its end. */
export function jpegParts(jpeg: Buffer): JpegPart[] {
  const parts: JpegPart[] = [];
  for (let at = 2; at < jpeg.length - 2; ) {
    const marker = jpeg[at + 1] ?? 0;
    const end = at + 2 + jpeg.readUInt16BE(at + 2);
    parts.push({ marker, bytes: jpeg.subarray(at, end) });
    at = end;
    if (marker !== MARKER.sos) continue;
    const coded = endOfCodedData(jpeg, at);
    parts.push({ marker: null, bytes: jpeg.subarray(at, coded) });
    at = coded;
  }
  return parts;
}

/** Where the next marker stands that is neither a stuffed byte nor a restart. */
function endOfCodedData(jpeg: Buffer, from: number): number {
  for (let at = from; at < jpeg.length - 1; at += 1) {
    const next = jpeg[at + 1] ?? 0;
    if (jpeg[at] === 0xff && next !== 0 && (next < 0xd0 || next > 0xd7)) return at;
  }
  return jpeg.length;
}

export const jpegOf = (parts: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from([0xff, 0xd8]), ...parts, Buffer.from([0xff, MARKER.eoi])]);

/** The picture with segments put in right behind its start. */
export const jpegWith = (jpeg: Buffer, ...segments: readonly Buffer[]): Buffer =>
  Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);

/** The picture with its frame header changed in place; `data` starts with the precision. */
export function withFrame(jpeg: Buffer, change: (data: Buffer) => void): Buffer {
  const copy = Buffer.from(jpeg);
  const frame = jpegParts(copy).find(({ marker }) => marker === MARKER.sof0 || marker === MARKER.sof2);
  if (!frame) throw new Error('no frame header');
  change(frame.bytes.subarray(4));
  return copy;
}

/** The picture as if it had this size. */
export const withSize = (jpeg: Buffer, width: number, height: number): Buffer =>
  withFrame(jpeg, (data) => {
    data.writeUInt16BE(height, 1);
    data.writeUInt16BE(width, 3);
  });
