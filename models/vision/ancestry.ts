import { type CatalogItem, isProduct } from '../catalog/item';
import type { Taxonomy } from '../catalog/taxonomy';

/** Taxonomy ids of each candidate product, innermost first (style before brand). */
export type Ancestry = ReadonlyMap<string, readonly string[]>;

/** That of products, by the hierarchies of their categories. */
export function ancestryOf(products: readonly CatalogItem[], taxonomy: Taxonomy): Ancestry {
  return new Map(
    products.filter(isProduct).map((product) => {
      const hierarchy = taxonomy.find(product.category)?.hierarchy ?? [];
      const inwards = [...hierarchy].reverse();
      const ids = inwards.flatMap((field) =>
        product.attributes.filter((attribute) => attribute.field === field).map((attribute) => attribute.id),
      );
      return [product.id, ids];
    }),
  );
}
