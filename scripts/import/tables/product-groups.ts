import { createHash } from 'node:crypto';
import type { ReadRow, RowFault, TableRow, TableRows } from '../../../models/catalog/tables/table-rows';

export interface ProductGroup {
  readonly key: string;
  readonly rows: TableRow[];
}

/** `lost`: rows may be missing because of it, so what the table lacks can't be known. `key`: of a rejected product. */
type GroupFault = RowFault & { readonly lost: boolean; readonly key?: string };

const ROWS_MAX = 2_000;
const SHORTENED = /^\d(?:[.,]\d+)?E\+\d+$/i;
const NO_TEXT = 'is a number that a spreadsheet shortened; make it text there and save it again';
const NO_KEY = 'is required: a handle, an id, a SKU or a link tells which product a row is of';

/** Groups rows by key. Keys whose rows are not consecutive come last; of the others one group is in memory at a time. */
export async function* productGroups(
  rows: AsyncIterable<readonly ReadRow[]>,
  table: TableRows,
  isScattered: (key: string) => boolean,
): AsyncGenerator<readonly (ProductGroup | GroupFault)[]> {
  const keyOf = table.keyReader();
  const waiting = new Map<string, ProductGroup>();
  let open = null as ProductGroup | null;
  for await (const some of rows) {
    const done: (ProductGroup | GroupFault)[] = [];
    for (const row of some) {
      const key = 'cells' in row ? keyOf(row) : null;
      if (!('cells' in row)) done.push({ ...row, lost: true });
      else if (key === null || SHORTENED.test(key)) {
        const reason = key === null ? NO_KEY : NO_TEXT;
        done.push({ line: row.line, field: 'id', reason, lost: key !== null });
      } else if (open?.key === key) open.rows.push(row);
      else if (isScattered(key)) {
        const own = waiting.get(key) ?? { key, rows: [] };
        own.rows.push(row);
        waiting.set(key, own);
      } else {
        if (open) done.push(open);
        open = { key, rows: [row] };
      }
    }
    yield done.map(closed);
  }
  yield [...(open ? [open] : []), ...waiting.values()].map(closed);

  function closed(found: ProductGroup | GroupFault): ProductGroup | GroupFault {
    if (!('rows' in found)) return found;
    table.sort(found.rows);
    if (found.rows.length <= ROWS_MAX) return found;
    const reason = `${found.rows.length} rows name "${found.key}", more than ${ROWS_MAX}`;
    return { line: found.rows[0]?.line ?? 0, field: 'id', reason, lost: false, key: found.key };
  }
}

/** Keys that begin more than one run of rows, in about eight bytes for each run. */
export class NonConsecutiveKeys {
  #hashes: number[] = [];
  #repeated: ReadonlySet<number> = new Set();

  add(key: string): void {
    this.#hashes.push(hashOf(key));
  }

  /** Call after the last was added. Returns whether there are any. */
  close(): boolean {
    const sorted = Float64Array.from(this.#hashes).sort();
    this.#hashes = [];
    this.#repeated = new Set(sorted.filter((hash, position) => hash === sorted[position - 1]));
    return this.#repeated.size > 0;
  }

  /** A key with the same hash only comes later. */
  has(key: string): boolean {
    return this.#repeated.size > 0 && this.#repeated.has(hashOf(key));
  }
}

const hashOf = (text: string): number => createHash('sha256').update(text).digest().readUIntBE(0, 6);
