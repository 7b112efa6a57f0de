import type { Knex } from 'knex';
import { inTransaction, rowsOf, type Sql, sql } from '../sql';
import { CHUNK, categoryMark, RARE_BEGINNING_MAX } from './snapshot-marks';

/** When a snapshot is worth its making; the defaults are for catalogs whose totals take long to count. */
export interface SnapshotLimits {
  /** Products from which on there is one. */
  readonly productsMin: number;
  /** Products from which on a mark has a bitmap; the rows of rarer ones are quickly read. */
  readonly rowsMin: number;
}

const DEFAULTS: SnapshotLimits = { productsMin: 50_000, rowsMin: 512 };
/** Any number that nothing else locks by. */
const LOCK = 6_021_023;

/**
 * Makes the snapshot of the products as they are now and drops the one before, unless that still stands; without enough
 * products there is none afterwards. Readers and writers go on meanwhile. Resolves to whether one was made: not while
 * another process makes one.
 */
export async function makeSearchSnapshot(knex: Knex, limits: Partial<SnapshotLimits> = {}): Promise<boolean> {
  const { productsMin, rowsMin } = { ...DEFAULTS, ...limits };
  return inTransaction(knex, async (trx) => {
    // One state for all statements; first of all, as the first statement fixes it.
    await rowsOf(trx, sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`);
    const [lock] = await rowsOf<{ taken: boolean }>(
      trx,
      sql`SELECT pg_try_advisory_xact_lock(${LOCK}) AS taken`,
    );
    if (!lock?.taken || (await stands(trx))) return false;
    await rowsOf(trx, sql`SET LOCAL statement_timeout = 0`);
    await rowsOf(trx, sql`SET LOCAL work_mem = '256MB'`);
    await rowsOf(trx, sql`DELETE FROM catalog_search_changes`);
    await rowsOf(trx, sql`DELETE FROM search_snapshots`);
    const products = await productsIn(trx);
    const number = products < productsMin ? null : await addSnapshot(trx, products);
    if (number !== null) {
      await writePlaces(trx, number);
      await writeBits(trx, number, products, rowsMin);
      for (const [sort, order] of OTHER_ORDERS) await writeOrder(trx, number, sort, order);
    }
    await dropOthers(trx, number);
    return number !== null;
  });
}

async function stands(trx: Knex): Promise<boolean> {
  const [answer] = await rowsOf<{ stands: boolean }>(
    trx,
    sql`SELECT EXISTS (SELECT FROM search_snapshots) AND NOT EXISTS (SELECT FROM catalog_search_changes) AS stands`,
  );
  return answer?.stands === true;
}

async function productsIn(trx: Knex): Promise<number> {
  const [counted] = await rowsOf<{ products: number }>(
    trx,
    sql`SELECT count(*) AS products FROM catalog_search WHERE kind = 'product'`,
  );
  return counted?.products ?? 0;
}

async function addSnapshot(trx: Knex, products: number): Promise<number> {
  const [added] = await rowsOf<{ number: number }>(
    trx,
    sql`INSERT INTO search_snapshots (products) VALUES (${products}) RETURNING number`,
  );
  return added?.number ?? 0;
}

async function writePlaces(trx: Knex, number: number): Promise<void> {
  await rowsOf(
    trx,
    sql`INSERT INTO search_snapshot_places (snapshot, place, id)
        SELECT ${number}::integer, row_number() OVER (ORDER BY popularity DESC, id) - 1, id
        FROM catalog_search WHERE kind = 'product' ORDER BY popularity DESC, id`,
  );
  await rowsOf(trx, sql`ANALYZE search_snapshot_places`);
}

/** Chunk by chunk: the bitmaps of all marks at once would need a bit for every mark and product in memory. */
async function writeBits(trx: Knex, number: number, products: number, rowsMin: number): Promise<void> {
  await rowsOf(
    trx,
    sql`CREATE TEMPORARY TABLE frequent_marks ON COMMIT DROP AS
        SELECT mark FROM catalog_counts WHERE kind = 'product' GROUP BY mark HAVING sum(rows) >= ${rowsMin}`,
  );
  await rowsOf(trx, sql`ANALYZE frequent_marks`);
  for (let from = 0; from < products; from += CHUNK) {
    await rowsOf(
      trx,
      sql`WITH chunk AS MATERIALIZED (
            SELECT p.place - ${from}::integer AS place, s.category, s.facets, tsvector_to_array(s.words) AS words
            FROM search_snapshot_places p JOIN catalog_search s USING (id)
            WHERE p.snapshot = ${number} AND p.place >= ${from} AND p.place < ${from + CHUNK}
          ),
          carried AS (
            SELECT place, unnest(facets || words) AS mark FROM chunk
          ),
          marks AS (
            SELECT place, mark FROM carried WHERE mark IN (SELECT mark FROM frequent_marks)
            UNION ALL
            SELECT place, ${categoryMark('')} || category FROM chunk
            UNION ALL
            SELECT place, left(word, letters) || '*' FROM chunk CROSS JOIN LATERAL unnest(words) AS word
              CROSS JOIN generate_series(1, ${RARE_BEGINNING_MAX}::integer) AS letters
            WHERE length(word) > letters AND word NOT IN (SELECT mark FROM frequent_marks)
          )
          INSERT INTO search_snapshot_bits (snapshot, mark, chunk, bits)
          SELECT ${number}::integer, mark, ${from / CHUNK}::integer, bits_at(place, 1) FROM marks GROUP BY mark`,
    );
  }
  await rowsOf(trx, sql`ANALYZE search_snapshot_bits`);
}

/** Places are numbered by falling popularity, so these are the other three. */
const OTHER_ORDERS: readonly (readonly [string, Sql])[] = [
  ['popularity_asc', sql`popularity, id`],
  ['name_asc', sql`sort_key, id`],
  ['name_desc', sql`sort_key DESC, id`],
];

async function writeOrder(trx: Knex, number: number, sort: string, order: Sql): Promise<void> {
  await rowsOf(
    trx,
    sql`INSERT INTO search_snapshot_orders (snapshot, sort, places)
        SELECT ${number}::integer, ${sort}::text, string_agg(int4send(place), '' ORDER BY ${order})
        FROM search_snapshot_places p JOIN catalog_search s USING (id) WHERE p.snapshot = ${number}`,
  );
}

async function dropOthers(trx: Knex, number: number | null): Promise<void> {
  const keep = number ?? 0;
  await rowsOf(trx, sql`DELETE FROM search_snapshot_places WHERE snapshot <> ${keep}`);
  await rowsOf(trx, sql`DELETE FROM search_snapshot_bits WHERE snapshot <> ${keep}`);
  await rowsOf(trx, sql`DELETE FROM search_snapshot_orders WHERE snapshot <> ${keep}`);
}
