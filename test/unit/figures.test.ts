import { calibrationFiguresOf, rejectionFiguresOf, shareOf } from '../../models/indexing/figures';

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

  test('rejection is the chance that a right answer is surer, and what slips through when 95 % of them pass', () => {
    const right = Array.from({ length: 20 }, (_, index) => (index + 1) / 20);
    expect(rejectionFiguresOf(right, [0, 0, 0])).toEqual({ auroc: 1, falseAcceptsAt95: 0 });
    expect(rejectionFiguresOf([0.5], [0.5, 0.5]).auroc).toBe(0.5);
    const { auroc, falseAcceptsAt95 } = rejectionFiguresOf(right, [0.075, 0.1, 0.5, 0.825]);
    expect(auroc).toBeCloseTo((19 + 18.5 + 10.5 + 4) / 80);
    expect(falseAcceptsAt95).toBe(0.75);
  });
});
