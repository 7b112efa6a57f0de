import type { Knex } from 'knex';
import { copyRows } from '../../../core/copy-rows';
import { inTransaction, rowsOf, sql } from '../../../core/sql';
import type { WrittenTable } from '../../../core/written-table';
import { CHUNK, ChunkBitmaps } from './chunk-bitmaps';
import { ChunkFacets } from './facet-codes';
import { ordinalsInOrder, reversedOrder } from './ordinal-orders';
import { type OrderedProduct, productsInOrder } from './products-in-order';

/** When a snapshot is worth its making; the defaults are for catalogs whose totals take long to count. */
export interface SnapshotLimits {
  /** Changes from which on it is made again. */
  readonly changesMin: number;
  /** Products from which on there is one. */
  readonly productsMin: number;
  /** Products from which on a term has a bitmap; the rows of rarer ones are quickly read. */
  readonly rowsMin: number;
}

const DEFAULTS: SnapshotLimits = { changesMin: 10_000, productsMin: 50_000, rowsMin: 512 };
/** Who makes a snapshot holds this advisory lock: any number that nothing else locks by. */
export const SNAPSHOT_LOCK = 6_021_023;

const ORDINALS: WrittenTable = {
  name: 'search_snapshot_ordinals',
  key: ['snapshot', 'ordinal'],
  columns: { snapshot: 'int4', ordinal: 'int4', id: 'text' },
  dated: false,
};
const BITMAPS: WrittenTable = {
  name: 'search_snapshot_bitmaps',
  key: ['snapshot', 'term', 'chunk'],
  columns: { snapshot: 'int4', term: 'text', chunk: 'int4', bits: 'bit' },
  dated: false,
};

/**
 * Makes the snapshot of the products as they are now and drops the one before, where there is none or much has changed
 * since; without enough products there is none afterwards. Readers and writers go on meanwhile. Resolves to whether one
 * was made: not while another process makes one. The memory that it takes is that of one chunk, and four bytes for each
 * product.
 */
export async function makeSearchSnapshot(knex: Knex, limits: Partial<SnapshotLimits> = {}): Promise<boolean> {
  const { changesMin, productsMin, rowsMin } = { ...DEFAULTS, ...limits };
  return inTransaction(knex, async (trx) => {
    // One state for all statements; first of all, as the first statement fixes it.
    await rowsOf(trx, sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`);
    const [lock] = await rowsOf<{ taken: boolean }>(
      trx,
      sql`SELECT pg_try_advisory_xact_lock(${SNAPSHOT_LOCK}) AS taken`,
    );
    if (!lock?.taken) return false;
    const products = await productsIn(trx);
    const isWorth = products >= productsMin;
    if (!(await isDue(trx, changesMin, isWorth))) return false;
    await rowsOf(trx, sql`SET LOCAL statement_timeout = 0`);
    await rowsOf(trx, sql`SET LOCAL work_mem = '256MB'`);
    await rowsOf(trx, sql`DELETE FROM catalog_search_changes`);
    await rowsOf(trx, sql`DELETE FROM search_snapshots`);
    const number = isWorth ? await addSnapshot(trx, products) : null;
    await dropOthers(trx, number);
    if (number !== null) await writeSnapshot(trx, number, rowsMin);
    // An answer that is being made learns by it that lines are gone which it has not seen.
    else await rowsOf(trx, sql`INSERT INTO catalog_search_changes (id) VALUES ('')`);
    return number !== null;
  });
}

async function isDue(trx: Knex, changesMin: number, isWorth: boolean): Promise<boolean> {
  const [answer] = await rowsOf<{ exists: boolean; changes: number; everything: boolean }>(
    trx,
    sql`SELECT EXISTS (SELECT FROM search_snapshots) AS exists, count(*) AS changes, bool_or(id IS NULL) AS everything
        FROM (SELECT id FROM catalog_search_changes WHERE id IS DISTINCT FROM '' LIMIT ${changesMin}) AS changes`,
  );
  if (!answer) return false;
  return answer.changes >= changesMin || answer.everything || (isWorth && !answer.exists);
}

async function productsIn(trx: Knex): Promise<number> {
  const [counted] = await rowsOf<{ products: number }>(
    trx,
    sql`SELECT coalesce(sum(rows), 0)::bigint AS products FROM term_counts WHERE kind = 'product' AND term = ''`,
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

async function writeSnapshot(trx: Knex, number: number, rowsMin: number): Promise<void> {
  const popularityStarts = await writeOrdinalsAndBitmaps(trx, number, await frequentTerms(trx, rowsMin));
  await rowsOf(trx, sql`ANALYZE search_snapshot_ordinals, search_snapshot_bitmaps`);
  const { order, starts } = await nameOrder(trx, number);
  const popular = ordinalsInOrder(order.length / 4);
  await writeOrder(trx, number, 'popularity_asc', reversedOrder(popular, popularityStarts));
  await writeOrder(trx, number, 'name_asc', order);
  await writeOrder(trx, number, 'name_desc', reversedOrder(order, starts));
}

async function frequentTerms(trx: Knex, rowsMin: number): Promise<Set<string>> {
  const rows = await rowsOf<{ term: string }>(
    trx,
    sql`SELECT term FROM term_counts WHERE kind = 'product' GROUP BY term HAVING sum(rows) >= ${rowsMin}`,
  );
  return new Set(rows.map(({ term }) => term));
}

/** In one pass over the products. Resolves to the ordinals at which another popularity begins. */
async function writeOrdinalsAndBitmaps(
  trx: Knex,
  number: number,
  frequent: ReadonlySet<string>,
): Promise<number[]> {
  const bitmaps = new ChunkBitmaps(frequent);
  const facets = new ChunkFacets();
  const starts: number[] = [];
  let ordinal = 0;
  let last: number | null = null;
  for await (const products of productsInOrder(trx)) {
    for (const [position, { category, terms, popularity }] of products.entries()) {
      if (popularity !== last) starts.push(ordinal + position);
      last = popularity;
      bitmaps.add((ordinal + position) % CHUNK, category, terms);
      facets.add((ordinal + position) % CHUNK, terms);
    }
    await copyRows(trx, ORDINALS, ordinalsOf(products, number, ordinal));
    ordinal += products.length;
    // A batch never reaches over the end of a chunk, and the last one ends before it.
    if (ordinal % CHUNK === 0) await writeChunk(trx, number, ordinal / CHUNK - 1, bitmaps, facets);
  }
  if (ordinal % CHUNK !== 0) await writeChunk(trx, number, Math.floor(ordinal / CHUNK), bitmaps, facets);
  return starts;
}

const ordinalsOf = (products: readonly OrderedProduct[], snapshot: number, first: number) =>
  products.map(({ id }, position) => ({ snapshot, ordinal: first + position, id }));

async function writeChunk(
  trx: Knex,
  snapshot: number,
  chunk: number,
  bitmaps: ChunkBitmaps,
  facets: ChunkFacets,
): Promise<void> {
  await copyRows(trx, BITMAPS, bitmapRows(snapshot, chunk, bitmaps));
  for (const { field, lists, codes } of facets.take()) {
    await rowsOf(
      trx,
      sql`INSERT INTO search_snapshot_facets (snapshot, field, chunk, lists, codes)
          VALUES (${snapshot}, ${field}, ${chunk}, ${JSON.stringify(lists)}, ${codes})`,
    );
  }
}

function* bitmapRows(snapshot: number, chunk: number, bitmaps: ChunkBitmaps) {
  for (const { term, bits } of bitmaps.take()) yield { snapshot, term, chunk, bits };
}

/** The ordinals by name, and the positions at which another name begins. */
async function nameOrder(trx: Knex, number: number): Promise<{ order: Buffer; starts: number[] }> {
  const [sorted] = await rowsOf<{ ordinals: Buffer; repeats: Buffer }>(
    trx,
    sql`SELECT string_agg(int4send(ordinal), '') AS ordinals, string_agg(repeats, '') AS repeats FROM (
          SELECT ordinal, CASE WHEN sort_key = lag(sort_key) OVER by_name THEN '\\x01'::bytea ELSE '\\x00' END AS repeats
          FROM search_snapshot_ordinals p JOIN catalog_search s USING (id)
          WHERE p.snapshot = ${number} WINDOW by_name AS (ORDER BY sort_key, id)) AS named`,
  );
  const starts: number[] = [];
  sorted?.repeats.forEach((repeats, position) => {
    if (repeats === 0) starts.push(position);
  });
  return { order: sorted?.ordinals ?? Buffer.alloc(0), starts };
}

async function writeOrder(trx: Knex, number: number, sort: string, ordinals: Buffer): Promise<void> {
  await rowsOf(
    trx,
    sql`INSERT INTO search_snapshot_orders (snapshot, sort, ordinals) VALUES (${number}, ${sort}, ${ordinals})`,
  );
}

async function dropOthers(trx: Knex, number: number | null): Promise<void> {
  const keep = number ?? 0;
  await rowsOf(trx, sql`DELETE FROM search_snapshot_ordinals WHERE snapshot <> ${keep}`);
  await rowsOf(trx, sql`DELETE FROM search_snapshot_bitmaps WHERE snapshot <> ${keep}`);
  await rowsOf(trx, sql`DELETE FROM search_snapshot_facets WHERE snapshot <> ${keep}`);
  await rowsOf(trx, sql`DELETE FROM search_snapshot_orders WHERE snapshot <> ${keep}`);
}
