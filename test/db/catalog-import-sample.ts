/** A small catalog for the tests of the importer, one value per record. */
export const HANDBAGS = {
  id: 'handbags',
  name: 'Handbags',
  hierarchy: ['brand', 'model', 'style'],
  name_fields: ['brand', 'model', 'style'],
};
export const WATCHES = {
  id: 'watches',
  name: 'Watches',
  hierarchy: ['brand', 'family', 'model'],
  name_fields: ['brand', 'family', 'model'],
};

export const TAGS = [
  { id: 'material:exotic', name: 'Exotic', order: 1, categories: ['handbags'] },
  { id: 'material:canvas', name: 'Canvas', order: 2, categories: ['handbags'] },
];

export const entity = (id: string, name: string, rest: object = {}) => ({
  id,
  kind: id.slice(0, id.indexOf('_')),
  name,
  category: 'handbags',
  ...rest,
});

export const HERMES = entity('brand_hermes', 'Hermès', { popularity: 9, keywords: ['saddler'] });
export const BIRKIN = entity('model_birkin', 'Birkin', { parents: { brand: 'brand_hermes' } });
const BIRKIN_PARENTS = { model: 'model_birkin', brand: 'brand_hermes' };
export const TOGO = entity('style_togo', 'Togo', { parents: BIRKIN_PARENTS });
export const CROC = entity('style_croc', 'Crocodile', { parents: BIRKIN_PARENTS, tags: ['material:exotic'] });
export const NOIR = entity('colour_noir', 'Noir', { keywords: ['black'] });
export const GOLD = entity('colour_gold', 'Gold');
export const ENTITIES = [HERMES, BIRKIN, TOGO, CROC, NOIR, GOLD];

export const product = (name: string, style: string, rest: object = {}) => ({
  id: `product_${name}`,
  category: 'handbags',
  attributes: { ...BIRKIN_PARENTS, style, colour: ['colour_noir', 'colour_gold'] },
  variants: [
    { id: `variant_${name}_30`, fields: [{ field: 'size', name: 'Trente 30' }], popularity: 3 },
    { id: `variant_${name}_25`, fields: [{ field: 'size', name: '25' }] },
  ],
  ...rest,
});

export const TOGO_BAG = product('togo', 'style_togo', { popularity: 5, keywords: ['Sac à main'] });
export const CROC_BAG = product('croc', 'style_croc', { tags: ['material:canvas'] });

export const estimate = (variant: string, A: number | null, rest: object = {}) => ({
  variant: `variant_${variant}`,
  source: 'ebay',
  region: 'NA',
  A,
  estimated_at: '2026-02-01T00:00:00Z',
  ...rest,
});

export const CATALOG = {
  'categories.jsonl': [HANDBAGS, WATCHES],
  'tags.jsonl': TAGS,
  'entities.jsonl': ENTITIES,
  'products.jsonl': [TOGO_BAG, CROC_BAG],
};
