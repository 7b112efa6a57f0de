import fc from 'fast-check';
import { GrowthLadder } from '../../scripts/lab/generator/growth-ladder';

const ladders = fc.record({
  seed: fc.integer(),
  scale: fc.integer({ min: 1, max: 6 }),
  power: fc.constantFrom(1, 2),
  children: fc.integer({ min: 1, max: 1500 }),
});

describe('growth ladder', () => {
  test('numbers each parent’s children from 0 without gap or repetition, and counts the parents right', () => {
    fc.assert(
      fc.property(ladders, ({ seed, scale, power, children }) => {
        const ladder = new GrowthLadder(seed, scale, power);
        const next = new Map<number, number>();
        const wrong: number[] = [];
        for (let child = 0; child < children; child++) {
          const { parent, ordinal } = ladder.place(child);
          if (ordinal !== (next.get(parent) ?? 0)) wrong.push(child);
          next.set(parent, ordinal + 1);
          if (ladder.parentsAmong(child + 1) !== next.size) wrong.push(child);
        }
        expect(wrong).toEqual([]);
        expect(Math.max(...next.keys())).toBe(next.size - 1);
      }),
      { numRuns: 40 },
    );
  });

  test('places a child the same whether or not others were placed before it', () => {
    fc.assert(
      fc.property(ladders, ({ seed, scale, power, children }) => {
        const used = new GrowthLadder(seed, scale, power);
        for (let child = 0; child < 50; child++) used.place(child * 7);
        expect(used.place(children)).toEqual(new GrowthLadder(seed, scale, power).place(children));
      }),
    );
  });

  test('has parents grow slower than children', () => {
    const ladder = new GrowthLadder(1, 4, 2);
    expect(ladder.parentsAmong(500_000) / 500_000).toBeLessThan(0.25 * (ladder.parentsAmong(5000) / 5000));
  });
});
