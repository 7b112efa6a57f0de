import fc from 'fast-check';
import { type Candidate, candidatesOf, shortlistOf } from '../../models/vision/candidates';
import { UNCALIBRATED } from '../../models/vision/confidence';
import type { ChoiceModel } from '../../models/vision/embedding-model';
import { type Ancestry, Sighting } from '../../models/vision/matches';

const none = { constant: 2, similarity: 0, nearest: 0, views: 0, others: 0, spread: 0 };
const model: ChoiceModel = { kind: 'choice', candidate: { nearest: 2, views: 2 }, none, kin: 0.5 };

const candidate = (id: string, ...byPhoto: readonly number[]): Candidate => ({
  id,
  similarity: byPhoto.reduce((sum, each) => sum + each, 0) / byPhoto.length,
  byPhoto: byPhoto.map((similarity) => [similarity]),
  imageId: 1,
});

const noAncestry = new Map<string, readonly string[]>();
const lineage = (ids: readonly string[], ...nodes: string[]) =>
  ids.map((id): [string, string[]] => [id, nodes]);

const sightingOf = (candidates: readonly Candidate[], ancestry: Ancestry = noAncestry) =>
  new Sighting(candidates, ancestry, model);

/** The rows of an answer, where every taxonomy row still exists. */
const rowsOf = (candidates: readonly Candidate[], ancestry: Ancestry, floor: number) =>
  sightingOf(candidates, ancestry).rows(floor, () => true);

const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

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
    expect(candidatesOf(neighbours)).toEqual([
      { id: 'product_b', similarity: 0.75, byPhoto: [[0.625, 0.75]], imageId: 1 },
    ]);
  });

  test('come first when more views see them, at an equally near pair', () => {
    const [few, many] = ['product_a', 'product_b'].map((id) => candidate(id, 0.75)) as [Candidate, Candidate];
    const seen = [
      { ...few, byPhoto: [[0.75, 0.25]] },
      { ...many, byPhoto: [[0.75, 0.5]] },
    ];
    expect(idsOf(sightingOf(seen).products)).toEqual(['product_b', 'product_a']);
  });

  test('that are looked at are those nearest to any of the photos', () => {
    const crowd = Array.from({ length: 30 }, (_, index) =>
      candidate(`product_${index}`, 0.5, 0.5 - index / 100),
    );
    const own = candidate('product_own', 0, 0.9);
    const shortlist = idsOf(shortlistOf([...crowd, own]));
    expect(shortlist).toContain('product_own');
    expect(shortlist).toHaveLength(21);
  });
});

// contract 7.9
describe('Confidence', () => {
  const similarity = fc.double({ min: -1, max: 1, noNaN: true });
  const seen = fc
    .record({ photos: fc.integer({ min: 1, max: 5 }), views: fc.integer({ min: 1, max: 4 }) })
    .chain(({ photos, views }) =>
      fc.array(
        fc.array(fc.array(similarity, { minLength: views, maxLength: views }), {
          minLength: photos,
          maxLength: photos,
        }),
        { minLength: 1, maxLength: 45 },
      ),
    );
  const weight = fc.double({ min: -100, max: 100, noNaN: true });
  const models = fc.record({
    kind: fc.constant('choice' as const),
    candidate: fc.record({ nearest: weight, views: weight }),
    none: fc.record({
      constant: weight,
      similarity: weight,
      nearest: weight,
      views: weight,
      others: weight,
      spread: weight,
    }),
    kin: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  const brands = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 45, maxLength: 45 });

  test('of products sums to at most 1, whatever photos show and whatever the weights', () => {
    fc.assert(
      fc.property(
        seen,
        models,
        brands,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (views, weights, kinds, floor) => {
          const shortlist = shortlistOf(
            views.map((byPhoto, at) => ({ ...candidate(`product_${at}`), byPhoto, similarity: 0 })),
          );
          const ancestry = new Map(
            shortlist.map(({ id }, at) => [
              id,
              [`style_${at % 9}_${kinds[at % 3]}`, `brand_${kinds[at % 3]}`],
            ]),
          );
          const sighting = new Sighting(shortlist, ancestry, weights);
          const rows = sighting.rows(floor, () => true);
          const products = rows.filter(({ id }) => id.startsWith('product_'));
          const confidences = rows.map(({ confidence }) => confidence);
          expect(products.reduce((sum, { confidence }) => sum + confidence, 0)).toBeLessThanOrEqual(1);
          expect(sighting.products.reduce((sum, { confidence }) => sum + confidence, 0)).toBeLessThanOrEqual(
            1,
          );
          expect(confidences).toEqual([...confidences].sort((left, right) => right - left));
          expect(confidences.every((each) => each >= 0 && each <= 1)).toBe(true);
          expect(new Set(idsOf(rows)).size).toBe(rows.length);
          expect(rows.length).toBeLessThanOrEqual(10);
          for (const { id, confidence } of products) {
            const levels = sighting.evidenceFor(id)?.levels.map((level) => level.confidence) ?? [];
            expect([confidence, ...levels]).toEqual(
              [confidence, ...levels].sort((left, right) => left - right),
            );
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test('grows with similarity and with the lead over the next product', () => {
    const first = (best: number, next: number) =>
      sightingOf([candidate('product_a', best), candidate('product_b', next)]).products[0]?.confidence ?? 0;
    expect(first(0.95, 0.8)).toBeGreaterThan(first(0.9, 0.75));
    expect(first(0.9, 0.6)).toBeGreaterThan(first(0.9, 0.8));
  });

  test('of a product that several photos agree on is more than that of one photo', () => {
    const one = sightingOf([candidate('product_a', 0.7), candidate('product_b', 0.5)]);
    const two = sightingOf([candidate('product_a', 0.7, 0.7), candidate('product_b', 0.5, 0.5)]);
    expect(two.products[0]?.confidence).toBeGreaterThan(one.products[0]?.confidence ?? 1);
  });
});

// contract 7.10
describe('When neighbours disagree about the product', () => {
  const twins = [candidate('product_a', 0.9), candidate('product_b', 0.9), candidate('product_c', 0.4)];

  test('and none reaches the floor, the row that does is the answer with its products', () => {
    const ancestry = new Map(lineage(['product_a', 'product_b'], 'style_s', 'brand_x'));
    expect(idsOf(rowsOf(twins, ancestry, 0.83))).toEqual(['style_s', 'product_a', 'product_b']);
    expect(rowsOf(twins, noAncestry, 0.83)).toEqual([]);
  });

  test('and about everything else too, no taxonomy row is made up', () => {
    const ancestry = new Map([
      ...lineage(['product_a'], 'style_s', 'brand_x'),
      ...lineage(['product_b'], 'style_t', 'brand_y'),
      ...lineage(['product_c'], 'style_u', 'brand_z'),
    ]);
    expect(idsOf(rowsOf(twins, ancestry, 0))).toEqual(['product_a', 'product_b', 'product_c']);
  });

  test('and agree about a style that was deleted, the model comes first, and the brand when that is gone too', () => {
    const ancestry = new Map(lineage(['product_a', 'product_b'], 'style_s', 'model_m', 'brand_x'));
    const first = (...deleted: string[]) =>
      sightingOf(twins, ancestry).rows(0.05, (id) => !deleted.includes(id))[0]?.id;
    expect(first('style_s')).toBe('model_m');
    expect(first('style_s', 'model_m')).toBe('brand_x');
    expect(first('style_s', 'model_m', 'brand_x')).toBe('product_a');
  });

  test('a brand is not sure merely because every candidate is of it', () => {
    const far = ['a', 'b', 'c'].map((id) => candidate(`product_${id}`, -0.5));
    const ancestry = new Map(lineage(['product_a', 'product_b', 'product_c'], 'brand_x'));
    expect(rowsOf(far, ancestry, 0)[0]?.id).toBe('product_a');
  });

  test('a product that is sure stands before its brand', () => {
    const sure = [candidate('product_a', 0.95), candidate('product_b', 0.6)];
    const ancestry = new Map(lineage(['product_a', 'product_b'], 'brand_x'));
    expect(rowsOf(sure, ancestry, 0)[0]?.id).toBe('product_a');
  });
});

/** The stand-in for a calibration that nobody has fitted. */
describe('A model that nobody has calibrated', () => {
  const claimed = (best: number, ...others: readonly number[]): number => {
    const candidates = [best, ...others].map((similarity, at) => candidate(`product_${at}`, similarity));
    return new Sighting(candidates, noAncestry, UNCALIBRATED.confidence).products[0]?.confidence ?? 0;
  };
  const crowd = (similarity: number) => Array.from({ length: 19 }, () => similarity);

  test('claims little: a picture that matches perfectly, as another does, is no sure answer', () => {
    expect(claimed(1, 1)).toBeLessThan(0.4);
    expect(claimed(0.9, ...crowd(0.85))).toBeLessThan(0.3);
    expect(claimed(0.6, ...crowd(0.5))).toBeLessThan(0.05);
  });

  test('claims more with the similarity and with the lead, and is sure of what stands alone', () => {
    expect(claimed(0.9, ...crowd(0.7))).toBeGreaterThan(claimed(0.8, ...crowd(0.7)));
    expect(claimed(0.9, ...crowd(0.6))).toBeGreaterThan(claimed(0.9, ...crowd(0.7)));
    expect(claimed(1, ...crowd(0.5))).toBeGreaterThan(0.85);
  });
});
