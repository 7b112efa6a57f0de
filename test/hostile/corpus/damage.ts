import { Random } from '../../../models/random';
import {
  ANSWERED_OR_UNDECODABLE,
  ANYTHING_BUT_A_FAULT,
  type HostileEntry,
  OTHER_FORMAT,
  picture,
  UNDECODABLE,
} from './entry';
import { jpegParts } from './jpeg';
import { pngChunks } from './png';
import { namedPictures, type SoundPictures } from './sound-pictures';
import { webpChunks } from './webp';

/** Bytes by which a format is known; with fewer it is none. */
const SIGNATURE_BYTES = { jpeg: 3, png: 8, webp: 12 } as const;
const FLIPS_EACH = 8;

/** Every form cut off at every quarter, and one of each format at every border of its structure. */
export function truncations(pictures: SoundPictures): HostileEntry[] {
  const quarters = namedPictures(pictures).flatMap(([name, bytes]) =>
    [0.25, 0.5, 0.75].map((part) =>
      picture(
        'truncated at a quarter',
        `${name} at ${part}`,
        () => bytes.subarray(0, Math.floor(bytes.length * part)),
        // The first frame of an animation may be whole by then, and no later one is looked at.
        name === 'animated webp' ? ANSWERED_OR_UNDECODABLE : UNDECODABLE,
      ),
    ),
  );
  return [
    ...quarters,
    ...cutAtBorders('jpeg', 'progressive jpeg', pictures.jpeg.progressive, bordersOfJpeg),
    ...cutAtBorders('png', 'palette png', pictures.png.palette, bordersOfPng),
    ...cutAtBorders('webp', 'alpha webp', pictures.webp.alpha, bordersOfWebp),
    ...cutAtBorders('webp', 'animated webp', pictures.webp.animated, bordersOfWebp),
  ];
}

/** Every form with a few bytes of it changed. */
export function flips(pictures: SoundPictures, seed: number): HostileEntry[] {
  return namedPictures(pictures).flatMap(([name, bytes]) =>
    Array.from({ length: FLIPS_EACH }, (_, index) =>
      picture('flipped bytes', `${name}, ${index}`, () => flipped(bytes, seed, index), ANYTHING_BUT_A_FAULT),
    ),
  );
}

function flipped(bytes: Buffer, seed: number, index: number): Buffer {
  const random = new Random('flips', seed, index, bytes.length);
  const copy = Buffer.from(bytes);
  for (let flip = 0; flip <= index; flip += 1) {
    const at = random.integer(0, copy.length - 1);
    copy[at] = (copy[at] ?? 0) ^ (1 << random.integer(0, 7));
  }
  return copy;
}

function cutAtBorders(
  format: keyof typeof SIGNATURE_BYTES,
  name: string,
  bytes: Buffer,
  bordersOf: (bytes: Buffer) => number[],
): HostileEntry[] {
  const cuts = [1, SIGNATURE_BYTES[format], ...bordersOf(bytes)].filter((at) => at < bytes.length);
  return [...new Set(cuts)].map((at) =>
    picture(
      'truncated at a border',
      `${name} behind byte ${at}`,
      () => bytes.subarray(0, at),
      at < SIGNATURE_BYTES[format] ? OTHER_FORMAT : ANSWERED_OR_UNDECODABLE,
    ),
  );
}

function bordersOfJpeg(bytes: Buffer): number[] {
  let at = 2;
  return jpegParts(bytes).map((part) => {
    at += part.bytes.length;
    return at;
  });
}

function bordersOfPng(bytes: Buffer): number[] {
  let at = 8;
  return pngChunks(bytes).flatMap(({ data }) => {
    at += 12 + data.length;
    return [at - 4, at];
  });
}

function bordersOfWebp(bytes: Buffer): number[] {
  let at = 12;
  return webpChunks(bytes).flatMap(({ data }) => {
    at += 8 + data.length + (data.length % 2);
    return [at - data.length, at];
  });
}
