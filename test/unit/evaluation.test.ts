import type { VersionRecord } from '../../models/indexing/embedding-version';
import {
  calibrationFiguresOf,
  comparisonOf,
  type Evaluation,
  falseAcceptsAt95,
  shareOf,
} from '../../models/indexing/figures';
import {
  fitChoiceModel,
  floorFor,
  judged,
  type LabelledSighting,
} from '../../models/indexing/fit-calibration';
import { type PromotionState, promotionFaults } from '../../models/indexing/promotion-gates';
import { Random } from '../../models/random';
import { type Candidate, mean } from '../../models/vision/candidates';
import { judge, UNCALIBRATED } from '../../models/vision/confidence';
import type { ChoiceModel } from '../../models/vision/embedding-model';
import { modelManifest } from '../support/model-manifest';

describe('Figures of an evaluation', () => {
  test('a share has the limits of Wilson', () => {
    // Values of Newcombe (1998), table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
    for (const [right, of, low, high] of [
      [81, 263, 0.2553, 0.3662],
      [15, 148, 0.0624, 0.1605],
      [0, 20, 0, 0.1611],
      [1, 29, 0.0061, 0.1718],
    ] as const) {
      const share = shareOf(right, of);
      expect(share.low).toBeCloseTo(low, 4);
      expect(share.high).toBeCloseTo(high, 4);
    }
    expect(shareOf(0, 0)).toEqual({ right: 0, of: 0, low: 0, high: 1 });
  });

  test('calibration is the mean distance between claimed and true, by bin', () => {
    const answers = [
      ...Array.from({ length: 8 }, (_, index) => ({ confidence: 0.75, right: index < 6 })),
      { confidence: 1, right: false },
      { confidence: 0.95, right: true },
    ];
    const { ece, brier, bins } = calibrationFiguresOf(answers);
    expect(bins.map(({ from, count, right }) => [from, count, right])).toEqual([
      [0.7, 8, 6],
      [0.9, 2, 1],
    ]);
    expect(ece).toBeCloseTo(0.2 * (0.975 - 0.5));
    expect(brier).toBeCloseTo((6 * 0.0625 + 2 * 0.5625 + 1 + 0.0025) / 10);
  });

  test('unknown items are accepted that are as sure as 95 % of the right answers', () => {
    const right = Array.from({ length: 20 }, (_, index) => (index + 1) / 20);
    expect(falseAcceptsAt95(right, [0, 0, 0])).toBe(0);
    expect(falseAcceptsAt95(right, [0.075, 0.1, 0.5, 0.825])).toBe(0.75);
  });
});

describe('a calibration', () => {
  /** How photos come to show what they show, in these tests. */
  const TRUTH: ChoiceModel = {
    kind: 'choice',
    candidate: { nearest: 3, views: 1.5 },
    none: { constant: -6, similarity: 4, nearest: 0, views: 0, others: 12, spread: 0 },
    kin: 1,
  };

  /** What photos find, and show as often as a known rule says. */
  function sightings(seed: string, count: number, photos = 1): LabelledSighting[] {
    const random = new Random(seed);
    return Array.from({ length: count }, (_, number) => {
      const usual = random.between(0.2, 0.6);
      const shortlist = Array.from({ length: 12 }, (_, index): Candidate => {
        const byPhoto = Array.from({ length: photos }, () => [
          Math.min(0.99, usual + random.between(0, index < 3 ? 0.4 : 0.1)),
          usual,
        ]);
        return {
          id: `product_${index}`,
          similarity: mean(byPhoto.map(([best = 0]) => best)),
          byPhoto,
          imageId: index,
        };
      });
      const chance = random.next();
      let sum = 0;
      const shown = judge(shortlist, TRUTH).find(({ confidence }) => {
        sum += confidence;
        return chance < sum;
      });
      const ancestry = new Map(shortlist.map(({ id }, index) => [id, [index < 6 ? 'brand_x' : 'brand_y']]));
      return {
        item: `${seed} ${number}`,
        shortlist,
        ancestry,
        products: shown ? [shown.candidate.id] : [],
        above: new Set(shown ? ancestry.get(shown.candidate.id) : []),
      };
    });
  }

  const rowsUnder = (model: ChoiceModel, among: readonly LabelledSighting[]) =>
    among.map((each) => judged(each, model).products);

  // contract 7.9
  test('a fitted confidence can be believed of every row, on answers that it was not fitted on', () => {
    const model = fitChoiceModel(sightings('fit', 1_200), UNCALIBRATED.confidence);
    if (!model) throw new Error('nothing was fitted');
    const rows = rowsUnder(model, sightings('judge', 1_200));
    expect(calibrationFiguresOf(rows.flatMap((each) => each.slice(0, 1))).ece).toBeLessThan(0.045);
    expect(calibrationFiguresOf(rows.flat()).ece).toBeLessThan(0.01);
    const untaught = rowsUnder(UNCALIBRATED.confidence, sightings('judge', 1_200));
    expect(calibrationFiguresOf(untaught.flatMap((each) => each.slice(0, 1))).ece).toBeGreaterThan(0.05);
  });

  test('taxonomy rows claim of "none of them" what was right of them', () => {
    const unknownOfTheBrand = sightings('kin', 1_000).map((each, number) =>
      each.products.length === 0 && number % 2 === 0 ? { ...each, above: new Set(['brand_x']) } : each,
    );
    const [without, half] = [sightings('kin', 1_000), unknownOfTheBrand].map(
      (each) => fitChoiceModel(each, UNCALIBRATED.confidence)?.kin ?? 0,
    ) as [number, number];
    expect(half).toBeLessThan(without);
  });

  test('little is learned of few answers, and nothing where there is nothing to learn', () => {
    expect(fitChoiceModel([], TRUTH)).toBeNull();
    const right = sightings('fit', 500).map((each) => ({ ...each, products: [judgedFirst(each)] }));
    expect(fitChoiceModel(right, TRUTH)).toBeNull();
    const [few, many] = [60, 1_000].map((count) => fitChoiceModel(sightings('few', count), TRUTH)) as [
      ChoiceModel,
      ChoiceModel,
    ];
    for (const model of [few, many]) expect(model.candidate.nearest).toBeCloseTo(TRUTH.candidate.nearest, -1);
  });

  const judgedFirst = (each: LabelledSighting): string => judged(each, TRUTH).products[0]?.id ?? '';

  test('the floor is the least at which a fifth of unknown items is answered with a product first', () => {
    const asked = sightings('floor', 1_000).map((each) => ({ ...each, ancestry: new Map() }));
    const floor = floorFor(asked, TRUTH);
    const unknown = asked.filter(({ products }) => products.length === 0);
    const answered = (from: number) =>
      unknown.filter((each) => (judged(each, TRUTH).products[0]?.confidence ?? 0) >= from).length /
      unknown.length;
    expect(answered(floor)).toBeLessThanOrEqual(0.2);
    expect(answered(floor - 0.01)).toBeGreaterThan(0.2);
  });

  test('two versions are compared query by query, with limits that hold the true difference', () => {
    const random = new Random('pairs');
    const pairs = Array.from({ length: 600 }, (_, index) => ({
      product: `product_${Math.floor(index / 3)}`,
      candidateRight: random.chance(0.9),
      liveRight: random.chance(0.8),
      same: index % 2 === 0,
    }));
    const comparison = comparisonOf(pairs, () => random.next());
    expect(comparison?.agreement).toBe(0.5);
    const { mean = 0, low = 0, high = 0 } = comparison?.difference ?? {};
    expect(mean).toBeCloseTo(((comparison?.wins ?? 0) - (comparison?.losses ?? 0)) / 600);
    expect([low < 0.1, high > 0.1, low > 0, high - low < 0.12]).toEqual([true, true, true, true]);
    expect(comparisonOf([], () => 0)).toBeNull();
  });
});

describe('a promotion', () => {
  const evaluation = {
    at: '2026-01-02T00:00:00.000Z',
    images: 100,
    candidate: { ann: [{ filter: 'none', selectivity: 1, recall: 0.99 }] },
    live: { versionId: 1 },
    comparison: { difference: { mean: -0.01, low: -0.03, high: 0.01 } },
  } as unknown as Evaluation;

  const version: VersionRecord = {
    id: 2,
    model: 'eye@2.0.0',
    manifest: modelManifest('eye', 4, 1),
    state: 'building',
    createdAt: new Date('2026-01-01T00:00:00Z'),
    adaptation: null,
    promotedAt: null,
    builtAt: new Date('2026-01-01T12:00:00Z'),
    maintained: true,
    evaluation,
    previousCalibration: null,
    calibratedAt: null,
  };

  const ready: PromotionState = {
    version,
    coverage: { pending: 0, done: 100, failed: 2 },
    isIndexed: true,
    liveId: 1,
    readiness: [{ worker: 'host:1', versionId: 2, fault: null }],
  };

  const judged = (change: object): PromotionState => ({
    ...ready,
    version: { ...version, evaluation: { ...evaluation, ...change } as Evaluation },
  });

  test('nothing speaks against a version that is complete, ready everywhere, and judged no worse', () => {
    expect(promotionFaults(ready)).toEqual([]);
  });

  test.each<[string, PromotionState, RegExp]>([
    [
      'images are missing',
      { ...ready, coverage: { pending: 3, done: 96, failed: 1 } },
      /3 of 100 images are not embedded/,
    ],
    ['it was never complete', { ...ready, version: { ...version, builtAt: null } }, /never proven/],
    [
      'every image failed',
      { ...judged({ images: 0 }), coverage: { pending: 0, done: 0, failed: 9 } },
      /none of its 9 images/,
    ],
    ['it has no index', { ...ready, isIndexed: false }, /no index/],
    [
      'a worker can not load its model',
      {
        ...ready,
        readiness: [...ready.readiness, { worker: 'far:7', versionId: 2, fault: 'not installed' }],
      },
      /^far:7: not installed$/,
    ],
    ['nobody tried its model', { ...ready, readiness: [] }, /nobody has tried/],
    ['it was not judged', { ...ready, version: { ...version, evaluation: null } }, /not evaluated/],
    [
      'it has no calibration',
      { ...ready, version: { ...version, manifest: { ...version.manifest, calibration: null } } },
      /not calibrated/,
    ],
    [
      'it was judged against another version',
      { ...ready, liveId: 7 },
      /against version 1, which is not live/,
    ],
    ['it was judged before it was complete', judged({ at: '2026-01-01T11:00:00.000Z' }), /before its build/],
    ['the catalog has changed since', judged({ images: 80 }), /with 80 images and has 100 now/],
    [
      'it is surely worse',
      judged({ comparison: { difference: { mean: -0.05, low: -0.08, high: -0.02 } } }),
      /-5\.0 points \(-8\.0 points to -2\.0 points\)/,
    ],
    [
      'its index loses neighbours',
      judged({ candidate: { ann: [{ filter: 'watches', selectivity: 0.1, recall: 0.9 }] } }),
      /90\.0 % .* \(watches\)/,
    ],
  ])('it is said when %s', (_what, state, reason) => {
    const faults = promotionFaults(state);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(reason);
  });
});
