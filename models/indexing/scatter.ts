import { EigenvalueDecomposition, inverse, Matrix } from 'ml-matrix';
import { hash } from '../random';
import { meanOf, unit } from '../vision/linear-map';

/** The views of the pictures of one product, `[picture][view]`. */
export type Pictures = readonly (readonly Float32Array[])[];

/** How strongly the directions of a scatter are shrunk; see `Adaptation`. */
export interface Strength {
  readonly shrinkage: number;
  readonly power: number;
}

/**
 * How far the views of a picture lie from the other pictures of its product, and in which directions: a sum of squares that takes as much memory for
 * many products as for few.
 */
export class Scatter {
  readonly #sums: Float64Array;
  #views = 0;

  constructor(private readonly size: number) {
    this.#sums = new Float64Array(size * size);
  }

  /** @param pictures of one product, two or more */
  add(pictures: Pictures): void {
    const centers = pictures.map(meanOf);
    for (const [number, views] of pictures.entries()) {
      const others = meanOf(centers.filter((_, at) => at !== number));
      for (const view of views) this.#addSquare(view.map((value, at) => value - (others[at] ?? 0)));
    }
  }

  #addSquare(deviation: Float32Array): void {
    this.#views += 1;
    for (let row = 0; row < this.size; row += 1) {
      const factor = deviation[row] ?? 0;
      const start = row * this.size;
      for (let column = 0; column <= row; column += 1) {
        this.#sums[start + column] = (this.#sums[start + column] ?? 0) + factor * (deviation[column] ?? 0);
      }
    }
  }

  /** The scatter of the products of several. */
  static sum(scatters: readonly Scatter[], size: number): Scatter {
    const all = new Scatter(size);
    for (const scatter of scatters) {
      all.#views += scatter.#views;
      for (let at = 0; at < all.#sums.length; at += 1) {
        all.#sums[at] = (all.#sums[at] ?? 0) + (scatter.#sums[at] ?? 0);
      }
    }
    return all;
  }

  /** Its directions, and how far pictures scatter in each. */
  directions(): Directions {
    const { size } = this;
    const covariance = new Matrix(size, size);
    for (let row = 0; row < size; row += 1) {
      for (let column = 0; column <= row; column += 1) {
        const value = (this.#sums[row * size + column] ?? 0) / Math.max(1, this.#views);
        covariance.set(row, column, value);
        covariance.set(column, row, value);
      }
    }
    const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(covariance, {
      assumeSymmetric: true,
    });
    return new Directions(
      realEigenvalues.map((value) => Math.max(0, value)),
      Float32Array.from(eigenvectorMatrix.transpose().to1DArray()),
    );
  }
}

/** The orthogonal directions of a scatter, and the variance in each. */
export class Directions {
  /** @param axes one unit vector after the other */
  constructor(
    private readonly variances: readonly number[],
    private readonly axes: Float32Array,
  ) {}

  /** The vector in the coordinates of the directions. */
  coordinatesOf(vector: Float32Array): Float32Array {
    const size = this.variances.length;
    return new Float32Array(size).map((_, axis) => {
      let sum = 0;
      for (let at = 0; at < size; at += 1) sum += (this.axes[axis * size + at] ?? 0) * (vector[at] ?? 0);
      return sum;
    });
  }

  /**
   * By how much each direction is shrunk: `((variance + shrinkage * mean) / mean) ^ -power`, 1 where nothing scatters.
   */
  factors({ shrinkage, power }: Strength): Float32Array {
    const mean = this.variances.reduce((sum, value) => sum + value, 0) / this.variances.length;
    return Float32Array.from(this.variances, (value) =>
      mean === 0 ? 1 : ((value + shrinkage * mean) / mean) ** -power,
    );
  }

  /** The symmetric map that shrinks the directions, by rows. */
  map(strength: Strength): Float32Array {
    const size = this.variances.length;
    const factors = this.factors(strength);
    const map = new Float32Array(size * size);
    for (let axis = 0; axis < size; axis += 1) {
      for (let row = 0; row < size; row += 1) {
        const factor = (factors[axis] ?? 0) * (this.axes[axis * size + row] ?? 0);
        for (let column = 0; column < size; column += 1) {
          const at = row * size + column;
          map[at] = (map[at] ?? 0) + factor * (this.axes[axis * size + column] ?? 0);
        }
      }
    }
    return map;
  }
}

/** The vector of a picture: the mean of its views, a unit vector. */
export const pictureVector = (views: readonly Float32Array[]): Float32Array => unit(meanOf(views));

/** The map that undoes another one. */
export function inverseOf(map: Float32Array): Float32Array {
  const size = Math.sqrt(map.length);
  return Float32Array.from(inverse(new Matrix(rowsOf(map, size))).to1DArray());
}

/** One map after another, as one. */
export function composed(second: Float32Array, first: Float32Array): Float32Array {
  const size = Math.sqrt(first.length);
  const product = new Matrix(rowsOf(second, size)).mmul(new Matrix(rowsOf(first, size)));
  return Float32Array.from(product.to1DArray());
}

const rowsOf = (map: Float32Array, size: number): number[][] =>
  Array.from({ length: size }, (_, row) => [...map.subarray(row * size, (row + 1) * size)]);

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
