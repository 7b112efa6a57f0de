interface ProductOptions {
  readonly popularity: number;
  readonly attributes: Readonly<Record<string, string | readonly string[]>>;
  readonly tags?: readonly string[];
  readonly keywords?: readonly string[];
  /** Sizes of its variants; the id of each is `variant_<product>_<size>`. */
  readonly sizes?: readonly string[];
  /** Name of a picture in the bundle. */
  readonly picture?: string;
}

const product = (category: string, name: string, options: ProductOptions) => ({
  id: `product_${name}`,
  category,
  attributes: options.attributes,
  tags: options.tags ?? [],
  keywords: options.keywords ?? [],
  popularity: options.popularity,
  images: [
    options.picture === undefined ? `https://pictures.example/${name}.jpg` : `images/${options.picture}.png`,
  ],
  ...(options.picture === undefined ? { thumbnails: [`https://pictures.example/${name}-small.jpg`] } : {}),
  variants: (options.sizes ?? []).map((size, position) => ({
    id: `variant_${name}_${size}`,
    fields: [{ field: 'size', name: size }],
    popularity: 10 * (position + 1),
    images: [`https://pictures.example/${name}-${size}.jpg`],
    thumbnails: [],
  })),
});

const hermes = (model: string, style: string) => ({ brand: 'brand_hermes', model: `model_${model}`, style });
const vuitton = (model: string, style: string) => ({
  brand: 'brand_vuitton',
  model: `model_${model}`,
  style,
});

export const PRODUCTS = [
  product('handbags', 'birkin_croc', {
    popularity: 100,
    attributes: { ...hermes('birkin', 'style_birkin_croc'), colour: 'colour_noir' },
    // Not in the order of their names or ids: variants keep the bundle's order.
    sizes: ['30', '25', '35'],
    picture: 'birkin_croc',
  }),
  product('handbags', 'birkin_togo', {
    popularity: 90,
    attributes: {
      ...hermes('birkin', 'style_birkin_togo'),
      material: 'material_togo',
      colour: ['colour_noir', 'colour_gold'],
    },
    tags: ['edition:limited'],
    sizes: ['30'],
    picture: 'birkin_togo',
  }),
  // As popular as the one before: the id decides.
  product('handbags', 'kelly_croc', {
    popularity: 90,
    attributes: { ...hermes('kelly', 'style_kelly_croc'), colour: 'colour_noir' },
    sizes: ['28'],
  }),
  product('handbags', 'kelly_lizard', {
    popularity: 50,
    attributes: { ...hermes('kelly', 'style_kelly_lizard'), colour: 'colour_gold' },
    sizes: ['25'],
  }),
  product('handbags', 'neverfull_monogram', {
    popularity: 80,
    attributes: vuitton('neverfull', 'style_neverfull_monogram'),
    sizes: ['MM', 'GM'],
    picture: 'neverfull_monogram',
  }),
  product('handbags', 'neverfull_damier', {
    popularity: 70,
    attributes: vuitton('neverfull', 'style_neverfull_damier'),
    sizes: ['MM'],
    picture: 'neverfull_damier',
  }),
  product('handbags', 'speedy_epi', {
    popularity: 60,
    attributes: vuitton('speedy', 'style_speedy_epi'),
    keywords: ['doctor bag'],
  }),
  product('handbags', 'echo', { popularity: 9, attributes: { brand: 'brand_echo' } }),
  product('handbags', 'elan', { popularity: 8, attributes: { brand: 'brand_elan' } }),
  product('handbags', 'emil', { popularity: 7, attributes: { brand: 'brand_emil' } }),
  product('handbags', 'the_row', { popularity: 6, attributes: { brand: 'brand_the_row' } }),
  product('handbags', 'phillip_lim', { popularity: 5, attributes: { brand: 'brand_phillip_lim' } }),
  product('handbags', 'objets', { popularity: 4, attributes: { brand: 'brand_objets' } }),
  product('handbags', 'mechta', { popularity: 3, attributes: { brand: 'brand_mechta' } }),
  // Its brand is deleted: the row of the brand is gone, the attribute stays.
  product('handbags', 'of_gone_brand', { popularity: 2, attributes: { brand: 'brand_gone' } }),
  product('handbags', 'deleted', {
    popularity: 99,
    attributes: { brand: 'brand_vuitton' },
    sizes: ['MM'],
    picture: 'deleted',
  }),
  product('watches', 'submariner', {
    popularity: 95,
    attributes: {
      brand: 'brand_rolex',
      family: 'family_submariner',
      model: 'model_124060',
      case: 'case_oyster',
      dial: 'dial_black',
    },
    sizes: ['41'],
    picture: 'submariner',
  }),
  product('watches', 'nautilus', {
    popularity: 85,
    attributes: { brand: 'brand_patek', family: 'family_nautilus', model: 'model_5711' },
  }),
  product('jewellery', 'love_ring', {
    popularity: 88,
    attributes: { maison: 'maison_cartier', line: 'line_love' },
    sizes: ['52'],
  }),
];

/** Products that are imported and then taken out. */
export const DELETED_PRODUCTS = [{ id: 'product_deleted', deleted: true }];
