import type { Attribute } from '../catalog/item';
import { dot } from '../vision/linear-map';

/**
 * What a version makes of a product by the pictures of it that are embedded, the first that applies:
 *
 * - `shares_picture`: another product shows one of its pictures.
 * - `no_picture`, `not_embedded`: there is none to find it by.
 * - `confused`, of several pictures: one of them is as near to a picture of another product as to its own nearest one, or nearer.
 * - `look_alike`, of one picture: another product's is within the typical distance of two pictures of one product.
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
  /** From the outermost level of its category's hierarchy inwards: brand, model, style. */
  readonly taxonomy: readonly string[];
}

/** A picture of a product and the nearest one of another product. */
export interface NearestOther {
  readonly product: NamedProduct;
  /** Addresses of the two; the same where the picture is shared. */
  readonly pictures: readonly [own: string, other: string];
  /** Cosine distance of their nearest views, 0 to 2. */
  readonly distance: number;
  /** From the own picture to the nearest other one of the same product; null where there is none. */
  readonly ownDistance: number | null;
  /** Attributes in which the two products differ, such as `colour`. */
  readonly differIn: readonly string[];
}

/** A product that is not `distinct`. */
export interface Finding {
  readonly verdict: Verdict;
  readonly product: NamedProduct;
  readonly popularity: number;
  /** How many of its pictures are embedded. */
  readonly pictures: number;
  /** Null without an embedded picture, or where no other product has one. */
  readonly nearest: NearestOther | null;
}

/** The median distance of a picture to the nearest other one of its product. */
export interface TypicalDistance {
  readonly distance: number;
  /** How many pictures it is the median of. */
  readonly pictures: number;
}

/** A median of fewer says little: of twenty it lies with 95 % between the quantiles 0.28 and 0.72. */
const TYPICAL_OF_MIN = 20;

/** The lower median of distances, each with how often it was seen; null of too few. */
export function typicalDistance(seen: ReadonlyMap<number, number>): TypicalDistance | null {
  const pictures = [...seen.values()].reduce((sum, count) => sum + count, 0);
  if (pictures < TYPICAL_OF_MIN) return null;
  let below = 0;
  for (const [distance, count] of [...seen].sort(([one], [other]) => one - other)) {
    below += count;
    if (2 * below >= pictures) return { distance, pictures };
  }
  return null;
}

/** Cosine distance of two pictures by their nearest views, 0 to 2, as the index has it. */
export function pictureDistance(left: readonly Float32Array[], right: readonly Float32Array[]): number {
  const products = left.flatMap((one) => right.map((other) => dot(one, other)));
  return roundDistance(Math.min(2, Math.max(0, 1 - Math.max(...products))));
}

/** Half precision holds no more digits; copies of a picture are as near as each other. */
export const roundDistance = (distance: number): number => Math.round(distance * 10_000) / 10_000;

/** The fields in which the values of two products differ, in the order of the first product. */
export function differingFields(left: readonly Attribute[], right: readonly Attribute[]): string[] {
  const valuesOf = (attributes: readonly Attribute[], field: string) => {
    const ids = attributes.flatMap((each) => (each.field === field ? each.id : []));
    return ids.sort().join('\n');
  };
  const fields = new Set([...left, ...right].map(({ field }) => field));
  return [...fields].filter((field) => valuesOf(left, field) !== valuesOf(right, field));
}

/** Keeps the worst of however many findings: those with the nearest pictures, then the most popular products. */
export class WorstFindings {
  readonly #kept: Finding[] = [];

  /** @param verdicts of the findings that count; two products that are each other's nearest are listed once */
  constructor(
    private readonly verdicts: readonly Verdict[],
    private readonly limit: number,
  ) {}

  add(finding: Finding): void {
    if (!this.verdicts.includes(finding.verdict)) return;
    this.#kept.push(finding);
    if (this.#kept.length > 4 * this.limit + 2) this.#drop();
  }

  get findings(): Finding[] {
    const pairs = new Map<string, Finding>();
    for (const finding of this.#drop()) {
      const pair = [finding.product.id, finding.nearest?.product.id ?? ''].sort().join('\n');
      if (!pairs.has(pair)) pairs.set(pair, finding);
    }
    return [...pairs.values()].slice(0, this.limit);
  }

  #drop(): Finding[] {
    this.#kept.sort(byWorst).splice(2 * this.limit + 1);
    return this.#kept;
  }
}

function byWorst(left: Finding, right: Finding): number {
  const near = (left.nearest?.distance ?? 3) - (right.nearest?.distance ?? 3);
  return near || right.popularity - left.popularity || (left.product.id < right.product.id ? -1 : 1);
}
