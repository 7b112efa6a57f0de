import type { Knex } from 'knex';
import { rowsOf, sql } from '../../../core/sql';
import { Bitset } from './bitset';
import type { Change, ChangedProduct } from './changed-products';
import { KnownSnapshot, type SeenState } from './known-snapshot';
import { PRODUCT_TERMS, termsIn } from './products-in-order';
import { SnapshotReader } from './snapshot-reader';

/** Changes with which a snapshot still answers; a process keeps them all. */
const CHANGES_MAX = 50_000;

/** The newest snapshot as a process knows it, with the products that have changed since. */
export class SnapshotMemory {
  #known: KnownSnapshot | null = null;

  /**
   * The snapshot with the changes of the transaction's state, of which only those are read that no query has seen before.
   * Null when there is none, or too much has changed.
   *
   * @param trx sees one state throughout
   */
  async open(trx: Knex): Promise<SnapshotReader | null> {
    const last = this.#known;
    const seen = last?.seen ?? null;
    const lines = await linesSince(trx, last, seen);
    const [first] = lines;
    if (!first) return null;
    const { number, products, transactions, continues } = first;
    const known = last?.number === number ? last : new KnownSnapshot(number, products);
    this.#known = known;
    const changes = lastLines(lines);
    if (changes === null || lines.length > CHANGES_MAX || known.changes.size > products + CHANGES_MAX) {
      known.isOutgrown = true;
    }
    if (known.isOutgrown || changes === null) return null;
    await readProducts(trx, known, changes);
    const before = continues && seen ? seen.living : Bitset.full(products);
    const living = changes.length === 0 ? before : known.changes.livingAfter(before, changes);
    known.seen = { transactions, living };
    return new SnapshotReader(trx, known, living);
  }
}

/** The newest snapshot, once for each line of its changes that this state has and the state that was seen last has not. */
function linesSince(trx: Knex, last: KnownSnapshot | null, seen: SeenState | null): Promise<Line[]> {
  const transactions = seen?.transactions ?? null;
  const outgrown = last?.isOutgrown ? last.number : null;
  // The state that was seen last may be a later one than this; then all lines are read.
  return rowsOf<Line>(
    trx,
    sql`SELECT s.number, s.products, pg_current_snapshot()::text AS transactions, since.seen IS NOT NULL AS continues,
          c.id, c.number AS line
        FROM search_snapshots s
        CROSS JOIN LATERAL (
          SELECT CASE WHEN s.number = ${last?.number ?? null}::integer
            AND pg_snapshot_xmax(pg_current_snapshot()) >= pg_snapshot_xmax(${transactions}::pg_snapshot)
            AND NOT EXISTS (SELECT FROM pg_snapshot_xip(pg_current_snapshot()) AS running
              WHERE pg_visible_in_snapshot(running, ${transactions}::pg_snapshot))
            THEN ${transactions}::pg_snapshot END AS seen OFFSET 0) AS since
        LEFT JOIN LATERAL (
          SELECT id, number FROM catalog_search_changes
          WHERE transaction >= coalesce(pg_snapshot_xmin(since.seen), '0')
            AND (since.seen IS NULL OR NOT pg_visible_in_snapshot(transaction, since.seen))
          LIMIT ${CHANGES_MAX + 1}) AS c ON s.number IS DISTINCT FROM ${outgrown}::integer`,
  );
}

interface Line {
  readonly number: number;
  readonly products: number;
  readonly transactions: string;
  /** Whether the lines add to those that were seen last. */
  readonly continues: boolean;
  /** Null for all products. */
  readonly id: string | null;
  /** Null where there is no line. */
  readonly line: number | null;
}

/** The last line of each product; null if all products have changed. */
function lastLines(lines: readonly Line[]): Change[] | null {
  const last = new Map<string, number>();
  for (const { id, line } of lines) {
    if (line === null) continue;
    if (id === null) return null;
    last.set(id, Math.max(line, last.get(id) ?? 0));
  }
  return Array.from(last, ([id, line]) => ({ id, line }));
}

/** Adds what the products are after changes that are not known yet. */
async function readProducts(trx: Knex, known: KnownSnapshot, changes: readonly Change[]): Promise<void> {
  const lines = new Map(
    changes.filter((change) => !known.changes.has(change)).map(({ id, line }) => [id, line]),
  );
  if (lines.size === 0) return;
  const rows = await rowsOf<{
    readonly id: string;
    readonly ordinal: number | null;
    readonly popularity: number;
    readonly sort_key: string;
    /** Null for a product that is gone. */
    readonly category: string | null;
    readonly terms: string;
  }>(
    trx,
    sql`SELECT changed.id, p.ordinal, s.* FROM unnest(${[...lines.keys()]}::text[]) AS changed (id)
        LEFT JOIN LATERAL (
          SELECT ordinal FROM search_snapshot_ordinals WHERE snapshot = ${known.number} AND id = changed.id OFFSET 0) AS p
          ON true
        LEFT JOIN LATERAL (
          SELECT category, popularity, sort_key, ${PRODUCT_TERMS} AS terms FROM catalog_search
          WHERE kind = 'product' AND id = changed.id OFFSET 0) AS s ON true`,
  );
  for (const { id, ordinal, category, popularity, sort_key: sortKey, terms } of rows) {
    const row = category === null ? null : { id, popularity, sortKey, category, terms: termsIn(terms) };
    known.changes.add({ id, line: lines.get(id) ?? 0, ordinal, row } satisfies ChangedProduct);
  }
}
