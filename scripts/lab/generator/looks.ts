import { at, hash, Random } from '../../../models/random';
import { type Lineage, lineageOf, placeOf } from './lineage';
import { EMBLEMS } from './svg';
import {
  BAG_SYNONYMS,
  type BagCut,
  type Bezel,
  BRACELETS,
  COMPLICATIONS,
  type Complication,
  DIAL_COLOURS,
  DIAL_FINISHES,
  type DialFinish,
  INDICES,
  type Indices,
  LEATHER_COLOURS,
  MAISONS,
  METALS,
  type Named,
  type Pattern,
  STRAPS,
  type Strap,
  SURFACES,
  type Surface,
} from './vocabulary';

/*
 * What products look like: of each level of the taxonomy the traits that everything below it shares. Lengths are in
 * thousandths of the picture.
 */

type CaseShape = 'round' | 'cushion' | 'octagon' | 'tonneau' | 'square' | 'tank';
const HANDS = ['baton', 'dauphine', 'sword', 'leaf', 'mercedes'] as const;
const CLASPS = ['turn-lock', 'push-lock', 'emblem', 'ring', 'bar', 'padlock'] as const;
const CHARMS = ['tassel', 'tag', 'scarf'] as const;
type Handle = 'leather' | 'rolled' | 'chain' | 'woven chain' | 'bamboo';

/** Everything that the picture of a bag depends on. */
export type BagLook = ReturnType<typeof bagLook>;
/** Everything that the picture of a watch depends on. */
export type WatchLook = ReturnType<typeof watchLook>;
export type Look = BagLook | WatchLook;

/** What product `index` of a seed looks like; it depends on nothing else. */
export function lookOf(seed: number, index: number): Look {
  const { category, number } = placeOf(index);
  const lineage = lineageOf(seed, category, 'product', number);
  return category === 'handbags' ? bagLook(seed, lineage) : watchLook(seed, lineage);
}

/** The names of a maison: what it is called, other words for it, and what it prints on its products. */
export function maisonNames(seed: number, category: string, brand: number) {
  const { stems, endings, forms, otherScripts } = MAISONS;
  const shift = hash(seed, category);
  const round = Math.floor(brand / 8);
  if (brand % 8 === 6 && round < otherScripts.length) {
    const [name = '', latin = ''] = at(otherScripts, round + (shift % 97)).split(' | ');
    return { name, keywords: [latin], wordmark: latin.toUpperCase() };
  }
  const lap = Math.floor(brand / stems.length);
  const stem = at(stems, brand * 17 + (shift % 101)) + at(endings, brand + lap + (shift % 103));
  const again = Math.floor(lap / endings.length);
  const name = at(forms, brand + (shift % 107)).replace('*', stem) + (again > 0 ? ` ${again + 1}` : '');
  const wordmark = stem.replace(/œ/gi, 'oe').normalize('NFD').replace(/\p{M}/gu, '').toUpperCase();
  return {
    name,
    keywords: brand % 2 === 0 ? [`${wordmark.slice(0, 2)}${wordmark.slice(-1)}`] : [],
    wordmark,
  };
}

/** What all products of a maison share: its emblem, its wordmark, and hue and saturation of the ground of its pictures. */
function maison(seed: number, category: string, brand: number) {
  const random = new Random(seed, 'maison', category, brand);
  return {
    emblem: at(EMBLEMS, brand + random.integer(0, 2)),
    wordmark: maisonNames(seed, category, brand).wordmark,
    studio: random.chance(0.5)
      ? ([0, 0] as const)
      : ([random.pick([32, 210, 350, 90]), random.between(6, 20)] as const),
  };
}

/** Of each cut: width, height and depth, each least and greatest. */
const PROPORTIONS: Readonly<Record<BagCut, readonly [number, number, number, number, number, number]>> = {
  tote: [480, 640, 400, 500, 120, 200],
  flap: [480, 640, 310, 400, 90, 150],
  hobo: [540, 660, 360, 430, 100, 150],
  bucket: [360, 440, 420, 490, 160, 220],
  satchel: [480, 600, 360, 430, 120, 170],
  clutch: [580, 700, 320, 400, 40, 80],
  'top handle': [460, 600, 370, 450, 150, 210],
  backpack: [430, 520, 480, 560, 130, 180],
  bowling: [540, 660, 350, 410, 160, 220],
  camera: [460, 560, 330, 390, 90, 140],
  saddle: [480, 560, 400, 460, 80, 130],
};

/** What all bags of a model share. */
export function bagModel(seed: number, model: number) {
  const random = new Random(seed, 'bag model', model);
  const cuts = Object.keys(BAG_SYNONYMS) as BagCut[];
  const cut = at(cuts, model * 4 + (seed % cuts.length));
  const [widthMin, widthMax, heightMin, heightMax, depthMin, depthMax] = PROPORTIONS[cut];
  return {
    cut,
    width: random.between(widthMin, widthMax),
    height: random.between(heightMin, heightMax),
    depth: random.between(depthMin, depthMax),
    flap: random.between(0.48, 0.8),
    round: random.between(0.05, 0.3),
    clasp: random.pick(CLASPS),
    handle: weighted<Handle>(random, { leather: 5, rolled: 5, chain: 3, 'woven chain': 3, bamboo: 1.5 }),
    drop: random.between(190, 300),
  };
}

const PATTERNED: readonly Surface[] = ['smooth', 'grained', 'saffiano', 'suede', 'patent', 'denim', 'raffia'];

/** What all bags of a style share. */
export function bagStyle(seed: number, style: number) {
  const random = new Random(seed, 'bag style', style);
  const surface = random.weighted(
    (Object.keys(SURFACES) as Surface[]).map((each) => [each, SURFACES[each][1]] as const),
  );
  const pattern: Pattern =
    surface === 'canvas'
      ? weighted(random, { monogram: 6, check: 3, web: 2, print: 1, plain: 1 })
      : PATTERNED.includes(surface)
        ? weighted(random, { plain: 12, block: 2, web: 2, studs: 1.5, print: 1.5, monogram: 1 })
        : 'plain';
  return { surface, pattern, patternSize: random.between(0.8, 1.3), hasPiping: random.chance(0.3) };
}

/** The colours and the metal of a bag: neighbours in a style nearly always differ. */
export const bagColours = (seed: number, { product = 0, style = 0 }: Lineage) => {
  const shift = hash(seed, 'bag colours', style) % 1009;
  return {
    colour: at(COMMON_LEATHERS, product * 13 + shift),
    second: at(COMMON_LEATHERS, product * 29 + shift + 7),
    metal: at(COMMON_METALS.slice(0, 19), product * 5 + shift),
  };
};

function bagLook(seed: number, lineage: Lineage) {
  const { product = 0, style = 0, model = 0, brand = 0 } = lineage;
  const random = new Random(seed, 'bag', product);
  const leather = bagStyle(seed, style);
  const colours = bagColours(seed, lineage);
  return {
    kind: 'bag' as const,
    ...maison(seed, 'handbags', brand),
    ...bagModel(seed, model),
    ...leather,
    ...colours,
    trim: random.weighted([
      [colours.colour.value, leather.pattern === 'plain' ? 7 : 1],
      ['#a8713f', leather.pattern === 'plain' ? 1 : 4],
      ['#1d1b1e', 2],
    ]),
    charm: random.chance(0.65) ? ('none' as const) : random.pick(CHARMS),
    charmColour: random.pick(LEATHER_COLOURS).value,
  };
}

/** What all watches of a family share. */
export function watchFamily(seed: number, family: number) {
  const random = new Random(seed, 'family', family);
  const shape = weighted<CaseShape>(random, {
    round: 12,
    cushion: 3,
    octagon: 3,
    tonneau: 2,
    square: 1.5,
    tank: 2.5,
  });
  return { shape, isSport: shape !== 'tank' && random.chance(0.55) };
}

/** What all watches of a model share. */
export function watchModel(seed: number, { model = 0, family = 0 }: Lineage) {
  const random = new Random(seed, 'watch model', model);
  const { isSport, shape } = watchFamily(seed, family);
  const isRound = shape === 'round' || shape === 'cushion';
  const bezel: Bezel =
    shape === 'octagon'
      ? 'screws'
      : isRound && isSport
        ? random.pick(['diver', 'diver', 'tachymeter', 'fluted', 'coin'])
        : isRound
          ? random.pick(['plain', 'plain', 'step', 'fluted', 'coin', 'gems'])
          : random.pick(['plain', 'step', 'gems']);
  const wide = bezel === 'diver' || bezel === 'tachymeter';
  const complications = Object.keys(COMPLICATIONS) as Complication[];
  return {
    bezel,
    bezelWidth: wide ? random.between(0.19, 0.23) : random.between(0.08, 0.15),
    hands: random.pick(HANDS),
    complication: random.weighted(
      (isRound ? complications : (['none', 'small seconds'] as const)).map(
        (each) => [each, each === 'none' ? 5 : 1] as const,
      ),
    ),
    track: random.pick(['ticks', 'ticks', 'railway', 'dots', 'none'] as const),
  };
}

/** What all watches of a case share. */
export function watchCase(seed: number, { case: number = 0 }: Lineage) {
  const random = new Random(seed, 'case', number);
  const metal = random.pick(COMMON_METALS);
  return {
    metal,
    secondMetal: random.chance(0.2) ? at(METALS, random.integer(0, 2)) : metal,
    millimetres: random.pick([41, 36, 39, 40, 42, 44, 34, 38, 31]),
    hasGems: random.chance(0.07),
  };
}

/** What all watches of a dial share. */
export function watchDial(seed: number, { dial = 0, case: of = 0 }: Lineage) {
  const random = new Random(seed, 'dial', dial);
  return {
    colour: at(COMMON_DIALS, dial * 11 + (hash(seed, 'dial colours', of) % 1009)),
    finish: random.weighted(
      (Object.keys(DIAL_FINISHES) as DialFinish[]).map(
        (finish) => [finish, finish === 'sunburst' ? 5 : finish === 'plain' ? 4 : 1] as const,
      ),
    ),
    indices: random.weighted(
      (Object.keys(INDICES) as Indices[]).map((each) => [each, each === 'batons' ? 4 : 1.5] as const),
    ),
    hasDate: random.chance(0.45),
    isInkMetal: random.chance(0.4),
  };
}

/** The strap of a watch, and its colour; a bracelet is of the case's metal. `variant` 0 is the one in the pictures. */
export function watchStrap(seed: number, { product = 0, dial = 0 }: Lineage, isSport: boolean, variant = 0) {
  const number = product + variant + (hash(seed, 'straps', dial) % 1009);
  const straps: readonly Strap[] = isSport
    ? ['oyster', 'rubber', 'leather', 'nato', 'jubilee', 'leather', 'rubber', 'nato']
    : ['alligator', 'mesh', 'leather', 'satin', 'jubilee', 'alligator', 'leather', 'satin'];
  return { strap: at(straps, number), strapColour: at(COMMON_LEATHERS, number * 7) };
}

/** The name of a strap: bracelets by their links, others by colour and material. */
export const strapName = (strap: Strap, colour: Named): string =>
  BRACELETS.includes(strap) ? STRAPS[strap] : `${colour.name} ${STRAPS[strap]}`;

function watchLook(seed: number, lineage: Lineage) {
  const { product = 0, family = 0, brand = 0 } = lineage;
  const random = new Random(seed, 'watch', product);
  const own = watchFamily(seed, family);
  const dial = watchDial(seed, lineage);
  return {
    kind: 'watch' as const,
    ...maison(seed, 'watches', brand),
    ...own,
    ...watchModel(seed, lineage),
    ...watchCase(seed, lineage),
    ...dial,
    ...watchStrap(seed, lineage, own.isSport),
    accent: random.pick(['#c82824', '#e2781f', '#245cbe', '#d8b45a', '#f2f2ee']),
    bezelColour: random.pick(['#17181b', '#17181b', dial.colour.value, at(DIAL_COLOURS, product).value]),
  };
}

/** Values repeated by how common they are. */
const byWeight = (list: readonly Named[]): Named[] =>
  list.flatMap((each) => Array<Named>(each.weight).fill(each));
const COMMON_LEATHERS = byWeight(LEATHER_COLOURS);
const COMMON_DIALS = byWeight(DIAL_COLOURS);
const COMMON_METALS = byWeight(METALS);

/** One of the names, as often as its weight says. */
const weighted = <Value extends string>(
  random: Random,
  weights: Readonly<Partial<Record<Value, number>>>,
): Value => random.weighted(Object.entries(weights) as [Value, number][]);
