import { cpus } from 'node:os';
import { PostgresEmbeddingRepository } from '../../../db/embedding-repository';
import { embeddingsOf, isShown, nearestIndexOf, vectorText, vectorType } from '../../../db/embedding-tables';
import { PgvectorExactNeighbours } from '../../../db/exact-neighbours';
import { connectPostgres, type Database } from '../../../db/knex';
import { migrate } from '../../../db/migrate';
import { migrations } from '../../../db/migrations';
import { PgvectorNeighbourIndex } from '../../../db/neighbour-index';
import { inTransaction, rowsOf, sql } from '../../../db/sql';
import type { EmbeddingVersion } from '../../../models/indexing/embedding-version';
import { processEnvironment } from '../../config';
import { bringUpServices } from '../../services/bring-up-services';
import { type Measurement, percentile, runConcurrently } from '../measure';
import { ClusteredVectors, VIEWS } from './clustered-vectors';
import { InProcessIndex, PEER } from './in-process-index';
import { CATEGORIES, type Category, loadVectors } from './loaded-vectors';

export interface VectorsBenchOptions {
  /** Numbers of vectors, each a database of its own. */
  readonly sizes: readonly number[];
  readonly queries: number;
  /** Memory of the server for building the index. */
  readonly indexMemoryMib: number;
}

const WANTED = 10;
/** Images that an identification asks for (models/vision/vision-service.ts). */
const ASKED_BY_SERVICE = 60;
const SERVICE_VIEWS = 4;
const EF_SEARCH = [40, 100, 200, 400];
const EXACT_QUERIES = 100;
const CLIENTS = 4;
const SERVER_SETTINGS = { shared_buffers: '4GB', max_wal_size: '8GB' };

type Ask = (vectors: readonly Float32Array[]) => Promise<readonly number[]>;

/** What a search found and how long it took. */
interface Figures {
  readonly name: string;
  readonly filter: string;
  readonly recall: number;
  readonly each: readonly number[];
  readonly perSecond: number;
}

/**
 * Nearest neighbours among vectors that lie as the bundled model's do: pgvector's HNSW as the service builds and asks it,
 * the same at other `ef_search`, the exact scan, and an HNSW within the process.
 */
export async function benchVectors({
  sizes,
  queries,
  indexMemoryMib,
}: VectorsBenchOptions): Promise<Measurement> {
  const rows: (string | number)[][] = [];
  const notes = [
    `Recall@${WANTED} of images against the exact scan, one query vector unless it says four; p50 and p99 with one client, searches a second with ${CLIENTS} (exact scans with one).`,
  ];
  for (const size of sizes) {
    const measured = await benchSize(Math.floor(size / VIEWS), queries, indexMemoryMib);
    rows.push(...measured.rows.map((row) => [size.toLocaleString('en'), ...row]));
    notes.push(...measured.notes.map((note) => `${size.toLocaleString('en')} vectors: ${note}`));
  }
  return {
    title: `nearest neighbours, PostgreSQL with pgvector, 256 dimensions, ${cpus().length} cores`,
    head: ['vectors', 'search', 'filter', 'recall@10', 'p50 ms', 'p99 ms', 'searches/s'],
    rows,
    notes,
  };
}

async function benchSize(images: number, queries: number, indexMemoryMib: number) {
  const services = await bringUpServices({
    environment: processEnvironment(),
    log: (line) => process.stderr.write(`${line}\n`),
    postgres: { durable: true, settings: SERVER_SETTINGS },
  });
  const database = connectPostgres({ url: services.postgres.url, statementMs: 0, poolMax: CLIENTS + 2 });
  try {
    await migrate(database.knex, migrations);
    return await measure(database.knex, images, queries, indexMemoryMib);
  } finally {
    await database.close();
    await services.stop();
  }
}

async function measure(knex: Database['knex'], images: number, queries: number, indexMemoryMib: number) {
  const vectors = new ClusteredVectors();
  const embeddings = new PostgresEmbeddingRepository(knex, 1, indexMemoryMib);
  const version = await timed('loaded', () => loadVectors(knex, embeddings, vectors, images));
  const asked = Array.from({ length: queries }, (_, query) =>
    vectors.ofQuery(1 + Math.floor((query * images) / queries)),
  );
  const truth = await exactAnswers(knex, version.value, asked);
  const built = await timed('index built', () => embeddings.buildIndex(version.value.id));
  const figures: Figures[] = [];
  for (const efSearch of EF_SEARCH) {
    const name = `HNSW, ef_search ${efSearch}`;
    figures.push(await search(name, 'none', asked, truth.none, byIndex(knex, version.value, efSearch)));
  }
  const index = new PgvectorNeighbourIndex(knex);
  for (const filter of ['none', ...Object.keys(CATEGORIES)] as (Category | 'none')[]) {
    const category = filter === 'none' ? undefined : filter;
    const ask: Ask = async (given) =>
      (await index.nearest(version.value, given, ASKED_BY_SERVICE, category)).map(({ imageId }) => imageId);
    figures.push(await search('HNSW as shipped', shareOf(filter), asked, truth[filter], ask));
    if (filter === 'none')
      figures.push(await search('HNSW as shipped, four vectors', 'none', asked, null, ask));
  }
  figures.push(...truth.figures);
  const peer = await timed('peer built', () => InProcessIndex.build(vectors, images, 200, cpus().length));
  const inProcess = peer.value;
  if (inProcess) {
    const ask: Ask = async ([vector = new Float32Array()]) =>
      inProcess.nearest(vector, WANTED * VIEWS, WANTED);
    figures.push(await search(`${PEER} in the process, expansion 200`, 'none', asked, truth.none, ask));
  }
  return {
    rows: figures.map(rowOf),
    notes: [
      `index built in ${built.seconds.toFixed(0)} s with ${indexMemoryMib} MiB, ${await sizeOf(knex, version.value)}`,
      inProcess ? `${PEER} built in ${peer.seconds.toFixed(0)} s` : `${PEER} is not installed`,
    ],
  };
}

/** Exact answers to the first queries under each filter, and how long the scans took. */
async function exactAnswers(
  knex: Database['knex'],
  version: EmbeddingVersion,
  asked: readonly Float32Array[],
) {
  const exact = new PgvectorExactNeighbours(knex);
  const some = asked.filter((_, at) => at % Math.ceil(asked.length / EXACT_QUERIES) === 0);
  const answers = new Map<string, ReadonlyMap<Float32Array, readonly number[]>>();
  const figures: Figures[] = [];
  for (const filter of ['none', ...Object.keys(CATEGORIES)]) {
    const category = filter === 'none' ? undefined : filter;
    const found = new Map<Float32Array, readonly number[]>();
    const { each, totalMs } = await runConcurrently(some.length, 1, async (at) => {
      const vector = some[at] ?? new Float32Array();
      found.set(vector, await exact.nearest(version, [vector], WANTED, category));
    });
    answers.set(filter, found);
    const perSecond = (1000 * some.length) / totalMs;
    figures.push({ name: 'exact scan', filter: shareOf(filter), recall: 1, each, perSecond });
  }
  const of = (filter: string) => answers.get(filter) ?? new Map<Float32Array, readonly number[]>();
  return { none: of('none'), most: of('most'), some: of('some'), few: of('few'), figures };
}

/** @param truth what should be found for some of the queries; null asks with four vectors at a time, for the time alone */
async function search(
  name: string,
  filter: string,
  asked: readonly Float32Array[],
  truth: ReadonlyMap<Float32Array, readonly number[]> | null,
  ask: Ask,
): Promise<Figures> {
  let right = 0;
  let expected = 0;
  const vectorsOf = (at: number) =>
    truth
      ? asked.slice(at, at + 1)
      : Array.from(
          { length: SERVICE_VIEWS },
          (_, view) => asked[(at + view) % asked.length] ?? new Float32Array(),
        );
  for (const vector of (truth ? asked : []).filter((each) => truth?.has(each))) {
    const wanted = truth?.get(vector) ?? [];
    const found = new Set((await ask([vector])).slice(0, WANTED));
    right += wanted.filter((image) => found.has(image)).length;
    expected += wanted.length;
  }
  const alone = await runConcurrently(asked.length, 1, async (at) => void (await ask(vectorsOf(at))));
  const together = await runConcurrently(
    asked.length,
    CLIENTS,
    async (at) => void (await ask(vectorsOf(at))),
  );
  return {
    name,
    filter,
    recall: expected === 0 ? Number.NaN : right / expected,
    each: alone.each,
    perSecond: (1000 * asked.length) / together.totalMs,
  };
}

/** The index alone, with so many candidates. */
function byIndex(knex: Database['knex'], version: EmbeddingVersion, efSearch: number): Ask {
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
              FROM ${embeddingsOf(version.id)} e WHERE ${isShown(sql`e.image_id`)}
              ORDER BY e.embedding <#> ${vectorText(vector)}::${type} LIMIT ${WANTED * VIEWS}
            ) AS near GROUP BY image_id ORDER BY min(product) LIMIT ${WANTED}`,
      );
      return rows.map(({ image }) => Number(image));
    });
}

async function sizeOf(knex: Database['knex'], version: EmbeddingVersion): Promise<string> {
  const [line] = await rowsOf<{ table: string; index: string }>(
    knex,
    sql`SELECT pg_size_pretty(pg_table_size(${embeddingsOf(version.id).text}::regclass)) AS table,
          pg_size_pretty(pg_relation_size(${nearestIndexOf(version.id)}::regclass)) AS index`,
  );
  return `${line?.index} beside ${line?.table} of vectors`;
}

async function timed<Value>(name: string, work: () => Promise<Value>) {
  const from = performance.now();
  const value = await work();
  const seconds = (performance.now() - from) / 1000;
  process.stderr.write(`${name} in ${seconds.toFixed(0)} s\n`);
  return { value, seconds };
}

const shareOf = (filter: string): string =>
  filter === 'none' ? 'none' : `${100 * (CATEGORIES[filter as Category] ?? 1)} % of the images`;

const rowOf = ({ name, filter, recall, each, perSecond }: Figures): (string | number)[] => [
  name,
  filter,
  Number.isNaN(recall) ? '' : recall.toFixed(3),
  percentile(each, 0.5).toFixed(1),
  percentile(each, 0.99).toFixed(1),
  perSecond.toFixed(0),
];
