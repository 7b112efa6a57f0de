/** Categories, tags and entities of the fixture: small, but with every shape that a rule speaks of. */
export const CATEGORIES = [
  {
    id: 'handbags',
    name: 'Handbags',
    hierarchy: ['brand', 'model', 'style'],
    name_fields: ['brand', 'model', 'style'],
    popularity: 10,
    images: ['https://pictures.example/handbags.jpg'],
    thumbnails: ['https://pictures.example/handbags-small.jpg'],
  },
  {
    id: 'watches',
    name: 'Watches',
    hierarchy: ['brand', 'family', 'model', 'case', 'dial'],
    name_fields: ['brand', 'family', 'model'],
    popularity: 20,
  },
  // A category that no code knows: other hierarchy, other name, not in the default scope of v1 and v2.
  {
    id: 'jewellery',
    name: 'Fine Jewellery',
    hierarchy: ['maison', 'line'],
    name_fields: ['maison', 'line'],
    popularity: 5,
  },
];

export const TAGS = [
  { id: 'material:exotic', name: 'Exotic', order: 2, categories: ['handbags'] },
  { id: 'material:canvas', name: 'Canvas', order: 1, categories: ['handbags'] },
  { id: 'edition:limited', name: 'Limited edition', order: 1, categories: ['handbags', 'watches'] },
];

interface EntityOptions {
  readonly parents?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly popularity?: number;
  readonly keywords?: readonly string[];
}

/** An entity whose kind is the part of its id before the first underscore. */
const entity = (category: string, id: string, name: string, options: EntityOptions = {}) => ({
  id,
  kind: id.slice(0, id.indexOf('_')),
  name,
  category,
  popularity: 1,
  ...options,
});

const bag = (id: string, name: string, options?: EntityOptions) => entity('handbags', id, name, options);
const watch = (id: string, name: string, options?: EntityOptions) => entity('watches', id, name, options);

const HERMES = { brand: 'brand_hermes' };
const BIRKIN = { ...HERMES, model: 'model_birkin' };
const KELLY = { ...HERMES, model: 'model_kelly' };
const VUITTON = { brand: 'brand_vuitton' };
const NEVERFULL = { ...VUITTON, model: 'model_neverfull' };
const ROLEX = { brand: 'brand_rolex' };
const SUBMARINER = { ...ROLEX, family: 'family_submariner' };
const NO_DATE = { ...SUBMARINER, model: 'model_124060' };

export const ENTITIES = [
  bag('brand_hermes', 'Hermès', { popularity: 100 }),
  bag('brand_vuitton', 'Louis Vuitton', { popularity: 90 }),
  // Names that sort in an order that only the rules explain.
  bag('brand_echo', 'echo'),
  bag('brand_elan', 'Élan'),
  bag('brand_emil', 'Emil'),
  bag('brand_the_row', 'The Row'),
  bag('brand_phillip_lim', '3.1 Phillip Lim'),
  bag('brand_objets', '“Objets” & Co'),
  bag('brand_mechta', 'Мечта'),
  bag('brand_gone', 'Gone & Sons'),
  bag('model_birkin', 'Birkin', { parents: HERMES, popularity: 80 }),
  bag('model_kelly', 'Kelly', { parents: HERMES, popularity: 70 }),
  bag('model_neverfull', 'Neverfull', { parents: VUITTON, popularity: 60 }),
  bag('model_speedy', 'Speedy', { parents: VUITTON, popularity: 50 }),
  // Its only style is deleted below, so that no style is left to give it a tag.
  bag('model_retired', 'Retired', { parents: VUITTON }),
  // One of two styles is exotic: the products are found by the tag, the model is not.
  bag('style_birkin_croc', 'Crocodile', { parents: BIRKIN, tags: ['material:exotic'] }),
  bag('style_birkin_togo', 'Togo', { parents: BIRKIN }),
  bag('style_kelly_croc', 'Crocodile', { parents: KELLY, tags: ['material:exotic'] }),
  bag('style_kelly_lizard', 'Lizard', { parents: KELLY, tags: ['material:exotic', 'edition:limited'] }),
  bag('style_neverfull_monogram', 'Monogram', {
    parents: NEVERFULL,
    tags: ['material:canvas'],
    keywords: ['toile'],
  }),
  bag('style_neverfull_damier', 'Damier Ebène', { parents: NEVERFULL, tags: ['material:canvas'] }),
  bag('style_speedy_epi', 'Epi', { parents: { ...VUITTON, model: 'model_speedy' } }),
  bag('style_retired', 'Bygone', {
    parents: { ...VUITTON, model: 'model_retired' },
    tags: ['material:exotic'],
  }),
  // Facets outside of the hierarchy.
  bag('colour_noir', 'Noir'),
  bag('colour_gold', 'Gold'),
  bag('material_togo', 'Togo leather'),
  watch('brand_rolex', 'Rolex', { popularity: 95 }),
  watch('brand_patek', 'Patek Philippe', { popularity: 85 }),
  watch('family_submariner', 'Submariner', { parents: ROLEX, popularity: 60 }),
  watch('family_nautilus', 'Nautilus', { parents: { brand: 'brand_patek' } }),
  watch('model_124060', '124060', { parents: SUBMARINER }),
  watch('model_5711', '5711', { parents: { brand: 'brand_patek', family: 'family_nautilus' } }),
  watch('case_oyster', 'Oyster 41 mm', { parents: NO_DATE }),
  watch('dial_black', 'Black', { parents: { ...NO_DATE, case: 'case_oyster' } }),
  entity('jewellery', 'maison_cartier', 'Cartier', { popularity: 40 }),
  entity('jewellery', 'line_love', 'Love', { parents: { maison: 'maison_cartier' } }),
];

/** Entities that are imported and then taken out. */
export const DELETED_ENTITIES = [
  { id: 'brand_gone', deleted: true },
  { id: 'style_retired', deleted: true },
];
