import { rowsOf } from '../../../db/core/sql';
import { PostgresEmbeddingRepository } from '../../../db/embeddings/embedding-repository';
import { embeddingsOf, nearestIndexOf } from '../../../db/embeddings/embedding-tables';
import { hasNearestIndex } from '../../../db/embeddings/nearest-index-build';
import { PostgresNeighbourIndex } from '../../../db/embeddings/neighbour-index';
import { migrations } from '../../../db/migrations';
import { migrate } from '../../../db/migrations/migrate';
import { NO_FILTER } from '../../../models/catalog/catalog-query';
import type { EmbeddingVersion } from '../../../models/vision/embedding-model';
import { CATEGORIES, type Category, DIMENSIONS, loadVectors, photoOf, VIEWS } from './clustered-vectors';
import { type Knex, onInstallation } from './installation';
import { runConcurrently } from './load';
import { type Cell, type Measurement, machine, percentiles } from './table';

interface VectorsBenchOptions {
  /** Numbers of vectors, each a database of its own. */
  readonly sizes: readonly number[];
  readonly embedded: boolean;
}

/** `none`: the whole catalog. */
type Filter = Category | 'none';

interface Search {
  readonly images: number;
  readonly filter: Filter;
  readonly views: number;
}

const WANTED = 10;
/** As an identification asks (models/vision/candidates.ts). */
const [SERVICE_IMAGES, SERVICE_VIEWS] = [60, 3];
const CLIENTS = 4;
/** Of a million vectors the graph takes 1.9 GiB. */
export const INDEX_MEMORY_MIB = 2048;
const FILTERS: readonly Filter[] = ['none', 'half', 'tenth', 'hundredth'];
const SEARCHES: readonly Search[] = [
  { images: SERVICE_IMAGES, filter: 'none', views: SERVICE_VIEWS },
  ...FILTERS.map((filter) => ({ images: SERVICE_IMAGES, filter, views: 1 })),
];
const QUERIES = 300;
/** Each costs a scan of all vectors; the embedded database takes seconds for it. Under a filter all searches may be scans. */
const [EXACT, EXACT_EMBEDDED, FILTERED] = [100, 8, 30];

/** A server that holds the vectors already (`TEST_DATABASE_URL`) is used as it is, so that two checkouts can measure on it by turns. */
export async function benchVectors({ sizes, embedded }: VectorsBenchOptions): Promise<Measurement> {
  const rows: Cell[][] = [];
  const notes = [
    `Recall@${WANTED} of images against the exact scan, one query vector unless it says three; p50 and p99 with one client, searches a second with ${CLIENTS}, of the exact scan with one.`,
  ];
  const mode = embedded ? 'embedded' : 'PostgreSQL and Redis';
  for (const size of sizes) {
    await onInstallation({ mode }, ({ onDatabase }) =>
      onDatabase(async (knex) => {
        await migrate(knex, migrations);
        const version = await loadVectors(knex, size);
        const index = new PostgresNeighbourIndex(knex, embedded ? Number.POSITIVE_INFINITY : 1);
        const prepared = embedded ? readInMemory(index, version) : indexed(knex, version);
        notes.push(`${size} vectors: ${await prepared}`);
        const images = Math.floor(size / VIEWS);
        const asked = Array.from({ length: QUERIES }, (_, query) =>
          photoOf(1 + Math.floor((query * images) / QUERIES)),
        );
        const measured = await measure(index, version, asked, embedded ? EXACT_EMBEDDED : EXACT);
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

async function measure(
  index: PostgresNeighbourIndex,
  version: EmbeddingVersion,
  asked: readonly Float32Array[],
  exactQueries: number,
): Promise<Cell[][]> {
  const rows: Cell[][] = [];
  const note = (...row: readonly Cell[]) => {
    rows.push([...row]);
    process.stderr.write(`${row.join(', ')}\n`);
  };
  const some = (count: number) => asked.filter((_, at) => at % Math.ceil(asked.length / count) === 0);
  const scopeOf = (filter: Filter) => (filter === 'none' ? NO_FILTER : { ...NO_FILTER, category: filter });
  const shareOf = (filter: Filter) =>
    filter === 'none' ? filter : `${100 * CATEGORIES[filter]} % of the images`;
  const truths = new Map<Filter, Map<Float32Array, readonly number[]>>();
  for (const filter of FILTERS) {
    const found = new Map<Float32Array, readonly number[]>();
    const vectors = some(filter === 'none' ? exactQueries : Math.min(FILTERED, exactQueries));
    const { each, totalMs } = await runConcurrently(vectors.length, 1, async (at) => {
      const vector = vectors[at] ?? new Float32Array();
      found.set(vector, await index.exact(version, [vector], WANTED, scopeOf(filter)));
    });
    truths.set(filter, found);
    note(
      ...['exact scan', shareOf(filter), 1, ...percentiles(each, 0.5, 0.99)],
      (1000 * vectors.length) / totalMs,
    );
  }
  for (const { images, filter, views } of SEARCHES) {
    const find = async (vectors: readonly Float32Array[]) =>
      (await index.nearest(version, [vectors], images, scopeOf(filter))).map(({ imageId }) => imageId);
    const vectors = some(filter === 'none' ? QUERIES : FILTERED);
    const viewsFrom = (at: number) =>
      Array.from({ length: views }, (_, view) => vectors[(at + view) % vectors.length] ?? new Float32Array());
    const search = (at: number) => find(viewsFrom(at));
    const { each } = await runConcurrently(vectors.length, 1, search);
    const { totalMs } = await runConcurrently(vectors.length, CLIENTS, search);
    note(
      ...[`as shipped, ${images} images${views > 1 ? ', three vectors' : ''}`, shareOf(filter)],
      views === 1 ? await recallOf(truths.get(filter), find) : null,
      ...[...percentiles(each, 0.5, 0.99), (1000 * vectors.length) / totalMs],
    );
  }
  return rows;
}

async function recallOf(
  truth: ReadonlyMap<Float32Array, readonly number[]> = new Map(),
  find: (vectors: readonly Float32Array[]) => Promise<readonly number[]>,
): Promise<number> {
  let [right, expected] = [0, 0];
  for (const [vector, wanted] of truth) {
    const found = new Set((await find([vector])).slice(0, WANTED));
    right += wanted.filter((image) => found.has(image)).length;
    expected += wanted.length;
  }
  return right / expected;
}

async function readInMemory(index: PostgresNeighbourIndex, version: EmbeddingVersion): Promise<string> {
  const [before, from] = [process.memoryUsage().rss, performance.now()];
  await index.prepare(version);
  const mib = (process.memoryUsage().rss - before) / 2 ** 20;
  return `read into memory in ${Math.round(performance.now() - from)} ms, ${Math.round(mib)} MiB`;
}

async function indexed(knex: Knex, version: EmbeddingVersion): Promise<string> {
  const [isKept, from] = [await hasNearestIndex(knex, version.id), performance.now()];
  const embeddings = new PostgresEmbeddingRepository(knex, 1, INDEX_MEMORY_MIB);
  await embeddings.buildIndex(version.id, (notice) => process.stderr.write(`${notice}\n`));
  const seconds = Math.round((performance.now() - from) / 1000);
  const [size] = await rowsOf<{ table: string; index: string }>(knex)`
    SELECT pg_size_pretty(pg_table_size(${embeddingsOf(version.id).text}::regclass)) AS table,
    pg_size_pretty(pg_relation_size(${nearestIndexOf(version.id)}::regclass)) AS index`;
  return `index ${isKept ? 'of an earlier run' : `built in ${seconds} s`}, ${size?.index} beside ${size?.table} of vectors`;
}
