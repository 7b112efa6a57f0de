import { inTransaction, rowsOf, sql } from '../../../db/core/sql';
import { PostgresEmbeddingRepository } from '../../../db/embeddings/embedding-repository';
import {
  embeddingsOf,
  nearestIndexOf,
  vectorText,
  vectorType,
} from '../../../db/embeddings/embedding-tables';
import { PostgresNeighbourIndex } from '../../../db/embeddings/neighbour-index';
import { migrations } from '../../../db/migrations';
import { migrate } from '../../../db/migrations/migrate';
import { EVERYTHING } from '../../../models/catalog/catalog-query';
import type { EmbeddingVersion } from '../../../models/vision/embedding-model';
import { CATEGORIES, type Category, DIMENSIONS, loadVectors, photoOf, VIEWS } from './clustered-vectors';
import { type Knex, onInstallation } from './installation';
import { runConcurrently } from './load';
import { type Cell, type Measurement, machine, percentiles } from './table';

interface VectorsBenchOptions {
  /** Numbers of vectors, each a database of its own. */
  readonly sizes: readonly number[];
  readonly queries: number;
  readonly embedded: boolean;
}

/** `none`: the whole catalog. */
type Filter = Category | 'none';

/** A row of the table: a search with one or more query vectors, which answers image ids. */
interface Search {
  readonly name: string;
  readonly filter: Filter;
  readonly views?: number;
  /** Whether the others are compared with it. */
  readonly isExact?: boolean;
  find(vectors: readonly Float32Array[]): Promise<readonly number[]>;
}

const WANTED = 10;
/** Images that an identification asks for (models/vision/candidates.ts). */
const ASKED_BY_SERVICE = 60;
const SERVICE_VIEWS = 4;
const CLIENTS = 4;
/** Memory of the server for building the index. */
const INDEX_MEMORY_MIB = 2048;
const EF_SEARCH = [40, 100, 200, 400];
const FILTERS: readonly Filter[] = ['none', 'half', 'tenth', 'hundredth', 'thousandth'];
/** Each costs a scan of all vectors; the embedded database takes seconds for it. */
const EXACT_QUERIES = { none: 100, filtered: 30, embedded: 8 };
/** Some queries under a filter are scans. */
const FILTERED_SHARE = 0.1;
const SERVER_SETTINGS = { shared_buffers: '4GB', max_wal_size: '8GB' };

/**
 * Nearest neighbours among vectors that are spread as the bundled model's: as the service searches, the exact scan of pgvector, and on
 * a server its HNSW index alone at several `ef_search`. A server that holds the vectors already (`TEST_DATABASE_URL`) is used as it is,
 * so that two checkouts can measure on it by turns.
 */
export async function benchVectors({ sizes, queries, embedded }: VectorsBenchOptions): Promise<Measurement> {
  const rows: Cell[][] = [];
  const notes = [
    `Recall@${WANTED} of images against the exact scan, one query vector unless it says four; p50 and p99 with one client, searches a second with ${CLIENTS}, of the exact scan with one.`,
  ];
  const mode = embedded ? 'embedded' : 'PostgreSQL and Redis';
  for (const size of sizes) {
    await onInstallation({ mode, server: SERVER_SETTINGS }, ({ onDatabase }) =>
      onDatabase(async (knex) => {
        await migrate(knex, migrations);
        const version = await loadVectors(knex, size);
        const prepared = embedded ? readInMemory(knex, version) : indexed(knex, version);
        notes.push(`${size} vectors: ${await prepared}`);
        const images = Math.floor(size / VIEWS);
        const asked = Array.from({ length: queries }, (_, query) =>
          photoOf(1 + Math.floor((query * images) / queries)),
        );
        const measured = await measure(searchesOf(knex, version, embedded), asked, embedded);
        rows.push(...measured.map((row) => [size, ...row]));
      }),
    );
  }
  return {
    title: `nearest neighbours, ${mode}, ${DIMENSIONS} dimensions, ${machine()}`,
    head: ['vectors', 'search', 'filter', 'recall@10', 'p50 ms', 'p99 ms', 'searches/s'],
    ...{ rows, notes },
  };
}

async function measure(searches: readonly Search[], asked: readonly Float32Array[], embedded: boolean) {
  const truths = new Map<Filter, Map<Float32Array, readonly number[]>>();
  const rows: Cell[][] = [];
  for (const { name, filter, find, views = 1, isExact = false } of searches) {
    const isFiltered = filter !== 'none';
    const exact = embedded ? 'embedded' : isFiltered ? 'filtered' : 'none';
    const count = isExact
      ? EXACT_QUERIES[exact]
      : Math.ceil(asked.length * (isFiltered ? FILTERED_SHARE : 1));
    const step = Math.max(1, Math.floor(asked.length / count));
    const some = asked.filter((_, at) => at % step === 0);
    const search = (at: number) =>
      find(Array.from({ length: views }, (_, view) => some[(at + view) % some.length] ?? new Float32Array()));
    const found = new Map<Float32Array, readonly number[]>();
    const alone = await runConcurrently(some.length, 1, async (at) => {
      found.set(some[at] ?? new Float32Array(), await search(at));
    });
    if (isExact) truths.set(filter, found);
    const { totalMs } = isExact ? alone : await runConcurrently(some.length, CLIENTS, search);
    const recall = views === 1 ? await recallOf(truths.get(filter), find) : null;
    const share = isFiltered ? `${100 * CATEGORIES[filter]} % of the images` : filter;
    rows.push([name, share, recall, ...percentiles(alone.each, 0.5, 0.99), (1000 * some.length) / totalMs]);
    process.stderr.write(`${rows.at(-1)?.join(', ')}\n`);
  }
  return rows;
}

async function recallOf(
  truth: ReadonlyMap<Float32Array, readonly number[]> = new Map(),
  find: Search['find'],
) {
  let [right, expected] = [0, 0];
  for (const [vector, wanted] of truth) {
    const found = new Set((await find([vector])).slice(0, WANTED));
    right += wanted.filter((image) => found.has(image)).length;
    expected += wanted.length;
  }
  return right / expected;
}

async function readInMemory(knex: Knex, version: EmbeddingVersion): Promise<string> {
  const [before, from] = [process.memoryUsage().rss, performance.now()];
  await new PostgresNeighbourIndex(knex, Number.POSITIVE_INFINITY).prepare(version);
  const mib = (process.memoryUsage().rss - before) / 2 ** 20;
  return `read into memory in ${Math.round(performance.now() - from)} ms, ${Math.round(mib)} MiB`;
}

async function indexed(knex: Knex, version: EmbeddingVersion): Promise<string> {
  const from = performance.now();
  const embeddings = new PostgresEmbeddingRepository(knex, 1, INDEX_MEMORY_MIB);
  await embeddings.buildIndex(version.id, (notice) => process.stderr.write(`${notice}\n`));
  const seconds = Math.round((performance.now() - from) / 1000);
  const [size] = await rowsOf<{ table: string; index: string }>(knex)`
    SELECT pg_size_pretty(pg_table_size(${embeddingsOf(version.id).text}::regclass)) AS table,
    pg_size_pretty(pg_relation_size(${nearestIndexOf(version.id)}::regclass)) AS index`;
  return `index built in ${seconds} s with at most ${INDEX_MEMORY_MIB} MiB, ${size?.index} beside ${size?.table} of vectors`;
}

/** Every search; the exact ones, which the others are compared with, first. */
function searchesOf(knex: Knex, version: EmbeddingVersion, embedded: boolean): Search[] {
  const index = new PostgresNeighbourIndex(knex, embedded ? Number.POSITIVE_INFINITY : 1);
  const scopeOf = (filter: Filter) => (filter === 'none' ? EVERYTHING : { ...EVERYTHING, category: filter });
  const shipped = (filter: Filter, images: number, views = 1): Search => ({
    ...{ name: `as shipped, ${images} images${views > 1 ? ', four vectors' : ''}`, filter, views },
    find: async (vectors) =>
      (await index.nearest(version, [vectors], images, scopeOf(filter))).map(({ imageId }) => imageId),
  });
  const scan = (filter: Filter): Search => ({
    ...{ name: 'exact scan', filter, isExact: true },
    find: (vectors) => index.exact(version, vectors, WANTED, scopeOf(filter)),
  });
  return [
    ...FILTERS.map(scan),
    ...(embedded ? [] : EF_SEARCH.map((ef) => byIndex(knex, version, ef))),
    shipped('none', WANTED),
    shipped('none', ASKED_BY_SERVICE, SERVICE_VIEWS),
    ...FILTERS.map((filter) => shipped(filter, ASKED_BY_SERVICE)),
  ];
}

/** The index alone, with so many candidates. */
const byIndex = (knex: Knex, version: EmbeddingVersion, efSearch: number): Search => ({
  ...{ name: `HNSW, ef_search ${efSearch}`, filter: 'none' },
  find: ([vector = new Float32Array()]) =>
    inTransaction(knex, async (transaction) => {
      const asked = sql`${vectorText(vector)}::${vectorType(version.manifest.output.dimensions)}`;
      await rowsOf(transaction)`SELECT set_config('hnsw.ef_search', ${String(efSearch)}, true)`;
      const rows = await rowsOf<{ image: number }>(transaction)`SELECT image_id AS image FROM (
          SELECT image_id, embedding <#> ${asked} AS product FROM ${embeddingsOf(version.id)}
          ORDER BY embedding <#> ${asked} LIMIT ${WANTED * VIEWS}
        ) AS near GROUP BY image_id ORDER BY min(product) LIMIT ${WANTED}`;
      return rows.map(({ image }) => Number(image));
    }),
});
