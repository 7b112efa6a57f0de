import type { VersionRecord } from '../../models/indexing/embedding-version';
import { calibrationFiguresOf, comparisonOf, falseAcceptsAt95, shareOf } from '../../models/indexing/figures';
import * as fits from '../../models/indexing/fit-calibration';
import { type PromotionState, promotionFaults } from '../../models/indexing/promotion-gates';
import { Random } from '../../models/random';
import { type Candidate, mean } from '../../models/vision/candidates';
import { judge, UNCALIBRATED } from '../../models/vision/confidence';
import type { ChoiceModel } from '../../models/vision/embedding-model';
import { modelManifest } from '../support/model-manifest';

describe('Figures of an evaluation', () => {
  // Values of Newcombe (1998), table I.
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
    [0, 0, 0, 1],
  ])('a share, %d of %d, has the limits of Wilson', (right, of, low, high) => {
    const limits = { low: expect.closeTo(low, 4), high: expect.closeTo(high, 4) };
    expect(shareOf(right, of)).toEqual({ right, of, ...limits });
  });

  test('calibration is the mean distance between claimed and true, by bin', () => {
    const answers = [
      ...Array.from({ length: 8 }, (_, index) => ({ confidence: 0.75, right: index < 6 })),
      { confidence: 1, right: false },
      { confidence: 0.95, right: true },
    ];
    const { ece, brier, bins } = calibrationFiguresOf(answers);
    expect(bins).toMatchObject([
      { from: 0.7, count: 8, right: 6 },
      { from: 0.9, count: 2, right: 1 },
    ]);
    expect(ece).toBeCloseTo(0.2 * (0.975 - 0.5));
    expect(brier).toBeCloseTo((6 * 0.0625 + 2 * 0.5625 + 1 + 0.0025) / 10);
  });

  test('unknown items as sure as 95 % of the right answers are accepted', () => {
    const right = Array.from({ length: 20 }, (_, index) => (index + 1) / 20);
    expect(falseAcceptsAt95(right, [0, 0, 0])).toBe(0);
    expect(falseAcceptsAt95(right, [0.075, 0.1, 0.5, 0.825])).toBe(0.75);
  });

  test('two versions are compared query by query, with limits that hold the true difference', () => {
    const random = new Random('pairs');
    const pairs = Array.from({ length: 600 }, (_, index) => ({
      product: `product_${Math.floor(index / 3)}`,
      candidateRight: random.chance(0.9),
      liveRight: random.chance(0.8),
      same: index % 2 === 0,
    }));
    const comparison = comparisonOf(pairs);
    expect(comparison?.agreement).toBe(0.5);
    const { mean = 0, low = 0, high = 0 } = comparison?.difference ?? {};
    expect(mean).toBeCloseTo(((comparison?.wins ?? 0) - (comparison?.losses ?? 0)) / 600);
    expect([low < 0.1, high > 0.1, low > 0, high - low < 0.12]).toEqual([true, true, true, true]);
    expect(comparisonOf([])).toBeNull();
  });
});

describe('a calibration', () => {
  /** The model by which these examples are drawn. */
  const TRUTH: ChoiceModel = {
    kind: 'choice',
    candidate: { nearest: 3, views: 1.5 },
    none: { constant: -6, similarity: 4, nearest: 0, views: 0, others: 12, spread: 0 },
    kin: 1,
  };

  /** Examples whose right products are drawn by that model. */
  function examples(seed: string, count: number): fits.LabelledExample[] {
    const random = new Random(seed);
    return Array.from({ length: count }, (_, number) => {
      const usual = random.between(0.2, 0.6);
      const shortlist = Array.from({ length: 12 }, (_, index): Candidate => {
        const best = Math.min(0.99, usual + random.between(0, index < 3 ? 0.4 : 0.1));
        return { id: `product_${index}`, similarity: mean([best]), byPhoto: [[best, usual]], imageId: index };
      });
      const chance = random.next();
      let sum = 0;
      const shown = judge(shortlist, TRUTH).find(({ confidence }) => {
        sum += confidence;
        return chance < sum;
      });
      const ancestry = new Map(shortlist.map(({ id }, index) => [id, [index < 6 ? 'brand_x' : 'brand_y']]));
      return {
        ...{ item: `${seed} ${number}`, shortlist, ancestry },
        products: shown ? [shown.candidate.id] : [],
        above: new Set(shown ? ancestry.get(shown.candidate.id) : []),
      };
    });
  }

  // contract 7.9
  test('a fitted confidence is reliable for every row, on answers that it was not fitted on', () => {
    const model = fits.fitChoiceModel(examples('fit', 1_200), UNCALIBRATED.confidence);
    if (!model) throw new Error('nothing was fitted');
    const asked = examples('judge', 1_200);
    const rows = asked.map((each) => fits.judged(each, model).products);
    expect(calibrationFiguresOf(rows.flatMap((each) => each.slice(0, 1))).ece).toBeLessThan(0.045);
    expect(calibrationFiguresOf(rows.flat()).ece).toBeLessThan(0.01);
    const untaught = asked.flatMap((each) => fits.judged(each, UNCALIBRATED.confidence).products.slice(0, 1));
    expect(calibrationFiguresOf(untaught).ece).toBeGreaterThan(0.05);
  });

  test('taxonomy rows get the share of "none of them" for which they were right', () => {
    const without = examples('kin', 1_000);
    const half = without.map((each, number) =>
      each.products.length === 0 && number % 2 === 0 ? { ...each, above: new Set(['brand_x']) } : each,
    );
    const kinOf = (among: fits.LabelledExample[]) => fits.fitChoiceModel(among, UNCALIBRATED.confidence)?.kin;
    expect(kinOf(half)).toBeLessThan(kinOf(without) ?? 0);
  });

  test('few answers change little, and answers without information change nothing', () => {
    expect(fits.fitChoiceModel([], TRUTH)).toBeNull();
    const right = examples('fit', 500).map((each) => ({
      ...each,
      products: [fits.judged(each, TRUTH).products[0]?.id ?? ''],
    }));
    expect(fits.fitChoiceModel(right, TRUTH)).toBeNull();
    for (const count of [60, 1_000])
      expect(fits.fitChoiceModel(examples('few', count), TRUTH)?.candidate.nearest).toBeCloseTo(3, -1);
  });

  test('the floor is the lowest at which at most a fifth of unknown items is answered with a product first', () => {
    const asked = examples('floor', 1_000).map((each) => ({ ...each, ancestry: new Map() }));
    const floor = fits.floorFor(asked, TRUTH);
    const firsts = asked
      .filter(({ products }) => products.length === 0)
      .map((each) => fits.judged(each, TRUTH).products[0]?.confidence ?? 0);
    const answered = (from: number) => firsts.filter((first) => first >= from).length / firsts.length;
    expect(answered(floor)).toBeLessThanOrEqual(0.2);
    expect(answered(floor - 0.01)).toBeGreaterThan(0.2);
  });
});

describe('a promotion', () => {
  const evaluation = {
    at: '2026-01-02T00:00:00.000Z',
    images: 100,
    candidate: { ann: [{ filter: 'none', selectivity: 1, recall: 0.99 }] },
    live: { versionId: 1 },
    comparison: { difference: { mean: -0.01, low: -0.03, high: 0.01 } },
  } as unknown as VersionRecord['evaluation'];

  const version: VersionRecord = {
    ...{ id: 2, model: 'eye@2.0.0', manifest: modelManifest('eye', 4, 1), state: 'building' },
    ...{ adaptation: null, promotedAt: null, previousCalibration: null, calibratedAt: null },
    createdAt: new Date('2026-01-01T00:00:00Z'),
    builtAt: new Date('2026-01-01T12:00:00Z'),
    ...{ maintained: true, evaluation },
  };

  const covering = (pending: number, done: number, failed = 0) => ({ coverage: { pending, done, failed } });
  const ready: PromotionState = {
    ...{ version, isIndexed: true, liveId: 1 },
    ...covering(0, 100, 2),
    readiness: [{ worker: 'host:1', versionId: 2, fault: null }],
  };
  const far = { worker: 'far:7', versionId: 2, fault: 'not installed' };

  const of = (change: Partial<VersionRecord>) => ({ version: { ...version, ...change } });
  const judgedAs = (change: object) =>
    of({ evaluation: { ...evaluation, ...change } as VersionRecord['evaluation'] });
  const worse = { difference: { mean: -0.05, low: -0.08, high: -0.02 } };
  const lossy = { ann: [{ filter: 'watches', selectivity: 0.1, recall: 0.9 }] };

  test('is allowed for a version that is complete, ready everywhere, and judged no worse', () => {
    expect(promotionFaults(ready)).toEqual([]);
  });

  test.each<[string, Partial<PromotionState>, RegExp]>([
    ['images are missing', covering(3, 96, 1), /3 of 100 images are not embedded/],
    ['it was never complete', of({ builtAt: null }), /never proven/],
    ['every image failed', { ...judgedAs({ images: 0 }), ...covering(0, 0, 9) }, /none of its 9 images/],
    ['it has no index', { isIndexed: false }, /no index/],
    ['a worker cannot load its model', { readiness: [...ready.readiness, far] }, /^far:7: not installed$/],
    ['it was not judged', of({ evaluation: null }), /not evaluated/],
    ['it has no calibration', of({ manifest: { ...version.manifest, calibration: null } }), /not calibrated/],
    ['it was judged against another version', { liveId: 7 }, /against version 1, which is not live/],
    ['it was judged before it was built', judgedAs({ at: '2026-01-01T11:00:00.000Z' }), /before its build/],
    ['the catalog has changed since', judgedAs({ images: 80 }), /with 80 images and has 100 now/],
    ['it is surely worse', judgedAs({ comparison: worse }), /-5\.0 points \(-8\.0 points to -2\.0 points\)/],
    ['its index loses neighbours', judgedAs({ candidate: lossy }), /90\.0 % .* \(watches\)/],
  ])('is refused with the reason when %s', (_what, change, reason) => {
    expect(promotionFaults({ ...ready, ...change })).toEqual([expect.stringMatching(reason)]);
  });
});
