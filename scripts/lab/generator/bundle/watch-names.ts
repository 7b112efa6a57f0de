import { at, Random, shuffled } from '../../../../models/random';
import type { DialFinish } from '../../../../workers/image/distortion/relief';
import type { Bezel, Complication, IndexStyle, Strap } from '../look/look';
import { roman } from '../vocabulary/maison-names';

const NOUNS = [
  ...[
    'Régate',
    'Méridien',
    'Sélène',
    'Aviateur',
    'Océane',
    'Pontoise',
    'Équinoxe',
    'Chancel',
    'Polaris',
    'Nocturne',
  ],
  ...[
    'Héraut',
    'Corsaire',
    'Solstice',
    'Tempête',
    'Altitude',
    'Belvédère',
    'Cadence',
    'Élégie',
    'Frégate',
    'Galilée',
  ],
  ...[
    'Hémisphère',
    'Isthme',
    'Jalon',
    'Kairos',
    'Longitude',
    'Mistral',
    'Nadir',
    'Orphée',
    'Périple',
    'Quadrant',
  ],
];

const COMPLICATION_NAMES: Readonly<Record<Complication, readonly string[]>> = {
  none: ['Date', 'Automatic', 'Heritage', 'Trois Aiguilles'],
  'small-seconds': ['Small Seconds', 'Petite Seconde'],
  chronograph: ['Chronograph', 'Chrono'],
  bicompax: ['Bicompax', 'Chronograph Bicompax'],
  moonphase: ['Moonphase', 'Phase de Lune'],
  gmt: ['GMT', 'Voyageur'],
  'power-reserve': ['Réserve de Marche', 'Power Reserve'],
  calendar: ['Perpetual Calendar', 'Quantième Perpétuel'],
};

const FINISH_NAMES: Readonly<Record<DialFinish, string>> = {
  plain: 'Lacquer',
  sunburst: 'Sunburst',
  clous: 'Clous de Paris',
  waves: 'Vagues',
  flinque: 'Flinqué',
  tapisserie: 'Tapisserie',
  grained: 'Grené',
  pearl: 'Mother-of-Pearl',
  meteorite: 'Meteorite',
  fume: 'Fumé',
};

const INDEX_NAMES: Readonly<Record<IndexStyle, string>> = {
  batons: '',
  roman: 'Roman',
  arabic: 'Arabic',
  dots: '',
  gems: 'Diamond',
  wedges: '',
  mixed: '',
};

const STRAP_NAMES: Readonly<Record<Strap, string>> = {
  oyster: 'Three-Link Bracelet',
  jubilee: 'Five-Link Bracelet',
  president: 'Rounded-Link Bracelet',
  mesh: 'Milanese Mesh',
  integrated: 'Integrated Bracelet',
  leather: 'Leather',
  alligator: 'Alligator',
  rubber: 'Rubber',
  nato: 'NATO',
  satin: 'Satin',
};

const BEZEL_NICKNAMES: Partial<Readonly<Record<Bezel, readonly string[]>>> = {
  diver: ['Lagoon', 'Deep', 'Kraken', 'Anemone'],
  tachymeter: ['Racer', 'Paddock', 'Apex'],
  screws: ['Porthole', 'Rivet'],
  gems: ['Chandelier', 'Frost'],
};

const BRACELETS: readonly Strap[] = ['oyster', 'jubilee', 'president', 'mesh', 'integrated'];

/** A family's name; no two families of a maison share one. */
export function watchFamilyName(seed: number, brand: number, ordinal: number): string {
  const noun = at(shuffled(NOUNS, seed, 'families', brand), ordinal);
  const again = Math.floor(ordinal / NOUNS.length);
  const random = new Random(seed, 'family name', brand, ordinal);
  const base = again === 0 ? noun : `${noun} ${roman(again + 1)}`;
  return random.weighted([
    [base, 8],
    [/^[AEIOUÉ]/.test(noun) ? `L'${base}` : `Grand ${base}`, 1],
    [`${random.integer(100, 3000)} ${base}`, 1],
  ]);
}

/** A model's name; no two models of a family share one. */
export function watchModelName(family: string, ordinal: number, complication: Complication): string {
  const what = at(COMPLICATION_NAMES[complication], ordinal);
  return ordinal === 0 ? `${family} ${what}` : `${family} ${what} ${roman(ordinal + 1)}`;
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
  return [colour, FINISH_NAMES[finish], INDEX_NAMES[indices]].filter((word) => word !== '').join(' ');
}

/** A strap's name: bracelets by their links, straps by colour and stuff. */
export function strapName(strap: Strap, colour: string): string {
  return BRACELETS.includes(strap) ? STRAP_NAMES[strap] : `${colour} ${STRAP_NAMES[strap]}`;
}

/** What a strap is made of, whatever its colour. */
export function strapKind(strap: Strap): string {
  return STRAP_NAMES[strap];
}

/** What collectors call a model with such a bezel, if they call it anything. */
export function watchNickname(seed: number, model: number, bezel: Bezel): readonly string[] {
  const names = BEZEL_NICKNAMES[bezel];
  return names === undefined ? [] : [new Random(seed, 'nickname', model).pick(names)];
}
