import { EigenvalueDecomposition, inverse, Matrix } from 'ml-matrix';
import { addTo } from '../multimap';
import { hash } from '../random';
import type { Adaptation } from '../vision/embedding-model';
import { applyMap, dot, meanOf, normalized } from '../vision/linear-map';

export interface ProductPictures {
  readonly id: string;
  readonly pictures: readonly (readonly Float32Array[])[];
}

export type Strength = Pick<Adaptation, 'shrinkage' | 'power'>;

/** Within-class scatter: squared deviations of a picture's views from the other pictures of its product. */
export class Scatter {
  readonly #sums: Float64Array;
  #views = 0;

  constructor(private readonly size: number) {
    this.#sums = new Float64Array(size * size);
  }

  add(pictures: ProductPictures['pictures']): void {
    const centers = pictures.map(meanOf);
    for (const [number, views] of pictures.entries()) {
      const others = meanOf(centers.filter((_, at) => at !== number));
      for (const view of views) this.#addSquare(view.map((value, at) => value - (others[at] ?? 0)));
    }
  }

  #addSquare(deviation: Float32Array): void {
    this.#views += 1;
    for (const [row, factor] of deviation.entries()) {
      const start = row * this.size;
      for (let column = 0; column <= row; column += 1) {
        this.#sums[start + column] = (this.#sums[start + column] ?? 0) + factor * (deviation[column] ?? 0);
      }
    }
  }

  static sum(scatters: readonly Scatter[], size: number): Scatter {
    const all = new Scatter(size);
    for (const scatter of scatters) {
      all.#views += scatter.#views;
      for (const [at, value] of scatter.#sums.entries()) all.#sums[at] = (all.#sums[at] ?? 0) + value;
    }
    return all;
  }

  /** Its directions, and how far pictures scatter in each. */
  directions(): Directions {
    const lower = Matrix.from1DArray(this.size, this.size, [...this.#sums]);
    const diagonal = Matrix.diag(lower.diagonal());
    const covariance = Matrix.add(lower, lower.transpose()).sub(diagonal).div(Math.max(1, this.#views));
    const eigen = new EigenvalueDecomposition(covariance, { assumeSymmetric: true });
    const variances = eigen.realEigenvalues.map((value) => Math.max(0, value));
    return new Directions(variances, eigen.eigenvectorMatrix.transpose());
  }
}

/** The orthogonal directions of a scatter, and the variance in each. */
class Directions {
  readonly #turn: Float32Array;

  constructor(
    private readonly variances: readonly number[],
    private readonly axes: Matrix,
  ) {
    this.#turn = Float32Array.from(axes.to1DArray());
  }

  coordinatesOf(vector: Float32Array): Float32Array {
    return applyMap(this.#turn, vector);
  }

  /** By how much each direction is shrunk: `((variance + shrinkage * mean) / mean) ^ -power`, 1 where nothing scatters. */
  factors({ shrinkage, power }: Strength): number[] {
    const mean = meanOfNumbers(this.variances);
    return this.variances.map((value) => (mean === 0 ? 1 : ((value + shrinkage * mean) / mean) ** -power));
  }

  map(strength: Strength): Float32Array {
    const shrunk = this.axes.clone().mulColumnVector(this.factors(strength));
    return Float32Array.from(this.axes.transpose().mmul(shrunk).to1DArray());
  }
}

export const pictureVector = (views: readonly Float32Array[]): Float32Array => normalized(meanOf(views));

export const inverseOf = (map: Float32Array): Float32Array =>
  Float32Array.from(inverse(matrixOf(map)).to1DArray());

export const composeMaps = (second: Float32Array, first: Float32Array): Float32Array =>
  Float32Array.from(matrixOf(second).mmul(matrixOf(first)).to1DArray());

function matrixOf(map: Float32Array): Matrix {
  const size = Math.sqrt(map.length);
  return Matrix.from1DArray(size, size, [...map]);
}

/** From the gentlest to the strongest, by how much they shrink the widest direction of a typical scatter. */
const CANDIDATES: readonly Strength[] = [0.25, 0.5, 1].flatMap((power) =>
  [5, 2, 0.5].map((shrinkage) => ({ shrinkage, power })),
);

/** The number of parts: all but one are fitted on, and the other is used to judge. */
const FOLDS = 4;

/** Products judged; more add little information on nine candidates. */
const JUDGED_MAX = 300;

/** The scatter of products, in parts, and the pictures of those for judging candidates. */
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

  directions(): Directions {
    return Scatter.sum(this.#folds, this.size).directions();
  }

  /**
   * The gentlest map within one standard error of the best at leading pictures to others of their product, on products left out
   * of the fit: photos are farther from catalog pictures than these from each other, so too strong a map costs more than too weak
   * a one. `validation`: mean reciprocal rank without and with the map, and the standard error of the gain.
   * @param others pictures of other products, as distractors
   */
  async chooseStrength(others: readonly Float32Array[], progress: (done: number, of: number) => void) {
    const pictures = [
      ...this.#judged.flatMap(({ id, vectors }) => vectors.map((vector) => ({ id, vector }))),
      ...others.map((vector) => ({ id: '', vector })),
    ];
    const before: number[] = [];
    const after: number[][] = CANDIDATES.map(() => []);
    for (let fold = 0; fold < FOLDS; fold += 1) {
      // Yields to other work between two parts.
      await new Promise((resolve) => setImmediate(resolve));
      const rest = this.#folds.filter((_, at) => at !== fold);
      const directions = Scatter.sum(rest, this.size).directions();
      const gallery = pictures.map(({ id, vector }) => ({ id, vector: directions.coordinatesOf(vector) }));
      const judged = new Set(this.#judged.filter((each) => each.fold === fold).map(({ id }) => id));
      before.push(...scoresOf(gallery, judged));
      for (const [at, candidate] of CANDIDATES.entries()) {
        const factors = directions.factors(candidate);
        const shrunk = gallery.map(({ id, vector }) => {
          return { id, vector: normalized(vector.map((value, axis) => value * (factors[axis] ?? 0))) };
        });
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
    const queries = pictures.length - others.length;
    const [mean, error] = [meanOfNumbers(before), errorOf(chosen)];
    return { strength, validation: { queries, before: mean, after: means[chosen] ?? 0, error } };
  }
}

/** For each judged product: the mean over its pictures of 1 / rank of the nearest other one. */
function scoresOf(
  gallery: readonly { readonly id: string; readonly vector: Float32Array }[],
  judged: ReadonlySet<string>,
): number[] {
  const scores = new Map<string, number[]>();
  for (const picture of gallery) {
    if (!judged.has(picture.id)) continue;
    const near = gallery.map((other) => (other === picture ? -2 : dot(picture.vector, other.vector)));
    const nearest = Math.max(...near.filter((_, at) => gallery[at]?.id === picture.id));
    const rank = 1 + near.filter((each, at) => gallery[at]?.id !== picture.id && each >= nearest).length;
    addTo(scores, picture.id, 1 / rank);
  }
  return [...scores.values()].map(meanOfNumbers);
}

const meanOfNumbers = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

function standardError(values: readonly number[]): number {
  const mean = meanOfNumbers(values);
  const variance = meanOfNumbers(values.map((value) => (value - mean) ** 2));
  return Math.sqrt(variance / Math.max(1, values.length - 1));
}
