import { inTransaction, rowsOf, sql } from '../../../db/core/sql';
import { PostgresEmbeddingRepository } from '../../../db/embeddings/embedding-repository';
import {
  embeddingsOf,
  isShown,
  nearestIndexOf,
  vectorText,
  vectorType,
} from '../../../db/embeddings/embedding-tables';
import { PgvectorExactNeighbours } from '../../../db/embeddings/exact-neighbours';
import { PgvectorNeighbourIndex } from '../../../db/embeddings/neighbour-index';
import { migrations } from '../../../db/migrations';
import { migrate } from '../../../db/migrations/migrate';
import { EVERYTHING, type SearchScope } from '../../../models/catalog/catalog-query';
import type { EmbeddingVersion } from '../../../models/vision/embedding-model';
import { ClusteredVectors, DIMENSIONS, VIEWS } from './clustered-vectors';
import { type Knex, onInstallation } from './installation';
import { runConcurrently } from './load';
import { CATEGORIES, type Category, loadVectors } from './loaded-vectors';
import { type Cell, type Measurement, machine, percentiles } from './table';

interface VectorsBenchOptions {
  /** Numbers of vectors, each a database of its own. */
  readonly sizes: readonly number[];
  readonly queries: number;
}

type Ask = (vectors: readonly Float32Array[]) => Promise<readonly number[]>;

/** `none`: the whole catalog. */
type Filter = Category | 'none';

const WANTED = 10;
/** Images that an identification asks for (models/vision/candidates.ts). */
const ASKED_BY_SERVICE = 60;
const SERVICE_VIEWS = 4;
const CLIENTS = 4;
/** Memory of the server for building the index. */
const INDEX_MEMORY_MIB = 2048;
const EF_SEARCH = [40, 100, 200, 400];
const EF_UNDER_FILTER = 200;
const FILTERS: readonly Filter[] = ['none', 'half', 'tenth', 'hundredth', 'thousandth'];
/** Queries whose true answers are known: each filter costs so many scans of all vectors. */
const EXACT_QUERIES = 100;
const EXACT_FILTERED = 30;
/** Queries under a filter, of which some are scans. */
const FILTERED_SHARE = 0.1;
const SERVER_SETTINGS = { shared_buffers: '4GB', max_wal_size: '8GB' };

/**
 * Nearest neighbours among vectors that lie as the bundled model's do: as the service asks pgvector, its HNSW index alone at several
 * `ef_search`, and the exact scan. A server that holds the vectors already (`TEST_DATABASE_URL`) is used as it is, so that two
 * checkouts can measure on it by turns.
 */
export async function benchVectors({ sizes, queries }: VectorsBenchOptions): Promise<Measurement> {
  const rows: Cell[][] = [];
  const notes = [
    `Recall@${WANTED} of images against the exact scan, one query vector unless it says four; p50 and p99 with one client, searches a second with ${CLIENTS}.`,
  ];
  for (const size of sizes) {
    await onInstallation({ mode: 'PostgreSQL and Redis', server: SERVER_SETTINGS }, (installation) =>
      installation.onDatabase(async (knex) => {
        await migrate(knex, migrations);
        const images = Math.floor(size / VIEWS);
        const vectors = new ClusteredVectors();
        const embeddings = new PostgresEmbeddingRepository(knex, 1, INDEX_MEMORY_MIB);
        const version = await loadVectors(knex, embeddings, vectors, images);
        const from = performance.now();
        await embeddings.buildIndex(version.id, (notice) => process.stderr.write(`${notice}\n`));
        const seconds = Math.round((performance.now() - from) / 1000);
        notes.push(
          `${size} vectors: index built in ${seconds} s with at most ${INDEX_MEMORY_MIB} MiB, ${await sizeOf(knex, version)}`,
        );
        const asked = Array.from({ length: queries }, (_, query) =>
          vectors.ofQuery(1 + Math.floor((query * images) / queries)),
        );
        const truths = await scans(knex, version, asked);
        const measured = await searches(knex, version, asked, truths);
        const scanned = [...truths.values()].map(({ cells }) => cells);
        rows.push(...[...measured, ...scanned].map((row) => [size, ...row]));
      }),
    );
  }
  return {
    title: `nearest neighbours, PostgreSQL with pgvector, ${DIMENSIONS} dimensions, ${machine()}`,
    head: ['vectors', 'search', 'filter', 'recall@10', 'p50 ms', 'p99 ms', 'searches/s'],
    rows,
    notes,
  };
}

/** What an exact search found, by query vector, and its row of the table. */
interface Scan {
  readonly truth: ReadonlyMap<Float32Array, readonly number[]>;
  readonly cells: readonly Cell[];
}

/** The exact scan for some of the queries, one at a time, under each filter. */
async function scans(
  knex: Knex,
  version: EmbeddingVersion,
  asked: readonly Float32Array[],
): Promise<ReadonlyMap<Filter, Scan>> {
  const exact = new PgvectorExactNeighbours(knex);
  const all = new Map<Filter, Scan>();
  for (const filter of FILTERS) {
    const some = evenly(asked, filter === 'none' ? EXACT_QUERIES : EXACT_FILTERED);
    const truth = new Map<Float32Array, readonly number[]>();
    const { each, totalMs } = await runConcurrently(some.length, 1, async (at) => {
      const vector = some[at] ?? new Float32Array();
      truth.set(vector, await exact.nearest(version, [vector], WANTED, scopeOf(filter)));
    });
    const cells = [
      'exact scan',
      filterText(filter),
      1,
      ...percentiles(each, 0.5, 0.99),
      (1000 * some.length) / totalMs,
    ];
    all.set(filter, { truth, cells });
  }
  return all;
}

async function searches(
  knex: Knex,
  version: EmbeddingVersion,
  asked: readonly Float32Array[],
  truths: ReadonlyMap<Filter, Scan>,
): Promise<Cell[][]> {
  const index = new PgvectorNeighbourIndex(knex);
  const rows: Cell[][] = [];
  const measure = async (name: string, filter: Filter, ask: Ask, views = 1) => {
    const some = filter === 'none' ? asked : evenly(asked, Math.ceil(asked.length * FILTERED_SHARE));
    const recall = views === 1 ? await recallOf(truths.get(filter)?.truth ?? new Map(), ask) : null;
    const viewsAt = (at: number) =>
      Array.from({ length: views }, (_, view) => some[(at + view) % some.length] ?? new Float32Array());
    const alone = await runConcurrently(some.length, 1, (at) => ask(viewsAt(at)));
    const together = await runConcurrently(some.length, CLIENTS, (at) => ask(viewsAt(at)));
    rows.push([
      name,
      filterText(filter),
      recall,
      ...percentiles(alone.each, 0.5, 0.99),
      (1000 * some.length) / together.totalMs,
    ]);
    process.stderr.write(`${rows.at(-1)?.join(', ')}\n`);
  };
  const shipped =
    (filter: Filter, images: number): Ask =>
    async (vectors) =>
      (await index.nearest(version, [vectors], images, scopeOf(filter))).map(({ imageId }) => imageId);
  const name = (images: number) => `as shipped, ${images} images`;
  await measure(name(WANTED), 'none', shipped('none', WANTED));
  await measure(
    `${name(ASKED_BY_SERVICE)}, four vectors`,
    'none',
    shipped('none', ASKED_BY_SERVICE),
    SERVICE_VIEWS,
  );
  for (const filter of FILTERS)
    await measure(name(ASKED_BY_SERVICE), filter, shipped(filter, ASKED_BY_SERVICE));
  for (const ef of EF_SEARCH)
    await measure(`HNSW, ef_search ${ef}`, 'none', byIndex(knex, version, ef, 'none'));
  for (const filter of FILTERS.slice(1))
    await measure('HNSW, iterative scan', filter, byIndex(knex, version, EF_UNDER_FILTER, filter));
  return rows;
}

async function recallOf(truth: Scan['truth'], ask: Ask): Promise<number> {
  let right = 0;
  let expected = 0;
  for (const [vector, wanted] of truth) {
    const found = new Set((await ask([vector])).slice(0, WANTED));
    right += wanted.filter((image) => found.has(image)).length;
    expected += wanted.length;
  }
  return right / expected;
}

/** The index alone, with so many candidates; under a filter it goes on until enough pass. */
function byIndex(knex: Knex, version: EmbeddingVersion, efSearch: number, filter: Filter): Ask {
  const type = vectorType(version.manifest.output.dimensions);
  return ([vector = new Float32Array()]) =>
    inTransaction(knex, async (transaction) => {
      await rowsOf(
        transaction,
        sql`SELECT set_config('hnsw.ef_search', ${String(efSearch)}, true),
        set_config('hnsw.iterative_scan', 'relaxed_order', true)`,
      );
      const rows = await rowsOf<{ image: number }>(
        transaction,
        sql`SELECT image_id AS image FROM (
              SELECT e.image_id, e.embedding <#> ${vectorText(vector)}::${type} AS product
              FROM ${embeddingsOf(version.id)} e WHERE ${isShown(sql`e.image_id`, scopeOf(filter))}
              ORDER BY e.embedding <#> ${vectorText(vector)}::${type} LIMIT ${WANTED * VIEWS}
            ) AS near GROUP BY image_id ORDER BY min(product) LIMIT ${WANTED}`,
      );
      return rows.map(({ image }) => Number(image));
    });
}

/** So many of them. */
function evenly(asked: readonly Float32Array[], count: number): readonly Float32Array[] {
  const step = Math.max(1, Math.floor(asked.length / count));
  return asked.filter((_, at) => at % step === 0);
}

async function sizeOf(knex: Knex, version: EmbeddingVersion): Promise<string> {
  const [line] = await rowsOf<{ table: string; index: string }>(
    knex,
    sql`SELECT pg_size_pretty(pg_table_size(${embeddingsOf(version.id).text}::regclass)) AS table,
          pg_size_pretty(pg_relation_size(${nearestIndexOf(version.id)}::regclass)) AS index`,
  );
  return `${line?.index} beside ${line?.table} of vectors`;
}

const scopeOf = (filter: Filter): SearchScope =>
  filter === 'none' ? EVERYTHING : { ...EVERYTHING, category: filter };

const filterText = (filter: Filter): string =>
  filter === 'none' ? 'none' : `${100 * CATEGORIES[filter]} % of the images`;
