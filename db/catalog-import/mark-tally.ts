import type { Knex } from 'knex';
import { copyRows } from './copy-rows';
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
    const { marks } = this.scopeOf(kind, category);
    count(marks, EVERY_ROW);
    for (const word of words) count(marks, word);
    let field = '';
    let isCounted = false;
    // Sorted, so the facets of a field stand together.
    for (const facet of facets) {
      count(marks, facet);
      if (field !== '' && facet.startsWith(field)) {
        if (!isCounted) count(marks, field);
        isCounted = true;
      } else {
        field = fieldMark(facet);
        isCounted = false;
      }
    }
  }

  /** Adds the counts to those of the catalog. */
  async write(trx: Knex): Promise<void> {
    await copyRows(trx, COUNTS, this.lines());
  }

  /** The words among the marks: facets have a colon. */
  words(): Set<string> {
    const words = new Set<string>();
    for (const { marks } of this.byScope.values()) {
      for (const mark of marks.keys()) if (mark !== EVERY_ROW && !mark.includes(':')) words.add(mark);
    }
    return words;
  }

  private scopeOf(kind: string, category: string): Scope {
    const key = `${kind} ${category}`;
    const known = this.byScope.get(key) ?? { kind, category, marks: new Map() };
    this.byScope.set(key, known);
    return known;
  }

  private *lines(): Generator<{ kind: string; category: string; mark: string; rows: number }> {
    for (const { kind, category, marks } of this.byScope.values()) {
      for (const [mark, { rows }] of marks) yield { kind, category, mark, rows };
    }
  }
}

interface Scope {
  readonly kind: string;
  readonly category: string;
  readonly marks: Map<string, Count>;
}

/** The mark of rows with several values of a facet's field. */
const fieldMark = (facet: string): string => facet.slice(0, facet.indexOf(':') + 1);

/** Changed in place: a mark that is counted already is looked up once. */
interface Count {
  rows: number;
}

function count(marks: Map<string, Count>, mark: string): void {
  const known = marks.get(mark);
  if (known) known.rows += 1;
  else marks.set(mark, { rows: 1 });
}
