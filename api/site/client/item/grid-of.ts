/** Round values that hold all given ones between the first and the last: three to six, evenly apart. */
export function gridOf(values: readonly number[]): number[] {
  const lowest = Math.min(...values);
  const highest = Math.max(...values);
  const spread = highest - lowest || highest * 0.2 || 1;
  const rough = spread / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((each) => each * power >= rough) ?? 10) * power;
  const from = Math.max(0, Math.floor((lowest - spread * 0.1) / step));
  const to = Math.ceil((highest + spread * 0.1) / step);
  return Array.from({ length: to - from + 1 }, (_, at) => (from + at) * step);
}
