import { hash } from '../random';
import { type Directions, type Pictures, pictureVector, Scatter, type Strength } from './scatter';

/** A product with the views of its pictures, `[picture][view]`. */
export interface ProductPictures {
  readonly id: string;
  readonly pictures: Pictures;
}

/** How well pictures lead to others of their product, without a map and with the best one. */
export interface CrossValidation {
  readonly queries: number;
  /** Mean of 1 / place of the nearest other picture of the product. */
  readonly before: number;
  readonly after: number;
  /** Standard error of the gain, over products. */
  readonly error: number;
}

/** From the gentlest to the strongest, by how much they shrink the widest direction of a typical scatter. */
const CANDIDATES: readonly Strength[] = [
  { shrinkage: 5, power: 0.25 },
  { shrinkage: 2, power: 0.25 },
  { shrinkage: 0.5, power: 0.25 },
  { shrinkage: 5, power: 0.5 },
  { shrinkage: 2, power: 0.5 },
  { shrinkage: 0.5, power: 0.5 },
  { shrinkage: 5, power: 1 },
  { shrinkage: 2, power: 1 },
  { shrinkage: 0.5, power: 1 },
];

/** Products are fitted on in so many parts less one, and judged on the other. */
const FOLDS = 4;

/** Products that are judged; more say little more of nine candidates. */
const JUDGED_MAX = 300;

/** The scatter of products, in parts, and the pictures of those that candidates are judged on. */
export class FittedProducts {
  readonly #folds: readonly Scatter[];
  readonly #judged: { readonly id: string; readonly fold: number; readonly vectors: Float32Array[] }[] = [];

  constructor(private readonly size: number) {
    this.#folds = Array.from({ length: FOLDS }, () => new Scatter(size));
  }

  add({ id, pictures }: ProductPictures): void {
    const fold = hash(id, 'fold') % FOLDS;
    this.#folds[fold]?.add(pictures);
    if (this.#judged.length < JUDGED_MAX) {
      this.#judged.push({ id, fold, vectors: pictures.map(pictureVector) });
    }
  }

  /** Of all products. */
  directions(): Directions {
    return Scatter.sum(this.#folds, this.size).directions();
  }

  /**
   * The strength that leads pictures to others of their product best, on products that the scatter does not know: of those
   * that are as good as the best, by its standard error, the gentlest. Photos are farther from the pictures of a catalog
   * than these from each other, and a map that is too strong loses more of them than one that is too weak.
   *
   * @param others pictures of other products, to be confused with
   * @param progress told after each part
   */
  async chooseStrength(
    others: readonly Float32Array[],
    progress: (done: number, of: number) => void,
  ): Promise<{ strength: Strength; validation: CrossValidation }> {
    const before: number[] = [];
    const after: number[][] = CANDIDATES.map(() => []);
    for (let fold = 0; fold < FOLDS; fold += 1) {
      // Between two parts others have their turn.
      await new Promise((resolve) => setImmediate(resolve));
      const rest = this.#folds.filter((_, at) => at !== fold);
      const directions = Scatter.sum(rest, this.size).directions();
      const turned = (vector: Float32Array) => directions.coordinatesOf(vector);
      const gallery = [
        ...this.#judged.flatMap(({ id, vectors }) =>
          vectors.map((vector) => ({ id, vector: turned(vector) })),
        ),
        ...others.map((vector) => ({ id: '', vector: turned(vector) })),
      ];
      const judged = new Set(this.#judged.filter((each) => each.fold === fold).map(({ id }) => id));
      before.push(...scoresOf(gallery, judged));
      for (const [at, candidate] of CANDIDATES.entries()) {
        const factors = directions.factors(candidate);
        const shrunk = gallery.map(({ id, vector }) => ({ id, vector: scaled(vector, factors) }));
        after[at]?.push(...scoresOf(shrunk, judged));
      }
      progress(fold + 1, FOLDS);
    }
    const means = after.map(meanOfNumbers);
    const most = Math.max(...means);
    const errorOf = (at: number) =>
      standardError((after[at] ?? []).map((score, product) => score - (before[product] ?? 0)));
    const enough = most - errorOf(means.indexOf(most));
    const chosen = means.findIndex((mean) => mean >= enough);
    const strength = CANDIDATES[chosen];
    if (!strength) throw new Error('no strength was tried');
    return {
      strength,
      validation: {
        queries: this.#judged.reduce((sum, { vectors }) => sum + vectors.length, 0),
        before: meanOfNumbers(before),
        after: means[chosen] ?? 0,
        error: errorOf(chosen),
      },
    };
  }
}

interface Picture {
  readonly id: string;
  readonly vector: Float32Array;
}

/** Of each judged product: the mean over its pictures of 1 / place of the nearest other one. */
function scoresOf(gallery: readonly Picture[], judged: ReadonlySet<string>): number[] {
  const scores = new Map<string, number[]>();
  for (const picture of gallery) {
    if (!judged.has(picture.id)) continue;
    const near = gallery.map((other) => (other === picture ? -2 : dot(picture.vector, other.vector)));
    const own = near.filter((_, at) => gallery[at]?.id === picture.id);
    const nearest = Math.max(...own);
    const place = 1 + near.filter((each, at) => gallery[at]?.id !== picture.id && each >= nearest).length;
    scores.set(picture.id, [...(scores.get(picture.id) ?? []), 1 / place]);
  }
  return [...scores.values()].map(meanOfNumbers);
}

function scaled(vector: Float32Array, factors: Float32Array): Float32Array {
  const result = vector.map((value, at) => value * (factors[at] ?? 0));
  const length = Math.sqrt(dot(result, result));
  return result.map((value) => value / length);
}

function dot(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < left.length; at += 1) sum += (left[at] ?? 0) * (right[at] ?? 0);
  return sum;
}

const meanOfNumbers = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

function standardError(values: readonly number[]): number {
  const mean = meanOfNumbers(values);
  const variance = meanOfNumbers(values.map((value) => (value - mean) ** 2));
  return Math.sqrt(variance / Math.max(1, values.length - 1));
}
