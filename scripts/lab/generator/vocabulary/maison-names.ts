import { at, hash, Random, shuffled } from '../../../../models/random';
import { maisons } from './names.json';

/** A maison's name, and other words by which it is looked for. */
export interface MaisonName {
  readonly name: string;
  readonly keywords: readonly string[];
  /** What is stamped on its bags and printed on its dials: capitals, digits and spaces. */
  readonly wordmark: string;
}

const FORMS: readonly ((stem: string, random: Random) => string)[] = [
  (stem) => stem,
  (stem) => stem,
  (stem) => `Maison ${stem}`,
  (stem) => `Le ${stem}`,
  (stem) => `L'Atelier ${stem}`,
  (stem) => `The ${stem} House`,
  (stem) => `${stem} & Fils`,
  (stem) => `É. ${stem}`,
  (stem) => `La Compagnie ${stem}`,
  (stem, random) => `${random.integer(2, 99)} ${stem}`,
  (stem) => `À la ${stem}`,
  (stem, random) => `${stem} ${random.integer(1785, 1996)}`,
  (stem) => `.${stem.toLowerCase()}`,
  (stem) => `«${stem}»`,
];

const SCRIPT_EVERY = 9;

/** The name of the how-manieth maison of a trade (`bags`, `watches`); no two maisons of a trade share one. */
export function maisonName(seed: number, trade: string, brand: number): MaisonName {
  const random = new Random(seed, 'maison', trade, brand);
  const foreign = Math.floor(brand / SCRIPT_EVERY);
  if (brand % SCRIPT_EVERY === SCRIPT_EVERY - 2 && foreign < maisons.otherScripts.length) {
    const { name, latin } = at(maisons.otherScripts, foreign + hash(seed, trade));
    return { name, keywords: [latin], wordmark: latin.toUpperCase() };
  }
  const stem = stemOf(seed, trade, brand);
  const form = at(shuffled(FORMS, seed, 'forms', trade), brand);
  const keywords = random.chance(0.5) ? [initials(stem, random)] : [];
  return { name: form(stem, random), keywords, wordmark: plainCapitals(stem) };
}

function stemOf(seed: number, trade: string, brand: number): string {
  const stems = shuffled(maisons.stems, seed, 'stems', trade);
  const endings = shuffled(maisons.endings, seed, 'endings', trade);
  const lap = Math.floor(brand / stems.length);
  return sequel(at(stems, brand) + at(endings, brand + lap), Math.floor(lap / endings.length));
}

/** The letters of a name without their accents, in capitals. */
function plainCapitals(name: string): string {
  return name.replace(/œ/gi, 'oe').normalize('NFD').replace(/\p{M}/gu, '').toUpperCase();
}

/** What collectors call a maison for short. */
function initials(stem: string, random: Random): string {
  return `${stem.slice(0, 1)}${random.pick(['B', 'K', 'L', 'R', 'V', 'X'])}`.toUpperCase();
}

/** A name that was given so often before: the second time it is II. */
export const sequel = (name: string, before: number): string =>
  before === 0 ? name : `${name} ${roman(before + 1)}`;

/** A Roman numeral from 1 to 3999. */
function roman(value: number): string {
  const steps: readonly (readonly [number, string])[] = [
    [1000, 'M'],
    [900, 'CM'],
    [500, 'D'],
    [400, 'CD'],
    [100, 'C'],
    [90, 'XC'],
    [50, 'L'],
    [40, 'XL'],
    [10, 'X'],
    [9, 'IX'],
    [5, 'V'],
    [4, 'IV'],
    [1, 'I'],
  ];
  let left = value;
  let text = '';
  for (const [amount, letters] of steps) {
    for (; left >= amount; left -= amount) text += letters;
  }
  return text;
}
