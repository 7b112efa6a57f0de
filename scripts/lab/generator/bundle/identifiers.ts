import { hash } from '../../../../models/random';

/** The two trades of the generator, as the ids of their categories. */
export const HANDBAGS = 'handbags';
export const WATCHES = 'watches';

/**
 * The ids of a seed's world. Worlds of different seeds share no ids but those of facets, so that two bundles can be
 * imported beside each other.
 */
export class Identifiers {
  private readonly world: string;

  constructor(seed: number) {
    this.world = hash(seed, 'world').toString(16).padStart(8, '0');
  }

  /** The id of a product; the number at its end is the product's own. */
  product(index: number): string {
    return `product_${this.world}_${index}`;
  }

  /** The id of a product's how-manieth variant. */
  variant(index: number, variant: number): string {
    return `variant_${this.world}_${index}_${variant}`;
  }

  /** The id of a taxonomy entity: its kind, its world, its category and its number there. */
  entity(category: string, kind: string, number: number): string {
    return `${kind}_${this.world}_${category.slice(0, 1)}${number}`;
  }
}

/** The id of a facet entity (`colour_handbags_noir`): the same in every world, as black is black in each. */
export function facetId(category: string, kind: string, slug: string): string {
  return `${kind}_${category}_${slug}`;
}
