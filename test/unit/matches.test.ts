import fc from 'fast-check';
import {
  type Candidate,
  candidatesOf,
  NEIGHBOURS,
  nearestImages,
  shortlistOf,
} from '../../models/vision/candidates';
import { UNCALIBRATED } from '../../models/vision/confidence';
import type { ChoiceModel } from '../../models/vision/embedding-model';
import { type Ancestry, MatchContext } from '../../models/vision/matches';

const none = { constant: 2, similarity: 0, nearest: 0, views: 0, others: 0, spread: 0 };
const MODEL: ChoiceModel = { kind: 'choice', candidate: { nearest: 2, views: 2 }, none, kin: 0.5 };

const candidate = (id: string, ...byPhoto: readonly number[]): Candidate => ({
  id,
  similarity: byPhoto.reduce((sum, each) => sum + each, 0) / byPhoto.length,
  byPhoto: byPhoto.map((similarity) => [similarity]),
  imageId: 1,
});
/** Products `product_a`, `product_b` …, each of these similarities. */
const products = (...similarities: readonly number[]): Candidate[] =>
  similarities.map((each, at) => candidate(`product_${String.fromCharCode(97 + at)}`, each));

const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
const ancestryOf = (nodes: Readonly<Record<string, readonly string[]>>): Ancestry =>
  new Map(Object.entries(nodes).map(([letter, above]) => [`product_${letter}`, above]));
const NO_ANCESTRY = ancestryOf({});
const OF_ONE_BRAND = { a: ['brand_x'], b: ['brand_x'], c: ['brand_x'] };

const firstOf = (candidates: readonly Candidate[], model = MODEL): number =>
  new MatchContext(candidates, NO_ANCESTRY, model).products[0]?.confidence ?? 0;

describe('Candidates', () => {
  test('are products by their nearest image, ties by id', () => {
    const neighbours = [
      { imageId: 1, products: ['product_b'], distance: 0.1 },
      { imageId: 2, products: ['product_b', 'product_c'], distance: 0.2 },
      { imageId: 3, products: ['product_a'], distance: 0.2 },
      { imageId: 9, products: [], distance: 0.0 },
    ];
    expect(candidatesOf(neighbours)).toEqual([
      { ...candidate('product_b', 0.9), imageId: 1 },
      { ...candidate('product_a', 0.8), imageId: 3 },
      { ...candidate('product_c', 0.8), imageId: 2 },
    ]);
  });

  test('of several views take the nearest picture of a product for each view', () => {
    const neighbours = [
      { imageId: 1, products: ['product_b'], distance: 0.25, byView: [0.5, 0.25] },
      { imageId: 2, products: ['product_b'], distance: 0.375, byView: [0.375, 0.75] },
    ];
    const found = { id: 'product_b', similarity: 0.75, byPhoto: [[0.625, 0.75]], imageId: 1 };
    expect(candidatesOf(neighbours)).toEqual([found]);
  });

  test('come first when more of their views are near, if their nearest pairs are equal', () => {
    const seen = products(0.75, 0.75).map((each, at) => ({
      ...each,
      byPhoto: [[0.75, at === 0 ? 0.25 : 0.5]],
    }));
    expect(idsOf(new MatchContext(seen, NO_ANCESTRY, MODEL).products)).toEqual(['product_b', 'product_a']);
  });

  test('that are examined are those nearest to any of the photos', () => {
    const crowd = Array.from({ length: 30 }, (_, at) => candidate(`product_${at}`, 0.5, 0.5 - at / 100));
    const shortlist = idsOf(shortlistOf([...crowd, candidate('product_own', 0, 0.9)]));
    expect(shortlist).toContain('product_own');
    expect(shortlist).toHaveLength(21);
  });
});

describe('Images nearest to photos', () => {
  const certain = { similarity: 0.75, margin: 0.25 };
  const inRatio = { similarity: 0.75, margin: 0.0625, ratio: 0.5 };
  const [FIRST, STEPS] = [[[0, 1]], [[0, 1], [1]]];
  const picture = (distance: number, ...ids: string[]) => ({ imageId: distance, distance, products: ids });
  const full = Array.from({ length: NEIGHBOURS }, () => picture(0.125, 'a'));

  test.each([
    ['one product is near, no other is', [picture(0.25, 'a'), picture(0.5, 'b')], 1, certain, FIRST],
    ['there is no other product', [picture(0.25, 'a')], 1, certain, FIRST],
    ['further pictures of the product are near', [picture(0.1, 'a'), picture(0.2, 'a')], 1, certain, FIRST],
    ['the product is less similar', [picture(0.375, 'a'), picture(1, 'b')], 1, certain, STEPS],
    ['another product is nearer than the margin', [picture(0.1, 'a'), picture(0.25, 'b')], 1, certain, STEPS],
    ['no other product is within the ratio', [picture(0.25, 'a'), picture(0.5, 'b')], 1, inRatio, FIRST],
    ['another product is within the ratio', [picture(0.25, 'a'), picture(0.375, 'b')], 1, inRatio, STEPS],
    ['two products share the picture', [picture(0.1, 'a', 'b')], 1, certain, STEPS],
    ['two products share the very photo', [picture(0, 'a', 'b')], 1, inRatio, STEPS],
    ['a list that is not full has pictures of one product', full.slice(1), 1, certain, FIRST],
    ['a full list has pictures of one product', full, 1, certain, STEPS],
    ['a full list goes far enough', [...full.slice(1), picture(0.5, 'a')], 1, certain, FIRST],
    ['nothing is found', [], 1, certain, FIRST],
    ['there are several photos', [picture(0, 'a')], 2, certain, [[0], [0]]],
    ['the model does not say what is certain', [picture(0, 'a')], 1, undefined, [[0]]],
  ])('are found by as few views as needed: %s', async (_case, found, photos, of, slices) => {
    const views = [1, 2, 3].map((value) => Float32Array.of(value));
    const slice = jest.fn((...range: [number, number?]) => views.slice(...range));
    const search = jest.fn(async (..._search: unknown[]) => found);
    await expect(nearestImages({ certain: of }, Array(photos).fill({ slice }), search)).resolves.toBe(found);
    expect(slice.mock.calls).toEqual(slices);
    const seen = slices === FIRST ? views.slice(0, 1) : views;
    expect(search.mock.lastCall?.[0]).toEqual(Array(photos).fill(seen));
    expect(search.mock.lastCall?.[2]).toBe(slices === STEPS ? found : undefined);
  });
});

// contract 7.9
describe('Confidence', () => {
  const fraction = fc.double({ min: 0, max: 1, noNaN: true });
  const exactly = <Value>(value: fc.Arbitrary<Value>, count: number) =>
    fc.array(value, { minLength: count, maxLength: count });
  const seen = fc
    .record({ photos: fc.integer({ min: 1, max: 5 }), views: fc.integer({ min: 1, max: 4 }) })
    .chain(({ photos, views }) => {
      const similarities = exactly(fc.double({ min: -1, max: 1, noNaN: true }), views);
      return fc.array(exactly(similarities, photos), { minLength: 1, maxLength: 45 });
    });
  const weight = fc.double({ min: -100, max: 100, noNaN: true });
  const models = fc.record({
    kind: fc.constant('choice' as const),
    candidate: fc.record({ nearest: weight, views: weight }),
    none: fc.record({
      ...{ constant: weight, similarity: weight, nearest: weight, views: weight },
      ...{ others: weight, spread: weight },
    }),
    kin: fraction,
  });
  const brands = exactly(fc.integer({ min: 0, max: 3 }), 3);

  test('of products sums to at most 1, whatever photos show and whatever the weights', () => {
    fc.assert(
      fc.property(seen, models, brands, fraction, (views, weights, kinds, floor) => {
        const all = views.map((byPhoto, at) => ({ ...candidate(`product_${at}`), byPhoto, similarity: 0 }));
        const shortlist = shortlistOf(all);
        const above = (at: number) => [`style_${at % 9}_${kinds[at % 3]}`, `brand_${kinds[at % 3]}`];
        const ancestry = new Map(shortlist.map(({ id }, at) => [id, above(at)]));
        const context = new MatchContext(shortlist, ancestry, weights);
        const rows = context.rows(floor, () => true);
        const shown = rows.filter(({ id }) => id.startsWith('product_'));
        const confidences = rows.map(({ confidence }) => confidence);
        for (const among of [shown, context.products])
          expect(among.reduce((sum, { confidence }) => sum + confidence, 0)).toBeLessThanOrEqual(1);
        expect(confidences).toEqual([...confidences].sort((left, right) => right - left));
        expect(confidences.every((each) => each >= 0 && each <= 1)).toBe(true);
        expect(new Set(idsOf(rows)).size).toBe(rows.length);
        expect(rows.length).toBeLessThanOrEqual(10);
        for (const { id, confidence } of shown) {
          const levels = context.evidenceFor(id)?.levels.map((level) => level.confidence) ?? [];
          const upwards = [confidence, ...levels];
          expect(upwards).toEqual([...upwards].sort((left, right) => left - right));
        }
      }),
      { numRuns: 300 },
    );
  });

  test('grows with similarity, the lead over the next product, and photos that agree', () => {
    expect(firstOf(products(0.95, 0.8))).toBeGreaterThan(firstOf(products(0.9, 0.75)));
    expect(firstOf(products(0.9, 0.6))).toBeGreaterThan(firstOf(products(0.9, 0.8)));
    const twice = [candidate('product_a', 0.7, 0.7), candidate('product_b', 0.5, 0.5)];
    expect(firstOf(twice)).toBeGreaterThan(firstOf(products(0.7, 0.5)));
  });

  // contract 7.16
  test('under a filter decides between rows as near, and makes none likely that are far from a rival', () => {
    const within = (all: Candidate[], from: number) =>
      new MatchContext(all.slice(from), NO_ANCESTRY, MODEL, all).products[0]?.confidence ?? 0;
    const near = products(0.9, 0.9, 0.2);
    expect(firstOf(near)).toBeLessThan(0.5);
    expect(within(near, 1)).toBeGreaterThan(0.8);
    const far = products(0.9, 0.6, 0.2);
    expect(firstOf(far.slice(1))).toBeGreaterThan(0.2);
    expect(within(far, 1)).toBeLessThan(0.1);
  });

  test('without calibration is low, and grows with similarity and lead to a row without rivals', () => {
    const claimed = (best: number, other: number, count = 19) =>
      firstOf(products(best, ...Array<number>(count).fill(other)), UNCALIBRATED.confidence);
    expect(claimed(1, 1, 1)).toBeLessThan(0.4);
    expect(claimed(0.9, 0.85)).toBeLessThan(0.3);
    expect(claimed(0.6, 0.5)).toBeLessThan(0.05);
    expect(claimed(0.9, 0.7)).toBeGreaterThan(claimed(0.8, 0.7));
    expect(claimed(0.9, 0.6)).toBeGreaterThan(claimed(0.9, 0.7));
    expect(claimed(1, 0.5)).toBeGreaterThan(0.85);
  });
});

// contract 7.10
test.each<[string, Candidate[], Record<string, string[]>]>([
  ['share nothing', products(0.9, 0.9, 0.4), { a: ['brand_x'], b: ['brand_y'], c: ['brand_z'] }],
  ['are all of one brand, and far away', products(-0.5, -0.5, -0.5), OF_ONE_BRAND],
  ['are of one brand, and one is sure', products(0.95, 0.6), OF_ONE_BRAND],
])('of products that %s no taxonomy row takes the place', (_what, candidates, nodes) => {
  const rows = new MatchContext(candidates, ancestryOf(nodes), MODEL).rows(0, () => true);
  expect(idsOf(rows)).toEqual(idsOf(candidates));
});

// contract 7.8, 7.10
test.each([
  [0.9, 0, 'style_x'],
  [0.9, 0.8, 'brand_x'],
  [0.3, 0.1, 'brand_x'],
])(
  'of products %d similar and a floor of %d the innermost row that is likely and not below it comes first: %s',
  (similarity, floor, row) => {
    const nodes = { a: ['style_x', 'brand_x'], b: ['style_x', 'brand_x'], c: ['style_y', 'brand_x'] };
    const context = new MatchContext(products(similarity, similarity, similarity), ancestryOf(nodes), MODEL);
    expect(context.rows(floor, () => true)[0]?.id).toBe(row);
  },
);
