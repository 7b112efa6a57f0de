import { fill } from './generated';
import { type Installation, type Mode, onInstallation } from './installation';
import { Client, during, msOf, steadily, successful } from './load';
import { memoryCell, type Sample, watched } from './process-watch';
import { type Cell, type Measurement, machine, percentiles } from './table';

interface BurstOptions {
  readonly products: number;
  readonly callers: readonly number[];
  readonly only: readonly Mode[];
}

/** What one key may do within a second unless it has a limit of its own. */
const CALLERS_OF_A_KEY = 50;
/** Rows of a page, which make it about 2 MB. */
const ROWS = 640;
const PAGE = Buffer.from(JSON.stringify({ page_size: ROWS, includes: ['taxonomy', 'pricing'] }));
const LOOKUPS_PER_SECOND = 10;
const CALM_SECONDS = 5;

/**
 * Callers that all ask for a page of the largest size with prices at the same moment, beside another key's item lookups:
 * what they are answered, whether the process lives, its memory, and how long a lookup took at most.
 */
export async function benchBurst({ products, callers, only }: BurstOptions): Promise<Measurement> {
  const rows: Cell[][] = [];
  for (const mode of only) {
    const settings = { PAGE_SIZE_MAX: String(ROWS) };
    const measured = await onInstallation({ mode, settings }, async (installation, folder) => {
      await installation.start();
      await fill([installation], folder, { products, complete: true });
      return await bursts(installation, callers);
    });
    rows.push(...measured.map((row) => [mode, ...row]));
  }
  return {
    title: `burst: pages of ${ROWS} rows with prices, all at once, ${machine()}`,
    head: [
      ...['mode', 'page kB', 'callers', '200', '503', '429', 'broken off', 'p50 s', 'longest s'],
      ...['lookup p50 ms', 'longest ms', 'MiB', 'alive'],
    ],
    rows,
    notes: [
      `${CALLERS_OF_A_KEY} callers a key; ${LOOKUPS_PER_SECOND} lookups a second by another key, also before the bursts (0 callers). MiB: before, at most, after.`,
    ],
  };
}

async function bursts(installation: Installation, callers: readonly number[]): Promise<Cell[][]> {
  const { url } = installation;
  const quiet = new Client(url, await installation.key());
  const clients: Client[] = [];
  while (clients.length * CALLERS_OF_A_KEY < Math.max(...callers))
    clients.push(new Client(url, await installation.key()));
  const [served] = installation.processes.values();
  if (!served) throw new Error('no process answers');
  const { text } = await successful(quiet.post('/v3/catalog/query', PAGE));
  const { data } = JSON.parse(text) as { readonly data: readonly { readonly id: string }[] };
  const rows: Cell[][] = [];
  for (const count of [0, ...callers]) {
    const ask = (_: unknown, at: number) => clients[at % clients.length]?.post('/v3/catalog/query', PAGE);
    const pages = Promise.all(Array.from({ length: count }, ask));
    const lookups = during(count === 0 ? CALM_SECONDS : pages, (isOver) =>
      steadily(LOOKUPS_PER_SECOND, isOver, () => quiet.get(`/v3/catalog/items/${data[0]?.id}`)),
    );
    const samples = await watched(served, lookups).catch((): Sample[] => []);
    const answered = (await pages).flatMap((page) => page ?? []);
    const of = (status: number) => answered.filter((page) => page.status === status).length;
    const alive = served.process.exitCode === null && served.process.signalCode === null;
    rows.push([
      ...[
        Math.round(text.length / 1000),
        count,
        of(200),
        of(503),
        of(429),
        count - of(200) - of(503) - of(429),
      ],
      ...percentiles(
        answered.map(({ ms }) => ms / 1000),
        0.5,
        1,
      ),
      ...percentiles(msOf((await lookups).calls), 0.5, 1),
      ...[memoryCell(samples), alive ? 'yes' : 'no'],
    ]);
    if (!alive) break;
  }
  return rows;
}
