import { at, hash, Random } from '../../../models/random';
import type { Surface } from './bags';
import type { Lineage } from './lineage';
import {
  byWeight,
  COMMON_LEATHERS,
  COMMON_METALS,
  type Described,
  type Description,
  describeMaison,
  list,
  METALS,
  maisonLook,
  type Named,
  named,
  nounOf,
  VARIANTS,
  weighted,
} from './words';

/* Watches: what they are called, what they do and are made of, and what they look like. */

const NOUNS = list(
  'Régate, Méridien, Sélène, Aviateur, Océane, Pontoise, Équinoxe, Chancel, Polaris, Nocturne, Héraut, Corsaire, Solstice, Tempête, Altitude, Belvédère, Cadence, Élégie, Frégate, Galilée, Hémisphère, Isthme, Jalon, Kairos, Longitude, Mistral, Nadir, Orphée, Périple, Quadrant',
);

/** What watches do beside telling the time, in the names of models; the first also as a keyword. */
const COMPLICATIONS = {
  none: list('Automatic, Date, Heritage, Trois Aiguilles'),
  'small seconds': list('Small Seconds, Petite Seconde'),
  chronograph: list('Chronograph, Chrono'),
  bicompax: list('Bicompax, Chronograph Bicompax'),
} as const;
export type Complication = keyof typeof COMPLICATIONS;

/** What collectors call a model with such a bezel. */
const BEZELS = {
  ...{ plain: [], step: [], fluted: [] },
  diver: list('Lagoon, Deep, Kraken, Anemone'),
  screws: list('Porthole, Rivet'),
  gems: list('Chandelier, Frost'),
} as const satisfies Readonly<Record<string, readonly string[]>>;

const FINISHES = {
  ...{ sunburst: 'Sunburst', plain: 'Lacquer', clous: 'Clous de Paris' },
  ...{ grained: 'Grené', fume: 'Fumé' },
};
const INDICES = { batons: '', roman: 'Roman', arabic: 'Arabic', dots: '', gems: 'Diamond', wedges: '' };
const HANDS = ['baton', 'dauphine', 'sword', 'leaf'] as const;

const STRAPS = {
  ...{ oyster: 'Three-Link Bracelet', jubilee: 'Five-Link Bracelet' },
  ...{ leather: 'Leather', alligator: 'Alligator', rubber: 'Rubber', nato: 'NATO', satin: 'Satin' },
};
export type Strap = keyof typeof STRAPS;
export const BRACELETS: readonly Strap[] = ['oyster', 'jubilee'];
export const STRAP_SURFACES: Partial<Readonly<Record<Strap, Surface>>> = {
  ...{ leather: 'grained', alligator: 'crocodile', nato: 'denim' },
};

const DIALS = named(
  'Black | #141518 | 8, White | #f3f3f0 | 5, Silver | #cfd2d5 | 6, Champagne | #dcc48f | 3, Blue | #1c3f86 | 6, Midnight | #131e3c | 3, Ice Blue | #b3d4e2, Turquoise | #4fbfc4, Green | #175436 | 3, Olive | #5a5c38, Mint | #a5d6c0, Slate | #565b61 | 3, Anthracite | #33363b | 3, Salmon | #dd9f83, Ivory | #efe5cd | 2, Burgundy | #601a27, Red | #a81d22, Chocolate | #4a2f20, Bronze | #8a6437, Yellow | #e6bf35, Orange | #dd6a26, Coral | #e5796f, Pink | #e3aebd, Purple | #503274',
);
const COMMON_DIALS = byWeight(DIALS);
/** What a case of a metal costs, against steel. */
const METAL_WORTH: Readonly<Record<string, number>> = {
  ...{ 'yellow-gold': 3.4, 'rose-gold': 3.2, palladium: 3.6, titanium: 1.2, bronze: 1.1 },
};

export type WatchLook = ReturnType<typeof watchLook>;

function familyLook(seed: number, family: number) {
  const random = new Random(seed, 'family', family);
  const shape = weighted(random, { round: 12, cushion: 3, octagon: 3, tonneau: 2, square: 1.5, tank: 2.5 });
  return { shape, isSport: shape !== 'tank' && random.chance(0.55) };
}

function modelLook(seed: number, { model = 0, family = 0 }: Lineage) {
  const random = new Random(seed, 'watch model', model);
  const { isSport, shape } = familyLook(seed, family);
  const isRound = shape === 'round' || shape === 'cushion';
  const bezels: readonly (keyof typeof BEZELS)[] = !isRound
    ? ['plain', 'step', 'gems']
    : isSport
      ? ['diver', 'diver', 'fluted']
      : ['plain', 'plain', 'step', 'fluted', 'gems'];
  const bezel = shape === 'octagon' ? 'screws' : random.pick(bezels);
  const complications = Object.keys(COMPLICATIONS) as Complication[];
  return {
    bezel,
    bezelWidth: bezel === 'diver' ? random.between(0.19, 0.23) : random.between(0.08, 0.15),
    hands: random.pick(HANDS),
    complication: random.weighted(
      complications.slice(0, isRound ? 4 : 2).map((each) => [each, each === 'none' ? 5 : 1] as const),
    ),
    track: random.pick(['ticks', 'ticks', 'dots', 'none'] as const),
  };
}

function caseLook(seed: number, { case: number = 0 }: Lineage) {
  const random = new Random(seed, 'case', number);
  const metal = random.pick(COMMON_METALS);
  return {
    metal,
    secondMetal: random.chance(0.2) ? at(METALS, random.integer(0, 2)) : metal,
    millimetres: random.pick([41, 36, 39, 40, 42, 44, 34, 38, 31]),
    hasGems: random.chance(0.07),
  };
}

function dialLook(seed: number, { dial = 0, case: of = 0 }: Lineage) {
  const random = new Random(seed, 'dial', dial);
  return {
    colour: at(COMMON_DIALS, dial * 11 + (hash(seed, 'dial colours', of) % 1009)),
    finish: weighted<keyof typeof FINISHES>(random, { sunburst: 5, plain: 4, clous: 1, grained: 1, fume: 1 }),
    indices: weighted<keyof typeof INDICES>(random, {
      batons: 4,
      roman: 1.5,
      arabic: 1.5,
      dots: 1.5,
      gems: 1.5,
      wedges: 1.5,
    }),
    hasDate: random.chance(0.45),
    isInkMetal: random.chance(0.4),
  };
}

/** The strap of a watch, and its colour; a bracelet is of the case's metal. `variant` 0 is the one in the pictures. */
function strapLook(seed: number, { product = 0, dial = 0, family = 0 }: Lineage, variant = 0) {
  const number = product + variant + (hash(seed, 'straps', dial) % 1009);
  const straps: readonly Strap[] = familyLook(seed, family).isSport
    ? ['oyster', 'rubber', 'leather', 'nato', 'jubilee', 'leather', 'rubber', 'nato']
    : ['alligator', 'oyster', 'leather', 'satin', 'jubilee', 'alligator', 'leather', 'satin'];
  return { strap: at(straps, number), strapColour: at(COMMON_LEATHERS, number * 7) };
}

export function watchLook(seed: number, lineage: Lineage) {
  const { product = 0, family = 0, brand = 0 } = lineage;
  const random = new Random(seed, 'watch', product);
  const dial = dialLook(seed, lineage);
  return {
    kind: 'watch' as const,
    ...maisonLook(seed, 'watches', brand),
    ...familyLook(seed, family),
    ...modelLook(seed, lineage),
    ...caseLook(seed, lineage),
    ...dial,
    ...strapLook(seed, lineage),
    accent: random.pick(['#c82824', '#e2781f', '#245cbe', '#d8b45a', '#f2f2ee']),
    bezelColour: random.pick(['#17181b', '#17181b', dial.colour.value, at(DIALS, product).value]),
  };
}

export function describeWatch({ level, number, seed, lineage, random, above }: Described): Description {
  if (level === 'brand') return describeMaison(seed, 'watches', number, random);
  if (level === 'family') {
    const { isSport } = familyLook(seed, number);
    return { name: nounOf(NOUNS, number), keywords: [isSport ? 'sports watch' : 'dress watch'] };
  }
  if (level === 'model') {
    const { bezel, complication } = modelLook(seed, lineage);
    const worth = random.between(0.6, 1.9);
    const name = `${above} ${random.pick(COMPLICATIONS[complication])} ${101 + number}`;
    const nicknames: readonly string[] = BEZELS[bezel];
    const nickname = nicknames.length > 0 ? [random.pick(nicknames)] : [];
    return { name, keywords: [...nickname, ...(complication === 'none' ? [] : [complication])], worth };
  }
  if (level === 'case') {
    const { metal, secondMetal, millimetres, hasGems } = caseLook(seed, lineage);
    const metals = metal === secondMetal ? metal.name : `${metal.name} & ${secondMetal.name}`;
    const worth = (METAL_WORTH[metal.slug] ?? 1) * (hasGems ? 2.2 : 1);
    const name = `${millimetres} mm ${metals}${hasGems ? ' Gem-Set' : ''}`;
    return { name, keywords: [`${millimetres}mm`], worth };
  }
  const { colour, finish, indices } = dialLook(seed, lineage);
  return { name: [colour.name, FINISHES[finish], INDICES[indices]].filter((word) => word !== '').join(' ') };
}

/** As `bagTraits`. */
export function watchTraits(seed: number, lineage: Lineage, random: Random) {
  const { bezel, complication } = modelLook(seed, lineage);
  const { metal, millimetres, hasGems } = caseLook(seed, lineage);
  const { colour } = dialLook(seed, lineage);
  const { strap } = strapLook(seed, lineage);
  const straps = Array.from({ length: random.weighted(VARIANTS) }, (_, variant) => {
    const of = strapLook(seed, lineage, variant);
    return BRACELETS.includes(of.strap) ? STRAPS[of.strap] : `${of.strapColour.name} ${STRAPS[of.strap]}`;
  });
  return {
    facets: { colour: [colour.slug], material: [metal.slug], strap: [strap] },
    tags: [
      ...(hasGems || bezel === 'gems' ? ['finish:gem-set'] : []),
      ...((METAL_WORTH[metal.slug] ?? 1) > 3 ? ['material:precious-metal'] : []),
      ...(bezel === 'diver' ? ['function:diver'] : []),
      ...(complication === 'chronograph' || complication === 'bicompax' ? ['function:chronograph'] : []),
    ],
    keywords: [colour.name, STRAPS[strap]],
    // Different variants may give one name, which is used once.
    variants: [...new Set(straps)].map((name) => ({ size: `${millimetres} mm`, strap: name })),
    step: -0.05,
  };
}

export const WATCH_FACETS: Readonly<Record<string, readonly Pick<Named, 'slug' | 'name'>[]>> = {
  colour: DIALS,
  material: METALS,
  strap: Object.entries(STRAPS).map(([slug, name]) => ({ slug, name })),
};
