import pMap from 'p-map';

/** A cell of a table. */
export type Cell = string | number;

/** A finished measurement: one table, and whatever else is worth keeping. */
export interface Measurement {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  readonly notes: readonly string[];
}

/** The value below which a share of the values lie, by the nearest-rank method; NaN of nothing. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** So many percentiles of the values as cells, which are empty for those of nothing. */
export const percentiles = (
  values: readonly number[],
  digits: number,
  ...shares: readonly number[]
): string[] => shares.map((share) => (values.length === 0 ? '' : percentile(values, share).toFixed(digits)));

/** Runs `count` tasks with at most `concurrency` at a time and answers how long each took, and all together, in ms. */
export async function runConcurrently(
  count: number,
  concurrency: number,
  task: (index: number) => Promise<unknown>,
): Promise<{ each: number[]; totalMs: number }> {
  const each: number[] = [];
  const startedAt = performance.now();
  const timed = async (index: number): Promise<void> => {
    const from = performance.now();
    await task(index);
    each.push(performance.now() - from);
  };
  await pMap(Array(count).keys(), timed, { concurrency });
  return { each, totalMs: performance.now() - startedAt };
}
