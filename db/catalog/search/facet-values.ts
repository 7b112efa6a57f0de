import type { Knex } from 'knex';
import type { FacetQuery, FacetValue } from '../../../models/catalog/catalog-query';
import { hasWords } from '../../../models/catalog/index-terms';
import { prepared, rowsOf, sql } from '../../core/sql';

import { byCodePoint } from './product-order';
import type { FacetCounts } from './scored-rows';

const NAMES_AT_ONCE = 1_000;
type Counted = readonly [id: string, count: number];

/** The values with the most rows of each counted facet, with their names (contract 4.15, 4.16). */
export async function facetValues(
  knex: Knex,
  asked: readonly FacetQuery[],
  counts: FacetCounts,
): Promise<ReadonlyMap<string, readonly FacetValue[]>> {
  const ranked = asked.map((each) => ({ ...each, best: bestOf(each, counts.get(each.field) ?? new Map()) }));
  const whole = ranked.flatMap(({ words, best }) => (words === null ? best : []));
  const names = await namesOf(knex, whole);
  const values = new Map<string, readonly FacetValue[]>();
  for (const { field, limit, words, best } of ranked) {
    values.set(field, words === null ? named(best, names) : await entitiesNamed(knex, best, words, limit));
  }
  return values;
}

/** The ids with the most rows first: as many as are returned, or all where names are searched. */
function bestOf({ limit, words }: FacetQuery, counts: ReadonlyMap<string, number>): readonly Counted[] {
  // Of tens of thousands only the best few are sorted.
  const least = words === null ? (Uint32Array.from(counts.values()).sort().at(-limit) ?? 0) : 0;
  const ranked = [...counts]
    .filter(([, count]) => count >= least)
    .sort(([id, count], [otherId, otherCount]) => otherCount - count || byCodePoint(id, otherId));
  return words === null ? ranked.slice(0, limit) : ranked;
}

async function entitiesNamed(
  knex: Knex,
  best: readonly Counted[],
  words: readonly string[],
  limit: number,
): Promise<FacetValue[]> {
  const found: FacetValue[] = [];
  for (let from = 0; from < best.length && found.length < limit; from += NAMES_AT_ONCE) {
    const some = best.slice(from, from + NAMES_AT_ONCE);
    found.push(...named(some, await namesOf(knex, some)).filter(({ name }) => hasWords(name, words)));
  }
  return found.slice(0, limit);
}

const named = (values: readonly Counted[], names: ReadonlyMap<string, string>): FacetValue[] =>
  values.map(([id, count]) => ({ id, name: names.get(id) ?? id, count }));

/** Of entities, deleted ones too (contract 1.8), tags and categories. */
async function namesOf(knex: Knex, values: readonly Counted[]): Promise<ReadonlyMap<string, string>> {
  if (values.length === 0) return new Map();
  const ids = values.map(([id]) => id);
  const rows = await rowsOf<{ id: string; name: string }>(
    knex,
    prepared(sql`SELECT id, name FROM entities WHERE id = ANY(${ids}::text[])
        UNION ALL SELECT id, name FROM tags WHERE id = ANY(${ids}::text[])
        UNION ALL SELECT id, name FROM categories WHERE id = ANY(${ids}::text[])`),
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
