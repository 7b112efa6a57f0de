import fc from 'fast-check';
import {
  composed,
  FittedProducts,
  inverseOf,
  type ProductPictures,
  Scatter,
} from '../../models/indexing/scatter';
import { Random } from '../../models/random';
import { mapped, unit } from '../../models/vision/linear-map';

const SIZE = 8;

/** Products by chance; their pictures scatter along the first axis most. */
function productsOf(seed: number, count: number, scatter = 1): ProductPictures[] {
  const random = new Random('scatter', seed);
  return Array.from({ length: count }, (_, number) => {
    const own = Float32Array.from({ length: SIZE }, () => random.bell());
    const picture = () => {
      const along = 4 * scatter * random.bell();
      return [0, 1].map(() =>
        own.map((value, axis) => value + (axis === 0 ? along : 0.1 * scatter * random.bell())),
      );
    };
    return { id: `product_${seed}_${number}`, pictures: [picture(), picture(), picture()] };
  });
}

const scatterOf = (products: readonly ProductPictures[]): Scatter => {
  const scatter = new Scatter(SIZE);
  for (const { pictures } of products) scatter.add(pictures);
  return scatter;
};

const dot = (left: Float32Array, right: Float32Array) =>
  left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0);
const axis = (at: number) => Float32Array.from({ length: SIZE }, (_, other) => Number(other === at));
const strength = fc.record({
  shrinkage: fc.constantFrom(0.5, 2, 5),
  power: fc.constantFrom(0.25, 0.5, 1),
});
const seeds = fc.integer({ min: 0, max: 1_000_000 });
const vectors = fc
  .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: SIZE, maxLength: SIZE })
  .map((values) => Float32Array.from(values))
  .filter((vector) => Math.hypot(...vector) > 0.1);

describe('The map of a scatter (contract 14.20)', () => {
  test('leaves vectors as they are where pictures of a product do not differ', () => {
    fc.assert(
      fc.property(seeds, strength, vectors, (seed, chosen, vector) => {
        const map = scatterOf(productsOf(seed, 5, 0))
          .directions()
          .map(chosen);
        expect(dot(mapped(map, vector), unit(vector))).toBeCloseTo(1, 4);
      }),
      { numRuns: 20 },
    );
  });

  test('gives unit vectors, is symmetric, and is undone by its inverse', () => {
    fc.assert(
      fc.property(seeds, strength, vectors, (seed, chosen, vector) => {
        const map = scatterOf(productsOf(seed, 10)).directions().map(chosen);
        const image = mapped(map, vector);
        expect(dot(image, image)).toBeCloseTo(1, 5);
        expect(map[SIZE]).toBeCloseTo(map[1] ?? Number.NaN, 5);
        expect(dot(mapped(inverseOf(map), image), unit(vector))).toBeCloseTo(1, 4);
        expect(dot(mapped(composed(map, inverseOf(map)), vector), unit(vector))).toBeCloseTo(1, 4);
      }),
      { numRuns: 20 },
    );
  });

  test('shrinks the direction in which pictures scatter, the more the greater its power', () => {
    const directions = scatterOf(productsOf(1, 30)).directions();
    const slanted = unit(Float32Array.from({ length: SIZE }, (_, at) => Number(at < 2)));
    const along = [0.25, 0.5, 1].map((power) =>
      Math.abs(dot(mapped(directions.map({ shrinkage: 0.5, power }), slanted), axis(0))),
    );
    expect(along[0]).toBeLessThan(0.7);
    expect(along).toEqual([...along].sort((left, right) => right - left));
  });

  test('does not fit a vector of another size', () => {
    expect(() => mapped(new Float32Array(4), new Float32Array(3))).toThrow(/does not fit/);
  });
});

describe('The strength of a map', () => {
  const fittedOn = (products: readonly ProductPictures[]) => {
    const fitted = new FittedProducts(SIZE);
    for (const product of products) fitted.add(product);
    return fitted;
  };

  test('is chosen on products that the scatter does not know, and finds more of them than no map', async () => {
    const { validation, strength: chosen } = await fittedOn(productsOf(3, 80)).chooseStrength(
      [],
      () => undefined,
    );
    expect(validation.queries).toBe(240);
    expect(validation.after - validation.before).toBeGreaterThan(3 * validation.error);
    expect(chosen.power).toBeGreaterThanOrEqual(0.5);
  });

  test('promises nothing where pictures of a product have nothing in common', async () => {
    const products = productsOf(4, 80).map(({ id }, at) => ({
      id,
      pictures: [0, 1].map((picture) => [
        productsOf(100 + 2 * at + picture, 1)[0]?.pictures[0]?.[0] ?? new Float32Array(SIZE),
      ]),
    }));
    const { validation } = await fittedOn(products).chooseStrength([], () => undefined);
    expect(validation.after - validation.before).toBeLessThan(3 * validation.error);
  });
});
