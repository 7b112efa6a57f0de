import { rowsOf, sql } from '../../../../db/core/sql';
import { Random } from '../../../../models/random';
import { fill, SEED } from '../generated';
import { type BenchOptions, type Installation, onInstallations } from '../installation';
import { Client, runConcurrently } from '../load';
import { byTurns, type Cell, type Measurement, machine, percentiles } from '../table';
import { CatalogSample } from './catalog-sample';
import { QUESTION_KINDS, requestOf } from './questions';

const CLIENTS = 16;
const WARM_UP_CALLS = 16;

/** Every kind of catalog query over HTTP against one api, with pricing, on a generated catalog without pictures. */
export const benchCatalog = ({
  products,
  calls,
  embedded,
  against,
}: BenchOptions & { readonly embedded: boolean }): Promise<Measurement> =>
  onInstallations(
    {
      mode: embedded ? 'embedded' : 'PostgreSQL and Redis',
      ...{ settings: { RATE_PER_SECOND: '0' }, against },
    },
    async (installations, folder) => {
      const [own] = installations as [Installation];
      const imported = await fillAll(installations, folder, products);
      const sample = await own.onDatabase((knex) => CatalogSample.read(knex, SEED));
      return {
        title: `catalog over HTTP: ${sample.size} products, ${own.mode}, ${machine()}`,
        head: [
          ...['version', 'query', 'p50 ms', 'p95 ms', 'p99 ms', 'queries/s'],
          ...[`${CLIENTS} clients: p50 ms`, 'p95 ms', 'p99 ms', 'queries/s'],
        ],
        rows: await byTurns(installations, (each) => measure(each, sample, calls)),
        notes: ['The client, the service and PostgreSQL share the cores.', ...imported],
      };
    },
  );

export async function fillAll(
  installations: readonly Installation[],
  folder: string,
  products: number,
): Promise<string[]> {
  const imported = await fill(installations, folder, { products });
  // Both happen within minutes after an import; measuring must not start during them, as commits wait for a checkpoint's writes.
  for (const each of installations.filter(({ mode }) => mode !== 'embedded'))
    for (const upkeep of [sql`VACUUM (ANALYZE)`, sql`CHECKPOINT`])
      await each.onDatabase((knex) => rowsOf(knex, upkeep));
  return imported;
}

async function measure(installation: Installation, sample: CatalogSample, calls: number): Promise<Cell[][]> {
  await installation.start(['api']);
  const client = new Client(installation.url, await installation.key());
  const healthz = () => client.get('/healthz');
  const rows: Cell[][] = [['/healthz', ...(await aloneAndTogether(calls, () => null, healthz, ''))]];
  for (const { name, draw } of QUESTION_KINDS) {
    const cells = await aloneAndTogether(
      calls,
      (random) => requestOf(draw(sample, random), true),
      ({ path, body }) => (body ? client.post(path, body) : client.get(path)),
      name,
    );
    rows.push([name, ...cells]);
  }
  await installation.stop();
  return rows;
}

/** Median, p95, p99 and rate with one client, then with sixteen. One `purpose` draws the same values, each call its own: no cache helps. */
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
