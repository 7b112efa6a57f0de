import { hash } from '../../../models/random';

export type Category = 'handbags' | 'watches';

/** The levels above products, innermost first, and how many there are: about `factor` times the level below to the power 2/3. */
const LEVELS: Readonly<Record<Category, readonly (readonly [level: string, factor: number])[]>> = {
  handbags: Object.entries({ style: 2.4, model: 2, brand: 1.6 }),
  watches: Object.entries({ dial: 2.4, case: 2, model: 2, family: 2, brand: 2 }),
};

/** The numbers of an entity and of everything above it, by level. */
export type Lineage = Readonly<Record<string, number>>;

/** The levels of each category's hierarchy, outermost first. */
export const HIERARCHIES: Readonly<Record<Category, readonly string[]>> = {
  handbags: LEVELS.handbags.map(([level]) => level).reverse(),
  watches: LEVELS.watches.map(([level]) => level).reverse(),
};

/** Even products are bags and odd ones watches, so that any part of a catalog has both; `number` counts within the category. */
export const placeOf = (index: number): { category: Category; number: number } => ({
  category: index % 2 === 0 ? 'handbags' : 'watches',
  number: index >> 1,
});

/** Depends on the arguments alone: a larger catalog begins with a smaller one, and a product can be made without those before it. */
export function lineageOf(seed: number, category: Category, level: string, number: number): Lineage {
  const levels = LEVELS[category];
  const found: Record<string, number> = { [level]: number };
  let child = number;
  for (const [parent, factor] of levels.slice(levels.findIndex(([name]) => name === level) + 1)) {
    const before = parentsOf(child, factor);
    // A child either brings a new parent into the catalog or joins an existing one.
    child = parentsOf(child + 1, factor) > before ? before : hash(seed, category, parent, child) % before;
    found[parent] = child;
  }
  return found;
}

/** How many entities of each level the first so many products of a category have. */
export function census(category: Category, products: number): Lineage {
  let children = products;
  const counts = LEVELS[category].map(([level, factor]) => {
    children = parentsOf(children, factor);
    return [level, children] as const;
  });
  return Object.fromEntries(counts);
}

/** Grows by at most one with each child. */
const parentsOf = (children: number, factor: number): number =>
  Math.min(children, Math.ceil(factor * children ** (2 / 3)));
