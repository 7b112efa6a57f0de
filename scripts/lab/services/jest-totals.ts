/** How many tests of a run passed, failed and did not run. */
export interface JestTotals {
  readonly passed: number;
  /** Failed tests, and files that could not be run at all. */
  readonly failed: number;
  /** Skipped and planned (`todo`) tests. */
  readonly notRun: number;
}

/**
 * Reads the totals from the text that `jest --json --outputFile` writes.
 * @throws Error when it is not such a text.
 */
export function jestTotals(text: string): JestTotals {
  const report: Record<string, unknown> = JSON.parse(text);
  const count = (name: string) => {
    const value = report[name];
    if (typeof value !== 'number') throw new Error(`a Jest report without ${name}`);
    return value;
  };
  return {
    passed: count('numPassedTests'),
    failed: count('numFailedTests') + count('numRuntimeErrorTestSuites'),
    notRun: count('numPendingTests') + count('numTodoTests'),
  };
}
