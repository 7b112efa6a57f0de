import { at, Random, shuffled, shuffledByWeight } from '../../../../models/random';
import { type Surface } from '../../../../workers/image/distortion/relief';
import { LEATHER_COLOURS, METALS, type NamedColour, weightOf } from '../vocabulary/colours';
import { maisonName } from '../vocabulary/maison-names';
import type { BagLineage } from './lineage';
import {
  BAG_SHAPES,
  type BagLook,
  type BagShape,
  CLASPS,
  EMBLEMS,
  type Emblem,
  HANDLES,
  type Pattern,
  STAMPS,
  type Stamp,
  type StrapCarry,
  type Studio,
} from './look';

/** What all bags of a maison share. */
export interface BagBrandTraits {
  readonly emblem: Emblem;
  readonly wordmark: string;
  readonly stamp: Stamp;
  readonly studio: Studio;
  readonly studioYaw: number;
}

/** What all bags of a model share: its cut. */
export type BagModelTraits = Pick<
  BagLook,
  | 'shape'
  | 'width'
  | 'height'
  | 'depth'
  | 'flare'
  | 'roundness'
  | 'flapShare'
  | 'clasp'
  | 'claspSize'
  | 'handle'
  | 'handleDrop'
  | 'handleWidth'
  | 'strap'
  | 'strapCarry'
  | 'feet'
  | 'frontPocket'
  | 'beltStraps'
>;

/** What all bags of a style share: what they are made of, and the colours it comes in. */
export interface BagStyleTraits {
  readonly surface: Surface;
  readonly surfaceScale: number;
  readonly surfaceSeed: number;
  readonly pattern: Pattern;
  readonly patternScale: number;
  readonly piping: boolean;
  readonly colours: readonly NamedColour[];
  readonly metals: readonly NamedColour[];
}

const SURFACE_WEIGHTS: readonly (readonly [Surface, number])[] = [
  ['smooth', 15],
  ['grained', 16],
  ['quilted', 11],
  ['canvas', 13],
  ['saffiano', 7],
  ['suede', 6],
  ['patent', 4],
  ['chevron', 5],
  ['channel', 3],
  ['woven', 6],
  ['crocodile', 5],
  ['python', 3],
  ['ostrich', 3],
  ['lizard', 2],
  ['denim', 2],
  ['tweed', 3],
  ['raffia', 3],
];

const PLAIN_ONLY: readonly Surface[] = [
  'crocodile',
  'python',
  'ostrich',
  'lizard',
  'woven',
  'quilted',
  'chevron',
  'channel',
  'tweed',
];

/** A maison's traits, from its number. */
export function bagBrandTraits(seed: number, brand: number): BagBrandTraits {
  const random = new Random(seed, 'bag brand', brand);
  return {
    emblem: {
      form: at(EMBLEMS, brand + random.integer(0, 2)),
      points: random.integer(3, 8),
      turn: random.between(0, 1),
    },
    wordmark: maisonName(seed, 'handbags', brand).wordmark,
    stamp: random.pick(STAMPS),
    studio: studioOf(random),
    studioYaw: random.chance(0.45) ? 0 : random.between(0.16, 0.5) * (random.chance(0.5) ? 1 : -1),
  };
}

/** A model's traits, from its number; maisons cycle through the cuts so that each offers several. */
export function bagModelTraits(seed: number, { model, brandOrdinal, brand }: BagLineage): BagModelTraits {
  const random = new Random(seed, 'bag model', model);
  const shape = at(shuffled(BAG_SHAPES, seed, 'cuts', brand), brandOrdinal);
  const [width, height, depth] = proportions(shape, random);
  return {
    shape,
    width,
    height,
    depth,
    flare: flareOf(shape, random),
    roundness: random.between(0.04, 0.34),
    flapShare: random.between(0.42, 0.86),
    clasp: random.pick(CLASPS),
    claspSize: random.between(54, 96),
    handle: random.weighted([
      [HANDLES[0], 5],
      [HANDLES[1], 4],
      [HANDLES[2], 3],
      [HANDLES[3], 2],
      [HANDLES[4], 1],
    ]),
    handleDrop: random.between(170, 330),
    handleWidth: random.between(20, 36),
    strap: random.chance(0.72),
    strapCarry: random.weighted<StrapCarry>([
      ['up', 4],
      ['low', 3],
      ['draped', 3],
    ]),
    feet: random.chance(0.4),
    frontPocket: random.chance(0.35),
    beltStraps: random.chance(0.5),
  };
}

/** A style's traits, from its number. */
export function bagStyleTraits(seed: number, style: number): BagStyleTraits {
  const random = new Random(seed, 'bag style', style);
  const surface = random.weighted(SURFACE_WEIGHTS);
  return {
    surface,
    surfaceScale: random.between(0.75, 1.4),
    surfaceSeed: random.integer(0, 3),
    pattern: patternOn(surface, random),
    patternScale: random.between(0.75, 1.4),
    piping: random.chance(0.3),
    colours: shuffledByWeight(LEATHER_COLOURS, weightOf, seed, 'style colours', style).slice(0, 14),
    metals: shuffledByWeight(METALS.slice(0, 6), weightOf, seed, 'style metals', style).slice(0, 5),
  };
}

/** The ground of a maison's catalog pictures: mostly white. */
export function studioOf(random: Random): Studio {
  return random.weighted<Studio>([
    ['white', 5],
    ['grey', 3],
    ['warm', 1],
    ['cool', 1],
  ]);
}

function proportions(shape: BagShape, random: Random): readonly [number, number, number] {
  switch (shape) {
    case 'tote':
      return [random.between(460, 640), random.between(380, 520), random.between(130, 220)];
    case 'flap':
      return [random.between(440, 620), random.between(270, 390), random.between(90, 150)];
    case 'hobo':
      return [random.between(520, 660), random.between(330, 430), random.between(110, 170)];
    case 'bucket':
      return [random.between(340, 460), random.between(380, 480), random.between(200, 280)];
    case 'satchel':
      return [random.between(440, 580), random.between(320, 420), random.between(120, 190)];
    case 'clutch':
      return [random.between(500, 680), random.between(260, 400), random.between(60, 120)];
    case 'top-handle':
      return [random.between(420, 600), random.between(320, 460), random.between(150, 230)];
    case 'backpack':
      return [random.between(420, 540), random.between(380, 460), random.between(140, 200)];
    case 'bowling':
      return [random.between(500, 660), random.between(300, 400), random.between(180, 260)];
    case 'camera':
      return [random.between(400, 520), random.between(270, 360), random.between(100, 150)];
    case 'saddle':
      return [random.between(430, 560), random.between(320, 420), random.between(90, 140)];
  }
}

function flareOf(shape: BagShape, random: Random): number {
  switch (shape) {
    case 'tote':
      return random.between(1, 1.24);
    case 'top-handle':
      return random.between(0.76, 0.95);
    case 'bowling':
      return random.between(0.72, 0.94);
    default:
      return random.between(0.94, 1.06);
  }
}

function patternOn(surface: Surface, random: Random): Pattern {
  if (surface === 'canvas') {
    return random.weighted<Pattern>([
      ['monogram', 6],
      ['check', 3],
      ['web', 2],
      ['print', 1],
      ['plain', 1],
    ]);
  }
  if (PLAIN_ONLY.includes(surface)) return 'plain';
  return random.weighted<Pattern>([
    ['plain', 12],
    ['block', 2],
    ['web', 2],
    ['studs', 1.5],
    ['print', 1.5],
    ['monogram', 1],
  ]);
}
