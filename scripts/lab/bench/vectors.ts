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

/** `none`: the whole catalog. */
type Filter = Category | 'none';

const WANTED = 10;
/** As an identification asks (models/vision/candidates.ts). */
const [IMAGES, PHOTO_VIEWS] = [60, 3];
/** Of a million vectors the graph takes 1.9 GiB. */
export const INDEX_MEMORY_MIB = 2048;
const SEARCHES: readonly (readonly [filter: Filter, views: number])[] = [
  ['none', PHOTO_VIEWS],
  ...(['none', 'half', 'tenth', 'hundredth'] as const).map((filter) => [filter, 1] as const),
];
const QUERIES = 300;
/** Each costs a scan of all vectors. Under a filter all searches may be scans. */
const [EXACT, FILTERED] = [100, 30];

/** A server that holds the vectors already (`TEST_DATABASE_URL`) is used as it is, so that two checkouts can measure on it by turns. */
export async function benchVectors({ sizes }: { sizes: readonly number[] }): Promise<Measurement> {
  const rows: Cell[][] = [];
  const notes = [`Recall@${WANTED} of images against the exact scan; p50 and p99 with one client.`];
  for (const size of sizes) {
    await onInstallation({ mode: 'PostgreSQL and Redis' }, ({ onDatabase }) =>
      onDatabase(async (knex) => {
        await migrate(knex, migrations);
        const version = await loadVectors(knex, size);
        notes.push(`${size} vectors: ${await indexed(knex, version)}`);
        const images = Math.floor(size / VIEWS);
        const asked = Array.from({ length: QUERIES }, (_, query) =>
          photoOf(1 + Math.floor((query * images) / QUERIES)),
        );
        const measured = await measure(new PostgresNeighbourIndex(knex, 1), version, asked);
        rows.push(...measured.map((row) => [size, ...row]));
      }),
    );
  }
  return {
    title: `nearest neighbours, PostgreSQL, ${DIMENSIONS} dimensions, ${machine()}`,
    head: ['vectors', 'filter', 'views', `recall@${WANTED}`, 'p50 ms', 'p99 ms', 'scan: p50 ms', 'p99 ms'],
    ...{ rows, notes },
  };
}

async function measure(
  index: PostgresNeighbourIndex,
  version: EmbeddingVersion,
  asked: readonly Float32Array[],
): Promise<Cell[][]> {
  const rows: Cell[][] = [];
  for (const [filter, views] of SEARCHES) {
    const scope = filter === 'none' ? NO_FILTER : { ...NO_FILTER, category: filter };
    const some = (count: number) => asked.filter((_, at) => at % Math.ceil(asked.length / count) === 0);
    const vectors = some(filter === 'none' ? QUERIES : FILTERED);
    const found: number[][] = [];
    const shipped = await runConcurrently(vectors.length, 1, async (at) => {
      const photo = Array.from({ length: views }, (_, view) => vectors.at(at + view - vectors.length));
      const near = await index.nearest(version, [photo.flatMap((each) => each ?? [])], IMAGES, scope);
      found[at] = near.slice(0, WANTED).map(({ imageId }) => imageId);
    });
    let [right, expected] = [0, 0];
    const scanned = views > 1 ? 0 : Math.min(vectors.length, EXACT);
    const exact = await runConcurrently(scanned, 1, async (at) => {
      const truth = await index.exact(version, vectors.slice(at, at + 1), WANTED, scope);
      right += truth.filter((image) => found[at]?.includes(image)).length;
      expected += truth.length;
    });
    const share = filter === 'none' ? filter : `${100 * CATEGORIES[filter]} % of the images`;
    const recall = expected === 0 ? null : right / expected;
    const times = [shipped, exact].flatMap(({ each }) => percentiles(each, 0.5, 0.99));
    rows.push([share, views, recall, ...times]);
    process.stderr.write(`${rows.at(-1)?.join(', ')}\n`);
  }
  return rows;
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
