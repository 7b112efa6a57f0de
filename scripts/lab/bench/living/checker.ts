import { brandId, type Change, type LivingCatalog, productId } from './living-catalog';
import { Violations } from './promises';
import { RecordHistory, type Span } from './record-history';
import { type CatalogAnswer, type CatalogRow, versionOfProduct, versionsIn } from './row-versions';

/** A call that read the catalog. */
export interface Reading extends Span {
  /** In words, for a violation. */
  readonly what: string;
}

/** A result that was read page by page. */
export interface Walk extends Reading {
  /** All products that stood in it if they stood still. */
  readonly products: readonly number[];
  readonly times: ReadonlyMap<string, number>;
}

/**
 * Knows every version that was written, and holds against it all that was read. What an answer says by itself is looked at
 * at once; what depends on other calls is looked at in the end.
 */
export class Checker {
  readonly violations = new Violations();
  readonly #histories = new Map<string, RecordHistory>();
  readonly #answers: { reading: Reading; seen: (readonly [RecordHistory, number])[] }[] = [];
  readonly #walks: Walk[] = [];
  /** Rows of products that nobody writes, as they were first seen. */
  readonly #still = new Map<string, string>();

  constructor(private readonly catalog: LivingCatalog) {}

  /** A change that was accepted; one whose outcome is not known ends never. */
  wrote({ key, version }: Change, span: Span): void {
    if (version === null) this.#history(key).deleted(span);
    else this.#history(key).wrote(version, span);
  }

  /** A change that was refused: a price of a deleted product may be (contract 13.4). */
  refused({ file, key }: Change, reason: string): void {
    if (file === 'estimates' && reason.endsWith(', its product, is deleted')) return;
    this.violations.note({ promise: 'accepted', detail: `${key}: ${reason}` });
  }

  /** Rows that one call answered. */
  saw(reading: Reading, rows: readonly CatalogRow[]): void {
    const seen: (readonly [RecordHistory, number])[] = [];
    for (const row of rows) {
      const versions = versionsIn(this.catalog, row);
      if (!versions) this.#sawStill(reading, row);
      for (const detail of versions?.faults ?? []) {
        this.violations.note({ promise: 'whole', detail: `${reading.what}: ${detail}` });
      }
      for (const { key, version } of versions?.seen ?? []) {
        const history = this.#history(key);
        history.saw(version, reading);
        seen.push([history, version]);
      }
      for (const key of versions?.missing ?? []) this.#history(key).missed(reading);
    }
    if (seen.length > 1) this.#answers.push({ reading, seen });
  }

  /** A call that would have shown a record. */
  missed(reading: Reading, key: string): void {
    this.#history(key).missed(reading);
  }

  /**
   * An answer that has all products of a shelf, or all whose version it asks for.
   *
   * @param matches which versions those are; null for all
   */
  sawShelf(
    reading: Reading,
    shelf: number,
    rows: readonly CatalogRow[],
    matches: ((version: number) => boolean) | null,
  ): void {
    this.saw(reading, rows);
    const shown = new Set(rows.map(({ id }) => id));
    for (const product of this.catalog.shelf(shelf)) {
      const id = productId(product);
      if (!shown.has(id)) this.#history(id).missed(reading, matches);
      shown.delete(id);
    }
    for (const row of rows) {
      const version = versionOfProduct(row);
      if (matches?.(version) === false) {
        this.violations.note({
          promise: 'oneState',
          detail: `${reading.what}: ${row.id} is ${version} and passes the filter`,
        });
      }
    }
    for (const id of shown) {
      this.violations.note({
        promise: 'whole',
        detail: `${reading.what}: ${id} is not of ${brandId(shelf)}`,
      });
    }
  }

  /** Rows of a listing by popularity come once, the most popular first, then by id. */
  sawInOrder({ what }: Reading, rows: readonly CatalogRow[]): void {
    for (const [position, row] of rows.entries()) {
      const next = rows[position + 1];
      if (!next || comesBefore(row, next)) continue;
      this.violations.note({ promise: 'ordered', detail: `${what}: ${next.id} after ${row.id}` });
    }
  }

  /** What an answer on one page says of its rows is what they are: their number, and how many have each value of a field. */
  sawCounts({ what }: Reading, { total_results: total, data, facets }: CatalogAnswer): void {
    const wrong = (detail: string) =>
      this.violations.note({ promise: 'counted', detail: `${what}: ${detail}` });
    if (total !== data.length) wrong(`${total} in all, and ${data.length} rows`);
    for (const [field, values] of Object.entries(facets ?? {})) {
      const sum = values.reduce((all, { count }) => all + count, 0);
      if (sum !== total) wrong(`${sum} by ${field}, and ${total} in all`);
      for (const { id, count } of values) {
        const rows = data.filter(({ attributes }) => attributes?.some((each) => each.id === id)).length;
        if (rows !== count) wrong(`${count} of ${id}, and ${rows} rows`);
      }
    }
  }

  walked(walk: Walk): void {
    this.#walks.push(walk);
  }

  /** All that was not kept. Ask when nothing more is to come. */
  conclude(): Violations {
    for (const history of this.#histories.values()) {
      for (const violation of history.violations()) this.violations.note(violation);
    }
    for (const answer of this.#answers) this.#oneState(answer);
    for (const walk of this.#walks) this.#checkWalk(walk);
    return this.violations;
  }

  /** There was a moment at which each row of an answer was as it is shown. */
  #oneState({
    reading,
    seen,
  }: {
    reading: Reading;
    seen: readonly (readonly [RecordHistory, number])[];
  }): void {
    const born = seen.map(([history, version]) => history.bornAfter(version));
    const gone = seen.map(([history, version]) => history.goneBy(version));
    const [newest, oldest] = [Math.max(...born), Math.min(...gone)];
    if (newest <= oldest) return;
    const named = (at: number) =>
      seen[at]?.map((part) => (typeof part === 'number' ? part : part.id)).join(' as ');
    this.violations.note({
      promise: 'oneState',
      detail: `${reading.what}: ${named(gone.indexOf(oldest))} beside ${named(born.indexOf(newest))}`,
    });
  }

  #checkWalk({ what, products, times, ...span }: Walk): void {
    for (const product of products) {
      const id = productId(product);
      const count = times.get(id) ?? 0;
      if (count === 1 || !this.#history(id).stoodStill(span)) continue;
      this.violations.note({ promise: 'walked', detail: `${what}: ${id} came ${count} times` });
    }
  }

  #sawStill({ what }: Reading, { id, name, popularity, attributes }: CatalogRow): void {
    const shown = JSON.stringify([name, popularity, attributes]);
    const known = this.#still.get(id) ?? shown;
    this.#still.set(id, known);
    if (known === shown) return;
    this.violations.note({ promise: 'whole', detail: `${what}: ${id} was ${known} and is ${shown}` });
  }

  #history(key: string): RecordHistory {
    const history = this.#histories.get(key) ?? new RecordHistory(key);
    this.#histories.set(key, history);
    return history;
  }
}

/** Ids compare by code point; those of this catalog are ASCII. */
const comesBefore = (left: CatalogRow, right: CatalogRow): boolean =>
  left.popularity > right.popularity || (left.popularity === right.popularity && left.id < right.id);
