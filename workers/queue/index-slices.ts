/** Images of one index job: seconds of work, so that progress shows and little is repeated after a crash. */
export const INDEX_JOB_IMAGES = 32;

/** Consecutive parts of at most `size` values. */
export function slices<Value>(values: readonly Value[], size: number): Value[][] {
  const count = Math.ceil(values.length / size);
  return Array.from({ length: count }, (_, part) => values.slice(part * size, (part + 1) * size));
}
