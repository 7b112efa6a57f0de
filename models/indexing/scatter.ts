import { EigenvalueDecomposition, inverse, Matrix } from 'ml-matrix';
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
