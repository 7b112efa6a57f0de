import { cpus } from 'node:os';
import { connectPostgres } from '../../../../db/core/knex';
import { rowsOf, sql } from '../../../../db/core/sql';
import { Random } from '../../../../models/random';
import { runLoupe, startProcess } from '../../service-processes';
import { type Measurement, percentile, runConcurrently } from '../measure';
import { CatalogClient } from './catalog-client';
import { CatalogSample } from './catalog-sample';
import { explainQuestions } from './explain-questions';
import { FullTextPeer } from './full-text-peer';
import { type LoadedCatalog, withLoadedCatalog } from './loaded-catalog';
import { QUESTION_KINDS, type Question, type QuestionKind } from './questions';

export interface CatalogBenchOptions {
  /** Size of the generated catalog. */
  readonly products: number;
  /** Calls of each sort with one client; twice as many with sixteen. */
  readonly calls: number;
  /** A server that keeps the catalog for the next run; without, one is brought up and thrown away. */
  readonly databaseUrl: string | undefined;
  /** Folder for the plan of every statement. */
  readonly explain: string | undefined;
  /** Only questions whose name contains this. */
  readonly only: string | undefined;
}

const SEED = 11;
const CLIENTS = 16;
const WARM_UP_CALLS = 16;
/** It answers some questions in seconds. */
const PEER_CALLS_MAX = 40;
const NONE = '';

/** Times of one sort of question, in ms. */
interface Times {
  readonly each: readonly number[];
  readonly perSecond: number;
}

/**
 * Every sort of catalog query over HTTP against one `api` process on PostgreSQL, with one client and with sixteen,
 * beside a bare look-up by id through the same kind of pool and an SQLite FTS5 index over the same rows.
 */
export async function benchCatalog(options: CatalogBenchOptions): Promise<Measurement> {
  return withLoadedCatalog(options, SEED, async (catalog) => {
    const database = connectPostgres({ url: catalog.databaseUrl });
    try {
      const sample = await CatalogSample.read(database.knex, SEED);
      const kinds = QUESTION_KINDS.filter(({ name }) => name.includes(options.only ?? ''));
      if (options.explain !== undefined) {
        await explainQuestions(database.knex, sample, kinds, options.explain, SEED);
      }
      const peer = await FullTextPeer.load(database.knex);
      const floor = await measureBoth(options.calls, drawItems(sample), async (id) => {
        await rowsOf(database.knex, sql`SELECT * FROM catalog_rows WHERE id = ${id}`);
      });
      const rows = await measureService(catalog, sample, kinds, peer, options.calls);
      peer.close();
      return {
        title: `catalog over HTTP: ${sample.size} products, PostgreSQL, ${cpus().length} cores`,
        head: [
          ...['query', 'pricing', 'target p95'],
          ...['p50 ms', 'p95 ms', 'p99 ms', 'queries/s'],
          ...[`p50 ms, ${CLIENTS} clients`, 'p95 ms', 'p99 ms', 'queries/s'],
          ...['FTS5 p50 ms', 'FTS5 p95 ms'],
        ],
        rows: [
          ['bare SELECT by id', NONE, NONE, ...cellsOf(floor.alone), ...cellsOf(floor.together), NONE, NONE],
          ...rows,
        ],
        notes: [
          'The client, the service and PostgreSQL share the cores. FTS5 answers ids and a total within the client process.',
        ],
      };
    } finally {
      await database.close();
    }
  });
}

async function measureService(
  catalog: LoadedCatalog,
  sample: CatalogSample,
  kinds: readonly QuestionKind[],
  peer: FullTextPeer,
  calls: number,
): Promise<(string | number)[][]> {
  const settings = { ...catalog.settings, RATE_PER_SECOND: '0' };
  const api = await startProcess({ ...settings, ROLE: 'api' });
  const client = new CatalogClient(api.url, await keyFor(settings), CLIENTS);
  try {
    const rows: (string | number)[][] = [];
    for (const kind of kinds) {
      const draw = (random: Random) => kind.draw(sample, random);
      for (const pricing of kind.priced ? [false, true] : [false]) {
        const measured = await measureBoth(
          calls,
          draw,
          (question) => client.ask(question, pricing),
          kind.name,
        );
        rows.push([
          ...[kind.name, pricing ? 'yes' : 'no', `${kind.targetMs} ms`],
          ...[...cellsOf(measured.alone), ...cellsOf(measured.together)],
          ...(pricing ? [NONE, NONE] : peerCells(peer, draw, calls, kind.name)),
        ]);
        process.stderr.write(`${rows.at(-1)?.join(' | ')}\n`);
      }
    }
    return rows;
  } finally {
    await client.close();
    await api.stop();
  }
}

async function keyFor(settings: Readonly<Record<string, string>>): Promise<string> {
  const account = (await runLoupe(settings, 'accounts', 'create', '--name', 'bench')) as { id: string };
  const { key } = (await runLoupe(
    settings,
    ...['keys', 'create', '--account', account.id, '--name', 'bench', '--versions', 'v3'],
  )) as { key: string };
  return key;
}

/** With one client, then with many; every call draws values of its own, so no cache has seen them. */
async function measureBoth<Asked>(
  calls: number,
  draw: (random: Random) => Asked,
  ask: (asked: Asked) => Promise<void>,
  ...purpose: readonly string[]
): Promise<{ alone: Times; together: Times }> {
  const run = async (count: number, concurrency: number, phase: string): Promise<Times> => {
    const random = new Random(SEED, phase, ...purpose);
    const asked = Array.from({ length: count }, () => draw(random));
    const { each, totalMs } = await runConcurrently(count, concurrency, async (index) => {
      const one = asked[index];
      if (one !== undefined) await ask(one);
    });
    return { each, perSecond: (1000 * count) / totalMs };
  };
  await run(WARM_UP_CALLS, CLIENTS, 'warm-up');
  return { alone: await run(calls, 1, 'alone'), together: await run(calls * 2, CLIENTS, 'together') };
}

const drawItems = (sample: CatalogSample) => (random: Random) => sample.product(random).id;

function cellsOf({ each, perSecond }: Times): string[] {
  return [...[0.5, 0.95, 0.99].map((share) => percentile(each, share).toFixed(1)), perSecond.toFixed(0)];
}

/** The peer answers the questions that one client asked. */
function peerCells(
  peer: FullTextPeer,
  draw: (random: Random) => Question,
  calls: number,
  purpose: string,
): string[] {
  const random = new Random(SEED, 'alone', purpose);
  const each: number[] = [];
  for (let call = 0; call < Math.min(calls, PEER_CALLS_MAX); call++) {
    const question = draw(random);
    if (!('query' in question) || question.query.text === null) return [NONE, NONE];
    const from = performance.now();
    peer.ask(question.query.text);
    each.push(performance.now() - from);
  }
  return [percentile(each, 0.5).toFixed(1), percentile(each, 0.95).toFixed(1)];
}
