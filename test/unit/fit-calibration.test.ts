import { calibrationFiguresOf } from '../../models/indexing/figures';
import {
  fitChoiceModel,
  floorFor,
  judged,
  type LabelledSighting,
} from '../../models/indexing/fit-calibration';
import { comparisonOf } from '../../models/indexing/promotion-gates';
import { Random } from '../../models/random';
import { type Candidate, mean } from '../../models/vision/candidates';
import { judge, UNCALIBRATED } from '../../models/vision/confidence';
import type { ChoiceModel } from '../../models/vision/embedding-model';

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
