import { hash } from '../../../../models/random';
import { GrowthLadder, type Place } from '../growth-ladder';

/** Where a bag stands: its own number, its taxonomy, and as the how-manieth child it stands under each parent. */
export interface BagLineage {
  readonly product: number;
  readonly style: number;
  readonly styleOrdinal: number;
  readonly model: number;
  readonly modelOrdinal: number;
  readonly brand: number;
  readonly brandOrdinal: number;
}

/** The same for a watch. */
export interface WatchLineage {
  readonly product: number;
  readonly dial: number;
  readonly dialOrdinal: number;
  readonly case: number;
  readonly caseOrdinal: number;
  readonly model: number;
  readonly modelOrdinal: number;
  readonly family: number;
  readonly familyOrdinal: number;
  readonly brand: number;
  readonly brandOrdinal: number;
}

/** How many entities of each level the first so many products of a category have. */
export type Census<Level extends string> = Readonly<Record<Level, number>>;

/**
 * The two family trees of a seed's world. Each level grows slower than the one below it, and the place of a product
 * depends on its own number alone (`GrowthLadder`).
 */
export class FamilyTrees {
  private readonly styles: GrowthLadder;
  private readonly models: GrowthLadder;
  private readonly bagBrands: GrowthLadder;
  private readonly dials: GrowthLadder;
  private readonly cases: GrowthLadder;
  private readonly watchModels: GrowthLadder;
  private readonly families: GrowthLadder;
  private readonly watchBrands: GrowthLadder;

  constructor(seed: number) {
    const ladder = (level: string, scale: number, power: number) =>
      new GrowthLadder(hash(seed, level), scale, power);
    this.styles = ladder('style', 4, 2);
    this.models = ladder('model', 2, 2);
    this.bagBrands = ladder('brand', 4, 1);
    this.dials = ladder('dial', 3, 2);
    this.cases = ladder('case', 1.5, 2);
    this.watchModels = ladder('watch model', 2, 2);
    this.families = ladder('family', 2, 2);
    this.watchBrands = ladder('watch brand', 5, 1);
  }

  bag(product: number): BagLineage {
    const style = this.styles.place(product);
    return { ...this.bagStyle(style.parent), product, styleOrdinal: style.ordinal };
  }

  /** A bag style's own place; its `styleOrdinal` and `product` stand for no product in particular (0). */
  bagStyle(style: number): BagLineage {
    const model = this.models.place(style);
    return { ...this.bagModel(model.parent), style, modelOrdinal: model.ordinal };
  }

  bagModel(model: number): BagLineage {
    const brand: Place = this.bagBrands.place(model);
    return {
      product: 0,
      style: 0,
      styleOrdinal: 0,
      model,
      modelOrdinal: 0,
      brand: brand.parent,
      brandOrdinal: brand.ordinal,
    };
  }

  watch(product: number): WatchLineage {
    const dial = this.dials.place(product);
    return { ...this.watchDial(dial.parent), product, dialOrdinal: dial.ordinal };
  }

  watchDial(dial: number): WatchLineage {
    const place = this.cases.place(dial);
    return { ...this.watchCase(place.parent), dial, caseOrdinal: place.ordinal };
  }

  watchCase(number: number): WatchLineage {
    const place = this.watchModels.place(number);
    return { ...this.watchModel(place.parent), case: number, modelOrdinal: place.ordinal };
  }

  watchModel(model: number): WatchLineage {
    const place = this.families.place(model);
    return { ...this.watchFamily(place.parent), model, familyOrdinal: place.ordinal };
  }

  watchFamily(family: number): WatchLineage {
    const place = this.watchBrands.place(family);
    const none = { product: 0, dial: 0, dialOrdinal: 0, case: 0, caseOrdinal: 0, model: 0, modelOrdinal: 0 };
    return { ...none, family, familyOrdinal: 0, brand: place.parent, brandOrdinal: place.ordinal };
  }

  bagCensus(products: number): Census<'style' | 'model' | 'brand'> {
    const style = this.styles.parentsAmong(products);
    const model = this.models.parentsAmong(style);
    return { style, model, brand: this.bagBrands.parentsAmong(model) };
  }

  watchCensus(products: number): Census<'dial' | 'case' | 'model' | 'family' | 'brand'> {
    const dial = this.dials.parentsAmong(products);
    const cases = this.cases.parentsAmong(dial);
    const model = this.watchModels.parentsAmong(cases);
    const family = this.families.parentsAmong(model);
    return { dial, case: cases, model, family, brand: this.watchBrands.parentsAmong(family) };
  }
}
