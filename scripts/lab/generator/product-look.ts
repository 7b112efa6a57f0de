import { bagLook } from './look/bag-look';
import { FamilyTrees } from './look/lineage';
import type { Look } from './look/look';
import { watchLook } from './look/watch-look';

/** Even product numbers are bags, odd ones watches, so that any stretch of a catalog has both. */
export function categoryNumber(index: number): { readonly kind: 'bag' | 'watch'; readonly number: number } {
  return { kind: index % 2 === 0 ? 'bag' : 'watch', number: index >> 1 };
}

/** What product `index` of a seed's world looks like; it depends on nothing but the two numbers. */
export function lookOfProduct(seed: number, index: number, trees = new FamilyTrees(seed)): Look {
  const { kind, number } = categoryNumber(index);
  return kind === 'bag'
    ? bagLook(seed, trees.bags.of('product', number))
    : watchLook(seed, trees.watches.of('product', number));
}
