import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { freePort } from '../services/servers';
import { type Cell, type Measurement, percentiles, runConcurrently } from './measure';
import { JsonClient } from './open-loop';
import { type Holdings, inspectableAt, ProcessInspection } from './process-inspection';
import { ProcessWatch, residentMib, type Sample } from './process-watch';
import { inFolder } from './set-up';
import {
  drawPhotos,
  machine,
  onVisionInstallation,
  productIds,
  type VisionInstallation,
} from './vision-installation';

/** Small enough that the client's own work on a photo does not count. */
const PHOTO_SIDE = 640;
const CONCURRENCY = 16;
const STEPS = 10;
/** As `Retry-After` says at least: a client that draws the next photo at once takes the processors that would answer it. */
const REFUSED_MS = 1_000;
const CREDITS = 10_000_000;
const STAMP_SIDE = 8;
const STAMP_BITS = 16;
const ROLES = ['api', 'worker'] as const;

/** A memory for photos that is full after the first thousand, so that it does not pass for a leak. */
const SETTINGS = {
  CONFIDENCE_FLOOR: '0',
  PHOTO_MEMORY_MIB: '4',
  RATE_PER_SECOND: '0',
  VISION_CONCURRENCY: '0',
};

/** How much is asked. */
export interface SoakOptions {
  /** Identifications, each of another photo. */
  readonly calls: number;
  /** Lookups of items, spread over the identifications. */
  readonly lookups: number;
  readonly products: number;
}

/** How a process was at the end of a step, and its event loop meanwhile. */
interface State extends Holdings {
  readonly role: string;
  readonly residentMib: number;
  readonly samples: readonly Sample[];
}

/** A tenth of the calls, or the start: how fast they were, and how each process was at the end. */
interface Step {
  readonly done: number;
  readonly perSecond: number;
  readonly photoMs: readonly number[];
  readonly lookupMs: readonly number[];
  readonly failed: number;
  readonly states: readonly State[];
}

/** Thousands of calls on an api and a worker: whether memory and all else that they hold stays flat. */
export async function benchSoak(options: SoakOptions): Promise<Measurement> {
  const { calls, lookups, products } = options;
  return inFolder(async (folder) => {
    const photos = await drawPhotos(products, PHOTO_SIDE);
    const ports = await Promise.all(ROLES.map(() => freePort()));
    const ofRole = Object.fromEntries(ROLES.map((role, at) => [role, inspectableAt(ports[at] ?? 0)]));
    const steps = await onVisionInstallation(
      { mode: 'PostgreSQL and Redis', products, folder, settings: SETTINGS, ofRole },
      async (installation) => {
        const watched = ROLES.map((role, at) => watchOf(installation, role, ports[at] ?? 0));
        return soak(installation, await Promise.all(watched), photos, options);
      },
    );
    return {
      title: `soak: ${calls} identifications of different photos and ${lookups} lookups, ${CONCURRENCY} clients, ${machine()}`,
      head: HEAD,
      rows: steps.flatMap(rowsOf),
      notes: [
        ...ROLES.map((role, at) => growthOf(steps.slice(2), role, at)),
        'Heap, buffers, listeners and handles: after a full collection. MiB: resident, as the system counts it.',
        'Loop: delay of the event loop; the median of the 99th percentiles of all seconds, and the longest of all.',
      ],
    };
  });
}

/** A process, looked at from outside and from inside. */
interface Watched {
  readonly role: string;
  readonly watch: ProcessWatch;
  state(samples: readonly Sample[]): Promise<State>;
  close(): void;
}

async function watchOf({ processes }: VisionInstallation, role: string, port: number): Promise<Watched> {
  const watched = processes[role];
  if (!watched) throw new Error(`there is no ${role}`);
  const inspection = await ProcessInspection.open(watched, port);
  return {
    role,
    watch: new ProcessWatch(role, watched),
    state: async (samples) => {
      const resident = await residentMib(watched.process.pid ?? 0);
      return { role, samples, residentMib: resident, ...(await inspection.look()) };
    },
    close: () => inspection.close(),
  };
}

async function soak(
  installation: VisionInstallation,
  watched: readonly Watched[],
  photos: readonly Buffer[],
  { calls, lookups, products }: SoakOptions,
): Promise<Step[]> {
  const client = new JsonClient(installation.url);
  const key = await installation.makeKey({ credits: CREDITS });
  const ids = productIds(products);
  const count = Math.ceil(calls / STEPS);
  const start = { done: 0, perSecond: 0, photoMs: [], lookupMs: [], failed: 0 };
  const steps: Step[] = [{ ...start, states: await Promise.all(watched.map(({ state }) => state([]))) }];
  for (let from = 0; from < calls; from += count) {
    const [photoMs, lookupMs]: [number[], number[]] = [[], []];
    let failed = 0;
    const told = (status: number, ms: number, times: number[]): void => {
      times.push(ms);
      if (status !== 200) failed += 1;
    };
    const load = runConcurrently(count, CONCURRENCY, async (index) => {
      const body = await bodyOf(photos[index % photos.length], from + index);
      const { status, ms } = await client.post('/v3/vision/identify', key, body);
      told(status, ms, photoMs);
      if (status !== 200) await delay(REFUSED_MS);
      for (let at = 0; at < lookups / calls; at += 1) {
        const id = ids[(from + index + at) % ids.length];
        const found = await client.get(`/v3/catalog/items/${id}`, key);
        told(found.status, found.ms, lookupMs);
      }
    });
    const samples = await Promise.all(watched.map(({ watch }) => watch.during(load)));
    const { totalMs } = await load;
    const states = await Promise.all(watched.map(({ state }, at) => state(samples[at] ?? [])));
    steps.push({
      done: from + count,
      perSecond: (1000 * count) / totalMs,
      photoMs,
      lookupMs,
      failed,
      states,
    });
    process.stderr.write(`${steps.slice(-1).flatMap(rowsOf).join('\n')}\n`);
  }
  for (const each of watched) each.close();
  await client.close();
  return steps;
}

const HEAD = [
  ...['calls', 'process', 'MiB', 'heap MiB', 'buffers MiB', 'statements', 'connections', 'listeners'],
  ...['handles', 'loop p99 ms', 'loop max ms'],
  ...['photos/s', 'photo p50 ms', 'p99 ms', 'lookup p50 ms', 'p99 ms', 'not 200'],
];

/** One for each process; the calls stand in the first. */
const rowsOf = ({ done, states, ...step }: Step): Cell[][] =>
  states.map((state, at) => [
    ...[done, state.role, Math.round(state.residentMib)],
    ...[state.heapMib.toFixed(1), state.buffersMib.toFixed(1)],
    ...[state.statements, state.connections, state.listeners, state.handles],
    ...(done === 0
      ? Array(8).fill('')
      : [...loopOf(state), ...(at === 0 ? callsOf(step) : Array(6).fill(''))]),
  ]);

const loopOf = ({ samples }: State): Cell[] => [
  ...percentiles(
    samples.map(({ loopP99Ms }) => loopP99Ms),
    0,
    0.5,
  ),
  Math.max(...samples.map(({ loopMaxMs }) => loopMaxMs)).toFixed(0),
];

const callsOf = ({ perSecond, photoMs, lookupMs, failed }: Omit<Step, 'done' | 'states'>): Cell[] => [
  perSecond.toFixed(1),
  ...[photoMs, lookupMs].flatMap((ms) => percentiles(ms, 0, 0.5, 0.99)),
  failed,
];

/** The photo with the number of the call in its corner, so that it is like no other. */
async function bodyOf(photo: Buffer | undefined, call: number): Promise<Buffer> {
  const bits = Array.from(
    { length: STAMP_BITS },
    (_, bit) =>
      `<rect x="${bit * STAMP_SIDE}" width="${STAMP_SIDE}" height="${STAMP_SIDE}" fill="${(call >> bit) & 1 ? '#fff' : '#000'}"/>`,
  );
  const stamp = Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${STAMP_BITS * STAMP_SIDE}" height="${STAMP_SIDE}">${bits.join('')}</svg>`,
  );
  const jpeg = await sharp(photo)
    .composite([{ input: stamp, left: 0, top: 0 }])
    .jpeg({ quality: 85 })
    .toBuffer();
  return Buffer.from(JSON.stringify({ base64: jpeg.toString('base64') }));
}

/** In words, by least squares. */
function growthOf(steps: readonly Step[], role: string, at: number): string {
  const perThousand = (figure: (state: State) => number): string => {
    const values = steps.flatMap(({ states }) => (states[at] ? [figure(states[at])] : []));
    return slope(
      steps.map(({ done }) => done / 1000),
      values,
    ).toFixed(2);
  };
  const [resident, heap] = [perThousand((state) => state.residentMib), perThousand((state) => state.heapMib)];
  return `${role}: ${resident} MiB resident and ${heap} MiB of heap per thousand identifications, from the second tenth on`;
}

function slope(xs: readonly number[], ys: readonly number[]): number {
  const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [meanOf(xs), meanOf(ys)];
  const above = xs.reduce((sum, each, at) => sum + (each - x) * ((ys[at] ?? y) - y), 0);
  return above / xs.reduce((sum, each) => sum + (each - x) ** 2, 0);
}
