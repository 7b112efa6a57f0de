import type { Reading } from './checker';
import type { Violations } from './promises';
import type { CatalogAnswer, CatalogRow } from './row-versions';

/** Rows of a listing by popularity come once, the most popular first, then by id. */
export function checkListing(violations: Violations, { what }: Reading, rows: readonly CatalogRow[]): void {
  for (const [position, row] of rows.entries()) {
    const next = rows[position + 1];
    if (!next || comesBefore(row, next)) continue;
    violations.note({ promise: 'ordered', detail: `${what}: ${next.id} after ${row.id}` });
  }
}

/** Ids compare by code point; those of this catalog are ASCII. */
const comesBefore = (left: CatalogRow, right: CatalogRow): boolean =>
  left.popularity > right.popularity || (left.popularity === right.popularity && left.id < right.id);

/** What an answer on one page says of its rows is what they are: their number, and how many have each value of a field. */
export function checkWhole(
  violations: Violations,
  { what }: Reading,
  { total_results: total, data, facets }: CatalogAnswer,
): void {
  const wrong = (detail: string) => violations.note({ promise: 'counted', detail: `${what}: ${detail}` });
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
