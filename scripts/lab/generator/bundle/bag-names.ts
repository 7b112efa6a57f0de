import { at, Random, shuffled } from '../../../../models/random';
import type { Surface } from '../brush/relief';
import type { BagShape, Pattern } from '../look/look';
import { sequel } from '../vocabulary/maison-names';
import { bags } from '../vocabulary/names.json';

/** What a surface is called in a shop. */
export const surfaceName = (surface: Surface): string => bags.surfaces[surface];

/** A model's name; no two models of a maison share one. */
export function bagModelName(seed: number, brand: number, ordinal: number, shape: BagShape): string {
  const random = new Random(seed, 'bag model name', brand, ordinal);
  const noun = at(shuffled(bags.nouns, seed, 'nouns', brand), ordinal);
  const base = sequel(noun, Math.floor(ordinal / bags.nouns.length));
  return random.weighted([
    [base, 5],
    [`${base} ${bags.shapes[shape].name}`, 6],
    [`${article(noun)}${base}`, 3],
    [`The ${base}`, 2],
    [`${bags.masculine.includes(noun) ? 'Petit' : 'Petite'} ${base}`, 1],
    [`${random.integer(2, 48)} ${base}`, 1],
    [`“${base}”`, 0.5],
  ]);
}

function article(noun: string): string {
  if (/^[AEIOUÉ]/.test(noun)) return "L'";
  return bags.masculine.includes(noun) ? 'Le ' : 'La ';
}

/** What else a model of a shape is called by those who look for one. */
export function bagModelKeywords(shape: BagShape): readonly string[] {
  const { name, synonyms } = bags.shapes[shape];
  return [name.toLowerCase(), ...synonyms];
}

/** A style's name; no two styles of a model share one. */
export function bagStyleName(
  seed: number,
  model: number,
  ordinal: number,
  surface: Surface,
  pattern: Pattern,
): string {
  const mood = ordinal === 0 ? '' : at(shuffled(bags.moods, seed, 'moods', model), ordinal);
  const words = [bags.patterns[pattern], bags.surfaces[surface], mood].filter((word) => word !== '');
  return sequel(words.join(' '), Math.floor(ordinal / bags.moods.length));
}

/** How a model's sizes are named, smallest first. */
export const SIZE_SCHEMES: readonly (readonly string[])[] = bags.sizes;
