import { cpus } from 'node:os';
import { rowsOf, sql } from '../../../../db/core/sql';
import { PostgresEmbeddingRepository } from '../../../../db/embeddings/embedding-repository';
import { embeddingsOf, nearestIndexOf } from '../../../../db/embeddings/embedding-tables';
import type { EmbeddingVersion } from '../../../../models/vision/embedding-model';
import type { Cell, Measurement } from '../measure';
import { type Knex, onMigratedDatabase } from '../set-up';
import { ClusteredVectors, DIMENSIONS, VIEWS } from './clustered-vectors';
import { InProcessIndex, PEER } from './in-process-index';
import { loadVectors } from './loaded-vectors';
import {
  ASKED_BY_SERVICE,
  type Ask,
  asShipped,
  byIndex,
  CLIENTS_SAID,
  CONNECTIONS,
  FILTERS,
  type Figures,
  headOfFigures,
  rowOfFigures,
  scanExactly,
  search,
  searchByViews,
  WANTED,
} from './searches';

interface VectorsBenchOptions {
  /** Numbers of vectors, each a database of its own. */
  readonly sizes: readonly number[];
  readonly queries: number;
}

/** Memory of the server for building the index. */
const INDEX_MEMORY_MIB = 2048;
const EF_SEARCH = [40, 100, 200, 400];
const EF_UNDER_FILTER = 200;
/** Queries whose true answers are known: each filter costs so many scans of all vectors. */
const EXACT_QUERIES = { none: 100, half: 30, tenth: 30, hundredth: 30, thousandth: 30, rest: 0 } as const;
/** Queries under a filter, of which some are scans. */
const FILTERED_SHARE = 0.1;
const PEER_EXPANSION = 200;
/** As an identification asks, but for one vector instead of one for each view of the photo. */
const SHIPPED = `as shipped, ${ASKED_BY_SERVICE} images`;
const SERVER_SETTINGS = { shared_buffers: '4GB', max_wal_size: '8GB' };

/** One size, being measured. */
interface Bench {
  readonly knex: Knex;
  readonly vectors: ClusteredVectors;
  readonly version: EmbeddingVersion;
  readonly images: number;
  readonly asked: readonly Float32Array[];
}

interface Measured {
  readonly figures: readonly Figures[];
  readonly notes: readonly string[];
}

/**
 * Nearest neighbours among vectors that lie as the bundled model's do: pgvector's HNSW as the service builds and asks it,
 * the same at other `ef_search`, the exact scan, and an HNSW within the process.
 */
export async function benchVectors(options: VectorsBenchOptions): Promise<Measurement> {
  const rows: Cell[][] = [];
  const notes = [
    `Recall@${WANTED} of images against the exact scan, one query vector unless it says four; ${CLIENTS_SAID}.`,
  ];
  for (const size of options.sizes) {
    const measured = await onMigratedDatabase(SERVER_SETTINGS, CONNECTIONS + 2, (knex) =>
      measure(knex, Math.floor(size / VIEWS), options.queries),
    );
    rows.push(...measured.figures.map((each) => [size.toLocaleString('en'), ...rowOfFigures(each)]));
    notes.push(...measured.notes.map((note) => `${size.toLocaleString('en')} vectors: ${note}`));
  }
  return {
    title: `nearest neighbours, PostgreSQL with pgvector, ${DIMENSIONS} dimensions, ${cpus().length} cores`,
    head: ['vectors', ...headOfFigures],
    rows,
    notes,
  };
}

async function measure(knex: Knex, images: number, queries: number): Promise<Measured> {
  const vectors = new ClusteredVectors();
  const embeddings = new PostgresEmbeddingRepository(knex, 1, INDEX_MEMORY_MIB);
  const version = (await timed('loaded', () => loadVectors(knex, embeddings, vectors, images))).value;
  const { seconds } = await timed('index built', () =>
    embeddings.buildIndex(version.id, (notice) => process.stderr.write(`${notice}\n`)),
  );
  const built = `index built in ${seconds.toFixed(0)} s with at most ${INDEX_MEMORY_MIB} MiB, ${await sizeOf(knex, version)}`;
  const asked = Array.from({ length: queries }, (_, query) =>
    vectors.ofQuery(1 + Math.floor((query * images) / queries)),
  );
  const bench = { knex, vectors, version, images, asked };
  const searched = await searchDatabase(bench);
  const peer = await searchPeer(bench);
  return { figures: [...searched, ...peer.figures], notes: [built, ...peer.notes] };
}

async function searchDatabase({ knex, version, asked }: Bench): Promise<Figures[]> {
  const figures: Figures[] = [];
  const scans: Figures[] = [];
  for (const filter of FILTERS) {
    const scan = await scanExactly(knex, version, some(asked, EXACT_QUERIES[filter]), filter);
    scans.push(scan.figures);
    const shipped = asShipped(knex, version, filter, ASKED_BY_SERVICE);
    if (filter !== 'none') {
      const fewer = some(asked, Math.ceil(asked.length * FILTERED_SHARE));
      figures.push(await search(SHIPPED, filter, fewer, scan.truth, shipped));
      const iterative = byIndex(knex, version, EF_UNDER_FILTER, filter);
      figures.push(await search('HNSW, iterative scan', filter, fewer, scan.truth, iterative));
      continue;
    }
    for (const efSearch of EF_SEARCH) {
      const ask = byIndex(knex, version, efSearch);
      figures.push(await search(`HNSW, ef_search ${efSearch}`, filter, asked, scan.truth, ask));
    }
    const ten = asShipped(knex, version, filter, WANTED);
    figures.push(await search(`as shipped, ${WANTED} images`, filter, asked, scan.truth, ten));
    figures.push(await search(SHIPPED, filter, asked, scan.truth, shipped));
    figures.push(await searchByViews(`${SHIPPED}, four vectors`, asked, shipped));
  }
  return [...figures, ...scans];
}

async function searchPeer({ knex, version, vectors, images, asked }: Bench): Promise<Measured> {
  const built = await timed('peer built', () =>
    InProcessIndex.build(vectors, images, PEER_EXPANSION, cpus().length),
  );
  const index = built.value;
  if (!index) return { figures: [], notes: [`${PEER} is not installed`] };
  const { truth } = await scanExactly(knex, version, some(asked, EXACT_QUERIES.none), 'none');
  const ask: Ask = async ([vector = new Float32Array()]) => index.nearest(vector, WANTED * VIEWS, WANTED);
  const name = `${PEER} in the process, expansion ${PEER_EXPANSION}`;
  return {
    figures: [await search(name, 'none', asked, truth, ask)],
    notes: [`${PEER} built in ${built.seconds.toFixed(0)} s`],
  };
}

/** So many of them, evenly. */
const some = (asked: readonly Float32Array[], count: number): readonly Float32Array[] => {
  const step = Math.max(1, Math.floor(asked.length / count));
  return asked.filter((_, at) => at % step === 0);
};

async function sizeOf(knex: Knex, version: EmbeddingVersion): Promise<string> {
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
