import type { Knex } from 'knex';
import type { CatalogItem } from '../../models/catalog/item';
import type { FoundRows } from '../../models/ports';
import { lines, prepared, rowsOf, type Sql, sql } from '../core/sql';
import { type ItemRow, itemOf, rowsById } from './catalog-items';
import { isUnchangedSince } from './search/opening';

/** Rows that a call wants, under its own name among others; wanted by ids alone, they may be of any state. */
type WantedRows = Pick<FoundRows, 'rows'> & Partial<FoundRows> & { readonly owner: string };

const SEEN = { transactions: sql`seen.transactions`, snapshot: sql`seen.snapshot` };

/** Expressions for `WITH`: `found` has the wanted rows, and `gone` the owners whose state is no longer current. */
export function foundRows(wanted: readonly WantedRows[], pricing: boolean): Sql {
  const ids = [...new Set(wanted.flatMap(({ rows }) => rows))];
  const states = wanted.flatMap(({ owner, state }) => (state ? [{ owner, ...state }] : []));
  return sql`found AS MATERIALIZED (${rowsById(sql`ARRAY(SELECT * FROM ${lines(ids)})`, pricing)}
    ), gone AS MATERIALIZED (
      SELECT owner FROM json_to_recordset(${JSON.stringify(states)}::json)
        AS seen (owner text, transactions text, snapshot integer) WHERE NOT ${isUnchangedSince(SEEN)}
    )`;
}

/** What such a statement selects. */
export const FOUND = sql`found.*, to_json(ARRAY(SELECT owner FROM gone)) AS gone
  FROM (VALUES (true)) AS always LEFT JOIN found ON true`;

/** A line of its result; the row is null where there is none. */
export type FoundLine = (ItemRow | { readonly id: null }) & { readonly gone: readonly string[] };

/** The rows that were found, in the order of the ids. */
export function itemsIn(found: readonly FoundLine[]): (rows: FoundRows['rows']) => CatalogItem[] {
  const items = new Map<string, CatalogItem>();
  for (const line of found) if (line.id !== null) items.set(line.id, itemOf(line));
  return (rows) => rows.flatMap((id) => items.get(id) ?? []);
}

/** Rows that a query found; null when the catalog has changed since. */
export async function readFound(
  knex: Knex,
  { rows, state }: FoundRows,
  pricing: boolean,
): Promise<CatalogItem[] | null> {
  const wanted = foundRows([{ rows, state, owner: '' }], pricing);
  const found = await rowsOf<FoundLine>(knex, prepared(sql`WITH ${wanted} SELECT ${FOUND}`));
  return found[0]?.gone.length === 0 ? itemsIn(found)(rows) : null;
}
