import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import { sqlStateOf } from '../core/postgres-faults';
import { identifier, rowsOf, type Sql, sql } from '../core/sql';
import { embeddingsOf, nearestIndexOf } from './embedding-tables';

/** How an approximate index is built. */
export interface IndexBuildOptions {
  /** Memory of the database server for the graph; a graph that does not fit takes many times as long. */
  readonly memoryMib: number;
  readonly onNotice: (notice: string) => void;
}

/** Any number: with a version's id it names the right to build that version's index. */
const BUILD_LOCK = 5_683_002;
const POLL_MS = 500;

/** Of a vector in the graph, beside the vector itself: its neighbours on all layers, with room to spare. */
const NODE_BYTES = 900;
const MEMORY_LEAST_MIB = 64;

const PARALLEL_WORKERS = 4;

const SETTINGS = ['statement_timeout', 'maintenance_work_mem', 'max_parallel_maintenance_workers'];

/** What the database says when a container gives it little shared memory: then one process builds alone. */
const NO_SHARED_MEMORY = '53100';

/** The name of an index until it is whole. */
const unfinishedOf = (versionId: number): string => `${nearestIndexOf(versionId)}_unfinished`;

/** Whether a version has its approximate index. */
export async function hasNearestIndex(knex: Knex, versionId: number): Promise<boolean> {
  return (await stateOf(knex, nearestIndexOf(versionId))) !== 'missing';
}

/**
 * Makes the approximate index over a version's vectors while searches and writes go on. It gets its name when it is complete; an
 * interrupted one is begun anew. The server goes on when its client is killed, and the next call waits for it.
 *
 * Inner product orders unit vectors as cosine does, and is the cheapest. m 16 and ef_construction 128 were measured: more build
 * time buys little recall.
 */
export async function buildNearestIndex(
  knex: Knex,
  versionId: number,
  options: IndexBuildOptions,
): Promise<void> {
  const connection: ClientBase = await knex.client.acquireConnection();
  const hear = ({ message }: { message?: string | undefined }) => options.onNotice(message ?? '');
  connection.on('notice', hear);
  // The settings and the lock belong to the session; outside of a transaction, as the statement demands.
  const run = async (statement: Sql) => {
    await knex.raw(statement.text, [...statement.bindings]).connection(connection);
  };
  try {
    while (!(await isLocked(knex, connection, versionId))) await delay(POLL_MS);
    await run(setting('statement_timeout', '0'));
    const memoryMib = await memoryFor(knex, versionId, options);
    await run(setting('maintenance_work_mem', `${memoryMib}MB`));
    await build(knex, run, versionId, options);
  } finally {
    connection.off('notice', hear);
    for (const last of [
      sql`SELECT pg_advisory_unlock(${BUILD_LOCK}::integer, ${versionId}::integer)`,
      ...SETTINGS.map((name) => sql`RESET ${identifier(name)}`),
    ]) {
      await run(last).catch(() => undefined);
    }
    await knex.client.releaseConnection(connection);
  }
}

/** What the graph needs, at most what it may have: the server reserves all of it, however few the vectors are. */
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

async function build(
  knex: Knex,
  run: (statement: Sql) => Promise<void>,
  versionId: number,
  { onNotice }: IndexBuildOptions,
): Promise<void> {
  if (await hasNearestIndex(knex, versionId)) return;
  const unfinished = identifier(unfinishedOf(versionId));
  const create = sql`CREATE INDEX CONCURRENTLY ${unfinished} ON ${embeddingsOf(versionId)}
    USING hnsw (embedding halfvec_ip_ops) WITH (m = 16, ef_construction = 128)`;
  if ((await stateOf(knex, unfinishedOf(versionId))) !== 'whole') {
    await run(sql`DROP INDEX IF EXISTS ${unfinished}`);
    try {
      await run(setting('max_parallel_maintenance_workers', String(PARALLEL_WORKERS)));
      await run(create);
    } catch (failure) {
      if (sqlStateOf(failure) !== NO_SHARED_MEMORY) throw failure;
      onNotice('the server has too little shared memory to build with several processes; one builds alone');
      await run(sql`DROP INDEX IF EXISTS ${unfinished}`);
      await run(setting('max_parallel_maintenance_workers', '0'));
      await run(create);
    }
  }
  await run(sql`ALTER INDEX ${unfinished} RENAME TO ${identifier(nearestIndexOf(versionId))}`);
}

/** Requested again and again, and not waited for: a statement that waits would hold up the build itself. */
async function isLocked(knex: Knex, connection: ClientBase, versionId: number): Promise<boolean> {
  const answer: { rows: { locked: boolean }[] } = await knex
    .raw('SELECT pg_try_advisory_lock(?::integer, ?::integer) AS locked', [BUILD_LOCK, versionId])
    .connection(connection);
  return answer.rows[0]?.locked === true;
}

async function stateOf(knex: Knex, index: string): Promise<'missing' | 'broken' | 'whole'> {
  const [line] = await rowsOf<{ whole: boolean }>(knex)`
    SELECT indisvalid AS whole FROM pg_index WHERE indexrelid = to_regclass(${identifier(index).text})`;
  if (!line) return 'missing';
  return line.whole ? 'whole' : 'broken';
}

/** For the session. */
const setting = (name: string, value: string): Sql => sql`SELECT set_config(${name}, ${value}, false)`;
