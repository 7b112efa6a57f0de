import { at, Random, shuffled, shuffledByWeight } from '../../../../models/random';
import type { Surface } from '../brush/relief';
import { LEATHER_COLOURS, METALS, type NamedColour, weightOf } from '../vocabulary/colours';
import { maisonName } from '../vocabulary/maison-names';
import type { BagLineage } from './lineage';
import {
  BAG_SHAPES,
  type BagBrandTraits,
  type BagLeather,
  type BagModelTraits,
  type BagShape,
  CLASPS,
  EMBLEMS,
  type Pattern,
  STAMPS,
  type Studio,
} from './look';
import { shares } from './shares';

/** What all bags of a style share: what they are made of, and the colours it comes in. */
export interface BagStyleTraits extends BagLeather {
  readonly colours: readonly NamedColour[];
  readonly metals: readonly NamedColour[];
}

const SURFACE_WEIGHTS = shares<Surface>({
  smooth: 15,
  grained: 16,
  quilted: 11,
  canvas: 13,
  saffiano: 7,
  suede: 6,
  patent: 4,
  chevron: 5,
  channel: 3,
  woven: 6,
  crocodile: 5,
  python: 3,
  ostrich: 3,
  lizard: 2,
  denim: 2,
  tweed: 3,
  raffia: 3,
});

/** Surfaces that have a pattern; canvas seldom has none. */
const PATTERNED: readonly Surface[] = ['smooth', 'grained', 'saffiano', 'suede', 'patent', 'denim', 'raffia'];

/** Of each cut the least and the most of its width, height and depth. */
const PROPORTIONS: Readonly<Record<BagShape, readonly [number, number, number, number, number, number]>> = {
  tote: [460, 640, 380, 520, 130, 220],
  flap: [440, 620, 270, 390, 90, 150],
  hobo: [520, 660, 330, 430, 110, 170],
  bucket: [340, 460, 380, 480, 200, 280],
  satchel: [440, 580, 320, 420, 120, 190],
  clutch: [500, 680, 260, 400, 60, 120],
  'top-handle': [420, 600, 320, 460, 150, 230],
  backpack: [420, 540, 380, 460, 140, 200],
  bowling: [500, 660, 300, 400, 180, 260],
  camera: [400, 520, 270, 360, 100, 150],
  saddle: [430, 560, 320, 420, 90, 140],
};

/** Of cuts that are not about as wide above as below. */
const FLARES: Partial<Readonly<Record<BagShape, readonly [number, number]>>> = {
  tote: [1, 1.24],
  'top-handle': [0.76, 0.95],
  bowling: [0.72, 0.94],
};

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
  const [widthMin, widthMax, heightMin, heightMax, depthMin, depthMax] = PROPORTIONS[shape];
  const [flareMin, flareMax] = FLARES[shape] ?? [0.94, 1.06];
  return {
    shape,
    width: random.between(widthMin, widthMax),
    height: random.between(heightMin, heightMax),
    depth: random.between(depthMin, depthMax),
    flare: random.between(flareMin, flareMax),
    roundness: random.between(0.04, 0.34),
    flapShare: random.between(0.42, 0.86),
    clasp: random.pick(CLASPS),
    claspSize: random.between(54, 96),
    handle: random.weighted(
      shares<BagModelTraits['handle']>({ leather: 5, rolled: 4, chain: 3, 'woven-chain': 2, bamboo: 1 }),
    ),
    handleDrop: random.between(170, 330),
    handleWidth: random.between(20, 36),
    strap: random.chance(0.72),
    strapCarry: random.weighted(shares<BagModelTraits['strapCarry']>({ up: 4, low: 3, draped: 3 })),
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
  return random.weighted(shares<Studio>({ white: 5, grey: 3, warm: 1, cool: 1 }));
}

function patternOn(surface: Surface, random: Random): Pattern {
  if (surface === 'canvas') {
    return random.weighted(shares<Pattern>({ monogram: 6, check: 3, web: 2, print: 1, plain: 1 }));
  }
  if (!PATTERNED.includes(surface)) return 'plain';
  return random.weighted(
    shares<Pattern>({ plain: 12, block: 2, web: 2, studs: 1.5, print: 1.5, monogram: 1 }),
  );
}
