import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { sqlStateOf } from '../core/postgres-faults';
import { disableTimeout, identifier, onOneConnection, rowsOf, sql } from '../core/sql';
import { embeddingsOf, nearestIndexOf } from './embedding-tables';

export interface IndexBuildOptions {
  /** Memory of the database server for the graph; a graph that does not fit takes many times as long. */
  readonly memoryMib: number;
  readonly onNotice: (notice: string) => void;
}

/** With a version's id, the advisory lock for building that version's index: any number. */
const BUILD_LOCK = 5_683_002;
const POLL_MS = 500;

/** Bytes in the graph per vector besides the vector itself: its neighbours on all layers, rounded up. */
const NODE_BYTES = 900;
const MEMORY_LEAST_MIB = 64;

const PARALLEL_WORKERS = 4;

const SETTINGS = ['statement_timeout', 'maintenance_work_mem', 'max_parallel_maintenance_workers'];

/** SQLSTATE when a container has too little shared memory for parallel processes: then one process builds alone. */
const NO_SHARED_MEMORY = '53100';

const unfinishedOf = (versionId: number): string => `${nearestIndexOf(versionId)}_unfinished`;

export async function hasNearestIndex(knex: Knex, versionId: number): Promise<boolean> {
  return (await stateOf(knex, nearestIndexOf(versionId))) !== 'missing';
}

/**
 * Makes the approximate index over a version's vectors while searches and writes go on. It gets its name when it is complete; an
 * interrupted one restarts. The server continues when its client is killed, and the next call waits for it.
 *
 * Inner product orders unit vectors as cosine does, and is the cheapest. m 16 and ef_construction 128 were measured: more build
 * time buys little recall.
 */
export function buildNearestIndex(knex: Knex, versionId: number, options: IndexBuildOptions): Promise<void> {
  // The settings and the lock belong to the session; outside of a transaction, as the statement demands.
  return onOneConnection(knex, async (own, connection) => {
    const hear = ({ message }: { message?: string | undefined }) => options.onNotice(message ?? '');
    connection.on('notice', hear);
    try {
      while (!(await isLocked(own, versionId))) await delay(POLL_MS);
      await disableTimeout(own);
      await set(own, 'maintenance_work_mem', `${await memoryFor(own, versionId, options)}MB`);
      await build(own, versionId, options);
    } finally {
      connection.off('notice', hear);
      for (const last of [
        sql`SELECT pg_advisory_unlock(${BUILD_LOCK}::integer, ${versionId}::integer)`,
        ...SETTINGS.map((name) => sql`RESET ${identifier(name)}`),
      ]) {
        await rowsOf(own, last).catch(() => undefined);
      }
    }
  });
}

/** The memory that the graph needs, up to the limit: the server reserves all that it is given. */
async function memoryFor(
  knex: Knex,
  versionId: number,
  { memoryMib, onNotice }: IndexBuildOptions,
): Promise<number> {
  const [line] = await rowsOf<{ vectors: number; bytes: number }>(knex)`
    SELECT count(*) AS vectors, coalesce(max(pg_column_size(embedding)), 0) AS bytes
    FROM ${embeddingsOf(versionId)}`;
  const { vectors = 0, bytes = 0 } = line ?? {};
  const neededMib = MEMORY_LEAST_MIB + Math.ceil((vectors * (bytes + NODE_BYTES)) / 2 ** 20);
  if (neededMib > memoryMib) {
    onNotice(
      `the graph of ${vectors} vectors takes about ${neededMib} MiB and may have ${memoryMib} (INDEX_MEMORY_MIB): the build takes many times longer`,
    );
  }
  return Math.min(neededMib, memoryMib);
}

async function build(own: Knex, versionId: number, { onNotice }: IndexBuildOptions): Promise<void> {
  if (await hasNearestIndex(own, versionId)) return;
  const unfinished = identifier(unfinishedOf(versionId));
  const create = async (workers: number) => {
    await rowsOf(own)`DROP INDEX IF EXISTS ${unfinished}`;
    await set(own, 'max_parallel_maintenance_workers', String(workers));
    await rowsOf(own)`CREATE INDEX CONCURRENTLY ${unfinished} ON ${embeddingsOf(versionId)}
      USING hnsw (embedding halfvec_ip_ops) WITH (m = 16, ef_construction = 128)`;
  };
  if ((await stateOf(own, unfinishedOf(versionId))) !== 'whole') {
    await create(PARALLEL_WORKERS).catch((failure: unknown) => {
      if (sqlStateOf(failure) !== NO_SHARED_MEMORY) throw failure;
      onNotice('the server has too little shared memory to build with several processes; one builds alone');
      return create(0);
    });
  }
  await rowsOf(own)`ALTER INDEX ${unfinished} RENAME TO ${identifier(nearestIndexOf(versionId))}`;
}

/** Tries to take the lock without waiting: a waiting statement would hold up the concurrent build itself. */
async function isLocked(own: Knex, versionId: number): Promise<boolean> {
  const [line] = await rowsOf<{ locked: boolean }>(own)`
    SELECT pg_try_advisory_lock(${BUILD_LOCK}::integer, ${versionId}::integer) AS locked`;
  return line?.locked === true;
}

async function stateOf(knex: Knex, index: string): Promise<'missing' | 'broken' | 'whole'> {
  const [line] = await rowsOf<{ whole: boolean }>(knex)`
    SELECT indisvalid AS whole FROM pg_index WHERE indexrelid = to_regclass(${identifier(index).text})`;
  if (!line) return 'missing';
  return line.whole ? 'whole' : 'broken';
}

/** For the session. */
const set = (own: Knex, name: string, value: string) =>
  rowsOf(own)`SELECT set_config(${name}, ${value}, false)`;
