/** A finished measurement: one table, and whatever else is worth keeping. */
export interface Measurement {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  readonly notes: readonly string[];
}

/** The value below which a share of the values lie, by the nearest-rank method; NaN of nothing. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Runs `count` tasks with at most `concurrency` at a time and answers how long each took, and all together, in ms. */
export async function runConcurrently(
  count: number,
  concurrency: number,
  task: (index: number) => Promise<void>,
): Promise<{ each: number[]; totalMs: number }> {
  const each: number[] = [];
  let next = 0;
  const startedAt = performance.now();
  const lane = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      const from = performance.now();
      await task(index);
      each.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, count) }, lane));
  return { each, totalMs: performance.now() - startedAt };
}
