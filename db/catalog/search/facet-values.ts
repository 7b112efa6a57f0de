import type { Knex } from 'knex';
import type { FacetAsked, FacetValue } from '../../../models/catalog/catalog-query';
import { hasWords } from '../../../models/catalog/index-terms';
import { rowsOf, sql } from '../../core/sql';
import { byCodePoint } from './order-key';
import type { FacetCounts } from './page-of-ids';

/** Names that are read at once. */
const NAMES_AT_ONCE = 1_000;

/** What is answered of the counted facets: the values of most rows, with their names (contract 4.15, 4.16). */
export async function facetValues(
  knex: Knex,
  asked: readonly FacetAsked[],
  counts: FacetCounts,
): Promise<ReadonlyMap<string, readonly FacetValue[]>> {
  const values = new Map<string, readonly FacetValue[]>();
  for (const each of asked) {
    values.set(each.field, await valuesOf(knex, each, counts.get(each.field) ?? new Map()));
  }
  return values;
}

async function valuesOf(
  knex: Knex,
  { limit, words }: FacetAsked,
  counts: ReadonlyMap<string, number>,
): Promise<FacetValue[]> {
  // Of tens of thousands the few best are told by their counts; only these are put in order.
  const least = words === null ? (Uint32Array.from(counts.values()).sort().at(-limit) ?? 0) : 0;
  const ranked = [...counts]
    .filter(([, count]) => count >= least)
    .sort(([id, count], [otherId, otherCount]) => otherCount - count || byCodePoint(id, otherId));
  const found: FacetValue[] = [];
  const step = words === null ? limit : NAMES_AT_ONCE;
  for (let from = 0; from < ranked.length && found.length < limit; from += step) {
    const some = ranked.slice(from, from + step);
    const names = await namesOf(
      knex,
      some.map(([id]) => id),
    );
    for (const [id, count] of some) {
      const name = names.get(id) ?? id;
      if (words === null || hasWords(name, words)) found.push({ id, name, count });
    }
  }
  return found.slice(0, limit);
}

/** Of entities, deleted ones too (contract 1.8), tags and categories. */
async function namesOf(knex: Knex, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await rowsOf<{ id: string; name: string }>(
    knex,
    sql`SELECT id, name FROM entities WHERE id = ANY(${ids}::text[])
        UNION ALL SELECT id, name FROM tags WHERE id = ANY(${ids}::text[])
        UNION ALL SELECT id, name FROM categories WHERE id = ANY(${ids}::text[])`,
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
