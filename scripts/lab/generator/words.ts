import { at, hash, Random } from '../../../models/random';
import type { Lineage } from './lineage';
import { EMBLEMS } from './svg';

/* What bags and watches share. Everything that a bundle names comes from the tables of this folder. */

/** A list in one text: commas or lines between its entries. */
export const list = (text: string): readonly string[] => text.trim().split(/\s*\n\s*|\s*, \s*/);

/** A value of a facet: the end of its entity id, its name, its colour, and how common it is. */
export interface Named {
  readonly slug: string;
  readonly name: string;
  readonly value: string;
  readonly weight: number;
}

/** Name, colour and weight of each. */
export const named = (text: string): readonly Named[] =>
  list(text).map((line) => {
    const [name = '', value = '', weight = '1'] = line.split(' | ');
    return { slug: slugOf(name), name, value, weight: Number(weight) };
  });

/** A name as the end of an id: Latin letters without accents, digits and hyphens. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');

export const byWeight = (list: readonly Named[]): Named[] =>
  list.flatMap((each) => Array<Named>(each.weight).fill(each));

export const weighted = <Value extends string>(
  random: Random,
  weights: Readonly<Partial<Record<Value, number>>>,
): Value => random.weighted(Object.entries(weights) as [Value, number][]);

/** How an entity is described: no two of a category and level have the same name. */
export interface Description {
  readonly name: string;
  readonly keywords?: readonly string[];
  readonly tags?: readonly string[];
  /** By which it multiplies the price of the products below it. */
  readonly worth?: number;
}

export interface Described {
  readonly level: string;
  readonly number: number;
  readonly seed: number;
  readonly lineage: Lineage;
  readonly random: Random;
  readonly above: string;
}

export const VARIANTS = [1, 2, 3, 4, 5, 6].map(
  (count, at) => [count, [15, 25, 25, 20, 10, 5][at] ?? 0] as const,
);

const STEMS = list(
  'Vaur, Lorn, Belm, Aubr, Ocel, Thér, Mirav, Sorv, Dray, Elsk, Fontv, Galv, Hesp, Ivr, Jorv, Kaed, Lysand, Merid, Noct, Oriv, Perl, Quill, Rav, Séver, Umbr, Valm, Wexf, Ysol, Zél, Ambr, Brév, Corv, Dulc, Émér, Falk, Grisv, Halv, Isaur, Cœurd, Ågr',
);
const ENDINGS = list(
  'elle, ard, ieux, ini, ova, stein, quist, eau, ière, ano, ane, oux, ent, olle, aque, and, igny, ault, esca, ora, ona, uet, ays, ier, orne, ette, enne, ax, ñola, ström',
);
/** Around a stem (`*`): accents, articles, digits and punctuation in all places. */
const FORMS = list(
  "*, Maison *, Le *, L'Atelier *, *, The * House, * & Fils, É. *, 47 *, La Compagnie *, À la *, * 1884, .*, «*»",
);
/** Names in other scripts, with their Latin form. */
const OTHER_SCRIPTS = list(
  'Αυγή | Avgi, 月影 | Tsukikage, Заря | Zarya, Θάλασσα | Thalassa, カグラ | Kagura, Лазурь | Lazur, Σελήνη | Selini, 花車 | Hanaguruma, Полюс | Polyus, Ἀστερία | Asteria, 朝霧 | Asagiri, Ветер | Veter',
);
/** What maisons charge, against a middling one. */
const STANDING = [0.5, 0.8, 1, 1.4, 2.2, 4.5];

function maisonNames(seed: number, category: string, brand: number) {
  const shift = hash(seed, category);
  const round = Math.floor(brand / 8);
  if (brand % 8 === 6 && round < OTHER_SCRIPTS.length) {
    const [name = '', latin = ''] = at(OTHER_SCRIPTS, round + (shift % 97)).split(' | ');
    return { name, keywords: [latin], wordmark: latin.toUpperCase() };
  }
  const lap = Math.floor(brand / STEMS.length);
  const stem = at(STEMS, brand * 17 + (shift % 101)) + at(ENDINGS, brand + lap + (shift % 103));
  const again = Math.floor(lap / ENDINGS.length);
  const name = at(FORMS, brand + (shift % 107)).replace('*', stem) + (again > 0 ? ` ${again + 1}` : '');
  const wordmark = stem.replace(/œ/gi, 'oe').normalize('NFD').replace(/\p{M}/gu, '').toUpperCase();
  const keywords = brand % 2 === 0 ? [`${wordmark.slice(0, 2)}${wordmark.slice(-1)}`] : [];
  return { name, keywords, wordmark };
}

export function describeMaison(seed: number, category: string, brand: number, random: Random): Description {
  const { name, keywords } = maisonNames(seed, category, brand);
  return { name, keywords, worth: random.pick(STANDING) };
}

export function maisonLook(seed: number, category: string, brand: number) {
  const random = new Random(seed, 'maison', category, brand);
  const emblem = at(EMBLEMS, brand + random.integer(0, 2));
  const [hue, saturation] = random.chance(0.5)
    ? [0, 0]
    : [random.pick([32, 210, 350, 90]), random.between(6, 20)];
  return { emblem, wordmark: maisonNames(seed, category, brand).wordmark, studio: { hue, saturation } };
}

/** What follows a noun that was used before, or the material of a style. */
const MOODS = list(
  'Éclipse, Nuit, Aube, Classique, Héritage, Riviera, Été, Hiver, Sport, Noce, Bohème, Ligne, Azur, Voyage, Iconique, Atelier, Rêve, Royale, Nomade, Cité, Jardin',
);

/** A mood for each number; one that was used before has a year, and then a number. */
export function moodOf(number: number): string {
  const lap = Math.floor(number / MOODS.length);
  return lap === 0 ? at(MOODS, number) : `${at(MOODS, number)} ${lap <= 40 ? 1984 + lap : `N° ${lap}`}`;
}

/** A noun for each number; one that was used before has a mood. */
export function nounOf(nouns: readonly string[], number: number): string {
  const lap = Math.floor(number / nouns.length);
  return [at(nouns, number), ...(lap === 0 ? [] : [moodOf(lap - 1)])].join(' ');
}

export const LEATHERS = named(
  'Noir | #17161a | 8, Blanc | #efece6 | 3, Ivoire | #e6dcc6 | 3, Crème Brûlée | #d9c39a, Beige Sablé | #c4a884 | 4, Camel | #b07a42 | 4, Cognac | #93531f | 5, Chocolat | #4a2c1c | 5, Taupe | #7d7066 | 4, Étain | #69696b | 2, Gris Perle | #b4b4b6 | 2, Anthracite | #3a3c42 | 3, Bleu Nuit | #18244a | 3, Marine | #1d3461 | 4, Cobalt | #1f4fc0, Bleu Jean | #5b80a8, Ciel | #a7cbe6, Turquoise | #2aa8ad, Émeraude | #0c7a52, Vert Anglais | #17452f | 2, Olive | #666a34, Sauge | #9cab8c, Menthe | #a9dcc4, Pistache | #bccf76, Jaune Citron | #f0d53c, Moutarde | #bf8f1f, Safran | #e5a12c, Orange Feu | #e6621e, Corail | #ee7a66, Rouge Vermillon | #c1202a | 3, Bordeaux | #5d1526 | 3, Framboise | #b01e58, Fuchsia | #e02a8e, Rose Poudré | #e3b3b4 | 2, Rose Sakura | #f2c9d6, Lilas | #b7a1d3, Prune | #4e2348, Violet | #6a37a4, Terracotta | #ae5638, Kaki | #8a7e58, Or | #c7a352, Argent | #bfc3c8',
);
export const METALS = named(
  'Steel | #b3b7bd | 8, Yellow Gold | #d3a84a | 4, Rose Gold | #cf9478 | 3, Palladium | #cdd0d4 | 3, Ruthenium | #5d6066, Bronze | #94703f, Black | #2c2d30, Titanium | #85888b',
);
export const COMMON_LEATHERS = byWeight(LEATHERS);
export const COMMON_METALS = byWeight(METALS);

/** Id with its group, name and categories of each. */
const TAG_LINES = list(`
  material:exotic | Exotic | handbags watches
  material:precious-metal | Precious Metal | watches
  material:textile | Textile | handbags
  edition:limited | Limited Edition | handbags watches
  edition:runway | Runway | handbags
  edition:boutique | Boutique Only | handbags watches
  occasion:evening | Evening | handbags
  occasion:travel | Travel | handbags
  occasion:everyday | Everyday | handbags
  function:diver | Diver | watches
  function:chronograph | Chronograph | watches
  function:dress | Dress | watches
  finish:gem-set | Gem-Set | watches`);
export const TAGS = TAG_LINES.map((line, at) => {
  const [id = '', name = '', categories = ''] = line.split(' | ');
  const [group = ''] = id.split(':');
  const before = TAG_LINES.slice(0, at).filter((each) => each.startsWith(`${group}:`));
  return { id, name, order: before.length + 1, categories: categories.split(' ') };
});
