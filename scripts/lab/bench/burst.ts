import { setTimeout as delay } from 'node:timers/promises';
import { type Cell, type Measurement, percentiles } from './measure';
import { during, JsonClient, msOf, steadily, type TimedCall } from './open-loop';
import { memoryOf, ProcessWatch, type Sample } from './process-watch';
import { inFolder } from './set-up';
import { type Mode, machine, onVisionInstallation, type VisionInstallation } from './vision-installation';

/** What one key may do within a second unless it has a limit of its own. */
const CALLERS_OF_A_KEY = 50;
/** Rows of a page, which make it about 2 MB. */
const ROWS = 640;
const PAGE = Buffer.from(JSON.stringify({ page_size: ROWS, includes: ['taxonomy', 'pricing'] }));
const LOOKUPS_PER_SECOND = 10;
const CALM_MS = 5_000;

/**
 * Callers that all ask for a page of the largest size with prices at the same moment, beside another key's item lookups:
 * what they are answered, whether the process lives, its memory, and how long a lookup took at most.
 */
export async function benchBurst({
  products,
  callers,
  only: modes,
}: {
  products: number;
  callers: readonly number[];
  only: readonly Mode[];
}): Promise<Measurement> {
  return inFolder(async (folder) => {
    const rows: Cell[][] = [];
    for (const mode of modes) {
      const options = { mode, products, folder, settings: { PAGE_SIZE_MAX: String(ROWS) }, pictures: false };
      rows.push(...(await onVisionInstallation(options, (installation) => bursts(installation, callers))));
    }
    return {
      title: `burst: pages of ${ROWS} rows with prices, all at once, ${machine()}`,
      head: [
        ...['mode', 'page kB', 'callers', '200', '503', '429', 'broken off', 'p50 s', 'longest s'],
        ...['lookup p50 ms', 'longest ms', 'MiB', 'alive'],
      ],
      rows,
      notes: [
        `${CALLERS_OF_A_KEY} callers a key; ${LOOKUPS_PER_SECOND} lookups a second by another key, also before the bursts (0 callers). MiB: before, the most, after.`,
      ],
    };
  });
}

async function bursts(installation: VisionInstallation, callers: readonly number[]): Promise<Cell[][]> {
  const client = new JsonClient(installation.url);
  const quiet = await installation.makeKey();
  const keys: string[] = [];
  while (keys.length * CALLERS_OF_A_KEY < Math.max(...callers)) keys.push(await installation.makeKey());
  const [[role, served] = []] = Object.entries(installation.processes);
  if (role === undefined || served === undefined) throw new Error('no process answers');
  const watch = new ProcessWatch(role, served);
  const { pageBytes, product } = await somePage(installation.url, quiet);
  const item = `/v3/catalog/items/${product}`;
  const rows: Cell[][] = [];
  for (const count of [0, ...callers]) {
    process.stderr.write(`${installation.mode}: ${count} callers\n`);
    const pages = Promise.all(
      Array.from({ length: count }, (_, at) =>
        client.post('/v3/catalog/query', keys[at % keys.length] ?? '', PAGE),
      ),
    );
    const over: Promise<unknown> = count === 0 ? delay(CALM_MS) : pages;
    const lookups = during(over, (isOver) =>
      steadily(LOOKUPS_PER_SECOND, isOver, () => client.get(item, quiet)),
    );
    const samples = await watch.during(over).catch((): readonly Sample[] => watch.samples);
    const alive = served.process.exitCode === null && served.process.signalCode === null;
    rows.push([
      installation.mode,
      Math.round(pageBytes / 1000),
      count,
      ...figuresOf(await pages),
      ...percentiles(msOf((await lookups).calls), 0, 0.5, 1),
      memoryOf(samples),
      alive ? 'yes' : 'no',
    ]);
    if (!alive) break;
  }
  await client.close();
  return rows;
}

async function somePage(url: string, key: string): Promise<{ pageBytes: number; product: string }> {
  const answer = await fetch(`${url}/v3/catalog/query`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: PAGE,
  });
  const text = await answer.text();
  const { data } = JSON.parse(text) as { readonly data: readonly { readonly id: string }[] };
  const [first] = data;
  if (!first) throw new Error('the catalog is empty');
  return { pageBytes: Buffer.byteLength(text), product: first.id };
}

function figuresOf(calls: readonly TimedCall[]): Cell[] {
  const of = (status: number) => calls.filter((call) => call.status === status).length;
  const others = calls.length - of(200) - of(503) - of(429);
  const seconds = calls.map(({ ms }) => ms / 1000);
  return [of(200), of(503), of(429), others, ...percentiles(seconds, 1, 0.5, 1)];
}
