import { randomUUID } from 'node:crypto';
import { cpus } from 'node:os';
import { prepared, rowsOf, sql } from '../../../../db/core/sql';
import { Random } from '../../../../models/random';
import { startProcess } from '../../service-processes';
import { type Cell, type Measurement, percentiles, runConcurrently } from '../measure';
import { openAccount } from '../vision-installation';
import { CatalogClient } from './catalog-client';
import { CatalogSample } from './catalog-sample';
import { changeProducts, measureByTurns } from './changed-catalog';
import { explainQuestions } from './explain-questions';
import { type LoadedCatalog, withLoadedCatalog } from './loaded-catalog';
import { FullTextPeer, type Peer, PlainSqlPeer } from './peers';
import { QUESTION_KINDS, type Question, type QuestionKind } from './questions';

interface CatalogBenchOptions {
  readonly products: number;
  readonly calls: number;
  readonly explain?: string;
  readonly only: string;
  readonly embedded: boolean;
  readonly changes: number;
}

const SEED = 11;
const CLIENTS = 16;
const WARM_UP_CALLS = 16;
/** They answer some questions in seconds. */
const PEER_CALLS_MAX = 40;
const NONE = '';
const NO_PEERS = [NONE, NONE, NONE, NONE];

/** Questions of every sort of statement that changes make another. */
const afterChanges = (kinds: readonly QuestionKind[]): QuestionKind[] =>
  kinds
    .filter(({ name }) => ['three filters', 'facets', 'by cursor', 'by name', 'two words'].includes(name))
    .map((kind) => ({ ...kind, name: `${kind.name} after changes` }));

/** Times of one sort of question, in ms. */
interface Times {
  readonly each: readonly number[];
  readonly perSecond: number;
}

/**
 * Every sort of catalog query over HTTP against one process that answers, with one client and with sixteen,
 * beside a bare look-up by id through the same kind of pool, and over the same rows an SQLite FTS5 index and plain SQL.
 */
export async function benchCatalog(options: CatalogBenchOptions): Promise<Measurement> {
  const { products, embedded } = options;
  return withLoadedCatalog({ products, embedded, seed: SEED }, async (catalog) => {
    const { knex } = catalog;
    const sample = await CatalogSample.read(knex, SEED);
    const kinds = QUESTION_KINDS.filter(({ name }) => name.includes(options.only));
    if (options.explain !== undefined) {
      await explainQuestions(knex, sample, kinds, options.explain, SEED);
      if (options.changes > 0) {
        await changeProducts(knex, options.changes, SEED);
        await explainQuestions(knex, sample, afterChanges(kinds), options.explain, SEED);
      }
    }
    // After changes the service is compared with itself.
    const peers: Peer[] = options.changes > 0 ? [] : [await FullTextPeer.load(knex), new PlainSqlPeer(knex)];
    const floor = await measureBoth(options.calls, drawItems(sample), async (id) => {
      await rowsOf(knex, sql`SELECT * FROM catalog_rows WHERE id = ${id}`);
    });
    const measure = () => measureService(catalog, sample, kinds, peers, options.calls);
    const rows =
      options.changes === 0 ? await measure() : await measureByTurns(knex, options.changes, SEED, measure);
    for (const peer of peers) peer.close?.();
    return {
      title: `catalog over HTTP: ${sample.size} products, ${embedded ? 'embedded' : 'PostgreSQL'}, ${cpus().length} cores`,
      head: [
        ...['query', 'pricing', 'target p95'],
        ...['p50 ms', 'p95 ms', 'p99 ms', 'queries/s'],
        ...[`p50 ms, ${CLIENTS} clients`, 'p95 ms', 'p99 ms', 'queries/s', 'of the limit'],
        ...['FTS5 p50 ms', 'FTS5 p95 ms', 'plain SQL p50 ms', 'plain SQL p95 ms'],
      ],
      rows: [['bare SELECT by id', NONE, NONE, ...bothCells(floor)], ...rows],
      notes: [
        'The limit is an answer of the service that asks nobody and then a SELECT with a durable booking, with as many clients. The client, the service and PostgreSQL share the cores. FTS5 answers ids and a total within the client process, plain SQL (websearch_to_tsquery and ts_rank, count(*) OVER ()) on the same server, both with one client.',
      ],
    };
  });
}

async function measureService(
  { settings: given, knex }: LoadedCatalog,
  sample: CatalogSample,
  kinds: readonly QuestionKind[],
  peers: readonly Peer[],
  calls: number,
): Promise<Cell[][]> {
  const settings = { ...given, RATE_PER_SECOND: '0' };
  const api = await startProcess({ ...settings, ROLE: 'DATABASE_URL' in settings ? 'api' : 'all' });
  const { accountId, key } = await openAccount(settings);
  const client = new CatalogClient(api.url, key, CLIENTS);
  try {
    const nothing = await measureBoth(
      calls,
      () => null,
      () => client.askNothing(),
    );
    const booking = await measureBoth(calls, drawItems(sample), async (id) => {
      await rowsOf(knex, sql`SELECT * FROM catalog_rows WHERE id = ${id}`);
      await bareBooking(knex, accountId);
    });
    const limit = 1 / (1 / nothing.together.perSecond + 1 / booking.together.perSecond);
    const rows: Cell[][] = [
      ['/healthz', NONE, NONE, ...bothCells(nothing)],
      ['SELECT and booking', NONE, NONE, ...bothCells(booking)],
    ];
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
          `${((100 * measured.together.perSecond) / limit).toFixed(0)} %`,
          ...(pricing ? NO_PEERS : await peersCells(peers, draw, Math.min(calls, PEER_CALLS_MAX), kind.name)),
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

/** A look-up and an insert that is brought to the disk, and no balance: what a server does at most. */
async function bareBooking(knex: LoadedCatalog['knex'], accountId: string): Promise<void> {
  await rowsOf(knex, prepared(sql`SELECT credits, held FROM accounts WHERE id = ${accountId}`));
  await rowsOf(
    knex,
    prepared(sql`INSERT INTO credit_ledger (charge_id, account_id, key_id, endpoint, request_id, amount)
                 VALUES (${randomUUID()}, ${accountId}, 'key_bench', 'v3.catalog.item', ${randomUUID()}, 1)`),
  );
}

const drawItems = (sample: CatalogSample) => (random: Random) => sample.product(random).id;

function cellsOf({ each, perSecond }: Times): string[] {
  return [...percentiles(each, 1, 0.5, 0.95, 0.99), perSecond.toFixed(0)];
}

const bothCells = ({ alone, together }: { alone: Times; together: Times }): string[] => [
  ...[...cellsOf(alone), ...cellsOf(together)],
  ...[NONE, ...NO_PEERS],
];

/** The peers answer the questions that one client asked. */
async function peersCells(
  peers: readonly Peer[],
  draw: (random: Random) => Question,
  calls: number,
  purpose: string,
): Promise<string[]> {
  const cells: string[] = [];
  for (const peer of peers) {
    const random = new Random(SEED, 'alone', purpose);
    let answers = true;
    const { each } = await runConcurrently(calls, 1, async () => {
      const question = draw(random);
      answers &&= 'query' in question && (await peer.ask(question.query)) !== null;
    });
    cells.push(...(answers ? percentiles(each, 1, 0.5, 0.95) : [NONE, NONE]));
  }
  return cells;
}
