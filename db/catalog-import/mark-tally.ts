import type { Knex } from 'knex';
import { copyRows } from './copy-rows';
import { Derived } from './derived';
import type { CatalogRow } from './project-rows';
import type { WrittenTable } from './written-table';

const COUNTS: WrittenTable = {
  name: 'catalog_counts',
  key: [],
  columns: { kind: 'text', category: 'text', mark: 'text', rows: 'int4' },
  dated: false,
};

/** The mark that every row carries, as the migration of `catalog_counts` has it. */
const EVERY_ROW = '';

/** How many of some rows carry each mark, as the triggers of `catalog_rows` count them, but in one count for all. */
export class MarkTally {
  private readonly byScope = new Map<string, Scope>();

  add({ kind, category, facets, words }: Pick<CatalogRow, 'kind' | 'category' | 'facets' | 'words'>): void {
    const { rows } = this.scopeOf(kind, category);
    count(rows, EVERY_ROW);
    for (const word of words) count(rows, word);
    let before = '';
    let several = '';
    // Sorted, so the facets of a field stand together.
    for (const facet of facets) {
      count(rows, facet);
      const field = fieldMarks.of(facet);
      if (field === before && field !== several) {
        count(rows, field);
        several = field;
      }
      before = field;
    }
  }

  /** Adds the counts to those of the catalog. */
  async write(trx: Knex): Promise<void> {
    await copyRows(trx, COUNTS, this.lines());
  }

  /** The words among the marks: facets have a colon. */
  words(): Set<string> {
    const words = new Set<string>();
    for (const { rows } of this.byScope.values()) {
      for (const mark of rows.keys()) if (mark !== EVERY_ROW && !mark.includes(':')) words.add(mark);
    }
    return words;
  }

  private scopeOf(kind: string, category: string): Scope {
    const key = `${kind} ${category}`;
    const known = this.byScope.get(key) ?? { kind, category, rows: new Map() };
    this.byScope.set(key, known);
    return known;
  }

  private *lines(): Generator<{ kind: string; category: string; mark: string; rows: number }> {
    for (const { kind, category, rows } of this.byScope.values()) {
      for (const [mark, count] of rows) yield { kind, category, mark, rows: count };
    }
  }
}

interface Scope {
  readonly kind: string;
  readonly category: string;
  readonly rows: Map<string, number>;
}

/** The mark of rows with several values of a facet's field. */
const fieldMarks = new Derived((facet) => facet.slice(0, facet.indexOf(':') + 1));

function count(rows: Map<string, number>, mark: string): void {
  rows.set(mark, (rows.get(mark) ?? 0) + 1);
}
