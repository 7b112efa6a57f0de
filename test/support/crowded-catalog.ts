import { join } from 'node:path';
import { SANDBOX_PRODUCTS } from '../../models/catalog/catalog-query';
import { type CatalogSource, writeBundle } from './fixture-data';

/** Address of the only picture of a product of the crowded catalog. */
export const pictureOf = (id: string): string => `https://pictures.example/${id}.jpg`;

/** Handbags beside those of the sandbox: the least popular ones. */
const BEYOND = 2;

const product = (category: string, at: number, brand: string) => {
  const id = `product_${category}_${String(at).padStart(4, '0')}`;
  return {
    id,
    category,
    attributes: { brand: `brand_${brand}` },
    popularity: 10_000 - at,
    keywords: at === 3 || at === SANDBOX_PRODUCTS ? ['zebra'] : [],
    images: [pictureOf(id)],
    variants: [],
  };
};

const brand = (id: string, category: string) => ({
  id: `brand_${id}`,
  kind: 'brand',
  name: id,
  category,
});

/** Two handbags more than a sandbox has, the last of a brand of their own, the most popular first; and three watches. */
export const CROWDED_CATALOG: CatalogSource = {
  name: 'crowded',
  sources: ['test/support/crowded-catalog.ts'],
  async write(folder) {
    const bags = Array.from({ length: SANDBOX_PRODUCTS + BEYOND }, (_, at) =>
      product('handbags', at, at < SANDBOX_PRODUCTS ? 'known' : 'unknown'),
    );
    const watches = Array.from({ length: 3 }, (_, at) => product('watches', at, 'ticking'));
    const bundle = await writeBundle(join(folder, 'crowded'), {
      categories: [
        { id: 'handbags', name: 'Handbags', hierarchy: ['brand', 'model', 'style'] },
        { id: 'watches', name: 'Watches', hierarchy: ['brand', 'family', 'model', 'case', 'dial'] },
      ],
      entities: [brand('known', 'handbags'), brand('unknown', 'handbags'), brand('ticking', 'watches')],
      products: [...bags, ...watches],
    });
    return [bundle];
  },
};
