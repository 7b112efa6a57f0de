import type { Knex } from 'knex';
import { copyRows, writtenTable } from '../../core/copy-rows';
import { constant, disableTimeout, inTransaction, rowsOf, sql } from '../../core/sql';
import { CHANGES_MAX } from './catalog-state';
import { CHUNK, ChunkBuilder, type Frequencies, isFacet, type SnapshotProduct } from './snapshot-chunks';

export interface SnapshotLimits {
  /** Number of changes after which it is rebuilt, whatever its size. */
  readonly changesMin: number;
  /** Number of products from which a term has a bitmap; the rows of rarer ones are quickly read. */
  readonly rowsMin: number;
}

const DEFAULTS: SnapshotLimits = { changesMin: 10_000, rowsMin: 512 };
/** Number of changes after which a snapshot of no more products than that is rebuilt. */
const SMALL_CHANGES_MIN = 500;
/** A term that one in this many products has gets a bitmap too: a small catalog has few of them. */
const FREQUENT_SHARE = 64;
/** The process that makes a snapshot holds this advisory lock: any number that nothing else locks by. */
export const SNAPSHOT_LOCK = 6_021_023;
/** Products that are read at once; a chunk of a snapshot is a multiple of it. */
const PRODUCTS_AT_ONCE = 4_096;

const BITMAPS = writtenTable(
  'search_snapshot_bitmaps',
  'snapshot term chunk',
  'snapshot int4, term text, chunk int4, bits bit',
);

/**
 * Makes a snapshot of the current products and drops the previous one, if there is none or much has changed since. Readers and
 * writers go on meanwhile. Resolves to whether one was made: not while another process makes one. Uses the memory of one chunk.
 */
export async function makeSearchSnapshot(knex: Knex, limits: Partial<SnapshotLimits> = {}): Promise<boolean> {
  const { changesMin, rowsMin } = { ...DEFAULTS, ...limits };
  return inTransaction(knex, async (trx) => {
    // One state for all statements; it comes first because the first statement fixes the state.
    await rowsOf(trx)`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`;
    const [lock] = await rowsOf<{ taken: boolean }>(trx)`
      SELECT pg_try_advisory_xact_lock(${SNAPSHOT_LOCK}) AS taken`;
    if (!lock?.taken || !(await isDue(trx, changesMin))) return false;
    await disableTimeout(trx);
    await rowsOf(trx)`SET LOCAL work_mem = '256MB'`;
    await rowsOf(trx)`DELETE FROM catalog_search_changes`;
    // Answers under way start over: the changes that they would look for are gone.
    await rowsOf(trx)`INSERT INTO catalog_search_changes (id) VALUES ('')`;
    await rowsOf(trx)`DELETE FROM search_snapshots`;
    await rowsOf(trx)`DELETE FROM search_snapshot_bitmaps`;
    await rowsOf(trx)`DELETE FROM search_snapshot_columns`;
    await rowsOf(trx)`DELETE FROM search_snapshot_facets`;
    const [snapshot] = await rowsOf<{ number: number }>(trx)`
      INSERT INTO search_snapshots (products) SELECT count(*) FROM catalog_search WHERE kind = 'product' RETURNING number`;
    if (!snapshot) throw new Error('a row that was inserted is not returned');
    const frequent = await frequentTerms(trx, rowsMin);
    await writeChunks(trx, snapshot.number, frequent);
    const words = JSON.stringify([...frequent].filter(([term]) => !isFacet(term)));
    await writeColumn(trx, snapshot.number, 'frequencies', 0, Buffer.from(words));
    await writeNameOrder(trx, snapshot.number);
    await rowsOf(trx)`ANALYZE search_snapshot_bitmaps`;
    return true;
  });
}

async function isDue(trx: Knex, changesMin: number): Promise<boolean> {
  const [answer] = await rowsOf<{ due: boolean }>(trx)`
    SELECT NOT EXISTS (SELECT FROM search_snapshots) OR bool_or(id IS NULL) OR count(*) >= least(${changesMin}::integer,
      (SELECT max(greatest(products, ${SMALL_CHANGES_MIN}::integer)) FROM search_snapshots))
      -- Changes of other rows do not count, but processes read no more than this.
      OR EXISTS (SELECT FROM catalog_search_changes OFFSET ${constant(CHANGES_MAX)})
      -- Earlier releases made it without.
      OR NOT EXISTS (SELECT FROM search_snapshot_columns WHERE name = 'frequencies') AS due
    FROM (SELECT id FROM catalog_search_changes WHERE id IS DISTINCT FROM '' LIMIT ${changesMin}) AS changes`;
  return answer?.due ?? false;
}

async function frequentTerms(trx: Knex, rowsMin: number): Promise<Frequencies> {
  const rows = await rowsOf<{ term: string; products: number }>(trx)`
    SELECT term, count(*)::integer AS products FROM catalog_search CROSS JOIN LATERAL unnest(facets || tsvector_to_array(words)) AS term
    WHERE kind = 'product' GROUP BY term HAVING count(*) >= least(${rowsMin}::integer,
      (SELECT greatest(1, max(products) / ${FREQUENT_SHARE}::integer) FROM search_snapshots))`;
  return new Map(rows.map(({ term, products }) => [term, products]));
}

async function writeChunks(trx: Knex, snapshot: number, frequent: Frequencies): Promise<void> {
  const builder = new ChunkBuilder(frequent);
  let chunk = 0;
  for await (const products of productsInOrder(trx)) {
    for (const product of products) builder.add(product);
    // A batch never reaches over the end of a chunk.
    if (builder.size === CHUNK) await writeChunk(trx, snapshot, chunk++, builder);
  }
  if (builder.size > 0) await writeChunk(trx, snapshot, chunk, builder);
}

async function writeChunk(trx: Knex, snapshot: number, chunk: number, builder: ChunkBuilder): Promise<void> {
  const { bitmaps, columns, facets } = builder.take();
  await copyRows(
    trx,
    BITMAPS,
    Array.from(bitmaps, ([term, bits]) => ({ snapshot, term, chunk, bits })),
  );
  for (const [name, bytes] of Object.entries(columns)) await writeColumn(trx, snapshot, name, chunk, bytes);
  for (const { field, lists, codes } of facets) {
    await rowsOf(trx)`INSERT INTO search_snapshot_facets (snapshot, field, chunk, lists, codes)
      VALUES (${snapshot}, ${field}, ${chunk}, ${JSON.stringify(lists)}, ${codes})`;
  }
}

/** The ordinals by name, four bytes each, the lowest first. */
async function writeNameOrder(trx: Knex, snapshot: number): Promise<void> {
  const [sorted] = await rowsOf<{ ordinals: Buffer }>(trx)`
    SELECT coalesce(string_agg(int4send(ordinal), ''), '') AS ordinals FROM (
      SELECT (row_number() OVER (ORDER BY popularity DESC, id) - 1)::integer AS ordinal, sort_key, id
      FROM catalog_search WHERE kind = 'product' ORDER BY sort_key, id) AS named`;
  const ordinals = Buffer.from(sorted?.ordinals ?? []).swap32();
  await writeColumn(trx, snapshot, 'by_name', 0, ordinals);
}

async function writeColumn(trx: Knex, snapshot: number, name: string, chunk: number, bytes: Buffer) {
  await rowsOf(trx)`
    INSERT INTO search_snapshot_columns (snapshot, name, chunk, bytes) VALUES (${snapshot}, ${name}, ${chunk}, ${bytes})`;
}

/** Facets and words of a product as one text: arrays take the driver longer to read. Neither holds a line feed. */
const PRODUCT_TERMS = sql`array_to_string(facets || tsvector_to_array(words), E'\\n')`;

interface Line extends Omit<SnapshotProduct, 'terms'> {
  readonly terms: string;
}

/** All products by falling popularity, then id, in lists of a power of two, one being read ahead. Once a transaction. */
async function* productsInOrder(trx: Knex): AsyncGenerator<readonly SnapshotProduct[]> {
  // All of them are read: the planner otherwise assumes that a cursor is left early.
  await rowsOf(trx)`SET LOCAL cursor_tuple_fraction = 1`;
  await rowsOf(trx)`DECLARE products_in_order NO SCROLL CURSOR FOR
    SELECT id, category, popularity, sort_key AS "sortKey", ${PRODUCT_TERMS} AS terms
    FROM catalog_search WHERE kind = 'product' ORDER BY popularity DESC, catalog_search.id`;
  let coming = fetchLines(trx);
  for (;;) {
    const lines = await coming;
    if (lines.length === 0) break;
    coming = fetchLines(trx);
    coming.catch(() => undefined);
    yield lines.map(({ terms, ...line }) => ({ terms: terms === '' ? [] : terms.split('\n'), ...line }));
  }
  await rowsOf(trx)`CLOSE products_in_order`;
}

const fetchLines = (trx: Knex): Promise<Line[]> =>
  rowsOf<Line>(trx)`FETCH FORWARD ${constant(PRODUCTS_AT_ONCE)} FROM products_in_order`;
