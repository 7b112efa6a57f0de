import { at, Random, shuffled } from '../../../../models/random';
import type { DialFinish } from '../brush/relief';
import { type Bezel, type Complication, type IndexStyle, isBracelet, type Strap } from '../look/look';
import { sequel } from '../vocabulary/maison-names';
import { watches } from '../vocabulary/names.json';

const NICKNAMES: Partial<Readonly<Record<Bezel, readonly string[]>>> = watches.bezelNicknames;

/** A family's name; no two families of a maison share one. */
export function watchFamilyName(seed: number, brand: number, ordinal: number): string {
  const noun = at(shuffled(watches.nouns, seed, 'families', brand), ordinal);
  const random = new Random(seed, 'family name', brand, ordinal);
  const base = sequel(noun, Math.floor(ordinal / watches.nouns.length));
  return random.weighted([
    [base, 8],
    [/^[AEIOUÉ]/.test(noun) ? `L'${base}` : `Grand ${base}`, 1],
    [`${random.integer(100, 3000)} ${base}`, 1],
  ]);
}

/** A model's name; no two models of a family share one. */
export function watchModelName(family: string, ordinal: number, complication: Complication): string {
  return sequel(`${family} ${at(watches.complications[complication], ordinal)}`, ordinal);
}

/** A case's name: size, metal, and its stones if it has any. */
export function watchCaseName(
  millimetres: number,
  metal: string,
  secondMetal: string,
  gemSet: boolean,
): string {
  const metals = metal === secondMetal ? metal : `${metal} & ${secondMetal}`;
  return `${millimetres} mm ${metals}${gemSet ? ' Gem-Set' : ''}`;
}

/** A dial's name: colour, finish and numerals. */
export function watchDialName(colour: string, finish: DialFinish, indices: IndexStyle): string {
  return [colour, watches.finishes[finish], watches.indices[indices]].filter((word) => word !== '').join(' ');
}

/** A strap's name: bracelets by their links, straps by colour and stuff. */
export function strapName(strap: Strap, colour: string): string {
  return isBracelet(strap) ? strapKind(strap) : `${colour} ${strapKind(strap)}`;
}

/** What a strap is made of, whatever its colour. */
export const strapKind = (strap: Strap): string => watches.straps[strap];

/** What collectors call a model with such a bezel, if they call it anything. */
export function watchNickname(seed: number, model: number, bezel: Bezel): readonly string[] {
  const names = NICKNAMES[bezel];
  return names === undefined ? [] : [new Random(seed, 'nickname', model).pick(names)];
}
