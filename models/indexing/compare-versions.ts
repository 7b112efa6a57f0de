import type { Comparison } from './evaluation';

/** What two versions made of one query of a known item. */
export interface PairedAnswer {
  /** The item; queries of one item stand or fall together. */
  readonly product: string;
  readonly candidateRight: boolean;
  readonly liveRight: boolean;
  /** Whether both have the same item first. */
  readonly same: boolean;
}

const RESAMPLES = 1_000;

/**
 * The candidate against the live version, query by query. The limits of the difference are those of a bootstrap over
 * items.
 *
 * @param random numbers from 0 to 1
 */
export function comparisonOf(answers: readonly PairedAnswer[], random: () => number): Comparison | null {
  if (answers.length === 0) return null;
  const items = [...groupedByProduct(answers).values()];
  const drawn = Array.from({ length: RESAMPLES }, () => {
    let gain = 0;
    let queries = 0;
    for (let draw = 0; draw < items.length; draw += 1) {
      const item = items[Math.floor(random() * items.length)];
      gain += item?.gain ?? 0;
      queries += item?.queries ?? 0;
    }
    return gain / Math.max(1, queries);
  }).sort((left, right) => left - right);
  const count = (which: (answer: PairedAnswer) => boolean) => answers.filter(which).length;
  const wins = count(({ candidateRight, liveRight }) => candidateRight && !liveRight);
  const losses = count(({ candidateRight, liveRight }) => !candidateRight && liveRight);
  return {
    wins,
    losses,
    agreement: count(({ same }) => same) / answers.length,
    difference: {
      mean: (wins - losses) / answers.length,
      low: drawn[Math.floor(0.025 * RESAMPLES)] ?? 0,
      high: drawn[Math.ceil(0.975 * RESAMPLES) - 1] ?? 0,
    },
  };
}

function groupedByProduct(
  answers: readonly PairedAnswer[],
): ReadonlyMap<string, { gain: number; queries: number }> {
  const items = new Map<string, { gain: number; queries: number }>();
  for (const { product, candidateRight, liveRight } of answers) {
    const item = items.get(product) ?? { gain: 0, queries: 0 };
    item.gain += Number(candidateRight) - Number(liveRight);
    item.queries += 1;
    items.set(product, item);
  }
  return items;
}
