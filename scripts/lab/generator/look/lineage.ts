import { hash } from '../../../../models/random';
import { GrowthLadder } from '../growth-ladder';

/** The level above products, and each above the one before it. */
const BAG_LEVELS = ['style', 'model', 'brand'] as const;
const WATCH_LEVELS = ['dial', 'case', 'model', 'family', 'brand'] as const;

/** Where an item stands: its own number, its taxonomy, and as the how-manieth child it stands under each parent. */
type Lineage<Level extends string> = Readonly<Record<'product' | Level | `${Level}Ordinal`, number>>;
export type BagLineage = Lineage<(typeof BAG_LEVELS)[number]>;
export type WatchLineage = Lineage<(typeof WATCH_LEVELS)[number]>;

/** A family tree: each level grows slower than the one below it, and a place depends on its own number alone. */
class FamilyTree<Level extends string> {
  /** @param ladders of each level, on which the level below it, or a product, stands */
  constructor(
    private readonly levels: readonly Level[],
    private readonly ladders: readonly GrowthLadder[],
  ) {}

  /** The place of an entity of a level, or of a product; of what is below it, it names none in particular (0). */
  of(level: Level | 'product', number: number): Lineage<Level> {
    const found: Record<string, number> = { product: 0 };
    for (const each of this.levels) found[each] = found[`${each}Ordinal`] = 0;
    found[level] = number;
    const below = (this.levels as readonly string[]).indexOf(level) + 1;
    let child = number;
    for (const [at, each] of this.levels.slice(below).entries()) {
      const { parent = 0, ordinal = 0 } = this.ladders[below + at]?.place(child) ?? {};
      found[each] = parent;
      found[`${each}Ordinal`] = ordinal;
      child = parent;
    }
    return found as Lineage<Level>;
  }

  /** How many entities of each level the first so many products have. */
  census(products: number): Readonly<Record<Level, number>> {
    let children = products;
    const counts = this.ladders.map((ladder, at) => {
      children = ladder.parentsAmong(children);
      return [this.levels[at], children] as const;
    });
    return Object.fromEntries(counts) as Record<Level, number>;
  }
}

/** The two family trees of a seed's world (`GrowthLadder`). */
export class FamilyTrees {
  readonly bags;
  readonly watches;

  constructor(seed: number) {
    const ladder = (level: string, scale: number, power: number) =>
      new GrowthLadder(hash(seed, level), scale, power);
    this.bags = new FamilyTree(BAG_LEVELS, [
      ladder('style', 4, 2),
      ladder('model', 2, 2),
      ladder('brand', 4, 1),
    ]);
    this.watches = new FamilyTree(WATCH_LEVELS, [
      ...[ladder('dial', 3, 2), ladder('case', 1.5, 2), ladder('watch model', 2, 2)],
      ...[ladder('family', 2, 2), ladder('watch brand', 5, 1)],
    ]);
  }
}
