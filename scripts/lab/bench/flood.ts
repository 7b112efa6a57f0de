import { drawPhotos, fill, PHOTO_SIDE, photoBodies } from './generated';
import { type Installation, type Mode, onInstallation, UNLIMITED } from './installation';
import { Client, during, inTurn, msOf, steadily, type TimedCall } from './load';
import { memoryCell, type Sample, watched } from './process-watch';
import { type Cell, type Measurement, machine, percentiles, shown } from './table';

interface FloodOptions {
  readonly products: number;
  readonly seconds: number;
  readonly factor: number;
  readonly only: readonly Mode[];
}

type Send = (photo: () => Promise<TimedCall>, isOver: () => boolean) => Promise<TimedCall[]>;

const CAPACITY_CLIENTS = 16;
const CAPACITY_SECONDS = 20;
const WARM_UP_SECONDS = 10;
const CATALOG_PER_SECOND = 10;
/** Without a limit of their own: only the queue says when it is enough. */
const KEYS = 3;
const CREDITS = 10_000_000;
const PICTURE_SIDE = 640;

/** Texts that a catalog of bags and watches answers. */
export const TEXTS = ['bag', 'watch', 'leather', 'gold', 'small', 'black', 'steel', 'classic'];

/**
 * Photos at a multiple of the capacity, arriving whether or not the others were answered, beside catalog queries: what is
 * accepted, how fast the rest is refused, and what becomes of the catalog, the memory and the event loops.
 */
export async function benchFlood(options: FloodOptions): Promise<Measurement> {
  const bodies = photoBodies(await drawPhotos(options.products, PHOTO_SIDE));
  const rows: Cell[][] = [];
  // The limit on calls at the same time is that of the keys.
  const { VISION_CONCURRENCY: _, ...settings } = UNLIMITED;
  for (const mode of options.only) {
    const measured = await onInstallation({ mode, settings }, async (installation, folder) => {
      await installation.start();
      await fill([installation], folder, { products: options.products, pictures: PICTURE_SIDE });
      return await flood(installation, options, bodies);
    });
    rows.push(...measured.map((row) => [mode, ...row]));
  }
  return {
    title: `flood: ${options.factor} times the capacity for ${options.seconds} s, ${machine()}`,
    head: [
      ...['mode', 'phase', 'sent/s', '200/s', '200 p50', '200 p99', '429', '503', '504', 'others'],
      ...['refused p50', 'refused p99', 'catalog p50', 'catalog p99', 'memory', 'loop'],
    ],
    rows,
    notes: [
      `Photos a second, milliseconds, MiB before, at most and after. Catalog: ${CATALOG_PER_SECOND} text queries a second. The client shares the cores; photos are sent by a thread of lower priority.`,
      'Loop: the longest delay of the event loop within a second, median and maximum of all seconds.',
    ],
  };
}

async function flood(
  installation: Installation,
  { seconds, factor }: FloodOptions,
  bodies: readonly Buffer[],
): Promise<Cell[][]> {
  const { url } = installation;
  const keys = Array.from({ length: KEYS }, () => installation.key({ credits: CREDITS, concurrency: 0 }));
  const [first = '', ...others] = await Promise.all(keys);
  const sender = (key: string) => new Client(url, key, { apart: true });
  const [many, limited] = [
    [first, ...others].map(sender),
    [sender(await installation.key({ credits: CREDITS }))],
  ];
  const catalog = new Client(url, first);
  let sent = 0;
  const phase = async (name: string, lasts: number, clients: readonly Client[], send: Send) => {
    process.stderr.write(`${installation.mode}: ${name}\n`);
    const photo = async (): Promise<TimedCall> => {
      const [client, body] = [clients[sent % clients.length], bodies[sent % bodies.length]];
      sent += 1;
      return (await client?.post('/v3/vision/identify', body ?? {})) ?? { status: 0, ms: 0 };
    };
    const load = during(lasts, (isOver) =>
      Promise.all([
        send(photo, isOver),
        steadily(CATALOG_PER_SECOND, isOver, (at) =>
          catalog.post('/v3/catalog/query', { query: TEXTS[at % TEXTS.length] }),
        ),
      ]),
    );
    const states = [...installation.processes].map(
      async ([role, each]) => [role, await watched(each, load)] as const,
    );
    const [samples, { calls }] = [await Promise.all(states), await load];
    return { photos: calls[0], row: rowOf(name, lasts, calls, samples) };
  };
  const none: Send = async () => [];
  const waiting: Send = (photo, isOver) => inTurn(CAPACITY_CLIENTS, isOver, photo);
  await phase('warming up', WARM_UP_SECONDS, many, waiting);
  const calm = await phase('catalog alone', seconds, many, none);
  const full = await phase(`${CAPACITY_CLIENTS} clients`, CAPACITY_SECONDS, many, waiting);
  const capacity = full.photos.filter(({ status }) => status === 200).length / CAPACITY_SECONDS;
  const flooding: Send = (photo, isOver) => steadily(factor * capacity, isOver, photo);
  const phases = [
    ...[calm, full],
    await phase(`flood, ${KEYS} keys`, seconds, many, flooding),
    await phase('flood, one limited key', seconds, limited, flooding),
    await phase('catalog alone, again', seconds, many, none),
  ];
  for (const client of [...many, ...limited]) await client.close();
  return phases.map(({ row }) => row);
}

function rowOf(
  name: string,
  seconds: number,
  [photos, catalog]: readonly [readonly TimedCall[], readonly TimedCall[]],
  samples: readonly (readonly [string, readonly Sample[]])[],
): Cell[] {
  const of = (...statuses: number[]) => photos.filter(({ status }) => statuses.includes(status));
  const times = (calls: readonly TimedCall[]) => percentiles(msOf(calls), 0.5, 0.99);
  const told = (say: (each: readonly Sample[]) => Cell): Cell =>
    samples.map(([role, each]) => `${role} ${say(each)}`).join('\n');
  return [
    ...[name, photos.length / seconds, of(200).length / seconds, ...times(of(200))],
    ...[of(429).length, of(503).length, of(504).length, photos.length - of(200, 429, 503, 504).length],
    ...[...times(of(429, 503)), ...times(catalog)],
    told(memoryCell),
    told((each) =>
      percentiles(
        each.map(({ loopMaxMs }) => loopMaxMs),
        0.5,
        1,
      )
        .map(shown)
        .join(', '),
    ),
  ];
}
