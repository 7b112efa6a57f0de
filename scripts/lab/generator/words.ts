import { at, hash, Random } from '../../../models/random';
import type { Lineage } from './lineage';
import { EMBLEMS } from './svg';
import vocabulary from './vocabulary.json';

/*
 * What bags and watches share: fictional maisons, colours and metals, tags, shops and regions. Everything that a bundle names
 * comes from `vocabulary.json` and the tables of this folder.
 */

/** A list in one text: commas or lines between its entries. */
export const words = (text: string): readonly string[] => text.trim().split(/\s*\n\s*|\s*, \s*/);

/** A value of a facet: the end of its entity id, its name, its colour, and how common it is. */
export interface Named {
  readonly slug: string;
  readonly name: string;
  readonly value: string;
  readonly weight: number;
}

/** Values of the vocabulary, with the ends of their ids. */
export const named = (list: readonly Omit<Named, 'slug'>[]): readonly Named[] =>
  list.map((each) => ({ slug: slugOf(each.name), ...each }));

/** A name as the end of an id: Latin letters without accents, digits and hyphens. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');

/** Values repeated by how common they are. */
export const byWeight = (list: readonly Named[]): Named[] =>
  list.flatMap((each) => Array<Named>(each.weight).fill(each));

/** One of the names, as often as its weight says. */
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

/** Number `number` of a level of the hierarchy, with everything above it. */
export interface Described {
  readonly level: string;
  readonly number: number;
  readonly seed: number;
  readonly lineage: Lineage;
  readonly random: Random;
  /** The name of the entity above. */
  readonly above: string;
}

/** How many variants products have, with weights. */
export const VARIANTS = [1, 2, 3, 4, 5, 6].map(
  (count, at) => [count, [15, 25, 25, 20, 10, 5][at] ?? 0] as const,
);

/**
 * Stems and endings of names, the forms around them (`*`): accents, articles, digits and punctuation in all places; and names in other
 * scripts, with their Latin form.
 */
const { stems: STEMS, endings: ENDINGS, forms: FORMS, otherScripts: OTHER_SCRIPTS } = vocabulary.maisons;
/** What maisons charge, against a middling one. */
const STANDING = [0.5, 0.8, 1, 1.4, 2.2, 4.5];

/** The names of a maison: what it is called, other words for it, and what it prints on its products. */
function maisonNames(seed: number, category: string, brand: number) {
  const shift = hash(seed, category);
  const round = Math.floor(brand / 8);
  if (brand % 8 === 6 && round < OTHER_SCRIPTS.length) {
    const [name = '', latin = ''] = at(OTHER_SCRIPTS, round + (shift % 97));
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

/** What all products of a maison share: its emblem, its wordmark, and hue and saturation of the ground of its pictures. */
export function maisonLook(seed: number, category: string, brand: number) {
  const random = new Random(seed, 'maison', category, brand);
  const emblem = at(EMBLEMS, brand + random.integer(0, 2));
  const [hue, saturation] = random.chance(0.5)
    ? [0, 0]
    : [random.pick([32, 210, 350, 90]), random.between(6, 20)];
  return { emblem, wordmark: maisonNames(seed, category, brand).wordmark, studio: { hue, saturation } };
}

/** What follows a noun that was used before, or the material of a style. */
const MOODS = vocabulary.moods;

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

export const LEATHERS = named(vocabulary.leathers);
export const METALS = named(vocabulary.metals);
export const COMMON_LEATHERS = byWeight(LEATHERS);
export const COMMON_METALS = byWeight(METALS);

export const TAGS = vocabulary.tags.map(({ id, name, categories }, at) => {
  const [group = ''] = id.split(':');
  const before = vocabulary.tags.slice(0, at).filter((each) => each.id.startsWith(`${group}:`));
  return { id, name, order: before.length + 1, categories };
});
