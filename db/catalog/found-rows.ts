import type { Knex } from 'knex';
import type { CatalogItem } from '../../models/catalog/item';
import type { FoundRows } from '../../models/ports';
import { prepared, rowsOf, type Sql, sql } from '../core/sql';
import { type ItemRow, itemOf, rowsById } from './catalog-items';
import { isStill } from './search/catalog-state';

/** Rows that somebody wants, in the state in which they were found; any state does for ids alone. */
interface WantedRows extends Pick<FoundRows, 'rows'>, Partial<Omit<FoundRows, 'rows'>> {
  /** Whose they are: names them among others. */
  readonly owner: string;
}

const SEEN = { transactions: sql`seen.transactions`, snapshot: sql`seen.snapshot` };

/**
 * The part of a statement that reads wanted rows: common table expressions, of which `found` has the rows, `named` which of
 * them each was that was told, and `gone` the owners whose state is no more.
 *
 * @param snapshot of all the states
 */
export function foundRows(wanted: readonly WantedRows[], snapshot: number | null, pricing: boolean): Sql {
  const rows = wanted.flatMap((each) => each.rows);
  const states = wanted.flatMap(({ owner, state, isWhole }) =>
    state ? [{ owner, ...state, whole: isWhole === true }] : [],
  );
  return sql`${namedRows(rows, snapshot)}, found AS MATERIALIZED (${rowsById(sql`ARRAY(SELECT id FROM named)`, pricing)}
    ), gone AS MATERIALIZED (
      SELECT owner FROM json_to_recordset(${JSON.stringify(states)}::json)
        AS seen (owner text, transactions text, snapshot integer, whole boolean)
      WHERE CASE WHEN whole THEN NOT ${isStill(SEEN, sql`SELECT id FROM named`)} ELSE NOT ${isStill(SEEN)} END
    )`;
}

/** The common table expression `named`: the id of each row that was told, and by what name it was. */
export function namedRows(rows: FoundRows['rows'], snapshot: number | null): Sql {
  // As JSON, for which the planner assumes the same size however much it is: a plan can stay.
  return sql`named AS MATERIALIZED (
      SELECT wanted.name, coalesce(wanted.id, place.id) AS id
      FROM json_to_recordset(${JSON.stringify([...new Set(rows)].map(namedRow))}::json)
        AS wanted (name text, id text, ordinal integer)
      LEFT JOIN LATERAL (
        SELECT id FROM search_snapshot_ordinals
        WHERE snapshot = ${snapshot}::integer AND search_snapshot_ordinals.ordinal = wanted.ordinal OFFSET 0) AS place ON true
    )`;
}

/** What such a statement selects. */
export const FOUND = sql`found.*, named.name AS told, to_json(ARRAY(SELECT owner FROM gone)) AS gone
  FROM (VALUES (true)) AS always LEFT JOIN (named JOIN found USING (id)) ON true`;

/** A line of it; of a row only where there is any. */
export type FoundLine = Partial<ItemRow> & {
  readonly told?: string | null;
  readonly gone: readonly string[];
};

/** The rows that were found, in the order in which they are told. */
export function itemsIn(lines: readonly FoundLine[]): (rows: FoundRows['rows']) => CatalogItem[] {
  const items = new Map<string, CatalogItem>();
  for (const line of lines) if (isRow(line)) items.set(line.told, itemOf(line));
  return (rows) => rows.flatMap((row) => items.get(nameOf(row)) ?? []);
}

/** Rows that a query found; null when the catalog has changed since. */
export async function readFound(
  knex: Knex,
  { rows, state, isWhole }: FoundRows,
  pricing: boolean,
): Promise<CatalogItem[] | null> {
  const wanted = foundRows([{ rows, state, isWhole, owner: '' }], state.snapshot, pricing);
  const lines = await rowsOf<FoundLine>(knex, prepared(sql`WITH ${wanted} SELECT ${FOUND}`));
  return lines[0]?.gone.length === 0 ? itemsIn(lines)(rows) : null;
}

/** A text for an id or an ordinal, one that no other has. */
export const nameOf = (row: FoundRows['rows'][number]): string => JSON.stringify(row);

const namedRow = (row: FoundRows['rows'][number]) => ({
  name: nameOf(row),
  ...(typeof row === 'string' ? { id: row } : { ordinal: row }),
});

const isRow = (line: FoundLine): line is ItemRow & FoundLine & { readonly told: string } => line.told != null;
