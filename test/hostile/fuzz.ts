import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { Random } from '../../models/random';
import { runConcurrently } from '../../scripts/lab/bench/load';
import { photoOfProduct } from '../../scripts/lab/generator/generate-bundle';
import { base64Body } from './corpus';
import { outcomeOf, type Target } from './outcome';
import { animation, jpegParts, vp8x, webpChunk, webpChunks, webpOf } from './picture-parts';

type NamedPicture = readonly [name: string, bytes: Buffer];

export interface FuzzOptions {
  readonly target: Target;
  readonly pictures: readonly NamedPicture[];
  readonly seed: number;
  /** Runs mutations `from` to `from + count`, so that one that failed can be run alone. */
  readonly from: number;
  readonly count: number;
  readonly concurrency: number;
  readonly onProgress?: (done: number) => void;
}

export interface HostileReport {
  /** How often each verdict was given. */
  readonly verdicts: ReadonlyMap<string, number>;
  /** What broke a promise, with all that is needed to run it again. */
  readonly faults: readonly string[];
  readonly creditsUsed: number;
  readonly perSecond: number;
}

const PATHS = ['/v3/vision/identify', '/v2/vision'] as const;

/** Sends mutations to a service and counts its answers. */
export async function runFuzz(options: FuzzOptions): Promise<HostileReport> {
  const { target, pictures, seed, from, count, concurrency } = options;
  const verdicts = new Map<string, number>();
  const faults: string[] = [];
  let creditsUsed = 0;
  let done = 0;
  const { totalMs } = await runConcurrently(count, concurrency, async (offset) => {
    const index = from + offset;
    const { story, body } = mutationOf(seed, index, pictures);
    const path = PATHS[index % PATHS.length] ?? PATHS[0];
    const fault = (what: string) => faults.push(`seed ${seed}, index ${index} (${story}): ${what}`);
    try {
      const outcome = await outcomeOf(target, { path, body });
      verdicts.set(outcome.verdict, (verdicts.get(outcome.verdict) ?? 0) + 1);
      creditsUsed += outcome.creditsUsed;
      for (const broken of outcome.faults) fault(broken);
    } catch (failure) {
      fault(`no answer: ${String(failure)}`);
    }
    done += 1;
    options.onProgress?.(done);
  });
  return { verdicts, faults, creditsUsed, perSecond: (1000 * count) / totalMs };
}

/** How often the text around the picture is damaged instead of the picture. */
const TEXT_SHARE = 0.05;
const STEPS_MAX = 3;

/** Mutation `index` of a seed, and what was done: the same for the same pictures, whatever ran before it. */
export function mutationOf(
  seed: number,
  index: number,
  pictures: readonly NamedPicture[],
): { story: string; body: Buffer } {
  const random = new Random('fuzz', seed, index);
  const [name, sound] = random.pick(pictures);
  const steps = random.integer(1, STEPS_MAX);
  const story = [name];
  let bytes = sound;
  for (let step = 0; step < steps; step += 1) {
    const mutator = random.pick(Object.keys(MUTATORS));
    story.push(mutator);
    bytes = MUTATORS[mutator]?.(bytes, random, () => random.pick(pictures)[1]) ?? bytes;
  }
  const body = base64Body(bytes.toString('base64'));
  if (random.chance(TEXT_SHARE)) {
    story.push('text');
    body[random.integer(0, body.length - 1)] = random.integer(0, 255);
  }
  return { story: story.join(', '), body };
}

/** Changes a picture in one way; `other` draws another picture to take something from. */
type Mutator = (bytes: Buffer, random: Random, other: () => Buffer) => Buffer;

/** Numbers at which decoders go wrong. */
const EDGES = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff];
const SIDES = [0, 1, 2, 255, 256, 4096, 16_383, 16_384, 65_500, 65_535];

const MUTATORS: Readonly<Record<string, Mutator>> = {
  'bit flips': (bytes, random) => {
    const copy = Buffer.from(bytes);
    for (let flip = random.integer(1, 16); flip > 0 && copy.length > 0; flip -= 1) {
      const at = placeIn(copy, random);
      copy[at] = (copy[at] ?? 0) ^ (1 << random.integer(0, 7));
    }
    return copy;
  },
  truncation: (bytes, random) => bytes.subarray(0, random.integer(0, bytes.length)),
  splice: (bytes, random, other) => {
    const tail = other();
    const head = bytes.subarray(0, random.integer(0, bytes.length));
    return Buffer.concat([head, tail.subarray(random.integer(0, tail.length))]);
  },
  'chunk repeated': (bytes, random) =>
    rebuilt(bytes, (parts) => {
      const chosen = random.integer(0, Math.max(0, parts.length - 1));
      const times = random.pick([2, 2, 3, 50]);
      return parts.flatMap((part, index) => Array<Buffer>(index === chosen ? times : 1).fill(part));
    }),
  'chunks lost': (bytes, random) => rebuilt(bytes, (parts) => parts.filter(() => !random.chance(0.15))),
  'chunk moved': (bytes, random) =>
    rebuilt(bytes, (parts) => {
      const order = [...parts];
      const moved = order.splice(random.integer(0, order.length - 1), 1);
      order.splice(random.integer(0, order.length), 0, ...moved);
      return order;
    }),
  'length field': (bytes, random) => {
    const copy = Buffer.from(bytes);
    const parts = partsOf(copy);
    if (parts.length === 0) return edgeValue(copy, random);
    const at = random.pick(parts).byteOffset - copy.byteOffset + (isPng(copy) ? 0 : isWebp(copy) ? 4 : 2);
    return written(copy, at, random.pick(EDGES), isPng(copy) || isWebp(copy) ? 4 : 2, isWebp(copy));
  },
  dimensions: (bytes, random) => {
    const [width, height] = [random.pick(SIDES), random.pick(SIDES)];
    if (isWebp(bytes)) {
      const canvas = vp8x(width || 1, height || 1, random.chance(0.5) ? 'animation' : 'alpha');
      return webpOf([canvas, ...webpChunks(bytes).filter(({ type }) => type !== 'VP8X')]);
    }
    const copy = Buffer.from(bytes);
    const frame = partsOf(copy).find((part) => isPng(copy) || part[1] === 0xc0 || part[1] === 0xc2);
    // An earlier step has broken the header.
    if (!frame || frame.length < (isPng(copy) ? 25 : 9)) return edgeValue(bytes, random);
    if (!isPng(copy)) {
      frame.writeUInt16BE(height, 5);
      frame.writeUInt16BE(width, 7);
      return copy;
    }
    frame.writeUInt32BE(width, 8);
    frame.writeUInt32BE(height, 12);
    frame.writeUInt32BE(crc32(frame.subarray(4, 21)), 21);
    return copy;
  },
  'edge value': edgeValue,
  'run of one byte': (bytes, random) => {
    const from = placeIn(bytes, random);
    const value = random.pick([0, 0xff, random.integer(1, 254)]);
    return Buffer.from(bytes).fill(value, from, Math.min(bytes.length, from + random.integer(1, 200)));
  },
  'bytes from elsewhere': (bytes, random, other) => {
    const from = other();
    const start = random.integer(0, from.length);
    const inserted = from.subarray(start, start + random.integer(1, 400));
    const at = placeIn(bytes, random);
    const rest = bytes.subarray(random.chance(0.5) ? at : at + inserted.length);
    return Buffer.concat([bytes.subarray(0, at), inserted, rest]);
  },
};

function edgeValue(bytes: Buffer, random: Random): Buffer {
  const size = random.pick([1, 2, 4]);
  return written(Buffer.from(bytes), placeIn(bytes, random), random.pick(EDGES), size, random.chance(0.5));
}

/** A position; half of them are in the headers, which are a small part of the bytes. */
const placeIn = (bytes: Buffer, random: Random): number =>
  random.integer(0, Math.max(0, (random.chance(0.5) ? Math.min(bytes.length, 700) : bytes.length) - 1));

function written(bytes: Buffer, at: number, value: number, size: number, littleEndian: boolean): Buffer {
  const room = Math.min(size, bytes.length - at);
  if (room <= 0) return bytes;
  if (littleEndian) bytes.writeUIntLE(value % 256 ** room, at, room);
  else bytes.writeUIntBE(value % 256 ** room, at, room);
  return bytes;
}

const isPng = (bytes: Buffer): boolean => bytes.toString('latin1', 0, 4) === '\x89PNG';
const isWebp = (bytes: Buffer): boolean => bytes.toString('latin1', 8, 12) === 'WEBP';

/** The parts of a picture as far as they can be told, each a view of its bytes. */
function partsOf(bytes: Buffer): Buffer[] {
  const walked = (from: number, sizeAt: (at: number) => number): Buffer[] => {
    const parts: Buffer[] = [];
    for (let at = from; at + 8 <= bytes.length; ) {
      parts.push(bytes.subarray(at, at + sizeAt(at)));
      at += sizeAt(at);
    }
    return parts;
  };
  if (isPng(bytes)) return walked(8, (at) => 12 + bytes.readUInt32BE(at));
  if (isWebp(bytes)) return walked(12, (at) => 8 + 2 * Math.ceil(bytes.readUInt32LE(at + 4) / 2));
  try {
    return jpegParts(bytes);
  } catch {
    return [];
  }
}

/** The picture with its parts changed, and with the right length where it has one. */
function rebuilt(bytes: Buffer, change: (parts: readonly Buffer[]) => readonly Buffer[]): Buffer {
  const parts = partsOf(bytes);
  const [first] = parts;
  if (!first) return bytes;
  const body = Buffer.concat(change(parts));
  if (isWebp(bytes)) return webpChunk({ type: 'RIFF', data: Buffer.concat([Buffer.from('WEBP'), body]) });
  const head = bytes.subarray(0, first.byteOffset - bytes.byteOffset);
  return Buffer.concat([head, body, ...(isPng(bytes) ? [] : [bytes.subarray(-2)])]);
}

const SIDE = 224;
const PHOTOS = 3;

/** Photos of generated products in every accepted form. */
export async function photographedPictures(seed: number): Promise<NamedPicture[]> {
  const forms = Array.from({ length: PHOTOS }, async (_, number) => {
    const photo = await photoOfProduct({ seed, index: 7 * number, photoSeed: number, level: 1, size: SIDE });
    const clear = () => sharp(photo).resize(96).ensureAlpha(0.5);
    const webp = await sharp(photo).webp().toBuffer();
    const encoded = {
      JPEG: sharp(photo).jpeg({ quality: 80 }),
      'progressive JPEG': sharp(photo).withMetadata({ orientation: 6 }).jpeg({ progressive: true }),
      'grey JPEG': sharp(photo).greyscale().jpeg(),
      'CMYK JPEG': sharp(photo).toColourspace('cmyk').jpeg(),
      PNG: sharp(photo).resize(96).png(),
      'palette PNG': clear().png({ palette: true }),
      'deep PNG': sharp(photo).resize(64).toColourspace('rgb16').png({ progressive: true }),
      'lossless WebP': clear().webp({ lossless: true }),
    };
    const pictures = Object.entries(encoded).map(
      async ([name, picture]): Promise<NamedPicture> => [`${name} ${number}`, await picture.toBuffer()],
    );
    const webps: NamedPicture[] = [
      [`WebP ${number}`, webp],
      [`animated WebP ${number}`, animation(SIDE, SIDE, [webp, webp])],
    ];
    return [...(await Promise.all(pictures)), ...webps];
  });
  return (await Promise.all(forms)).flat();
}
