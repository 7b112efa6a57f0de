/**
 * Applies `work` to every value with at most `limit` at the same time; the results are in the order of the values.
 * Stops at the first failure, which it throws once nothing runs any more.
 */
export async function mapInOrder<Value, Result>(
  values: readonly Value[],
  limit: number,
  work: (value: Value) => Promise<Result>,
): Promise<Result[]> {
  const results = new Map<number, Result>();
  const remaining = values.entries();
  let failed = false;
  const lane = async (): Promise<void> => {
    for (const [index, value] of remaining) {
      if (failed) return;
      try {
        results.set(index, await work(value));
      } catch (failure) {
        failed = true;
        throw failure;
      }
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(limit, values.length) }, lane));
  for (const each of lanes) if (each.status === 'rejected') throw each.reason;
  return [...results].sort(([left], [right]) => left - right).map(([, result]) => result);
}
