import { type Rgb, rgb } from '../paint/rgb';

/** A named colour as a maison lists it; `slug` is the end of its entity id. */
export interface NamedColour {
  readonly slug: string;
  readonly name: string;
  readonly value: Rgb;
}

/** The colours of leathers and cloths. */
export const LEATHER_COLOURS: readonly NamedColour[] = named([
  ['noir', 'Noir', '#17161a'],
  ['blanc', 'Blanc', '#efece6'],
  ['ivoire', 'Ivoire', '#e6dcc6'],
  ['creme', 'Crème Brûlée', '#d9c39a'],
  ['beige', 'Beige Sablé', '#c4a884'],
  ['camel', 'Camel', '#b07a42'],
  ['cognac', 'Cognac', '#93531f'],
  ['chocolat', 'Chocolat', '#4a2c1c'],
  ['taupe', 'Taupe', '#7d7066'],
  ['etain', 'Étain', '#69696b'],
  ['gris-perle', 'Gris Perle', '#b4b4b6'],
  ['anthracite', 'Anthracite', '#3a3c42'],
  ['bleu-nuit', 'Bleu Nuit', '#18244a'],
  ['marine', 'Marine', '#1d3461'],
  ['cobalt', 'Cobalt', '#1f4fc0'],
  ['bleu-jean', 'Bleu Jean', '#5b80a8'],
  ['ciel', 'Ciel', '#a7cbe6'],
  ['turquoise', 'Turquoise', '#2aa8ad'],
  ['emeraude', 'Émeraude', '#0c7a52'],
  ['vert-anglais', 'Vert Anglais', '#17452f'],
  ['olive', 'Olive', '#666a34'],
  ['sauge', 'Sauge', '#9cab8c'],
  ['menthe', 'Menthe', '#a9dcc4'],
  ['pistache', 'Pistache', '#bccf76'],
  ['jaune', 'Jaune Citron', '#f0d53c'],
  ['moutarde', 'Moutarde', '#bf8f1f'],
  ['safran', 'Safran', '#e5a12c'],
  ['orange', 'Orange Feu', '#e6621e'],
  ['corail', 'Corail', '#ee7a66'],
  ['rouge', 'Rouge Vermillon', '#c1202a'],
  ['bordeaux', 'Bordeaux', '#5d1526'],
  ['framboise', 'Framboise', '#b01e58'],
  ['fuchsia', 'Fuchsia', '#e02a8e'],
  ['rose', 'Rose Poudré', '#e3b3b4'],
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
  ['black', 'Black', '#141518'],
  ['white', 'White', '#f3f3f0'],
  ['silver', 'Silver', '#cfd2d5'],
  ['champagne', 'Champagne', '#dcc48f'],
  ['blue', 'Blue', '#1c3f86'],
  ['midnight', 'Midnight', '#131e3c'],
  ['ice-blue', 'Ice Blue', '#b3d4e2'],
  ['turquoise', 'Turquoise', '#4fbfc4'],
  ['green', 'Green', '#175436'],
  ['olive', 'Olive', '#5a5c38'],
  ['mint', 'Mint', '#a5d6c0'],
  ['slate', 'Slate', '#565b61'],
  ['anthracite', 'Anthracite', '#33363b'],
  ['salmon', 'Salmon', '#dd9f83'],
  ['ivory', 'Ivory', '#efe5cd'],
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
  ['steel', 'Steel', '#b3b7bd'],
  ['yellow-gold', 'Yellow Gold', '#d3a84a'],
  ['rose-gold', 'Rose Gold', '#cf9478'],
  ['palladium', 'Palladium', '#cdd0d4'],
  ['ruthenium', 'Ruthenium', '#5d6066'],
  ['bronze', 'Bronze', '#94703f'],
  ['black', 'Black', '#2c2d30'],
  ['titanium', 'Titanium', '#85888b'],
]);

function named(rows: readonly (readonly [string, string, string])[]): NamedColour[] {
  return rows.map(([slug, name, hex]) => ({ slug, name, value: rgb(hex) }));
}
