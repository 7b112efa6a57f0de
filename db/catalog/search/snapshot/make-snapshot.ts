import type { Knex } from 'knex';
import type { WrittenTable } from '../../../core/copy-rows';
import { copyRows } from '../../../core/copy-rows';
import { constant, inTransaction, rowsOf, sql } from '../../../core/sql';
import { CHUNK, ChunkBitmaps, ChunkFacets } from './chunks';

/** When a snapshot is made, and of what. */
export interface SnapshotLimits {
  /** Changes from which on it is made again, whatever its size. */
  readonly changesMin: number;
  /** Products from which on a term has a bitmap; the rows of rarer ones are quickly read. */
  readonly rowsMin: number;
}

const DEFAULTS: SnapshotLimits = { changesMin: 10_000, rowsMin: 512 };
/** Changes from which on a snapshot of no more products than those is made again. */
const SMALL_CHANGES_MIN = 500;
/** A term that one in so many products has gets a bitmap too: a small catalog has few of them. */
const FREQUENT_SHARE = 64;
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
 * Makes the snapshot of the products as they are now and drops the one before, if there is none or much has changed since.
 * Readers and writers go on meanwhile. Resolves to whether one was made: not while another process makes one. The memory
 * that it takes is that of one chunk, and four bytes for each product.
 */
export async function makeSearchSnapshot(knex: Knex, limits: Partial<SnapshotLimits> = {}): Promise<boolean> {
  const { changesMin, rowsMin } = { ...DEFAULTS, ...limits };
  return inTransaction(knex, async (trx) => {
    // One state for all statements; first of all, as the first statement fixes it.
    await rowsOf(trx, sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`);
    const [lock] = await rowsOf<{ taken: boolean }>(
      trx,
      sql`SELECT pg_try_advisory_xact_lock(${SNAPSHOT_LOCK}) AS taken`,
    );
    if (!lock?.taken) return false;
    if (!(await isDue(trx, changesMin))) return false;
    await rowsOf(trx, sql`SET LOCAL statement_timeout = 0`);
    await rowsOf(trx, sql`SET LOCAL work_mem = '256MB'`);
    await rowsOf(trx, sql`DELETE FROM catalog_search_changes`);
    await rowsOf(trx, sql`DELETE FROM search_snapshots`);
    const number = await addSnapshot(trx);
    await dropOthers(trx, number);
    await writeSnapshot(trx, number, rowsMin);
    return true;
  });
}

async function isDue(trx: Knex, changesMin: number): Promise<boolean> {
  const [answer] = await rowsOf<{ due: boolean }>(
    trx,
    sql`SELECT NOT EXISTS (SELECT FROM search_snapshots) OR bool_or(id IS NULL) OR count(*) >= least(${changesMin}::integer,
          (SELECT max(greatest(products, ${SMALL_CHANGES_MIN}::integer)) FROM search_snapshots)) AS due
        FROM (SELECT id FROM catalog_search_changes WHERE id IS DISTINCT FROM '' LIMIT ${changesMin}) AS changes`,
  );
  return answer?.due ?? false;
}

async function addSnapshot(trx: Knex): Promise<number> {
  const [added] = await rowsOf<{ number: number }>(
    trx,
    sql`INSERT INTO search_snapshots (products)
        SELECT coalesce(sum(rows), 0) FROM term_counts WHERE kind = 'product' AND term = '' RETURNING number`,
  );
  if (!added) throw new Error('a row that was inserted is not returned');
  return added.number;
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
    sql`SELECT term FROM term_counts WHERE kind = 'product' GROUP BY term HAVING sum(rows) >= least(${rowsMin}::integer,
          (SELECT greatest(1, max(products) / ${FREQUENT_SHARE}::integer) FROM search_snapshots))`,
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
    sql`SELECT coalesce(string_agg(int4send(ordinal), ''), '') AS ordinals, coalesce(string_agg(repeats, ''), '') AS repeats FROM (
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

async function dropOthers(trx: Knex, keep: number): Promise<void> {
  await rowsOf(trx, sql`DELETE FROM search_snapshot_ordinals WHERE snapshot <> ${keep}`);
  await rowsOf(trx, sql`DELETE FROM search_snapshot_bitmaps WHERE snapshot <> ${keep}`);
  await rowsOf(trx, sql`DELETE FROM search_snapshot_facets WHERE snapshot <> ${keep}`);
  await rowsOf(trx, sql`DELETE FROM search_snapshot_orders WHERE snapshot <> ${keep}`);
}

/** What a snapshot needs to know of a product. */
interface OrderedProduct {
  readonly id: string;
  readonly category: string;
  readonly popularity: number;
  /** Facets and words. */
  readonly terms: readonly string[];
}

/** So many are read at once; a chunk of a snapshot is a multiple of it. */
const PRODUCTS_AT_ONCE = 4_096;

/** Facets and words of a product as one text: arrays take the driver longer to read. Neither holds a line feed. */
const PRODUCT_TERMS = sql`array_to_string(facets || tsvector_to_array(words), E'\\n')`;

/** The facets and words of such a text. */
const termsIn = (text: string): string[] => (text === '' ? [] : text.split('\n'));

interface Line extends Omit<OrderedProduct, 'terms'> {
  readonly terms: string;
}

/**
 * All products by falling popularity, then id, in lists of a power of two, the last one shorter. The next list is on
 * its way while one is worked on. For a transaction, once.
 */
async function* productsInOrder(trx: Knex): AsyncGenerator<readonly OrderedProduct[]> {
  // All of them are read: the planner else takes a cursor for one that is left early.
  await rowsOf(trx, sql`SET LOCAL cursor_tuple_fraction = 1`);
  await rowsOf(
    trx,
    sql`DECLARE products_in_order NO SCROLL CURSOR FOR
        SELECT id, category, popularity, ${PRODUCT_TERMS} AS terms
        FROM catalog_search WHERE kind = 'product' ORDER BY popularity DESC, catalog_search.id`,
  );
  let coming = fetchLines(trx);
  for (;;) {
    const lines = await coming;
    if (lines.length === 0) break;
    coming = fetchLines(trx);
    coming.catch(() => undefined);
    yield lines.map(({ terms, ...line }) => ({ ...line, terms: termsIn(terms) }));
  }
  await rowsOf(trx, sql`CLOSE products_in_order`);
}

const fetchLines = (trx: Knex): Promise<Line[]> =>
  rowsOf<Line>(trx, sql`FETCH FORWARD ${constant(PRODUCTS_AT_ONCE)} FROM products_in_order`);

/** Bytes of an ordinal in an order. */
const ORDINAL_BYTES = 4;

/**
 * The order of a listing turned round: runs of equal rank from last to first, each with its ordinals as they were,
 * because every order ends with the id ascending (contract 4.13).
 *
 * @param order ordinals, four bytes each
 * @param starts positions at which a new rank begins, rising, the first being 0
 */
function reversedOrder(order: Buffer, starts: readonly number[]): Buffer {
  const reversed = Buffer.allocUnsafe(order.length);
  let written = 0;
  let end = order.length;
  for (let at = starts.length - 1; at >= 0; at--) {
    const start = (starts[at] ?? 0) * ORDINAL_BYTES;
    written += order.copy(reversed, written, start, end);
    end = start;
  }
  return reversed;
}

/** All ordinals in their own order. */
function ordinalsInOrder(count: number): Buffer {
  const order = Buffer.allocUnsafe(count * ORDINAL_BYTES);
  for (let ordinal = 0; ordinal < count; ordinal++) order.writeUInt32BE(ordinal, ordinal * ORDINAL_BYTES);
  return order;
}
