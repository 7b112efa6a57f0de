import { foldText } from '../../../models/catalog/fold-text';

/** A record of a bundle (contract 13). */
type BundleRecord = Readonly<Record<string, unknown>>;

interface GoldenProduct {
  readonly category: string;
  /** By level, in the order of the hierarchy. */
  readonly levels: Readonly<Record<string, string>>;
  /** Facets outside the hierarchy. */
  readonly colours: readonly string[];
  /** One variant for each. */
  readonly sizes: readonly string[];
  readonly popularity: number;
  readonly keywords: readonly string[];
}

/** Words that people use for an entity, by its name. */
export type Nicknames = Readonly<Record<string, readonly string[]>>;

/**
 * The products of a table, one a line under a line of names, columns between bars and lists between commas: colours,
 * sizes, popularity, keywords, and the levels of the category in their order.
 */
export function productsIn(category: string, table: string): GoldenProduct[] {
  const [names = [], ...lines] = table
    .trim()
    .split('\n')
    .map((line) => line.split(' | '));
  return lines.map((cells) => {
    const { colours, sizes, popularity, keywords, ...levels } = Object.fromEntries(
      names.map((name, at) => [name, cells[at] ?? '']),
    );
    return {
      ...{ category, levels, popularity: Number(popularity) },
      ...{ colours: listIn(colours), sizes: listIn(sizes), keywords: listIn(keywords) },
    };
  });
}

const listIn = (cell = ''): string[] => (cell === '' ? [] : cell.split(', '));

/** `Louis Vuitton` becomes `louis_vuitton`. */
const slug = (...names: readonly string[]): string =>
  foldText(names.join(' '))
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '');

/** The id of a product: its levels and its first colour. */
const productId = ({ levels, colours }: Pick<GoldenProduct, 'levels' | 'colours'>): string =>
  `product_${slug(...Object.values(levels), colours[0] ?? '')}`;

/** The records of products, file by file, with every entity that they name. */
export function recordsOf(
  products: readonly GoldenProduct[],
  nicknames: Nicknames,
): { readonly entities: readonly BundleRecord[]; readonly products: readonly BundleRecord[] } {
  const entities = new Map<string, BundleRecord>();
  for (const product of products) {
    for (const entity of entitiesOf(product, nicknames)) entities.set(String(entity['id']), entity);
  }
  return { entities: [...entities.values()], products: products.map(recordOf) };
}

const levelIds = ({ levels }: GoldenProduct): Record<string, string> => {
  const names: string[] = [];
  return Object.fromEntries(
    Object.entries(levels).map(([kind, name]) => {
      names.push(name);
      return [kind, `${kind}_${slug(...names)}`];
    }),
  );
};

const colourId = (category: string, colour: string): string => `colour_${slug(category, colour)}`;

function entitiesOf(product: GoldenProduct, nicknames: Nicknames): BundleRecord[] {
  const { category, levels, colours } = product;
  const parents: Record<string, string> = {};
  const ids = levelIds(product);
  const above = Object.entries(levels).map(([kind, name]) => {
    const id = ids[kind] ?? '';
    const entity = { id, kind, name, category, parents: { ...parents }, keywords: nicknames[name] ?? [] };
    parents[kind] = id;
    return entity;
  });
  const facets = colours.map((name) => ({
    ...{ id: colourId(category, name), kind: 'colour', name, category },
    keywords: nicknames[name] ?? [],
  }));
  return [...above, ...facets];
}

function recordOf(product: GoldenProduct): BundleRecord {
  const id = productId(product);
  const colours = product.colours.map((colour) => colourId(product.category, colour));
  return {
    id,
    category: product.category,
    attributes: { ...levelIds(product), ...(colours.length > 0 ? { colour: colours } : {}) },
    popularity: product.popularity,
    keywords: product.keywords,
    variants: product.sizes.map((name) => ({
      id: `variant_${id.slice('product_'.length)}_${slug(name)}`,
      fields: [{ field: 'size', name }],
    })),
  };
}
