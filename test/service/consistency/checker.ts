import type { QueryAnswer } from '../../../api/client/schema';
import { type Matches, RecordHistory, type Span } from './record-history';
import { brandId, type Change, type Row, rowVersionOf, SHELF_SIZE, shelf, versionsIn } from './records';

type Seen = readonly [RecordHistory, number];

export class Checker {
  /** What is wrong with single answers; `conclude` adds the rest. */
  readonly faults: string[] = [];
  readonly #histories = new Map<string, RecordHistory>();
  readonly #answers: Seen[][] = [];

  wrote({ key, version }: Change, span: Span): void {
    this.#history(key).wrote(version, span);
  }

  /** Only the price of a deleted product may be (contract 13.4). */
  refused({ file, key }: Change, reason: string): void {
    if (file !== 'estimates' || !reason.endsWith(', its product, is deleted'))
      this.faults.push(`${key} was rejected: ${reason}`);
  }

  saw(span: Span, rows: readonly Row[]): void {
    const seen: Seen[] = [];
    for (const row of rows) {
      const versions = versionsIn(row);
      if (!versions) continue;
      const { shown, expected } = versions;
      if (shown !== expected) this.faults.push(`${row.id} is ${shown} instead of ${expected}`);
      for (const [key, version] of versions.seen) {
        this.#history(key).saw(version, span);
        seen.push([this.#history(key), version]);
      }
      if (versions.missing) this.missed(span, versions.missing);
    }
    this.#answers.push(seen);
  }

  missed(span: Span, key: string, matches: Matches = null): void {
    this.#history(key).missed(span, matches);
  }

  /** On one page, all products of a shelf, or all whose version matches: counted, by popularity and then id (contract 4.13). */
  sawShelf(span: Span, answer: QueryAnswer, number: number, matches: Matches): void {
    const { data, total_results: total, facets } = answer;
    this.saw(span, data);
    const wrong = (detail: string) => this.faults.push(`${brandId(number)}: ${detail}`);
    const products = new Set(shelf(number));
    const shown = new Set(data.map(({ id }) => id));
    for (const id of products) if (!shown.has(id)) this.missed(span, id, matches);
    for (const [position, row] of data.entries()) {
      const next = data[position + 1];
      if (next && (row.popularity - next.popularity || (row.id < next.id ? 1 : -1)) < 0)
        wrong(`${next.id} after ${row.id}`);
      if (!products.has(row.id)) wrong(`${row.id} is not of it`);
      if (matches?.(rowVersionOf(row)) === false) wrong(`${row.id} at ${rowVersionOf(row)} does not match`);
    }
    if (total !== data.length || total > SHELF_SIZE) wrong(`${total} in all, and ${data.length} rows`);
    for (const [field, values] of Object.entries(facets ?? {})) {
      const counts = values.map(({ id, count }) => {
        const rows = data.filter(({ attributes }) => attributes?.some((each) => each.id === id)).length;
        if (rows !== count) wrong(`${count} of ${id}, and ${rows} rows`);
        return count;
      });
      const sum = counts.reduce((all, count) => all + count, 0);
      if (sum !== total) wrong(`${sum} by ${field}, and ${total} in all`);
    }
  }

  /** Every fault. Call it last. */
  conclude(): string[] {
    const histories = [...this.#histories.values()].flatMap((history) => [...history.violations()]);
    return [...this.faults, ...histories, ...this.#answers.flatMap(mixture)];
  }

  #history(key: string): RecordHistory {
    const history = this.#histories.get(key) ?? new RecordHistory(key);
    this.#histories.set(key, history);
    return history;
  }
}

/** There must have been a moment at which every row of an answer was as it is shown (contract 4.14). */
function mixture(seen: readonly Seen[]): string[] {
  const born = seen.map(([history, version]) => history.bornAfter(version));
  const gone = seen.map(([history, version]) => history.goneBy(version));
  const [newest, oldest] = [Math.max(...born), Math.min(...gone)];
  if (newest <= oldest) return [];
  const named = (at: number) => `${seen[at]?.[0].id} as ${seen[at]?.[1]}`;
  return [`${named(gone.indexOf(oldest))} beside ${named(born.indexOf(newest))}`];
}
