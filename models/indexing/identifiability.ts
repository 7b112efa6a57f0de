import type { Attribute } from '../catalog/item';

/**
 * What a version makes of a product by the pictures of it that are embedded; each product has one verdict, the first that
 * applies:
 *
 * - `shares_picture`: another product shows one of its pictures.
 * - `no_picture`, `not_embedded`: there is none to find it by.
 * - `confused`, of several pictures: for one of them, the nearest picture of another product is as near as its own
 *   nearest one, or nearer. A photo like that picture may well be answered with the other product.
 * - `look_alike`, of one picture: the nearest picture of another product is within the typical distance of two pictures of
 *   one product, so that a second picture would more likely than not make it `confused`.
 * - `one_picture`: it has one, and that is all that can be said.
 * - `distinct`: each of its pictures leads to it.
 */
export const VERDICTS = [
  'shares_picture',
  'confused',
  'look_alike',
  'one_picture',
  'no_picture',
  'not_embedded',
  'distinct',
] as const;
export type Verdict = (typeof VERDICTS)[number];

/** A product as its owner knows it. */
export interface NamedProduct {
  readonly id: string;
  readonly name: string;
  /** Names from the outermost level of its category's hierarchy inwards: brand, model, style. */
  readonly taxonomy: readonly string[];
}

/** A picture of a product and the nearest one of another product. */
export interface NearestOther {
  readonly product: NamedProduct;
  /** Addresses of the product's own picture and of the other one; the same where the picture is shared. */
  readonly pictures: readonly [own: string, other: string];
  /** Cosine distance of the two, 0 to 2, by their nearest views. */
  readonly distance: number;
  /** From the own picture to the nearest other one of the same product; null where there is none. */
  readonly ownDistance: number | null;
  /** Attributes in which the two products differ, such as `colour`. */
  readonly differIn: readonly string[];
}

/** A product that is not `distinct`. */
export interface Finding {
  readonly verdict: Exclude<Verdict, 'distinct'>;
  readonly product: NamedProduct;
  readonly popularity: number;
  /** How many of its pictures are embedded. */
  readonly pictures: number;
  /** Null without an embedded picture, or where no other product has one. */
  readonly nearest: NearestOther | null;
}

/** How far two pictures of one product usually lie apart: the median distance of a picture to the nearest other one. */
export interface TypicalDistance {
  readonly distance: number;
  /** How many pictures it is the median of. */
  readonly pictures: number;
}

/** A median of fewer says little: of twenty it lies with 95 % between the quantiles 0.28 and 0.72. */
const TYPICAL_OF_MIN = 20;

/** Half precision holds no more digits; copies of a picture are as near as each other. */
const STEPS = 10_000;

/** Cosine distance of two pictures, 0 to 2: that of their nearest views, as the index has it. */
export function pictureDistance(left: readonly Float32Array[], right: readonly Float32Array[]): number {
  const products = left.flatMap((one) => right.map((other) => dot(one, other)));
  return roundDistance(Math.min(2, Math.max(0, 1 - Math.max(...products))));
}

/** To the digits by which distances are compared and told. */
export const roundDistance = (distance: number): number => Math.round(distance * STEPS) / STEPS;

/** Distances of pictures to their product's nearest other picture, counted: as much memory for many as for few. */
export class OwnDistances {
  readonly #counts = new Uint32Array(2 * STEPS + 1);
  #total = 0;

  /** @param distance rounded, 0 to 2 */
  add(distance: number): void {
    const step = Math.round(distance * STEPS);
    this.#counts[step] = (this.#counts[step] ?? 0) + 1;
    this.#total += 1;
  }

  /** The lower median; null when there are too few to speak of one. */
  typical(): TypicalDistance | null {
    if (this.#total < TYPICAL_OF_MIN) return null;
    let below = 0;
    const step = this.#counts.findIndex((count) => {
      below += count;
      return 2 * below >= this.#total;
    });
    return { distance: step / STEPS, pictures: this.#total };
  }
}

/** The fields of two products whose values are not the same ones, in the order of the first product. */
export function differingFields(left: readonly Attribute[], right: readonly Attribute[]): string[] {
  const valuesOf = (attributes: readonly Attribute[], field: string) =>
    attributes
      .filter((each) => each.field === field)
      .map(({ id }) => id)
      .sort()
      .join('\n');
  const fields = new Set([...left, ...right].map(({ field }) => field));
  return [...fields].filter((field) => valuesOf(left, field) !== valuesOf(right, field));
}

function dot(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < left.length; index += 1) sum += (left[index] ?? 0) * (right[index] ?? 0);
  return sum;
}

/** Two products by their nearest pictures. */
export interface Pair extends Finding {
  readonly nearest: NonNullable<Finding['nearest']>;
  /** Whether each is the other's. */
  readonly isMutual: boolean;
}

/** What kind of finding it is, by what is to be done. */
const CLASS_OF: Readonly<Record<Exclude<Verdict, 'distinct'>, 'pair' | 'single' | 'missing'>> = {
  shares_picture: 'pair',
  confused: 'pair',
  look_alike: 'single',
  one_picture: 'single',
  no_picture: 'missing',
  not_embedded: 'missing',
};

/** Keeps the worst of however many findings: those whose nearest pictures are the nearest, then the most popular products. */
export class WorstFindings {
  readonly #kept = { pair: [] as Finding[], single: [] as Finding[], missing: [] as Finding[] };

  /** @param limit how many of each kind are wanted */
  constructor(private readonly limit: number) {}

  add(finding: Finding): void {
    const kept = this.#kept[CLASS_OF[finding.verdict]];
    kept.push(finding);
    if (kept.length > 2 * this.#room) this.#drop(kept);
  }

  /** Products that can't be told apart by the pictures that they have. */
  get confused(): Pair[] {
    return this.#pairs(this.#kept.pair);
  }

  /** Products of one picture, with what comes nearest to it. */
  get singles(): Pair[] {
    return this.#pairs(this.#kept.single);
  }

  /** Products that no photo can find. */
  get missing(): Finding[] {
    return this.#drop(this.#kept.missing).slice(0, this.limit);
  }

  /** Two products may be each other's, and are one pair then. */
  get #room(): number {
    return 2 * this.limit + 1;
  }

  #drop(kept: Finding[]): Finding[] {
    kept.sort(byWorst);
    kept.length = Math.min(kept.length, this.#room);
    return kept;
  }

  #pairs(kept: Finding[]): Pair[] {
    const pairs = new Map<string, Pair>();
    for (const finding of this.#drop(kept)) {
      const { product, nearest } = finding;
      if (!nearest) continue;
      const key = JSON.stringify([product.id, nearest.product.id].sort());
      const known = pairs.get(key);
      pairs.set(key, known ? { ...known, isMutual: true } : { ...finding, nearest, isMutual: false });
    }
    return [...pairs.values()].slice(0, this.limit);
  }
}

function byWorst(left: Finding, right: Finding): number {
  const [near, far] = [left, right].map(({ nearest }) => nearest?.distance ?? 3) as [number, number];
  return near - far || right.popularity - left.popularity || (left.product.id < right.product.id ? -1 : 1);
}
