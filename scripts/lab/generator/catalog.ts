import type {
  EntityRecord as StoredEntity,
  ProductRecord as StoredProduct,
} from '../../../models/catalog/import/records';
import { at, hash, Random } from '../../../models/random';
import { type Category, census, HIERARCHIES, type Lineage, lineageOf, placeOf } from './lineage';
import {
  bagColours,
  bagModel,
  bagStyle,
  maisonNames,
  strapName,
  watchCase,
  watchDial,
  watchFamily,
  watchModel,
  watchStrap,
} from './looks';
import {
  BAG_NOUNS,
  BAG_SYNONYMS,
  BEZEL_NICKNAMES,
  COMPLICATIONS,
  DIAL_COLOURS,
  DIAL_FINISHES,
  EXOTIC,
  INDICES,
  LEATHER_COLOURS,
  METAL_WORTH,
  METALS,
  MODEL_FORMS,
  MOODS,
  PATTERNS,
  SIZES,
  STRAPS,
  SURFACES,
  TEXTILE,
  WATCH_NOUNS,
} from './vocabulary';

/** Records of `entities.jsonl` and `products.jsonl`. */
export type EntityRecord = Omit<StoredEntity, 'tags'> & Partial<Pick<StoredEntity, 'tags'>>;
export type ProductRecord = Omit<StoredProduct, 'attributes'> & {
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
/** What maisons charge, against a middling one. */
const STANDING = [0.5, 0.8, 1, 1.4, 2.2, 4.5];
const VARIANTS = [
  [1, 15],
  [2, 25],
  [3, 25],
  [4, 20],
  [5, 10],
  [6, 5],
] as const;

/** The categories of a generated catalog. */
export const CATEGORIES = [
  { id: 'handbags', name: 'Handbags', name_fields: HIERARCHIES.handbags, popularity: 1_000_000 },
  { id: 'watches', name: 'Watches', name_fields: ['brand', 'model', 'case', 'dial'], popularity: 900_000 },
].map((category) => ({ ...category, hierarchy: HIERARCHIES[category.id as Category], ...NO_PICTURES }));

/**
 * The ids of a seed's catalogs. Catalogs of different seeds share no ids but those of facets, so that they can be imported
 * beside each other.
 */
const worldOf = (seed: number): string => hash(seed, 'world').toString(16).padStart(8, '0');
const facetId = (category: string, kind: string, slug: string): string => `${kind}_${category}_${slug}`;

/** The id of product `index` in the catalogs of a seed. */
export const productId = (seed: number, index: number): string => `product_${worldOf(seed)}_${index}`;

/** The catalogs of a seed: the first products of it, and the taxonomy that they need. */
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
    }
    yield* facets();
  }

  /** Product `index`, with the paths of its pictures. */
  product(index: number, images: readonly string[]): PricedProduct {
    const { category, number } = placeOf(index);
    const lineage = lineageOf(this.seed, category, 'product', number);
    const random = new Random(this.seed, 'product', index);
    const innermost = HIERARCHIES[category].at(-1) ?? '';
    const { record: of, price } = this.entity(category, innermost, lineage);
    const own = category === 'handbags' ? this.bag(lineage, random) : this.watch(lineage, random);
    const popularity = random.zipf(100_000);
    const reference = `${random.pick(['A', 'M', 'K', 'R', 'T', 'X'])}${random.integer(1000, 9999)}-${index}`;
    const record: ProductRecord = {
      id: productId(this.seed, index),
      category,
      attributes: { ...of.parents, [innermost]: of.id, ...own.facets },
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

  private bag(lineage: Lineage, random: Random) {
    const { colour, second, metal } = bagColours(this.seed, lineage);
    const { surface, pattern } = bagStyle(this.seed, lineage['style'] ?? 0);
    const sizes = at(SIZES, hash(this.seed, 'sizes', lineage['model'] ?? 0));
    const count = random.weighted(VARIANTS);
    const first = random.integer(0, sizes.length - count);
    const colours = pattern === 'plain' || second === colour ? [colour] : [colour, second];
    const occasion = [
      'occasion:evening',
      'occasion:travel',
      'occasion:everyday',
      'edition:boutique',
    ] as const;
    return {
      facets: {
        colour: colours.map(({ slug }) => facetId('handbags', 'colour', slug)),
        hardware: [facetId('handbags', 'hardware', metal.slug)],
        material: [facetId('handbags', 'material', surface)],
      },
      tags: random.chance(0.35) ? [random.pick(occasion)] : [],
      keywords: [colour.name, `${metal.name.toLowerCase()} hardware`],
      variants: sizes.slice(first, first + count).map((size) => ({ size, colour: colour.name })),
      step: 0.16,
    };
  }

  private watch(lineage: Lineage, random: Random) {
    const { isSport } = watchFamily(this.seed, lineage['family'] ?? 0);
    const { bezel, complication } = watchModel(this.seed, lineage);
    const { metal, millimetres, hasGems } = watchCase(this.seed, lineage);
    const { colour } = watchDial(this.seed, lineage);
    const { strap } = watchStrap(this.seed, lineage, isSport);
    // Different offsets may give one name: a variant is named once.
    const straps = new Set(
      Array.from({ length: random.weighted(VARIANTS) }, (_, variant) => {
        const of = watchStrap(this.seed, lineage, isSport, variant);
        return strapName(of.strap, of.strapColour);
      }),
    );
    const tags = [
      ...(hasGems || bezel === 'gems' ? ['finish:gem-set'] : []),
      ...((METAL_WORTH[metal.slug] ?? 1) > 3 ? ['material:precious-metal'] : []),
      ...(bezel === 'diver' ? ['function:diver'] : []),
      ...(complication === 'chronograph' || complication === 'bicompax' ? ['function:chronograph'] : []),
    ];
    return {
      facets: {
        colour: [facetId('watches', 'colour', colour.slug)],
        material: [facetId('watches', 'material', metal.slug)],
        strap: [facetId('watches', 'strap', strap)],
      },
      tags,
      keywords: [colour.name, STRAPS[strap]],
      variants: [...straps].map((name) => ({ size: `${millimetres} mm`, strap: name })),
      step: -0.05,
    };
  }

  /** An entity of the hierarchy, made once. */
  private entity(category: Category, level: string, lineage: Lineage): PricedEntity {
    const number = lineage[level] ?? 0;
    const id = `${level}_${this.world}_${category.slice(0, 1)}${number}`;
    const known = this.known.get(id);
    if (known) return known;
    const hierarchy = HIERARCHIES[category];
    const parentLevel = hierarchy[hierarchy.indexOf(level) - 1];
    const parent = parentLevel === undefined ? null : this.entity(category, parentLevel, lineage);
    const random = new Random(this.seed, 'entity', category, level, number);
    const {
      name,
      keywords = [],
      tags,
      worth = 1,
    } = this.described(category, level, lineage, random, parent?.record.name);
    const above = parent && parentLevel ? { ...parent.record.parents, [parentLevel]: parent.record.id } : {};
    const record: EntityRecord = {
      ...bareEntity(id, level, name, category),
      parents: above,
      popularity: random.zipf(POPULARITY[level] ?? 40_000),
      keywords,
      ...(tags ? { tags } : {}),
    };
    const made = { record, price: (parent?.price ?? (category === 'handbags' ? 1100 : 3000)) * worth };
    this.known.set(id, made);
    return made;
  }

  /** What tells an entity from others: no two of a category and level have the same name. */
  private described(
    category: Category,
    level: string,
    lineage: Lineage,
    random: Random,
    above = '',
  ): { name: string; keywords?: readonly string[]; tags?: readonly string[]; worth?: number } {
    const number = lineage[level] ?? 0;
    switch (level) {
      case 'brand': {
        const { name, keywords } = maisonNames(this.seed, category, number);
        return { name, keywords, worth: random.pick(STANDING) };
      }
      case 'family': {
        const { isSport } = watchFamily(this.seed, number);
        return { name: nounOf(WATCH_NOUNS, number), keywords: [isSport ? 'sports watch' : 'dress watch'] };
      }
      case 'model': {
        const worth = random.between(0.6, 1.9);
        if (category === 'watches') {
          const { bezel, complication } = watchModel(this.seed, lineage);
          const name = `${above} ${random.pick(COMPLICATIONS[complication])} ${101 + number}`;
          const nicknames: readonly string[] = BEZEL_NICKNAMES[bezel];
          const nickname = nicknames.length > 0 ? [random.pick(nicknames)] : [];
          return { name, keywords: [...nickname, ...(complication === 'none' ? [] : [complication])], worth };
        }
        const { cut } = bagModel(this.seed, number);
        const noun = nounOf(BAG_NOUNS, number);
        const title = cut.replace(/\b\w/g, (letter) => letter.toUpperCase());
        const form = random.pick(MODEL_FORMS).replace('*', noun).replace('#', title);
        const name = form.replace(/^La (?=[AEIOUÉ])/, "L'");
        return { name, keywords: [cut, ...BAG_SYNONYMS[cut]], worth };
      }
      case 'style': {
        const { surface, pattern } = bagStyle(this.seed, number);
        const isExotic = EXOTIC.includes(surface);
        const mood = numbered(MOODS, number);
        const name = [PATTERNS[pattern], SURFACES[surface][0], mood].filter((word) => word !== '').join(' ');
        const material = isExotic
          ? ['material:exotic']
          : TEXTILE.includes(surface)
            ? ['material:textile']
            : [];
        return {
          name,
          keywords: pattern === 'plain' ? [surface] : [surface, pattern],
          tags: [...material, ...(random.chance(0.06) ? ['edition:runway'] : [])],
          worth: isExotic ? random.between(2.5, 6) : random.between(0.75, 1.35),
        };
      }
      case 'case': {
        const { metal, secondMetal, millimetres, hasGems } = watchCase(this.seed, lineage);
        const metals = metal === secondMetal ? metal.name : `${metal.name} & ${secondMetal.name}`;
        const worth = (METAL_WORTH[metal.slug] ?? 1) * (hasGems ? 2.2 : 1);
        const name = `${millimetres} mm ${metals}${hasGems ? ' Gem-Set' : ''}`;
        return { name, keywords: [`${millimetres}mm`], worth };
      }
      default: {
        const { colour, finish, indices } = watchDial(this.seed, lineage);
        const words = [colour.name, DIAL_FINISHES[finish], INDICES[indices]];
        return { name: words.filter((word) => word !== '').join(' ') };
      }
    }
  }
}

/** A noun for each number; one that was used before has a second word. */
function nounOf(nouns: readonly string[], number: number): string {
  const lap = Math.floor(number / nouns.length);
  return [at(nouns, number), ...(lap === 0 ? [] : [numbered(MOODS, lap - 1)])].join(' ');
}

/** A word for each number; one that was used before has a year, and then a number. */
function numbered(list: readonly string[], number: number): string {
  const lap = Math.floor(number / list.length);
  return lap === 0 ? at(list, number) : `${at(list, number)} ${lap <= 40 ? 1984 + lap : `N° ${lap}`}`;
}

const bareEntity = (id: string, kind: string, name: string, category: string): EntityRecord => ({
  id,
  kind,
  name,
  category,
  parents: {},
  popularity: 0,
  ...NO_PICTURES,
  keywords: [],
});

/** What a product is described by outside its category's hierarchy. */
function facets(): EntityRecord[] {
  const surfaces = Object.entries(SURFACES).map(([slug, [name]]) => ({ slug, name }));
  const straps = Object.entries(STRAPS).map(([slug, name]) => ({ slug, name }));
  const all = [
    ['handbags', 'colour', LEATHER_COLOURS],
    ['handbags', 'material', surfaces],
    ['handbags', 'hardware', METALS],
    ['watches', 'colour', DIAL_COLOURS],
    ['watches', 'material', METALS],
    ['watches', 'strap', straps],
  ] as const;
  return all.flatMap(([category, kind, values]) =>
    values.map(({ slug, name }) => bareEntity(facetId(category, kind, slug), kind, name, category)),
  );
}
