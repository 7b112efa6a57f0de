import { Random } from '../../../models/random';

/** Of the bundled model. */
export const DIMENSIONS = 512;
export const VIEWS = 3;

const SEED = 20;
const IMAGES_PER_STYLE = 60;
/** How much all, a style, an image and a view of it differ; the wider views of an image differ more. */
const SPREAD = { all: 0.5, style: 0.8, image: 0.62, view: 0.45 } as const;
const VIEW_WIDTHS = [0.6, 0.6, 1.6] as const;
const QUERY_WIDTH = 1.3;

/**
 * Vectors that lie as those of the bundled model do on photos of bags and watches (docs/benchmarks.md says how near): images in
 * styles, views about images, half of the spread in a tenth of the directions. The same image has the same vectors
 * always, so none is kept.
 */
export class ClusteredVectors {
  readonly #deviations = deviations();
  readonly #middle = this.#draw(1, 'all');

  /** The unit vectors of an image's views. */
  ofImage(image: number): Float32Array[] {
    const item = this.#item(image);
    return VIEW_WIDTHS.map((width, view) => this.#seen(item, width, image, view));
  }

  /** The unit vector of a photo that shows what an image shows. */
  ofQuery(image: number): Float32Array {
    return this.#seen(this.#item(image), QUERY_WIDTH, image, 'query');
  }

  #item(image: number): Float32Array {
    const style = this.#draw(SPREAD.style, 'style', Math.floor(image / IMAGES_PER_STYLE));
    const own = this.#draw(SPREAD.image, 'image', image);
    const shared = SPREAD.all / lengthOf(this.#middle);
    return own.map((value, at) => value + (style[at] ?? 0) + shared * (this.#middle[at] ?? 0));
  }

  #seen(item: Float32Array, width: number, image: number, view: number | string): Float32Array {
    const noise = this.#draw(SPREAD.view * width, 'view', image, view);
    const seen = item.map((value, at) => value + (noise[at] ?? 0));
    const length = lengthOf(seen);
    return seen.map((value) => value / length);
  }

  #draw(spread: number, ...keys: readonly (number | string)[]): Float32Array {
    const random = new Random(SEED, ...keys);
    const drawn = new Float32Array(DIMENSIONS);
    for (let at = 0; at < DIMENSIONS; at += 2) {
      // Box and Muller (1958).
      const radius = spread * Math.sqrt(-2 * Math.log(1 - random.next()));
      const angle = 2 * Math.PI * random.next();
      drawn[at] = radius * Math.cos(angle) * (this.#deviations[at] ?? 0);
      drawn[at + 1] = radius * Math.sin(angle) * (this.#deviations[at + 1] ?? 0);
    }
    return drawn;
  }
}

function deviations(): Float32Array {
  const variances = Array.from({ length: DIMENSIONS }, (_, at) => (1 + at / 12) ** -1.5);
  const total = variances.reduce((sum, each) => sum + each, 0);
  return Float32Array.from(variances, (each) => Math.sqrt(each / total));
}

function lengthOf(vector: Float32Array): number {
  let sum = 0;
  for (const value of vector) sum += value * value;
  return Math.sqrt(sum);
}
