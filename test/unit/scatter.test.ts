import fc from 'fast-check';
import {
  composeMaps,
  FittedProducts,
  inverseOf,
  type ProductPictures,
  Scatter,
} from '../../models/indexing/scatter';
import { Random } from '../../models/random';
import { applyMap, dot, normalized } from '../../models/vision/linear-map';

/** contract 14.20: the map that fits an embedding to a catalog. */
const SIZE = 8;
const vectorOf = (value: (at: number) => number) => Float32Array.from({ length: SIZE }, (_, at) => value(at));

/** Products by chance; their pictures scatter along the first axis most. */
function productsOf(seed: number, count: number, scatter = 1): ProductPictures[] {
  const random = new Random('scatter', seed);
  return Array.from({ length: count }, (_, number) => {
    const own = vectorOf(() => random.bell());
    const pictures = [1, 2, 3].map(() => {
      const along = 4 * scatter * random.bell();
      return [0, 1].map(() =>
        own.map((value, axis) => value + (axis === 0 ? along : 0.1 * scatter * random.bell())),
      );
    });
    return { id: `product_${seed}_${number}`, pictures };
  });
}

function directionsOf(products: readonly ProductPictures[]) {
  const scatter = new Scatter(SIZE);
  for (const { pictures } of products) scatter.add(pictures);
  return scatter.directions();
}

const strength = fc.record({ shrinkage: fc.constantFrom(0.5, 2, 5), power: fc.constantFrom(0.25, 0.5, 1) });
const value = fc.double({ min: -1, max: 1, noNaN: true });
const vectors = fc
  .array(value, { minLength: SIZE, maxLength: SIZE })
  .map((values) => Float32Array.from(values))
  .filter((vector) => Math.hypot(...vector) > 0.1);

test('a map gives unit vectors, is symmetric, undone by its inverse, and changes nothing without a scatter', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), strength, vectors, (seed, chosen, vector) => {
      const none = directionsOf(productsOf(seed, 5, 0)).map(chosen);
      expect(dot(applyMap(none, vector), normalized(vector))).toBeCloseTo(1, 4);
      const map = directionsOf(productsOf(seed, 10)).map(chosen);
      const image = applyMap(map, vector);
      expect(dot(image, image)).toBeCloseTo(1, 5);
      expect(map[SIZE]).toBeCloseTo(map[1] ?? Number.NaN, 5);
      expect(dot(applyMap(inverseOf(map), image), normalized(vector))).toBeCloseTo(1, 4);
      expect(dot(applyMap(composeMaps(map, inverseOf(map)), vector), normalized(vector))).toBeCloseTo(1, 4);
    }),
    { numRuns: 20 },
  );
  expect(() => applyMap(new Float32Array(4), new Float32Array(3))).toThrow(/does not fit/);
});

test('a map shrinks the direction in which pictures scatter, the more the greater its power and the less its shrinkage', () => {
  const directions = directionsOf(productsOf(1, 30));
  const slanted = normalized(vectorOf((at) => Number(at < 2)));
  const along = (shrinkage: number, power: number) =>
    Math.abs(applyMap(directions.map({ shrinkage, power }), slanted)[0] ?? 1);
  const shrunk = [along(5, 0.25), along(0.5, 0.25), along(0.5, 0.5), along(0.5, 1)];
  expect(shrunk[0]).toBeLessThan(0.7);
  expect(shrunk).toEqual([...new Set(shrunk)].sort((left, right) => right - left));
});

describe('The strength of a map', () => {
  const chosenFor = (products: readonly ProductPictures[]) => {
    const fitted = new FittedProducts(SIZE);
    for (const product of products) fitted.add(product);
    return fitted.chooseStrength([], () => undefined);
  };

  test('is chosen on products that the scatter does not know, and finds more of them than no map', async () => {
    const { validation, strength: chosen } = await chosenFor(productsOf(3, 80));
    expect(validation.queries).toBe(240);
    expect(validation.after - validation.before).toBeGreaterThan(3 * validation.error);
    expect(chosen.power).toBeGreaterThanOrEqual(0.5);
  });

  test('promises no gain where pictures of a product have nothing in common', async () => {
    const strangers = productsOf(4, 160).map(({ pictures }) => pictures[0]?.slice(0, 1) ?? []);
    const products = Array.from({ length: 80 }, (_, at) => ({
      id: `product_${at}`,
      pictures: strangers.slice(2 * at, 2 * at + 2),
    }));
    const { validation } = await chosenFor(products);
    expect(validation.after - validation.before).toBeLessThan(3 * validation.error);
  });
});
