import { at, hash, Random } from '../../../models/random';
import type { Lineage } from './lineage';
import * as words from './words';

/* Bags: what they are called, what they are made of, and what they look like. Lengths are in thousandths of the picture. */

const NOUNS = words.list(
  'Ondine, Étoile, Sérénade, Ardoise, Lagune, Mélodie, Passerelle, Opéra, Céleste, Brume, Clé, Galerie, Orangerie, Promenade, Échappée, Volute, Marquise, Tuileries, Cabriole, Alouette, Ivoire, Palissade, Rotonde, Ombrelle, Silhouette, Capucine, Dentelle, Esquisse, Fugue, Gondole, Hirondelle',
);
/** Around the noun (`*`) of a model; `#` is its cut. The nouns are feminine. */
const MODEL_FORMS = words.list('*, * #, The * #, * #, La *, *, La *, 24 *, Petite *, “*”');
/** How the sizes of a model are named, smallest first. */
const SIZES: readonly (readonly string[])[] = [
  words.list('20, 25, 28, 30, 35, 40'),
  words.list('Mini, Small, Medium, Large, Maxi, Travel'),
  words.list('Nano, BB, PM, MM, GM, XL'),
  words.list('Micro, Bébé, Petit, Moyen, Grand, Très Grand'),
];

/** Of each cut: its other names, and least and greatest width, height and depth. */
const CUTS = {
  tote: ['shopper, cabas, shopping bag', 480, 640, 400, 500, 120, 200],
  flap: ['crossbody, shoulder bag, sac à rabat', 480, 640, 310, 400, 90, 150],
  hobo: ['slouchy bag, shoulder bag', 540, 660, 360, 430, 100, 150],
  bucket: ['drawstring bag, sac seau', 360, 440, 420, 490, 160, 220],
  satchel: ['school bag, cartable', 480, 600, 360, 430, 120, 170],
  clutch: ['pochette, evening bag, envelope', 580, 700, 320, 400, 40, 80],
  'top handle': ['handbag, sac à main, lady bag', 460, 600, 370, 450, 150, 210],
  bowling: ['duffle, boston bag', 540, 660, 350, 410, 160, 220],
  camera: ['crossbody, camera case', 460, 560, 330, 390, 90, 140],
  saddle: ['saddlebag, crossbody', 480, 560, 400, 460, 80, 130],
} as const;
export type BagCut = keyof typeof CUTS;

/** What bags are made of: the name in a shop, and how common it is. */
const SURFACES = {
  smooth: ['Calfskin', 15],
  grained: ['Grained Leather', 16],
  quilted: ['Quilted Lambskin', 11],
  canvas: ['Canvas', 13],
  suede: ['Suede', 6],
  patent: ['Patent Leather', 4],
  woven: ['Intreccio', 6],
  crocodile: ['Crocodile', 5],
  python: ['Python', 3],
  denim: ['Denim', 2],
  tweed: ['Tweed', 3],
} as const;
export type Surface = keyof typeof SURFACES;
const EXOTIC: readonly Surface[] = ['crocodile', 'python'];
const TEXTILE: readonly Surface[] = ['canvas', 'denim', 'tweed'];
const PATTERNED: readonly Surface[] = ['smooth', 'grained', 'suede', 'patent', 'denim'];
const PATTERNS = { plain: '', monogram: 'Monogram', web: 'Web Stripe', check: 'Check', block: 'Bicolore' };
const CLASPS = ['turn-lock', 'emblem', 'ring', 'padlock'] as const;
const OCCASIONS = ['occasion:evening', 'occasion:travel', 'occasion:everyday', 'edition:boutique'] as const;

export type BagLook = ReturnType<typeof bagLook>;

function modelLook(seed: number, model: number) {
  const random = new Random(seed, 'bag model', model);
  const cuts = Object.keys(CUTS) as BagCut[];
  const cut = at(cuts, model * 3 + (seed % cuts.length));
  const [, widthMin, widthMax, heightMin, heightMax, depthMin, depthMax] = CUTS[cut];
  return {
    cut,
    width: random.between(widthMin, widthMax),
    height: random.between(heightMin, heightMax),
    depth: random.between(depthMin, depthMax),
    flap: random.between(0.48, 0.8),
    round: random.between(0.05, 0.3),
    clasp: random.pick(CLASPS),
    handle: words.weighted(random, { leather: 5, rolled: 5, chain: 5, bamboo: 1.5 }),
    drop: random.between(190, 300),
  };
}

function styleLook(seed: number, style: number) {
  const random = new Random(seed, 'bag style', style);
  const weights = (Object.keys(SURFACES) as Surface[]).map((each) => [each, SURFACES[each][1]] as const);
  const surface = random.weighted(weights);
  const pattern: keyof typeof PATTERNS =
    surface === 'canvas'
      ? words.weighted(random, { monogram: 6, check: 3, web: 2, plain: 1 })
      : PATTERNED.includes(surface)
        ? words.weighted(random, { plain: 12, block: 2, web: 2, check: 1, monogram: 1 })
        : 'plain';
  return { surface, pattern, patternSize: random.between(0.8, 1.3) };
}

/** The colours and the metal of a bag: neighbours in a style nearly always differ. */
const coloursOf = (seed: number, { product = 0, style = 0 }: Lineage) => {
  const shift = hash(seed, 'bag colours', style) % 1009;
  return {
    colour: at(words.COMMON_LEATHERS, product * 13 + shift),
    second: at(words.COMMON_LEATHERS, product * 29 + shift + 7),
    metal: at(words.COMMON_METALS.slice(0, 19), product * 5 + shift),
  };
};

export function bagLook(seed: number, lineage: Lineage) {
  const { product = 0, style = 0, model = 0, brand = 0 } = lineage;
  const leather = styleLook(seed, style);
  const colours = coloursOf(seed, lineage);
  return {
    kind: 'bag' as const,
    ...words.maisonLook(seed, 'handbags', brand),
    ...modelLook(seed, model),
    ...leather,
    ...colours,
    trim: new Random(seed, 'bag', product).weighted([
      [colours.colour.value, leather.pattern === 'plain' ? 7 : 1],
      ['#a8713f', leather.pattern === 'plain' ? 1 : 4],
      ['#1d1b1e', 2],
    ]),
  };
}

export function describeBag({ level, number, seed, random }: words.Described): words.Description {
  if (level === 'brand') return words.describeMaison(seed, 'handbags', number, random);
  if (level === 'model') {
    const { cut } = modelLook(seed, number);
    const title = cut.replace(/\b\w/g, (letter) => letter.toUpperCase());
    const worth = random.between(0.6, 1.9);
    const form = random.pick(MODEL_FORMS).replace('*', words.nounOf(NOUNS, number)).replace('#', title);
    return {
      name: form.replace(/^La (?=[AEIOUÉ])/, "L'"),
      keywords: [cut, ...words.list(CUTS[cut][0])],
      worth,
    };
  }
  const { surface, pattern } = styleLook(seed, number);
  const isExotic = EXOTIC.includes(surface);
  const material = isExotic ? ['material:exotic'] : TEXTILE.includes(surface) ? ['material:textile'] : [];
  return {
    name: [PATTERNS[pattern], SURFACES[surface][0], words.moodOf(number)]
      .filter((word) => word !== '')
      .join(' '),
    keywords: pattern === 'plain' ? [surface] : [surface, pattern],
    tags: [...material, ...(random.chance(0.06) ? ['edition:runway'] : [])],
    worth: isExotic ? random.between(2.5, 6) : random.between(0.75, 1.35),
  };
}

/** Slugs by field, tags, keywords, and variants, of which each costs `step` more than the one before. */
export function bagTraits(seed: number, lineage: Lineage, random: Random) {
  const { colour, second, metal } = coloursOf(seed, lineage);
  const { surface, pattern } = styleLook(seed, lineage['style'] ?? 0);
  const sizes = at(SIZES, hash(seed, 'sizes', lineage['model'] ?? 0));
  const count = random.weighted(words.VARIANTS);
  const first = random.integer(0, sizes.length - count);
  const colours = pattern === 'plain' || second === colour ? [colour] : [colour, second];
  return {
    facets: { colour: colours.map(({ slug }) => slug), hardware: [metal.slug], material: [surface] },
    tags: random.chance(0.35) ? [random.pick(OCCASIONS)] : [],
    keywords: [colour.name, `${metal.name.toLowerCase()} hardware`],
    variants: sizes.slice(first, first + count).map((size) => ({ size, colour: colour.name })),
    step: 0.16,
  };
}

export const BAG_FACETS: Readonly<Record<string, readonly Pick<words.Named, 'slug' | 'name'>[]>> = {
  colour: words.LEATHERS,
  material: Object.entries(SURFACES).map(([slug, [name]]) => ({ slug, name })),
  hardware: words.METALS,
};
