import { makeSearchSnapshot, SNAPSHOT_LOCK } from '../../../../db/catalog/search/make-snapshot';
import { inTransaction, rowsOf, sql } from '../../../../db/core/sql';
import { migrations } from '../../../../db/migrations';
import { migrate } from '../../../../db/migrations/migrate';
import { Random } from '../../../../models/random';
import { fill, SEED } from '../generated';
import { type Installation, type Knex, onInstallations } from '../installation';
import { Client, runConcurrently, successful } from '../load';
import { byTurns, type Cell, type Measurement, machine, percentiles } from '../table';
import { CatalogSample } from './catalog-sample';
import { changeProducts, explainQuestions } from './explain-questions';
import { FullTextPeer } from './full-text-peer';
import { QUESTION_KINDS, type Question, type QuestionKind, requestOf } from './questions';

interface CatalogBenchOptions {
  readonly products: number;
  readonly calls: number;
  readonly explain?: string;
  readonly only: string;
  readonly embedded: boolean;
  readonly changes: number;
  readonly against?: string;
}

const CLIENTS = 16;
const WARM_UP_CALLS = 16;
/** The peer answers some questions in seconds. */
const PEER_CALLS_MAX = 40;
/**
 * A quarter of a small server's memory, as PostgreSQL's manual advises: its default of 128 MB is for machines that do
 * other things. `random_page_cost` as for a disk without heads.
 */
const SERVER_SETTINGS = { shared_buffers: '4GB', random_page_cost: '1.1' };
/** Of every sort of statement that changes make another. */
const ASKED_AFTER_CHANGES = ['three filters', 'facets', 'by cursor', 'by name', 'two words'];

/** A version, or a state of its catalog, that answers the questions. */
interface Subject {
  readonly name: string;
  /** Runs `work` while the catalog is in that state. */
  within(work: () => Promise<Cell[][]>): Promise<Cell[][]>;
  readonly installation: Installation;
}

/**
 * Every sort of catalog query over HTTP against one process that answers, with one client and with sixteen, on a generated catalog
 * without pictures: by turns with another version, or after changes; else beside an SQLite FTS5 index of the same rows.
 */
export const benchCatalog = (options: CatalogBenchOptions): Promise<Measurement> =>
  onInstallations(
    {
      ...{ mode: options.embedded ? 'embedded' : 'PostgreSQL and Redis', server: SERVER_SETTINGS },
      settings: { RATE_PER_SECOND: '0' },
      ...(options.against && { against: options.against }),
    },
    async (installations, folder) => {
      const [own] = installations as [Installation];
      await load(installations, folder, options);
      const sample = await own.onDatabase((knex) => CatalogSample.read(knex, SEED));
      const kinds = QUESTION_KINDS.filter(({ name }) => name.includes(options.only));
      if (options.explain !== undefined) {
        const into = options.explain;
        await own.onDatabase((knex) => explainAll(knex, sample, kinds, into, options.changes));
      }
      const isAlone = options.changes === 0 && installations.length === 1;
      const peer = isAlone ? await own.onDatabase((knex) => FullTextPeer.load(knex)) : null;
      const subjects = options.changes > 0 ? statesOf(own, options.changes) : installations.map(asItIs);
      const rows = await byTurns(subjects, ({ installation, within }) =>
        within(() => measure(installation, sample, kinds, peer, options.calls)),
      );
      peer?.close();
      return {
        title: `catalog over HTTP: ${sample.size} products, ${own.mode}, ${machine()}`,
        head: [
          ...['version', 'query', 'pricing', 'target p95', 'p50 ms', 'p95 ms', 'p99 ms', 'queries/s'],
          ...[`${CLIENTS} clients: p50 ms`, 'p95 ms', 'p99 ms', 'queries/s', 'FTS5 p50 ms', 'FTS5 p95 ms'],
        ],
        rows,
        notes: [
          'The client, the service and PostgreSQL share the cores. FTS5 answers ids and a total within the client process, to one client.',
        ],
      };
    },
  );

/** Fills what does not hold as many products yet. */
async function load(
  installations: readonly Installation[],
  folder: string,
  { products, embedded }: CatalogBenchOptions,
): Promise<void> {
  const [own, ...others] = installations as [Installation, ...Installation[]];
  const known = await own.onDatabase(async (knex) => {
    await migrate(knex, migrations);
    const [line] = await rowsOf<{ rows: number }>(
      knex,
      sql`SELECT count(*) AS rows FROM catalog_search WHERE kind = 'product'`,
    );
    return line?.rows ?? 0;
  });
  await fill(known < products ? installations : others, folder, { products });
  if (embedded) return;
  // What autovacuum does within minutes after an import, done at once: measuring does not start beside it.
  for (const each of installations) await each.onDatabase((knex) => rowsOf(knex, sql`VACUUM (ANALYZE)`));
}

async function explainAll(
  knex: Knex,
  sample: CatalogSample,
  kinds: readonly QuestionKind[],
  folder: string,
  changes: number,
): Promise<void> {
  await explainQuestions(knex, sample, kinds, folder, SEED);
  if (changes === 0) return;
  await changeProducts(knex, changes, SEED);
  const again = kinds.filter(({ name }) => ASKED_AFTER_CHANGES.includes(name));
  const named = again.map((kind) => ({ ...kind, name: `${kind.name} after changes` }));
  await explainQuestions(knex, sample, named, folder, SEED);
}

const asItIs = (installation: Installation): Subject => ({
  ...{ name: installation.name, installation },
  within: (work) => work(),
});

/** On a new search snapshot, and with so many products changed since. */
function statesOf(installation: Installation, changes: number): Subject[] {
  let seed = SEED;
  return [
    {
      ...{ name: 'untouched', installation },
      within: (work) =>
        installation.onDatabase(async (knex) => {
          await makeSearchSnapshot(knex, { changesMin: 1 });
          return work();
        }),
    },
    {
      ...{ name: `${changes} changed`, installation },
      within: (work) =>
        installation.onDatabase(async (knex) => {
          seed += 1;
          await changeProducts(knex, changes, seed);
          // The service would make a new one within seconds.
          return inTransaction(knex, async (trx) => {
            await rowsOf(trx, sql`SELECT pg_advisory_xact_lock(${SNAPSHOT_LOCK})`);
            return work();
          });
        }),
    },
  ];
}

async function measure(
  installation: Installation,
  sample: CatalogSample,
  kinds: readonly QuestionKind[],
  peer: FullTextPeer | null,
  calls: number,
): Promise<Cell[][]> {
  await installation.start(['api']);
  const client = new Client(installation.url, await installation.key());
  const ask = (question: Question, pricing: boolean) => {
    const { path, body } = requestOf(question, pricing);
    return successful(body ? client.post(path, body) : client.get(path));
  };
  const rows: Cell[][] = [
    [
      '/healthz',
      null,
      null,
      ...(await both(
        calls,
        () => null,
        () => successful(client.get('/healthz')),
        '',
      )),
      null,
      null,
    ],
  ];
  for (const kind of kinds) {
    const draw = (random: Random) => kind.draw(sample, random);
    for (const pricing of kind.priced ? [false, true] : [false]) {
      const cells = await both(calls, draw, (question) => ask(question, pricing), kind.name);
      const beside =
        peer && !pricing
          ? await askPeer(peer, draw, Math.min(calls, PEER_CALLS_MAX), kind.name)
          : [null, null];
      rows.push([kind.name, pricing ? 'yes' : 'no', kind.targetMs, ...cells, ...beside]);
    }
  }
  await installation.stop();
  return rows;
}

/** With one client, then with many; every call draws values of its own, so no cache has seen them. */
async function both<Asked>(
  calls: number,
  draw: (random: Random) => Asked,
  ask: (asked: Asked) => Promise<unknown>,
  purpose: string,
): Promise<Cell[]> {
  const run = async (count: number, clients: number, phase: string): Promise<Cell[]> => {
    const random = new Random(SEED, phase, purpose);
    const asked = Array.from({ length: count }, () => draw(random));
    const { each, totalMs } = await runConcurrently(count, clients, (index) => ask(asked[index] as Asked));
    return [...percentiles(each, 0.5, 0.95, 0.99), Math.round((1000 * count) / totalMs)];
  };
  await run(WARM_UP_CALLS, CLIENTS, 'warm-up');
  return [...(await run(calls, 1, 'alone')), ...(await run(calls * 2, CLIENTS, 'together'))];
}

/** The peer answers the questions that one client asked. */
async function askPeer(
  peer: FullTextPeer,
  draw: (random: Random) => Question,
  calls: number,
  purpose: string,
): Promise<Cell[]> {
  const random = new Random(SEED, 'alone', purpose);
  let answers = true;
  const { each } = await runConcurrently(calls, 1, async () => {
    const question = draw(random);
    answers &&= 'query' in question && peer.ask(question.query);
  });
  return answers ? percentiles(each, 0.5, 0.95) : [null, null];
}
