import { at, Random } from '../../../../models/random';
import type { FamilyTrees, WatchLineage } from '../look/lineage';
import {
  type WatchCaseTraits,
  type WatchDialTraits,
  type WatchFamilyTraits,
  type WatchModelTraits,
  watchBrandTraits,
  watchCaseTraits,
  watchDialTraits,
  watchFamilyTraits,
  watchModelTraits,
} from '../look/watch-traits';
import { maisonName } from '../vocabulary/maison-names';
import { Identifiers, WATCHES } from './identifiers';
import { memo } from './memo';
import { bareEntity, type EntityRecord } from './records';
import { watchCaseName, watchDialName, watchFamilyName, watchModelName, watchNickname } from './watch-names';

/** A family of watches with all that its models take from it. */
interface WatchFamily {
  readonly entity: EntityRecord;
  readonly traits: WatchFamilyTraits;
}

/** A model of watch with all that its cases take from it. */
interface WatchModel {
  readonly entity: EntityRecord;
  readonly traits: WatchModelTraits;
  readonly family: WatchFamily;
  readonly price: number;
}

/** A case with all that its dials take from it. */
interface WatchCase {
  readonly entity: EntityRecord;
  readonly traits: WatchCaseTraits;
  readonly model: WatchModel;
  readonly price: number;
}

/** A dial with all that its products take from it. */
export interface WatchDial {
  readonly entity: EntityRecord;
  readonly traits: WatchDialTraits;
  readonly case: WatchCase;
}

const METAL_WORTH: Readonly<Record<string, number>> = {
  'yellow-gold': 3.4,
  'rose-gold': 3.2,
  palladium: 3.6,
  bronze: 1.1,
  titanium: 1.2,
};

/** The maisons, families, models, cases and dials of watches in a seed's world, each made once when first asked for. */
export class WatchTaxonomy {
  private readonly ids: Identifiers;

  constructor(
    private readonly seed: number,
    private readonly trees: FamilyTrees,
  ) {
    this.ids = new Identifiers(seed);
  }

  /** The taxonomy that the first so many watches belong to, parents before children. */
  *entities(products: number): Generator<EntityRecord> {
    const census = this.trees.watches.census(products);
    for (let brand = 0; brand < census.brand; brand++) yield this.brandEntity(brand);
    for (let family = 0; family < census.family; family++) yield this.family(family).entity;
    for (let model = 0; model < census.model; model++) yield this.model(model).entity;
    for (let number = 0; number < census.case; number++) yield this.case(number).entity;
    for (let dial = 0; dial < census.dial; dial++) yield this.dial(dial).entity;
  }

  private brandEntity(brand: number): EntityRecord {
    const { name, keywords } = maisonName(this.seed, WATCHES, brand);
    return { ...this.bare('brand', brand, name, {}, 200_000), keywords };
  }

  private readonly family = memo((number): WatchFamily => {
    const lineage = this.trees.watches.of('family', number);
    const parents = { brand: this.ids.entity(WATCHES, 'brand', lineage.brand) };
    const traits = watchFamilyTraits(this.seed, number);
    const name = watchFamilyName(this.seed, lineage.brand, lineage.brandOrdinal);
    const keywords = traits.sport ? ['sports watch'] : ['dress watch'];
    return { traits, entity: { ...this.bare('family', number, name, parents, 120_000), keywords } };
  });

  private readonly model = memo((number): WatchModel => {
    const lineage = this.trees.watches.of('model', number);
    const family = this.family(lineage.family);
    const traits = watchModelTraits(this.seed, lineage);
    const name = watchModelName(family.entity.name, lineage.familyOrdinal, traits.complication);
    const parents = { ...family.entity.parents, family: family.entity.id };
    const keywords = [
      ...watchNickname(this.seed, number, traits.bezel),
      ...(traits.complication === 'none' ? [] : [traits.complication]),
    ];
    return {
      traits,
      family,
      price: 2400 * this.standing(lineage) * new Random(this.seed, 'watch price', number).between(0.6, 2),
      entity: { ...this.bare('model', number, name, parents, 80_000), keywords },
    };
  });

  private readonly case = memo((number): WatchCase => {
    const lineage = this.trees.watches.of('case', number);
    const model = this.model(lineage.model);
    const traits = watchCaseTraits(this.seed, lineage);
    const { millimetres, metal, secondMetal, gemSet } = traits;
    const parents = { ...model.entity.parents, model: model.entity.id };
    const name = watchCaseName(millimetres, metal.name, secondMetal.name, gemSet);
    return {
      traits,
      model,
      price: model.price * (METAL_WORTH[metal.slug] ?? 1) * (gemSet ? 2.2 : 1),
      entity: { ...this.bare('case', number, name, parents, 40_000), keywords: [`${millimetres}mm`] },
    };
  });

  readonly dial = memo((number): WatchDial => {
    const lineage = this.trees.watches.of('dial', number);
    const of = this.case(lineage.case);
    const traits = watchDialTraits(this.seed, lineage);
    const parents = { ...of.entity.parents, case: of.entity.id };
    const name = watchDialName(traits.colour.name, traits.dialFinish, traits.indices);
    return { traits, case: of, entity: this.bare('dial', number, name, parents, 20_000) };
  });

  /** How dear a maison is, against a middling one. */
  private standing({ brand }: WatchLineage): number {
    return at([0.4, 0.7, 1, 1.8, 3.5, 8], watchBrandTraits(this.seed, brand).emblem.points + brand);
  }

  private bare(
    kind: string,
    number: number,
    name: string,
    parents: Readonly<Record<string, string>>,
    most: number,
  ): EntityRecord {
    const popularity = new Random(this.seed, 'watch popularity', kind, number).zipf(most);
    const id = this.ids.entity(WATCHES, kind, number);
    return { ...bareEntity(id, kind, name, WATCHES), parents, popularity };
  }
}
