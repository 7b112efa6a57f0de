import { startBareServer } from './flood/bare-server';
import { type PhotoLoad, sendPhotos } from './flood/photo-sender';
import { type Cell, type Measurement, percentile, percentiles } from './measure';
import { JsonClient, msOf, openLoop, type TimedCall } from './open-loop';
import { memoryOf, ProcessWatch, type Sample } from './process-watch';
import { inFolder } from './set-up';
import { drawPhotos, type Mode, machine, onVisionInstallation } from './vision-installation';

type FloodOptions = { products: number; seconds: number; factor: number; only: readonly Mode[] };

/** A 2-megapixel photo, as telephones send it after their own shrinking. */
const PHOTO_SIDE = 1440;
const CAPACITY_CLIENTS = 16;
const CAPACITY_SECONDS = 20;
const WARM_UP_SECONDS = 10;
/** As long as the usual flood, and once more after it: of fewer calls the 99th percentile is one hiccup of the machine. */
const CALM_SECONDS = 60;
const ELSEWHERE_SECONDS = 20;
const CATALOG_PER_SECOND = 10;
/** Without a limit of their own: only the queue says when it is enough. */
const KEYS = 3;
const CREDITS = 10_000_000;
const QUESTIONS = ['bag', 'watch', 'leather', 'gold', 'small', 'black', 'steel', 'classic'];

const SETTINGS = { CONFIDENCE_FLOOR: '0', PHOTO_MEMORY_MIB: '0', RATE_PER_SECOND: '0' };

interface Phase {
  readonly name: string;
  readonly seconds: number;
  readonly photos: readonly TimedCall[];
  readonly catalog: readonly TimedCall[];
  readonly samples: Readonly<Record<string, readonly Sample[]>>;
}

/**
 * Photos at a multiple of the capacity, arriving whether or not the others were answered, beside catalog queries: what is
 * accepted, how fast the rest is refused, and what becomes of the catalog, the memory and the event loops.
 */
export async function benchFlood(options: FloodOptions): Promise<Measurement> {
  return inFolder(async (folder) => {
    const photos = await drawPhotos(options.products, PHOTO_SIDE);
    const bodies = photos.map((photo) => Buffer.from(JSON.stringify({ base64: photo.toString('base64') })));
    const rows: Cell[][] = [];
    for (const mode of options.only) {
      for (const phase of await floodMode(mode, options, folder, bodies)) rows.push(rowOf(mode, phase));
    }
    const sizes = bodies.map((body) => body.length / 1024);
    return {
      title: `flood: ${options.factor} times the capacity for ${options.seconds} s, ${machine()}, bodies of ${percentile(sizes, 0.5).toFixed(0)} KiB`,
      head: HEAD,
      rows,
      notes: [
        `Photos a second, milliseconds, MiB at the begin, the most and at the end. Catalog: ${CATALOG_PER_SECOND} text queries a second.`,
        'The client is a process on the same cores; elsewhere: the flood goes to a server that throws it away. Loop: the longest delay of the event loop within a second, median and maximum of all seconds.',
      ],
    };
  });
}

const HEAD = [
  ...['mode', 'phase', 'sent/s', '200/s', '200 p50', '200 p99', '429', '503', '504', 'others'],
  ...['refused p50', 'refused p99', 'catalog p50', 'catalog p99', 'memory', 'loop'],
];

function rowOf(mode: string, { name, seconds, photos, catalog, samples }: Phase): Cell[] {
  const of = (...statuses: number[]) => photos.filter(({ status }) => statuses.includes(status));
  const answered = of(200);
  const refused = of(429, 503);
  return [
    mode,
    name,
    (photos.length / seconds).toFixed(1),
    (answered.length / seconds).toFixed(1),
    ...percentilesOf(answered),
    of(429).length,
    of(503).length,
    of(504).length,
    photos.length - of(200, 429, 503, 504).length,
    ...percentilesOf(refused),
    ...percentilesOf(catalog),
    ...[
      (each: readonly Sample[]) => memoryOf(each),
      (each: readonly Sample[]) =>
        percentiles(
          each.map(({ loopMaxMs }) => loopMaxMs),
          0,
          0.5,
          1,
        ).join(', '),
    ].map((say) =>
      Object.entries(samples)
        .map(([role, each]) => `${role} ${say(each)}`)
        .join('\n'),
    ),
  ];
}

const percentilesOf = (calls: readonly TimedCall[]) => percentiles(msOf(calls), 0, 0.5, 0.99);

function floodMode(
  mode: Mode,
  { products, seconds, factor }: FloodOptions,
  folder: string,
  bodies: readonly Uint8Array[],
): Promise<Phase[]> {
  return onVisionInstallation({ mode, products, folder, settings: SETTINGS }, async (installation) => {
    const client = new JsonClient(installation.url);
    const limited = await installation.makeKey({ credits: CREDITS });
    const keys: string[] = [];
    for (let key = 0; key < KEYS; key += 1) {
      keys.push(await installation.makeKey({ credits: CREDITS, concurrency: 0 }));
    }
    const watches = Object.entries(installation.processes).map(
      ([role, each]) => new ProcessWatch(role, each),
    );

    const query = (index: number) =>
      client.post(
        '/v3/catalog/query',
        keys[0] ?? '',
        Buffer.from(JSON.stringify({ query: QUESTIONS[index % QUESTIONS.length] })),
      );
    const phase = async (name: string, lasts: number, photos: PhotoLoad | null): Promise<Phase> => {
      process.stderr.write(`${mode}: ${name}\n`);
      const sent = photos ? sendPhotos(photos) : Promise.resolve([]);
      const both = Promise.all([sent, openLoop(CATALOG_PER_SECOND, lasts, query)]);
      const watched = await Promise.all(
        watches.map(async (watch) => [watch.name, await watch.during(both)] as const),
      );
      const [photoCalls, catalog] = await both;
      return { name, seconds: lasts, photos: photoCalls, catalog, samples: Object.fromEntries(watched) };
    };
    const { url } = installation;
    const waiting = { url, keys, bodies, pace: { clients: CAPACITY_CLIENTS } };

    await phase('warming up', WARM_UP_SECONDS, { ...waiting, seconds: WARM_UP_SECONDS });
    const calm = await phase('catalog alone', CALM_SECONDS, null);
    const full = await phase(`${CAPACITY_CLIENTS} clients`, CAPACITY_SECONDS, {
      ...waiting,
      seconds: CAPACITY_SECONDS,
    });
    const capacity = full.photos.filter(({ status }) => status === 200).length / CAPACITY_SECONDS;
    const flood = { url, keys, bodies, seconds, pace: { perSecond: factor * capacity } };
    const bare = await startBareServer();
    const elsewhere = await phase('flood, elsewhere', ELSEWHERE_SECONDS, {
      ...flood,
      url: bare.url,
      seconds: ELSEWHERE_SECONDS,
    });
    await bare.stop();
    const many = await phase(`flood, ${KEYS} keys`, seconds, flood);
    const one = await phase('flood, one limited key', seconds, { ...flood, keys: [limited] });
    const calmAgain = await phase('catalog alone, again', CALM_SECONDS, null);
    await client.close();
    return [calm, full, elsewhere, many, one, calmAgain];
  });
}
