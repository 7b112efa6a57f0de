import { comparisonOf } from '../../models/indexing/compare-versions';
import { calibrationFiguresOf } from '../../models/indexing/figures';
import { fitCalibration } from '../../models/indexing/fit-calibration';
import { Random } from '../../models/random';
import { confidenceOf, type Signals } from '../../models/vision/confidence';

const signals = (similarity: number, margin: number): Signals => ({
  similarity,
  margin,
  whole: similarity,
  lead: 0,
  viewLead: 0,
  consensus: 1,
  prominence: 2,
});

/** Answers that are right as often as a known rule says. */
function answersOf(seed: string, count: number) {
  const random = new Random(seed);
  return Array.from({ length: count }, () => {
    const given = signals(random.between(0, 1), random.between(0, 0.4));
    const truth = 1 / (1 + Math.exp(-(-4 + 5 * given.similarity + 10 * given.margin)));
    return { signals: given, right: random.chance(truth) };
  });
}

// contract 7.9
test('a fitted confidence can be believed on answers that it was not fitted on', () => {
  const calibration = fitCalibration(answersOf('fit', 4_000), answersOf('above', 4_000));
  if (!calibration) throw new Error('nothing was fitted');
  const judged = answersOf('judge', 4_000).map((answer) => ({
    confidence: confidenceOf(calibration.confidence, answer.signals),
    right: answer.right,
  }));
  expect(calibrationFiguresOf(judged).ece).toBeLessThan(0.03);
  const sure = confidenceOf(calibration.confidence, signals(0.95, 0.35));
  expect(sure).toBeGreaterThan(0.9);
  expect(confidenceOf(calibration.confidence, signals(0.1, 0))).toBeLessThan(0.1);
});

test('rows above products are judged by what was right of them', () => {
  const always = answersOf('above', 500).map((answer, index) => ({ ...answer, right: index % 10 > 0 }));
  const calibration = fitCalibration(answersOf('fit', 500), always);
  if (!calibration?.taxonomy) throw new Error('nothing was fitted');
  for (const similarity of [0.1, 0.9])
    expect(confidenceOf(calibration.taxonomy, signals(similarity, 0.1))).toBeCloseTo(0.9, 1);
});

test('nothing is fitted where there is nothing to learn', () => {
  expect(fitCalibration([], answersOf('above', 500))).toBeNull();
  expect(fitCalibration(answersOf('fit', 500), [])).not.toHaveProperty('taxonomy');
  const right = answersOf('fit', 500).map((answer) => ({ ...answer, right: true }));
  expect(fitCalibration(right, [])).toBeNull();
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
