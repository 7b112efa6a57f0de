import type { Random } from '../../../models/random';
import { jpegParts, withSize } from '../corpus/jpeg';
import { ihdr, pngChunks, pngOf } from '../corpus/png';
import { riffChunk, vp8x, webpChunks, webpOf } from '../corpus/webp';

/** Changes a picture in one way; `other` draws another picture to take something from. */
type Mutator = (bytes: Buffer, random: Random, other: () => Buffer) => Buffer;

/** Numbers at which decoders go wrong. */
const EDGES = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff];
const SIDES = [0, 1, 2, 255, 256, 4096, 16_383, 16_384, 65_500, 65_535];

/** Every way of changing a picture, by name. */
export const MUTATORS: readonly (readonly [name: string, mutate: Mutator])[] = [
  ['bit flips', bitFlips],
  ['truncation', (bytes, random) => bytes.subarray(0, random.integer(0, bytes.length))],
  ['splice', splice],
  ['chunk duplication', (bytes, random) => rebuilt(bytes, (parts) => duplicated(parts, random))],
  ['chunk loss', (bytes, random) => rebuilt(bytes, (parts) => parts.filter(() => !random.chance(0.15)))],
  ['chunk shuffle', (bytes, random) => rebuilt(bytes, (parts) => swapped(parts, random))],
  ['length field', lengthField],
  ['dimensions', dimensions],
  ['edge value', edgeValue],
  ['run of one byte', runOfOneByte],
  ['bytes from elsewhere', bytesFromElsewhere],
];

function bitFlips(bytes: Buffer, random: Random): Buffer {
  const copy = Buffer.from(bytes);
  for (let flip = random.integer(1, 16); flip > 0 && copy.length > 0; flip -= 1) {
    const at = placeIn(copy, random);
    copy[at] = (copy[at] ?? 0) ^ (1 << random.integer(0, 7));
  }
  return copy;
}

function splice(bytes: Buffer, random: Random, other: () => Buffer): Buffer {
  const tail = other();
  return Buffer.concat([
    bytes.subarray(0, random.integer(0, bytes.length)),
    tail.subarray(random.integer(0, tail.length)),
  ]);
}

function lengthField(bytes: Buffer, random: Random): Buffer {
  const copy = Buffer.from(bytes);
  const starts = partsOf(copy).map((part) => part.byteOffset - copy.byteOffset);
  if (starts.length === 0) return edgeValue(bytes, random);
  const at = random.pick(starts) + (isPng(copy) ? 0 : isWebp(copy) ? 4 : 2);
  return written(copy, at, random.pick(EDGES), isPng(copy) || isWebp(copy) ? 4 : 2, isWebp(copy));
}

function dimensions(bytes: Buffer, random: Random): Buffer {
  const width = random.pick(SIDES);
  const height = random.pick(SIDES);
  try {
    if (isPng(bytes)) {
      const [, ...rest] = pngChunks(bytes);
      return pngOf([ihdr({ width, height, interlaced: random.chance(0.3) }), ...rest]);
    }
    if (isWebp(bytes)) {
      const canvas = vp8x(
        Math.max(1, width),
        Math.max(1, height),
        random.chance(0.5) ? 'animation' : 'alpha',
      );
      return webpOf([canvas, ...webpChunks(bytes).filter(({ type }) => type !== 'VP8X')]);
    }
    return withSize(bytes, width, height);
  } catch {
    // What an earlier step has broken has no dimensions any more.
    return edgeValue(bytes, random);
  }
}

function edgeValue(bytes: Buffer, random: Random): Buffer {
  const size = random.pick([1, 2, 4]);
  return written(Buffer.from(bytes), placeIn(bytes, random), random.pick(EDGES), size, random.chance(0.5));
}

function runOfOneByte(bytes: Buffer, random: Random): Buffer {
  const copy = Buffer.from(bytes);
  const from = placeIn(copy, random);
  return copy.fill(
    random.pick([0, 0xff, random.integer(1, 254)]),
    from,
    Math.min(copy.length, from + random.integer(1, 200)),
  );
}

function bytesFromElsewhere(bytes: Buffer, random: Random, other: () => Buffer): Buffer {
  const from = other();
  const start = random.integer(0, from.length);
  const at = placeIn(bytes, random);
  const inserted = from.subarray(start, start + random.integer(1, 400));
  return Buffer.concat([
    bytes.subarray(0, at),
    inserted,
    bytes.subarray(random.chance(0.5) ? at : at + inserted.length),
  ]);
}

function duplicated(parts: readonly Buffer[], random: Random): Buffer[] {
  const times = random.pick([2, 2, 3, 50]);
  const chosen = random.integer(0, Math.max(0, parts.length - 1));
  return parts.flatMap((part, index) =>
    index === chosen ? Array.from({ length: times }, () => part) : [part],
  );
}

function swapped(parts: readonly Buffer[], random: Random): Buffer[] {
  const order = [...parts];
  const [from, to] = [random.integer(0, order.length - 1), random.integer(0, order.length - 1)];
  const [first, second] = [order[from], order[to]];
  if (first && second) {
    order[from] = second;
    order[to] = first;
  }
  return order;
}

/** Half of the changes hit the headers, which are a small part of the bytes. */
const placeIn = (bytes: Buffer, random: Random): number =>
  random.integer(0, Math.max(0, (random.chance(0.5) ? Math.min(bytes.length, 700) : bytes.length) - 1));

function written(bytes: Buffer, at: number, value: number, size: number, littleEndian: boolean): Buffer {
  const room = Math.min(size, bytes.length - at);
  if (room <= 0) return bytes;
  const cut = value % 256 ** room;
  if (littleEndian) bytes.writeUIntLE(cut, at, room);
  else bytes.writeUIntBE(cut, at, room);
  return bytes;
}

const isPng = (bytes: Buffer): boolean => bytes.toString('latin1', 0, 4) === '\x89PNG';
const isWebp = (bytes: Buffer): boolean => bytes.toString('latin1', 8, 12) === 'WEBP';

/** The parts of a picture as far as they can be told, each a view of its bytes. */
function partsOf(bytes: Buffer): Buffer[] {
  if (isPng(bytes)) return walked(bytes, 8, (at) => 12 + bytes.readUInt32BE(at));
  if (isWebp(bytes))
    return walked(bytes, 12, (at) => 8 + bytes.readUInt32LE(at + 4) + (bytes.readUInt32LE(at + 4) % 2));
  try {
    return jpegParts(bytes).map((part) => part.bytes);
  } catch {
    return [];
  }
}

function walked(bytes: Buffer, from: number, sizeAt: (at: number) => number): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = from; at + 8 <= bytes.length; ) {
    const size = sizeAt(at);
    parts.push(bytes.subarray(at, at + size));
    at += size;
  }
  return parts;
}

/** The picture with its parts changed; with a right length where the whole has one. */
function rebuilt(bytes: Buffer, change: (parts: readonly Buffer[]) => readonly Buffer[]): Buffer {
  const parts = partsOf(bytes);
  const first = parts[0];
  if (!first) return bytes;
  const head = bytes.subarray(0, first.byteOffset - bytes.byteOffset);
  const body = Buffer.concat(change(parts));
  if (isWebp(bytes)) return riffChunk({ type: 'RIFF', data: Buffer.concat([Buffer.from('WEBP'), body]) });
  return Buffer.concat([head, body, ...(isPng(bytes) ? [] : [bytes.subarray(-2)])]);
}
