interface Reading {
  readonly jpeg: Buffer;
  /** Bytes from one position up to another that are left out, or replaced. */
  readonly edits: { readonly from: number; readonly to: number; readonly by?: Buffer }[];
  /** Bits of each coefficient that are still to come, by component, in a progressive picture. */
  readonly bitsLeft: Map<number, Int8Array>;
  frame: 'sequential' | 'progressive' | null;
  /** Where the colour transform of an Adobe segment stands. */
  transformAt: number | null;
}

/** Marker codes: the byte after 0xff. */
const M = { rst0: 0xd0, rst7: 0xd7, soi: 0xd8, eoi: 0xd9, sos: 0xda, app0: 0xe0, app14: 0xee } as const;
const SEQUENTIAL = new Set([0xc0, 0xc1, 0xc9]);
const PROGRESSIVE = new Set([0xc2, 0xca]);

const JFIF_MAJOR_AT = 9;
const ADOBE_TRANSFORM_AT = 15;
const COMPONENTS_AT = 9;
const COEFFICIENTS = 64;

/** More oddities than any writer makes; each costs memory. */
const EDITS_MAX = 1000;

/**
 * Removes what strict decoders warn of although no pixel is missing: bytes before a marker, unknown versions of JFIF or colour
 * transforms of Adobe, meaningless scan parameters, misnumbered restarts, scans that add nothing (contract 7.19).
 * @returns the same buffer if nothing is odd; null if the file has no end, which decoders do not always notice
 */
export function decodableJpeg(jpeg: Buffer): Buffer | null {
  const reading: Reading = { jpeg, edits: [], bitsLeft: new Map(), frame: null, transformAt: null };
  for (let at = 2; ; ) {
    const marker = markerFrom(jpeg, at);
    if (marker === null) return null;
    if (reading.edits.length > EDITS_MAX) return jpeg;
    if (!isFill(jpeg, at, marker)) reading.edits.push({ from: at, to: marker });
    const code = jpeg.readUInt8(marker + 1);
    if (code === M.eoi) break;
    const next = code === M.sos ? readScan(reading, marker) : readSegment(reading, marker, code);
    if (next === null) return null;
    at = next;
  }
  return edited(reading);
}

/** Where the next marker is, as decoders look for it; of several 0xff in a row the last is meant. */
function markerFrom(jpeg: Buffer, from: number): number | null {
  for (let at = from; at + 1 < jpeg.length; ) {
    if (jpeg[at] !== 0xff) {
      const next = jpeg.indexOf(0xff, at);
      if (next === -1) return null;
      at = next;
      continue;
    }
    const code = jpeg[at + 1];
    if (code !== 0 && code !== 0xff) return at;
    at += code === 0 ? 2 : 1;
  }
  return null;
}

/** Where the coded data of a scan ends: stuffed bytes and restarts are part of it. */
function endOfScan(jpeg: Buffer, from: number): number | null {
  let at = markerFrom(jpeg, from);
  while (at !== null && isRestart(jpeg[at + 1])) at = markerFrom(jpeg, at + 2);
  return at;
}

const isRestart = (code: number | undefined): boolean =>
  code !== undefined && code >= M.rst0 && code <= M.rst7;

function isFill(jpeg: Buffer, from: number, to: number): boolean {
  let at = from;
  while (at < to && jpeg[at] === 0xff) at += 1;
  return at === to;
}

/** @returns where the segment ends; null when it is cut off */
function readSegment(reading: Reading, at: number, code: number): number | null {
  const { jpeg } = reading;
  if (isRestart(code) || code === 1 || code === M.soi) return at + 2;
  const end = segmentEnd(jpeg, at);
  if (end === null) return null;
  const name = jpeg.toString('latin1', at + 4, Math.min(at + 9, end));
  if (code === M.app0 && name === 'JFIF\0' && end - at >= 16 && jpeg[at + JFIF_MAJOR_AT] !== 1) {
    replaceByte(reading, at + JFIF_MAJOR_AT, 1);
  }
  if (code === M.app14 && name === 'Adobe' && end - at >= 16) reading.transformAt = at + ADOBE_TRANSFORM_AT;
  if (SEQUENTIAL.has(code)) reading.frame = 'sequential';
  if (PROGRESSIVE.has(code)) reading.frame = 'progressive';
  if (SEQUENTIAL.has(code) || PROGRESSIVE.has(code)) knowTransform(reading, jpeg[at + COMPONENTS_AT] ?? 0);
  return end;
}

function segmentEnd(jpeg: Buffer, at: number): number | null {
  if (at + 4 > jpeg.length) return null;
  const end = at + 2 + Math.max(2, jpeg.readUInt16BE(at + 2));
  return end <= jpeg.length ? end : null;
}

/** Decoders take an unknown transform for the one that Adobe's own pictures of as many components have. */
function knowTransform(reading: Reading, components: number): void {
  const { jpeg, transformAt } = reading;
  const usual = components === 4 ? 2 : 1;
  const transform = transformAt === null ? 0 : jpeg[transformAt];
  if (transformAt !== null && transform !== 0 && transform !== usual)
    replaceByte(reading, transformAt, usual);
}

/** @returns where the coded data of the scan ends; null when it does not end */
function readScan(reading: Reading, at: number): number | null {
  const { jpeg, frame, edits } = reading;
  const data = segmentEnd(jpeg, at);
  const end = data === null ? null : endOfScan(jpeg, data);
  if (data === null || end === null) return null;
  const components = jpeg.readUInt8(at + 4);
  if (frame === null || data - at !== 2 * components + 8) return end;
  if (frame === 'sequential') {
    const usual = Buffer.of(0, COEFFICIENTS - 1, 0);
    if (!jpeg.subarray(data - 3, data).equals(usual)) edits.push({ from: data - 3, to: data, by: usual });
  } else if (!addsSomething(reading, at, data)) {
    edits.push({ from: at, to: end });
    return end;
  }
  const restarts = misnumbered(jpeg, data, end);
  if (restarts !== null) edits.push({ from: data, to: end, by: restarts });
  return end;
}

/** Whether a progressive scan continues earlier ones for any coefficient. A repeated one adds noise; without those before it, it can't be read. */
function addsSomething({ jpeg, bitsLeft }: Reading, at: number, data: number): boolean {
  const [first = 0, last = 0, bits = 0] = jpeg.subarray(data - 3, data);
  const to = Math.min(last, COEFFICIENTS - 1);
  let adds = first > to;
  for (let component = at + 5; component < data - 3; component += 2) {
    const id = jpeg.readUInt8(component);
    const left = bitsLeft.get(id) ?? new Int8Array(COEFFICIENTS);
    bitsLeft.set(id, left);
    for (let index = first; index <= to; index += 1) adds ||= left[index] === bits >> 4;
  }
  if (!adds) return false;
  for (let component = at + 5; component < data - 3; component += 2) {
    bitsLeft.get(jpeg.readUInt8(component))?.fill(bits & 0x0f, first, to + 1);
  }
  return true;
}

/** The coded data of a scan with its restarts numbered in order; null when they are. */
function misnumbered(jpeg: Buffer, from: number, to: number): Buffer | null {
  let copy: Buffer | null = null;
  let count = 0;
  for (let at = markerFrom(jpeg, from); at !== null && at < to; at = markerFrom(jpeg, at + 2), count += 1) {
    const code = M.rst0 + (count % 8);
    if (jpeg[at + 1] === code) continue;
    copy ??= Buffer.from(jpeg.subarray(from, to));
    copy[at + 1 - from] = code;
  }
  return copy;
}

const replaceByte = ({ edits }: Reading, at: number, value: number): void => {
  edits.push({ from: at, to: at + 1, by: Buffer.of(value) });
};

function edited({ jpeg, edits }: Reading): Buffer {
  if (edits.length === 0) return jpeg;
  const parts: Buffer[] = [];
  let at = 0;
  for (const { from, to, by } of edits.sort((one, other) => one.from - other.from)) {
    parts.push(jpeg.subarray(at, from), ...(by ? [by] : []));
    at = to;
  }
  return Buffer.concat([...parts, jpeg.subarray(at)]);
}
