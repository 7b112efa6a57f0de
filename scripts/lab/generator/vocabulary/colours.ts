import { type Rgb, rgb } from '../../../../workers/image/distortion/rgb';

/** A named colour as a maison lists it; `slug` is the end of its entity id. */
export interface NamedColour {
  readonly slug: string;
  readonly name: string;
  readonly value: Rgb;
  /** How often it is seen, 1 = seldom. */
  readonly weight: number;
}

/** How often a colour is seen, for drawing it. */
export function weightOf(colour: NamedColour): number {
  return colour.weight;
}

/** The colours of leathers and cloths. */
export const LEATHER_COLOURS: readonly NamedColour[] = named([
  ['noir', 'Noir', '#17161a', 8],
  ['blanc', 'Blanc', '#efece6', 3],
  ['ivoire', 'Ivoire', '#e6dcc6', 3],
  ['creme', 'Crème Brûlée', '#d9c39a'],
  ['beige', 'Beige Sablé', '#c4a884', 4],
  ['camel', 'Camel', '#b07a42', 4],
  ['cognac', 'Cognac', '#93531f', 5],
  ['chocolat', 'Chocolat', '#4a2c1c', 5],
  ['taupe', 'Taupe', '#7d7066', 4],
  ['etain', 'Étain', '#69696b', 2],
  ['gris-perle', 'Gris Perle', '#b4b4b6', 2],
  ['anthracite', 'Anthracite', '#3a3c42', 3],
  ['bleu-nuit', 'Bleu Nuit', '#18244a', 3],
  ['marine', 'Marine', '#1d3461', 4],
  ['cobalt', 'Cobalt', '#1f4fc0'],
  ['bleu-jean', 'Bleu Jean', '#5b80a8'],
  ['ciel', 'Ciel', '#a7cbe6'],
  ['turquoise', 'Turquoise', '#2aa8ad'],
  ['emeraude', 'Émeraude', '#0c7a52'],
  ['vert-anglais', 'Vert Anglais', '#17452f', 2],
  ['olive', 'Olive', '#666a34'],
  ['sauge', 'Sauge', '#9cab8c'],
  ['menthe', 'Menthe', '#a9dcc4'],
  ['pistache', 'Pistache', '#bccf76'],
  ['jaune', 'Jaune Citron', '#f0d53c'],
  ['moutarde', 'Moutarde', '#bf8f1f'],
  ['safran', 'Safran', '#e5a12c'],
  ['orange', 'Orange Feu', '#e6621e'],
  ['corail', 'Corail', '#ee7a66'],
  ['rouge', 'Rouge Vermillon', '#c1202a', 3],
  ['bordeaux', 'Bordeaux', '#5d1526', 3],
  ['framboise', 'Framboise', '#b01e58'],
  ['fuchsia', 'Fuchsia', '#e02a8e'],
  ['rose', 'Rose Poudré', '#e3b3b4', 2],
  ['sakura', 'Rose Sakura', '#f2c9d6'],
  ['lilas', 'Lilas', '#b7a1d3'],
  ['prune', 'Prune', '#4e2348'],
  ['violet', 'Violet', '#6a37a4'],
  ['terracotta', 'Terracotta', '#ae5638'],
  ['kaki', 'Kaki', '#8a7e58'],
  ['or', 'Or', '#c7a352'],
  ['argent', 'Argent', '#bfc3c8'],
]);

/** The colours of dials. */
export const DIAL_COLOURS: readonly NamedColour[] = named([
  ['black', 'Black', '#141518', 8],
  ['white', 'White', '#f3f3f0', 5],
  ['silver', 'Silver', '#cfd2d5', 6],
  ['champagne', 'Champagne', '#dcc48f', 3],
  ['blue', 'Blue', '#1c3f86', 6],
  ['midnight', 'Midnight', '#131e3c', 3],
  ['ice-blue', 'Ice Blue', '#b3d4e2'],
  ['turquoise', 'Turquoise', '#4fbfc4'],
  ['green', 'Green', '#175436', 3],
  ['olive', 'Olive', '#5a5c38'],
  ['mint', 'Mint', '#a5d6c0'],
  ['slate', 'Slate', '#565b61', 3],
  ['anthracite', 'Anthracite', '#33363b', 3],
  ['salmon', 'Salmon', '#dd9f83'],
  ['ivory', 'Ivory', '#efe5cd', 2],
  ['burgundy', 'Burgundy', '#601a27'],
  ['red', 'Red', '#a81d22'],
  ['chocolate', 'Chocolate', '#4a2f20'],
  ['bronze', 'Bronze', '#8a6437'],
  ['yellow', 'Yellow', '#e6bf35'],
  ['orange', 'Orange', '#dd6a26'],
  ['coral', 'Coral', '#e5796f'],
  ['pink', 'Pink', '#e3aebd'],
  ['purple', 'Purple', '#503274'],
]);

/** The metals of hardware and cases. */
export const METALS: readonly NamedColour[] = named([
  ['steel', 'Steel', '#b3b7bd', 8],
  ['yellow-gold', 'Yellow Gold', '#d3a84a', 4],
  ['rose-gold', 'Rose Gold', '#cf9478', 3],
  ['palladium', 'Palladium', '#cdd0d4', 3],
  ['ruthenium', 'Ruthenium', '#5d6066'],
  ['bronze', 'Bronze', '#94703f'],
  ['black', 'Black', '#2c2d30'],
  ['titanium', 'Titanium', '#85888b'],
]);

function named(rows: readonly (readonly [string, string, string, number?])[]): NamedColour[] {
  return rows.map(([slug, name, hex, weight = 1]) => ({ slug, name, value: rgb(hex), weight }));
}
