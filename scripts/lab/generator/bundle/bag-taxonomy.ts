import { at, Random } from '../../../../models/random';
import type { Surface } from '../brush/relief';
import { type BagStyleTraits, bagBrandTraits, bagModelTraits, bagStyleTraits } from '../look/bag-traits';
import type { BagLineage, FamilyTrees } from '../look/lineage';
import type { BagModelTraits } from '../look/look';
import { maisonName } from '../vocabulary/maison-names';
import { bagModelKeywords, bagModelName, bagStyleName, SIZE_SCHEMES } from './bag-names';
import { HANDBAGS, Identifiers } from './identifiers';
import { memo } from './memo';
import { bareEntity, type EntityRecord } from './records';

/** A style of bag with all that its products take from it. */
export interface BagStyle {
  readonly entity: EntityRecord;
  readonly model: BagModel;
  readonly traits: BagStyleTraits;
  /** What a middling bag of it costs, in US dollars. */
  readonly price: number;
}

/** A model of bag with all that its styles take from it. */
export interface BagModel {
  readonly entity: EntityRecord;
  readonly traits: BagModelTraits;
  readonly brandId: string;
  readonly sizes: readonly string[];
  readonly price: number;
}

const EXOTIC: readonly Surface[] = ['crocodile', 'python', 'ostrich', 'lizard'];
const TEXTILE: readonly Surface[] = ['canvas', 'denim', 'tweed', 'raffia'];

/** The maisons, models and styles of bags in a seed's world, each made once when it is first asked for. */
export class BagTaxonomy {
  private readonly ids: Identifiers;

  constructor(
    private readonly seed: number,
    private readonly trees: FamilyTrees,
  ) {
    this.ids = new Identifiers(seed);
  }

  /** The taxonomy that the first so many bags belong to, parents before children. */
  *entities(products: number): Generator<EntityRecord> {
    const census = this.trees.bags.census(products);
    for (let brand = 0; brand < census.brand; brand++) yield this.brandEntity(brand);
    for (let model = 0; model < census.model; model++) yield this.model(model).entity;
    for (let style = 0; style < census.style; style++) yield this.style(style).entity;
  }

  private brandEntity(brand: number): EntityRecord {
    const { name, keywords } = maisonName(this.seed, HANDBAGS, brand);
    const random = new Random(this.seed, 'bag brand record', brand);
    return { ...this.bare('brand', brand, name, random.zipf(200_000)), keywords };
  }

  private readonly model = memo((number): BagModel => {
    const lineage = this.trees.bags.of('model', number);
    const random = new Random(this.seed, 'bag model record', number);
    const traits = bagModelTraits(this.seed, lineage);
    const brandId = this.ids.entity(HANDBAGS, 'brand', lineage.brand);
    const name = bagModelName(this.seed, lineage.brand, lineage.brandOrdinal, traits.shape);
    return {
      traits,
      brandId,
      sizes: random.pick(SIZE_SCHEMES),
      price: 900 * this.standing(lineage) * random.between(0.7, 1.8),
      entity: {
        ...this.bare('model', number, name, random.zipf(80_000)),
        parents: { brand: brandId },
        keywords: bagModelKeywords(traits.shape),
      },
    };
  });

  readonly style = memo((number): BagStyle => {
    const lineage = this.trees.bags.of('style', number);
    const random = new Random(this.seed, 'bag style record', number);
    const model = this.model(lineage.model);
    const traits = bagStyleTraits(this.seed, number);
    const name = bagStyleName(this.seed, lineage.model, lineage.modelOrdinal, traits.surface, traits.pattern);
    const exotic = EXOTIC.includes(traits.surface);
    return {
      model,
      traits,
      price: model.price * (exotic ? random.between(2.5, 6) : random.between(0.75, 1.35)),
      entity: {
        ...this.bare('style', number, name, random.zipf(40_000)),
        parents: { brand: model.brandId, model: model.entity.id },
        tags: styleTags(traits.surface, exotic, random),
        keywords: traits.pattern === 'plain' ? [traits.surface] : [traits.surface, traits.pattern],
      },
    };
  });

  /** How dear a maison is, against a middling one. */
  private standing({ brand }: BagLineage): number {
    const { emblem } = bagBrandTraits(this.seed, brand);
    return at([0.5, 0.8, 1, 1.4, 2.2, 4.5], emblem.points + brand);
  }

  private bare(kind: string, number: number, name: string, popularity: number): EntityRecord {
    const id = this.ids.entity(HANDBAGS, kind, number);
    return { ...bareEntity(id, kind, name, HANDBAGS), popularity };
  }
}

function styleTags(surface: Surface, exotic: boolean, random: Random): string[] {
  const tags = exotic ? ['material:exotic'] : TEXTILE.includes(surface) ? ['material:textile'] : [];
  if (random.chance(0.06)) tags.push('edition:runway');
  return tags;
}
