import { makeSearchSnapshot, SNAPSHOT_LOCK } from '../../../../db/catalog/search/make-snapshot';
import { inTransaction, rowsOf, sql } from '../../../../db/core/sql';
import { migrations } from '../../../../db/migrations';
import { migrate } from '../../../../db/migrations/migrate';
import { Random } from '../../../../models/random';
import { fill, SEED } from '../generated';
import { type Installation, onInstallations } from '../installation';
import { Client, runConcurrently } from '../load';
import { byTurns, type Cell, type Measurement, machine, percentiles } from '../table';
import { CatalogSample, changeProducts } from './catalog-sample';
import { QUESTION_KINDS, requestOf } from './questions';

interface CatalogBenchOptions {
  readonly products: number;
  readonly calls: number;
  readonly embedded: boolean;
  readonly changes: number;
  readonly against?: string;
}

const CLIENTS = 16;
const WARM_UP_CALLS = 16;
/**
 * A quarter of a small server's memory, as PostgreSQL's manual advises; its default of 128 MB is for machines that do
 * other things. `random_page_cost` as for a disk without heads.
 */
export const SERVER_SETTINGS = { shared_buffers: '4GB', random_page_cost: '1.1' };

/** A version, or a state of its catalog, that answers the questions. */
interface Subject {
  readonly name: string;
  /** Runs `work` while the catalog is in that state. */
  within(work: () => Promise<Cell[][]>): Promise<Cell[][]>;
  readonly installation: Installation;
}

/**
 * Every kind of catalog query over HTTP against one api, with one client and with sixteen, on a generated catalog without pictures; by
 * turns with another version, or before and after changes.
 */
export const benchCatalog = (options: CatalogBenchOptions): Promise<Measurement> =>
  onInstallations(
    {
      ...{ mode: options.embedded ? 'embedded' : 'PostgreSQL and Redis', server: SERVER_SETTINGS },
      ...{ settings: { RATE_PER_SECOND: '0' }, against: options.against },
    },
    async (installations, folder) => {
      const [own] = installations as [Installation];
      await fillOnce(installations, folder, options.products);
      const sample = await own.onDatabase((knex) => CatalogSample.read(knex, SEED));
      const subjects =
        options.changes > 0
          ? statesOf(own, options.changes)
          : installations.map(
              (installation): Subject => ({
                name: installation.name,
                installation,
                within: (work) => work(),
              }),
            );
      const rows = await byTurns(subjects, ({ installation, within }) =>
        within(() => measure(installation, sample, options.calls)),
      );
      return {
        title: `catalog over HTTP: ${sample.size} products, ${own.mode}, ${machine()}`,
        head: [
          ...['version', 'query', 'pricing', 'target p95', 'p50 ms', 'p95 ms', 'p99 ms', 'queries/s'],
          ...[`${CLIENTS} clients: p50 ms`, 'p95 ms', 'p99 ms', 'queries/s'],
        ],
        rows,
        notes: ['The client, the service and PostgreSQL share the cores.'],
      };
    },
  );

/** Fills the installations; this version's database is kept where it has enough products already. */
export async function fillOnce(
  installations: readonly Installation[],
  folder: string,
  products: number,
): Promise<void> {
  const [own, ...others] = installations as [Installation, ...Installation[]];
  const known = await own.onDatabase(async (knex) => {
    await migrate(knex, migrations);
    const rows = knex('catalog_search').where({ kind: 'product' });
    return Number((await rows.count('* as count').first())?.['count'] ?? 0);
  });
  await fill(known < products ? installations : others, folder, { products });
  if (own.mode === 'embedded') return;
  // Autovacuum does so within minutes after an import; measuring must not start during it.
  for (const each of installations) await each.onDatabase((knex) => rowsOf(knex, sql`VACUUM (ANALYZE)`));
}

/** On a new search snapshot, and with this many products changed since. */
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

async function measure(installation: Installation, sample: CatalogSample, calls: number): Promise<Cell[][]> {
  await installation.start(['api']);
  const client = new Client(installation.url, await installation.key());
  const healthz = await aloneAndTogether(
    calls,
    () => null,
    () => client.get('/healthz'),
    '',
  );
  const rows: Cell[][] = [['/healthz', null, null, ...healthz]];
  for (const { name, draw, targetMs } of QUESTION_KINDS) {
    for (const pricing of name.startsWith('suggest') ? [false] : [false, true]) {
      const cells = await aloneAndTogether(
        calls,
        (random) => requestOf(draw(sample, random), pricing),
        ({ path, body }) => (body ? client.post(path, body) : client.get(path)),
        name,
      );
      rows.push([name, pricing ? 'yes' : 'no', targetMs, ...cells]);
    }
  }
  await installation.stop();
  return rows;
}

/**
 * Median, p95, p99 and rate with one client, then with sixteen. Every call draws values of its own, so no cache has seen them.
 *
 * @param purpose the same purpose draws the same values
 */
export async function aloneAndTogether<Asked>(
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
