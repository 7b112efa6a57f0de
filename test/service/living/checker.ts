import type { z } from 'zod';
import type { queryAnswer } from '../../../api/v3/answers';
import { type Matches, RecordHistory, type Span } from './record-history';
import { brandId, type CatalogRow, type Change, productId, shelf, versionOf, versionsIn } from './records';

export type CatalogAnswer = z.output<typeof queryAnswer>;

/** A call that read the catalog. */
export interface Reading extends Span {
  /** In words, for a fault. */
  readonly what: string;
}

/** A result that was read page by page. */
export interface Walk extends Reading {
  /** The living products that belong to it. */
  readonly products: readonly number[];
  /** Whether all rows that nobody writes belong to it too. */
  readonly isWhole: boolean;
  readonly times: ReadonlyMap<string, number>;
}

type Seen = readonly [RecordHistory, number];

/** Compares everything that was read with every version that was written. */
export class Checker {
  /** What is wrong with single answers; `conclude` adds the rest. */
  readonly faults: string[] = [];
  readonly #histories = new Map<string, RecordHistory>();
  readonly #answers: { reading: Reading; seen: Seen[] }[] = [];
  readonly #walks: Walk[] = [];
  /** Rows of the bundle and of the feed, which never change: as they were first seen, and between which moments. */
  readonly #still = new Map<string, { readonly shown: string; first: number; last: number }>();

  /** A change that was accepted, or whose outcome is unknown. */
  wrote({ key, version }: Change, span: Span): void {
    if (version === null) this.#history(key).deleted(span);
    else this.#history(key).wrote(version, span);
  }

  /** Only the price of a deleted product may be (contract 13.4). */
  refused({ file, key }: Change, reason: string): void {
    if (file !== 'estimates' || !reason.endsWith(', its product, is deleted'))
      this.faults.push(`${key} was rejected: ${reason}`);
  }

  saw(reading: Reading, rows: readonly CatalogRow[]): void {
    const seen: Seen[] = [];
    for (const row of rows) {
      const versions = versionsIn(row);
      const shown = versions?.shown ?? JSON.stringify([row.name, row.popularity, row.attributes]);
      const expected = versions?.expected ?? this.#stillRow(row.id, shown, reading).shown;
      if (shown !== expected)
        this.faults.push(`${reading.what}: ${row.id} is ${shown} instead of ${expected}`);
      for (const [key, version] of versions?.seen ?? []) {
        this.#history(key).saw(version, reading);
        seen.push([this.#history(key), version]);
      }
      for (const key of versions?.missing ?? []) this.missed(reading, key);
    }
    this.#answers.push({ reading, seen });
  }

  missed(reading: Reading, key: string, matches: Matches = null): void {
    this.#history(key).missed(reading, matches);
  }

  /** Rows by popularity come once, the most popular first, then by id (contract 4.13). */
  sawInOrder(reading: Reading, rows: readonly CatalogRow[]): void {
    this.saw(reading, rows);
    for (const [position, row] of rows.entries()) {
      const next = rows[position + 1];
      if (
        next &&
        (row.popularity < next.popularity || (row.popularity === next.popularity && row.id >= next.id))
      )
        this.faults.push(`${reading.what}: ${next.id} after ${row.id}`);
    }
  }

  /** An answer on one page with all products of a shelf, or all whose version matches; its counts are those of its rows. */
  sawShelf(reading: Reading, answer: CatalogAnswer, number: number, matches: Matches): void {
    const { data, total_results: total, facets } = answer;
    const wrong = (detail: string) => this.faults.push(`${reading.what}: ${detail}`);
    this.sawInOrder(reading, data);
    const ids = new Set(shelf(number).map(productId));
    const shown = new Set(data.map(({ id }) => id));
    for (const id of ids) if (!shown.has(id)) this.missed(reading, id, matches);
    for (const row of data) {
      if (!ids.has(row.id)) wrong(`${row.id} is not of ${brandId(number)}`);
      if (matches?.(versionOf(row)) === false) wrong(`${row.id} at ${versionOf(row)} passes the filter`);
    }
    if (total !== data.length) wrong(`${total} in all, and ${data.length} rows`);
    for (const { id, count } of Object.values(facets ?? {}).flat()) {
      const rows = data.filter(({ attributes }) => attributes?.some((each) => each.id === id)).length;
      if (rows !== count) wrong(`${count} of ${id}, and ${rows} rows`);
    }
    for (const [field, values] of Object.entries(facets ?? {})) {
      const sum = values.reduce((all, { count }) => all + count, 0);
      if (sum !== total) wrong(`${sum} by ${field}, and ${total} in all`);
    }
  }

  walked(walk: Walk): void {
    this.#walks.push(walk);
  }

  /** Every fault. Call it last. */
  conclude(): string[] {
    const histories = [...this.#histories.values()].flatMap((history) => [...history.violations()]);
    return [
      ...this.faults,
      ...histories,
      ...this.#answers.flatMap(({ reading, seen }) => mixture(reading, seen)),
      ...this.#walks.flatMap(({ what, products, isWhole, times, ...span }) =>
        [...products.map(productId), ...(isWhole ? this.#still.keys() : [])].flatMap((id) => {
          const count = times.get(id) ?? 0;
          const still = this.#still.get(id);
          const isStill = still
            ? still.first <= span.from && still.last >= span.until
            : this.#history(id).stoodStill(span);
          return count === 1 || !isStill ? [] : [`${what}: ${id} came ${count} times`];
        }),
      ),
    ];
  }

  #stillRow(id: string, shown: string, { from, until }: Span) {
    const still = this.#still.get(id) ?? { shown, first: Infinity, last: -Infinity };
    this.#still.set(id, still);
    still.first = Math.min(still.first, until);
    still.last = Math.max(still.last, from);
    return still;
  }

  #history(key: string): RecordHistory {
    const history = this.#histories.get(key) ?? new RecordHistory(key);
    this.#histories.set(key, history);
    return history;
  }
}

/** There must have been a moment at which every row of an answer was as it is shown (contract 4.14). */
function mixture({ what }: Reading, seen: readonly Seen[]): string[] {
  const born = seen.map(([history, version]) => history.bornAfter(version));
  const gone = seen.map(([history, version]) => history.goneBy(version));
  const [newest, oldest] = [Math.max(...born), Math.min(...gone)];
  if (newest <= oldest) return [];
  const named = (at: number) => `${seen[at]?.[0].id} as ${seen[at]?.[1]}`;
  return [`${what}: ${named(gone.indexOf(oldest))} beside ${named(born.indexOf(newest))}`];
}
