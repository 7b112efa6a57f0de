/** What is promised of a catalog that is written and read at once, as a violation of it is reported. */
export const PROMISES = {
  whole: 'a row is of one version of each record that it shows (contract 13.8, 15.5)',
  written: 'what a row shows was written (contract 15.5)',
  current: 'a row shows nothing older than what was accepted or seen before (contract 4.14, 15.4)',
  gone: 'what is deleted is not shown any more (contract 4.14, 15.6)',
  present: 'what was there all the while is in every answer that it belongs to (contract 4.14)',
  oneState: 'an answer is of one state of the catalog (contract 4.14)',
  counted: 'total and facet counts are those of the rows (contract 4.10, 4.15)',
  ordered: 'rows come once and in order (contract 4.13)',
  walked: 'cursors neither repeat nor skip what stands still (contract 4.18)',
  accepted: 'a good record is accepted (contract 15.3)',
  status: 'every call is answered: done, or the record is not there (contract 11.2)',
  identified: 'a photo is answered under a version that is live, the same photo alike (contract 14.6)',
  stands:
    'at the end the last whole record stands, once, with all that follows from it (contract 13.8, 15.5)',
} as const;

export type PromiseName = keyof typeof PROMISES;

/** A promise that was not kept. */
export interface Violation {
  readonly promise: PromiseName;
  readonly detail: string;
}

const EXAMPLES_MAX = 5;

/** Counts promises that were not kept, with the first few examples of each. */
export class Violations {
  readonly #counts = new Map<PromiseName, number>();
  readonly #examples = new Map<PromiseName, string[]>();

  note({ promise, detail }: Violation): void {
    this.#counts.set(promise, (this.#counts.get(promise) ?? 0) + 1);
    const examples = this.#examples.get(promise) ?? [];
    if (examples.length < EXAMPLES_MAX) this.#examples.set(promise, [...examples, detail]);
  }

  /** A sentence for each promise that was not kept; empty when all were. */
  sentences(): string[] {
    return Array.from(this.#counts, ([promise, count]) => {
      const examples = (this.#examples.get(promise) ?? []).join('; ');
      return `${count} times not kept: ${PROMISES[promise]}: ${examples}`;
    });
  }
}
