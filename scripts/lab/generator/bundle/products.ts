import { at, Random } from '../../../../models/random';
import { bagChoice } from '../look/bag-look';
import type { FamilyTrees } from '../look/lineage';
import { watchStrap } from '../look/watch-look';
import type { WatchDialTraits } from '../look/watch-traits';
import { categoryNumber } from '../product-look';
import { BagTaxonomy } from './bag-taxonomy';
import { facetId, HANDBAGS, Identifiers, WATCHES } from './identifiers';
import type { ProductRecord, VariantRecord } from './records';
import { strapName } from './watch-names';
import { WatchTaxonomy } from './watch-taxonomy';

/** A product with what its prices are made from. */
export interface PricedProduct {
  readonly record: ProductRecord;
  /** For each variant, what it is worth in grade A, in US dollars. */
  readonly worths: readonly number[];
}

/** How many variants products have, and how often: three on average. */
const VARIANTS: readonly (readonly [number, number])[] = [
  [1, 15],
  [2, 25],
  [3, 25],
  [4, 20],
  [5, 10],
  [6, 5],
];

/** The products of a seed's world by number. */
export class Products {
  readonly bags: BagTaxonomy;
  readonly watches: WatchTaxonomy;
  private readonly ids: Identifiers;

  constructor(
    private readonly seed: number,
    private readonly trees: FamilyTrees,
  ) {
    this.ids = new Identifiers(seed);
    this.bags = new BagTaxonomy(seed, trees);
    this.watches = new WatchTaxonomy(seed, trees);
  }

  /** Product `index`, with the path of its picture if it has one. */
  product(index: number, image?: string): PricedProduct {
    const { kind, number } = categoryNumber(index);
    return kind === 'bag' ? this.bag(index, number, image) : this.watch(index, number, image);
  }

  private bag(index: number, number: number, image: string | undefined): PricedProduct {
    const { style: styleNumber, styleOrdinal } = this.trees.bags.of('product', number);
    const random = new Random(this.seed, 'product', index);
    const { entity, model, traits, price } = this.bags.style(styleNumber);
    const { colour, second, metal } = bagChoice(traits, styleOrdinal);
    const colours = traits.pattern === 'plain' || second === colour ? [colour] : [colour, second];
    const count = random.weighted(VARIANTS);
    const first = random.integer(0, model.sizes.length - count);
    const sizes = model.sizes.slice(first, first + count);
    const record = this.record(index, HANDBAGS, random, image, {
      attributes: {
        brand: model.brandId,
        model: model.entity.id,
        style: entity.id,
        colour: colours.map(({ slug }) => facetId(HANDBAGS, 'colour', slug)),
        hardware: [facetId(HANDBAGS, 'hardware', metal.slug)],
        material: [facetId(HANDBAGS, 'material', traits.surface)],
      },
      tags: bagTags(random),
      keywords: [reference(this.seed, index), colour.name, `${metal.name.toLowerCase()} hardware`],
      fields: sizes.map((size) => [
        { field: 'size', name: size },
        { field: 'colour', name: colour.name },
      ]),
    });
    const own = price * random.between(0.85, 1.2);
    return { record, worths: sizes.map((_, size) => own * (0.75 + 0.16 * (first + size))) };
  }

  private watch(index: number, number: number, image: string | undefined): PricedProduct {
    const { dial: dialNumber, dialOrdinal } = this.trees.watches.of('product', number);
    const random = new Random(this.seed, 'product', index);
    const { entity, traits, case: of } = this.watches.dial(dialNumber);
    const strap = watchStrap(traits, dialOrdinal);
    const straps = strapVariants(traits, dialOrdinal, random.weighted(VARIANTS));
    const size = `${of.traits.millimetres} mm`;
    const record = this.record(index, WATCHES, random, image, {
      attributes: {
        ...of.entity.parents,
        case: of.entity.id,
        dial: entity.id,
        colour: [facetId(WATCHES, 'colour', traits.colour.slug)],
        material: [facetId(WATCHES, 'material', of.traits.metal.slug)],
        strap: [facetId(WATCHES, 'strap', strap.strap)],
      },
      tags: watchTags(
        of.traits.gemSet,
        of.traits.metal.slug,
        of.model.traits.bezel,
        of.model.traits.complication,
        random,
      ),
      keywords: [reference(this.seed, index), traits.colour.name, strap.strap],
      fields: straps.map((name) => [
        { field: 'size', name: size },
        { field: 'strap', name },
      ]),
    });
    const own = of.price * random.between(0.85, 1.2);
    return { record, worths: straps.map((_, variant) => own * (1 - 0.05 * variant)) };
  }

  private record(
    index: number,
    category: string,
    random: Random,
    image: string | undefined,
    own: Pick<ProductRecord, 'attributes' | 'tags' | 'keywords'> & {
      readonly fields: readonly VariantRecord['fields'][];
    },
  ): ProductRecord {
    const { fields, ...rest } = own;
    const popularity = random.zipf(100_000);
    const images = image === undefined ? [] : [image];
    return {
      id: this.ids.product(index),
      category,
      ...rest,
      popularity,
      images,
      thumbnails: [],
      variants: fields.map((names, variant) => ({
        id: this.ids.variant(index, variant),
        fields: names,
        popularity: Math.round(popularity * random.between(0.1, 1)),
        images: variant === 0 ? images : [],
        thumbnails: [],
      })),
    };
  }
}

/** The straps that a watch is sold on, first the one in its picture; never the same twice. */
function strapVariants(traits: WatchDialTraits, ordinal: number, count: number): string[] {
  const names = new Set<string>();
  for (let offset = 0; names.size < count && offset < count * 4; offset++) {
    const { strap, colour } = watchStrap(traits, ordinal + offset);
    names.add(strapName(strap, colour.name));
  }
  return [...names];
}

function bagTags(random: Random): string[] {
  const tags = [];
  if (random.chance(0.05)) tags.push(random.pick(['edition:limited', 'edition:boutique'] as const));
  if (random.chance(0.3))
    tags.push(random.pick(['occasion:evening', 'occasion:travel', 'occasion:everyday'] as const));
  return tags;
}

function watchTags(
  gemSet: boolean,
  metal: string,
  bezel: string,
  complication: string,
  random: Random,
): string[] {
  const tags = [];
  if (gemSet || bezel === 'gems') tags.push('finish:gem-set');
  if (metal === 'yellow-gold' || metal === 'rose-gold' || metal === 'palladium')
    tags.push('material:precious-metal');
  if (bezel === 'diver') tags.push('function:diver');
  if (complication === 'chronograph' || complication === 'bicompax') tags.push('function:chronograph');
  if (random.chance(0.05)) tags.push('edition:limited');
  return tags;
}

/** A reference number as collectors quote it. */
function reference(seed: number, index: number): string {
  const random = new Random(seed, 'reference', index);
  return `${at(['A', 'M', 'K', 'R', 'T', 'X'], random.integer(0, 5))}${random.integer(1000, 9999)}-${index}`;
}
