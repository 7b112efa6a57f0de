import type {
  EntityRecord as StoredEntity,
  ProductRecord as StoredProduct,
} from '../../../models/catalog/import/records';
import { hash, Random } from '../../../models/random';
import { BAG_FACETS, type BagLook, bagLook, bagTraits, describeBag } from './bags';
import { type Category, census, HIERARCHIES, type Lineage, lineageOf, placeOf } from './lineage';
import { describeWatch, WATCH_FACETS, type WatchLook, watchLook, watchTraits } from './watches';

type EntityRecord = Omit<StoredEntity, 'tags'> & Partial<Pick<StoredEntity, 'tags'>>;
type ProductRecord = Omit<StoredProduct, 'attributes'> & {
  readonly attributes: Readonly<Record<string, string | readonly string[]>>;
};

/** A product, and what each of its variants is worth in grade A, in US dollars. */
export interface PricedProduct {
  readonly record: ProductRecord;
  readonly worths: readonly number[];
}

/** An entity, and what a product below it costs, in US dollars. */
interface PricedEntity {
  readonly record: EntityRecord;
  readonly price: number;
}

const NO_PICTURES = { images: [], thumbnails: [] } as const;
/** How popular the most popular entity of a level is. */
const POPULARITY: Readonly<Record<string, number>> = { brand: 200_000, family: 120_000, model: 80_000 };

export const CATEGORIES = [
  { id: 'handbags', name: 'Handbags', name_fields: HIERARCHIES.handbags, popularity: 1_000_000 },
  { id: 'watches', name: 'Watches', name_fields: ['brand', 'model', 'case', 'dial'], popularity: 900_000 },
].map((category) => ({ ...category, hierarchy: HIERARCHIES[category.id as Category], ...NO_PICTURES }));

/** By category, how its entities are described, what products are like, and what a product costs before its entities count. */
const KINDS = {
  handbags: { describe: describeBag, traits: bagTraits, facets: BAG_FACETS, price: 1100 },
  watches: { describe: describeWatch, traits: watchTraits, facets: WATCH_FACETS, price: 3000 },
} as const;

/** In the ids of a seed's catalogs: those of different seeds share only facets, so that they can be imported beside each other. */
const worldOf = (seed: number): string => hash(seed, 'world').toString(16).padStart(8, '0');
const facetId = (category: string, kind: string, slug: string): string => `${kind}_${category}_${slug}`;
export const productId = (seed: number, index: number): string => `product_${worldOf(seed)}_${index}`;

/** What product `index` of a seed looks like; it depends on nothing else. */
export function lookOf(seed: number, index: number): BagLook | WatchLook {
  const { category, number } = placeOf(index);
  const lineage = lineageOf(seed, category, 'product', number);
  return category === 'handbags' ? bagLook(seed, lineage) : watchLook(seed, lineage);
}

export class Catalog {
  private readonly world: string;
  /** By id; they grow slower than the products. */
  private readonly known = new Map<string, PricedEntity>();

  constructor(private readonly seed: number) {
    this.world = worldOf(seed);
  }

  /** The entities that the first so many products need, parents before children, and all facets. */
  *entities(products: number): Generator<EntityRecord> {
    for (const category of ['handbags', 'watches'] as const) {
      const counts = census(category, category === 'handbags' ? Math.ceil(products / 2) : products >> 1);
      for (const level of HIERARCHIES[category]) {
        for (let number = 0; number < (counts[level] ?? 0); number += 1)
          yield this.entity(category, level, lineageOf(this.seed, category, level, number)).record;
      }
      for (const [kind, values] of Object.entries(KINDS[category].facets)) {
        for (const { slug, name } of values)
          yield bareEntity(facetId(category, kind, slug), kind, name, category);
      }
    }
  }

  product(index: number, images: readonly string[]): PricedProduct {
    const { category, number } = placeOf(index);
    const lineage = lineageOf(this.seed, category, 'product', number);
    const random = new Random(this.seed, 'product', index);
    const innermost = HIERARCHIES[category].at(-1) ?? '';
    const { record: of, price } = this.entity(category, innermost, lineage);
    const own = KINDS[category].traits(this.seed, lineage, random);
    const facets = Object.entries(own.facets).map(
      ([kind, slugs]) => [kind, slugs.map((slug) => facetId(category, kind, slug))] as const,
    );
    const popularity = random.zipf(100_000);
    const reference = `${random.pick(['A', 'M', 'K', 'R', 'T', 'X'])}${random.integer(1000, 9999)}-${index}`;
    const record: ProductRecord = {
      id: productId(this.seed, index),
      category,
      attributes: { ...of.parents, [innermost]: of.id, ...Object.fromEntries(facets) },
      tags: [...own.tags, ...(random.chance(0.05) ? ['edition:limited'] : [])],
      popularity,
      images,
      thumbnails: [],
      keywords: [reference, ...own.keywords],
      variants: own.variants.map((fields, variant) => ({
        id: `variant_${this.world}_${index}_${variant}`,
        fields: Object.entries(fields).map(([field, name]) => ({ field, name })),
        popularity: Math.round(popularity * random.between(0.1, 1)),
        images: variant === 0 ? images.slice(0, 1) : [],
        thumbnails: [],
      })),
    };
    const worth = price * random.between(0.85, 1.2);
    return { record, worths: own.variants.map((_, variant) => worth * (1 + own.step * variant)) };
  }

  private entity(category: Category, level: string, lineage: Lineage): PricedEntity {
    const number = lineage[level] ?? 0;
    const id = `${level}_${this.world}_${category.slice(0, 1)}${number}`;
    const known = this.known.get(id);
    if (known) return known;
    const hierarchy = HIERARCHIES[category];
    const parentLevel = hierarchy[hierarchy.indexOf(level) - 1];
    const parent = parentLevel === undefined ? null : this.entity(category, parentLevel, lineage);
    const random = new Random(this.seed, 'entity', category, level, number);
    const above = parent?.record.name ?? '';
    const described = KINDS[category].describe({ level, number, seed: this.seed, lineage, random, above });
    const { name, keywords = [], tags, worth = 1 } = described;
    const record: EntityRecord = {
      ...bareEntity(id, level, name, category),
      parents: parent && parentLevel ? { ...parent.record.parents, [parentLevel]: parent.record.id } : {},
      popularity: random.zipf(POPULARITY[level] ?? 40_000),
      ...{ keywords, ...(tags && { tags }) },
    };
    const made = { record, price: (parent?.price ?? KINDS[category].price) * worth };
    this.known.set(id, made);
    return made;
  }
}

const bareEntity = (id: string, kind: string, name: string, category: string): EntityRecord => ({
  ...{ id, kind, name, category, parents: {}, popularity: 0, keywords: [] },
  ...NO_PICTURES,
});
