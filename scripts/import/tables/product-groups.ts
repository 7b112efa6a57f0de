import type { ReadRow, RowFault, TableRow } from '../../../models/catalog/tables/product-rows';

/** The rows of one product. */
export interface ProductGroup {
  readonly key: string;
  readonly rows: readonly TableRow[];
}

/** `lost`: rows may be missing for it, so that what the table lacks can't be told. */
export type GroupFault = RowFault & { readonly lost: boolean };

const ROWS_MAX = 2_000;
const NO_KEY = 'is required: a handle, an id, a SKU or a link tells which product a row is of';

/**
 * Puts rows that share a key together, as they come. Keys whose rows do not stand together (`Scattered`) wait for the end.
 * One product is in memory at a time, and all scattered ones.
 */
export async function* productGroups(
  rows: AsyncIterable<readonly ReadRow[]>,
  keyOf: (row: TableRow) => string | null,
  isScattered: (key: string) => boolean,
): AsyncGenerator<readonly (ProductGroup | GroupFault)[]> {
  const waiting = new Map<string, TableRow[]>();
  let open = null as { key: string; rows: TableRow[] } | null;
  for await (const some of rows) {
    const done: (ProductGroup | GroupFault)[] = [];
    for (const row of some) {
      const key = 'cells' in row ? keyOf(row) : null;
      if (!('cells' in row)) done.push({ ...row, lost: true });
      else if (key === null) done.push({ line: row.line, field: 'id', reason: NO_KEY, lost: false });
      else if (isScattered(key)) waiting.set(key, [...(waiting.get(key) ?? []), row]);
      else if (open?.key === key) open.rows.push(row);
      else {
        if (open) done.push(open);
        open = { key, rows: [row] };
      }
    }
    yield done.map(bounded);
  }
  const last = [...(open ? [open] : []), ...Array.from(waiting, ([key, own]) => ({ key, rows: own }))];
  yield last.map(bounded);
}

const bounded = (found: ProductGroup | GroupFault): ProductGroup | GroupFault =>
  !('rows' in found) || found.rows.length <= ROWS_MAX
    ? found
    : {
        line: found.rows[0]?.line ?? 0,
        field: 'id',
        reason: `${found.rows.length} rows name "${found.key}", more than ${ROWS_MAX}`,
        lost: false,
      };

/** Tells which keys begin more than one run of rows, in eight bytes for each run. */
export class Scattered {
  #hashes = new Float64Array(1_024);
  #count = 0;
  #repeated: ReadonlySet<number> | null = null;

  add(key: string): void {
    if (this.#count === this.#hashes.length) {
      const larger = new Float64Array(this.#count * 2);
      larger.set(this.#hashes);
      this.#hashes = larger;
    }
    this.#hashes[this.#count] = hashOf(key);
    this.#count += 1;
  }

  /** After the last was added. Another key of the same hash only waits with it. */
  has(key: string): boolean {
    this.#repeated ??= this.#find();
    return this.#repeated.size > 0 && this.#repeated.has(hashOf(key));
  }

  #find(): ReadonlySet<number> {
    const sorted = this.#hashes.subarray(0, this.#count).sort();
    const repeated = new Set(sorted.filter((hash, position) => hash === sorted[position - 1]));
    this.#hashes = new Float64Array(0);
    return repeated;
  }
}

/** 53 bits (cyrb53, in the public domain). */
function hashOf(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let position = 0; position < text.length; position += 1) {
    const code = text.charCodeAt(position);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & low) + (high >>> 0);
}
