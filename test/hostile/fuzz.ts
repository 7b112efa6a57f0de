import { crc32 } from 'node:zlib';
import { Random } from '../../models/random';
import { bodyWith, type HostileRequest, PATHS, PICTURES } from './corpus';
import { isPng, isWebp, partsOf, typeOf, vp8x, webpOf } from './picture-parts';

const SOUND = PICTURES.filter(({ kind }) => kind === 'sound');
/** How often the text around the picture is damaged too. */
const TEXT_SHARE = 0.05;
const STEPS_MAX = 3;

/** The first mutations of a seed, each independent of the others. */
export const mutations = (seed: number, count: number): HostileRequest[] =>
  Array.from({ length: count }, (_, at) => ({
    name: `seed ${seed}, index ${at}`,
    path: PATHS[at % PATHS.length] ?? PATHS[0],
    body: async () => mutation(new Random('fuzz', seed, at)),
  }));

function mutation(random: Random): Buffer {
  const drawn = () => random.pick(SOUND).bytes;
  let bytes: Buffer = drawn();
  for (let steps = random.integer(1, STEPS_MAX); steps > 0; steps -= 1)
    bytes = random.pick(Object.values(MUTATORS))(Buffer.from(bytes), random, drawn);
  const body = bodyWith(bytes);
  if (random.chance(TEXT_SHARE)) body[random.integer(0, body.length - 1)] = random.integer(0, 255);
  return body;
}

/** Changes a copy of a picture in one way; `other` draws another picture to take something from. */
type Mutator = (bytes: Buffer, random: Random, other: () => Buffer) => Buffer;

/** Numbers at which decoders go wrong. */
const EDGES = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff];
const SIDES = [0, 1, 2, 255, 256, 4096, 16_383, 16_384, 65_500, 65_535];

const MUTATORS: Readonly<Record<string, Mutator>> = {
  flipBits(bytes, random) {
    for (let flip = random.integer(1, 16); flip > 0 && bytes.length > 0; flip -= 1) {
      const at = placeIn(bytes, random);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.integer(0, 7));
    }
    return bytes;
  },
  /** Cuts, fills, inserts and joins: replaces some bytes, or all that follow, by others or none. */
  replaceBytes(bytes, random, other) {
    const taken = other().subarray(random.integer(0, 400));
    const run = Buffer.alloc(random.integer(0, 200), random.pick([0, 0xff, random.integer(1, 254)]));
    const by = random.pick([Buffer.of(), run, taken, taken.subarray(0, random.integer(0, 400))]);
    const at = placeIn(bytes, random);
    const to = random.pick([at, at + by.length, bytes.length]);
    return Buffer.concat([bytes.subarray(0, at), by, bytes.subarray(to)]);
  },
  setEdgeValue,
  /** Repeats, loses or moves parts of the file. */
  arrangeParts(bytes, random) {
    return rebuilt(bytes, (parts) => {
      const chosen = random.integer(0, parts.length - 1);
      const [part = Buffer.of()] = parts.splice(chosen, 1);
      const place = random.pick([chosen, random.integer(0, parts.length)]);
      return parts.toSpliced(place, 0, ...Array<Buffer>(random.pick([0, 1, 2, 3, 50])).fill(part));
    });
  },
  setLength(bytes, random) {
    const parts = partsOf(bytes);
    if (parts.length === 0) return setEdgeValue(bytes, random);
    const at = random.pick(parts).byteOffset - bytes.byteOffset + (isPng(bytes) ? 0 : isWebp(bytes) ? 4 : 2);
    return written(bytes, at, random.pick(EDGES), isPng(bytes) || isWebp(bytes) ? 4 : 2, isWebp(bytes));
  },
  setDimensions(bytes, random) {
    const [width, height] = [random.pick(SIDES), random.pick(SIDES)];
    const parts = partsOf(bytes);
    if (isWebp(bytes)) {
      const canvas = vp8x(width || 1, height || 1, random.chance(0.5) ? 'animation' : 'alpha');
      return webpOf([canvas, ...parts.filter((part) => typeOf(part) !== 'VP8X')]);
    }
    const frame = parts.find((part) => isPng(bytes) || part[1] === 0xc0 || part[1] === 0xc2);
    // An earlier step has broken the header.
    if (!frame || frame.length < (isPng(bytes) ? 25 : 9)) return setEdgeValue(bytes, random);
    if (isPng(bytes)) {
      frame.writeUInt32BE(width, 8);
      frame.writeUInt32BE(height, 12);
      frame.writeUInt32BE(crc32(frame.subarray(4, 21)), 21);
    } else {
      frame.writeUInt16BE(height, 5);
      frame.writeUInt16BE(width, 7);
    }
    return bytes;
  },
};

function setEdgeValue(bytes: Buffer, random: Random): Buffer {
  const size = random.pick([1, 2, 4]);
  return written(bytes, placeIn(bytes, random), random.pick(EDGES), size, random.chance(0.5));
}

/** A position; half of them are among the first bytes, which are headers. */
const placeIn = (bytes: Buffer, random: Random): number =>
  random.integer(0, Math.max(0, (random.chance(0.5) ? Math.min(bytes.length, 200) : bytes.length) - 1));

function written(bytes: Buffer, at: number, value: number, size: number, littleEndian: boolean): Buffer {
  const room = Math.min(size, bytes.length - at);
  if (room <= 0) return bytes;
  if (littleEndian) bytes.writeUIntLE(value % 256 ** room, at, room);
  else bytes.writeUIntBE(value % 256 ** room, at, room);
  return bytes;
}

/** The picture with its parts changed, and with the right length where it has one. */
function rebuilt(bytes: Buffer, change: (parts: Buffer[]) => readonly Buffer[]): Buffer {
  const parts = partsOf(bytes);
  const [first] = parts;
  if (!first) return bytes;
  const head = bytes.subarray(0, first.byteOffset - bytes.byteOffset);
  const changed = change(parts);
  if (isWebp(bytes)) return webpOf(changed);
  return Buffer.concat([head, ...changed, ...(isPng(bytes) ? [] : [bytes.subarray(-2)])]);
}
