import { at, Random, shuffled } from '../../../../models/random';
import type { Surface } from '../../../../workers/image/distortion/relief';
import type { BagShape, Pattern } from '../look/look';
import { roman } from '../vocabulary/maison-names';

const NOUNS = [
  ...[
    'Ondine',
    'Étoile',
    'Sérénade',
    'Ardoise',
    'Lagune',
    'Minuit',
    'Passerelle',
    'Opéra',
    'Céleste',
    'Brume',
    'Clé',
  ],
  ...[
    'Galop',
    'Orangerie',
    'Promenade',
    'Échappée',
    'Volute',
    'Marquise',
    'Tuileries',
    'Cabriole',
    'Alouette',
    'Ivoire',
  ],
  ...[
    'Palissade',
    'Rotonde',
    'Ombrelle',
    'Sillage',
    'Capucine',
    'Dédale',
    'Esquisse',
    'Fugue',
    'Gondole',
    'Hirondelle',
  ],
];

const MASCULINE = ['Galop', 'Minuit', 'Opéra', 'Sillage', 'Dédale', 'Ivoire'];

const SHAPE_WORDS: Readonly<Record<BagShape, string>> = {
  tote: 'Tote',
  flap: 'Flap',
  hobo: 'Hobo',
  bucket: 'Bucket',
  satchel: 'Satchel',
  clutch: 'Clutch',
  'top-handle': 'Top Handle',
  backpack: 'Backpack',
  bowling: 'Bowling',
  camera: 'Camera',
  saddle: 'Saddle',
};

const SHAPE_SYNONYMS: Readonly<Record<BagShape, readonly string[]>> = {
  tote: ['shopper', 'cabas', 'shopping bag'],
  flap: ['crossbody', 'shoulder bag', 'sac à rabat'],
  hobo: ['slouchy bag', 'shoulder bag'],
  bucket: ['drawstring bag', 'sac seau'],
  satchel: ['school bag', 'cartable'],
  clutch: ['pochette', 'evening bag', 'envelope'],
  'top-handle': ['handbag', 'sac à main', 'lady bag'],
  backpack: ['rucksack', 'sac à dos'],
  bowling: ['duffle', 'boston bag'],
  camera: ['crossbody', 'camera case'],
  saddle: ['saddlebag', 'crossbody'],
};

const SURFACE_NAMES: Readonly<Record<Surface, string>> = {
  smooth: 'Calfskin',
  patent: 'Patent Leather',
  grained: 'Grained Leather',
  saffiano: 'Saffiano',
  suede: 'Suede',
  canvas: 'Canvas',
  denim: 'Denim',
  tweed: 'Tweed',
  raffia: 'Raffia',
  woven: 'Intreccio',
  quilted: 'Quilted Lambskin',
  chevron: 'Chevron Lambskin',
  channel: 'Channel Nappa',
  crocodile: 'Crocodile',
  python: 'Python',
  ostrich: 'Ostrich',
  lizard: 'Lizard',
};

const PATTERN_NAMES: Readonly<Record<Pattern, string>> = {
  plain: '',
  monogram: 'Monogram',
  web: 'Web Stripe',
  check: 'Check',
  block: 'Bicolore',
  studs: 'Cloutée',
  print: 'Fleurie',
};

const MOODS = [
  ...[
    'Éclipse',
    'Nuit',
    'Aube',
    'Classique',
    'Héritage',
    'Riviera',
    'Été',
    'Hiver',
    'Sport',
    'Noce',
    'Bohème',
  ],
  ...[
    'Ligne',
    'Mistral',
    'Azur',
    'Voyage',
    'Iconique',
    'Atelier',
    'Rêve',
    'Royale',
    'Nomade',
    'Cité',
    'Jardin',
  ],
];

/** What a surface is called in a shop. */
export function surfaceName(surface: Surface): string {
  return SURFACE_NAMES[surface];
}

/** A model's name; no two models of a maison share one. */
export function bagModelName(seed: number, brand: number, ordinal: number, shape: BagShape): string {
  const random = new Random(seed, 'bag model name', brand, ordinal);
  const noun = at(shuffled(NOUNS, seed, 'nouns', brand), ordinal);
  const again = Math.floor(ordinal / NOUNS.length);
  const base = again === 0 ? noun : `${noun} ${roman(again + 1)}`;
  return random.weighted([
    [base, 5],
    [`${base} ${SHAPE_WORDS[shape]}`, 6],
    [`${article(noun)}${base}`, 3],
    [`The ${base}`, 2],
    [`${MASCULINE.includes(noun) ? 'Petit' : 'Petite'} ${base}`, 1],
    [`${random.integer(2, 48)} ${base}`, 1],
    [`“${base}”`, 0.5],
  ]);
}

function article(noun: string): string {
  if (/^[AEIOUÉ]/.test(noun)) return "L'";
  return MASCULINE.includes(noun) ? 'Le ' : 'La ';
}

/** What else a model of a shape is called by those who look for one. */
export function bagModelKeywords(shape: BagShape): readonly string[] {
  return [SHAPE_WORDS[shape].toLowerCase(), ...SHAPE_SYNONYMS[shape]];
}

/** A style's name; no two styles of a model share one. */
export function bagStyleName(
  seed: number,
  model: number,
  ordinal: number,
  surface: Surface,
  pattern: Pattern,
): string {
  const moods = shuffled(MOODS, seed, 'moods', model);
  const mood = ordinal === 0 ? '' : at(moods, ordinal);
  const again = Math.floor(ordinal / MOODS.length);
  const words = [PATTERN_NAMES[pattern], SURFACE_NAMES[surface], mood, again === 0 ? '' : roman(again + 1)];
  return words.filter((word) => word !== '').join(' ');
}

/** How a model's sizes are named, smallest first. */
export const SIZE_SCHEMES: readonly (readonly string[])[] = [
  ['20', '25', '28', '30', '35', '40'],
  ['Mini', 'Small', 'Medium', 'Large', 'Maxi', 'Travel'],
  ['Nano', 'BB', 'PM', 'MM', 'GM', 'XL'],
  ['Micro', 'Bébé', 'Petit', 'Moyen', 'Grand', 'Très Grand'],
];
