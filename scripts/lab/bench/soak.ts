import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createCanvas, type Image, loadImage } from '@napi-rs/canvas';
import { type Measurement, percentile, runConcurrently } from './measure';
import { JsonClient } from './open-loop';
import { ProcessWatch, type Sample } from './process-watch';
import { drawPhotos, machine, onVisionInstallation, type VisionInstallation } from './vision-installation';

/** Small enough that the client's own work on a photo does not count. */
const PHOTO_SIDE = 640;
const CONCURRENCY = 16;
const STEPS = 10;
/** As `Retry-After` says at least: a client that draws the next photo at once takes the processors that would answer it. */
const REFUSED_MS = 1_000;
const CREDITS = 10_000_000;
const STAMP_SIDE = 8;
const STAMP_BITS = 16;

/** A memory for photos that is full after the first thousand, so that it does not pass for a leak. */
const SETTINGS = {
  CONFIDENCE_FLOOR: '0',
  PHOTO_MEMORY_MIB: '4',
  RATE_PER_SECOND: '0',
  VISION_CONCURRENCY: '0',
};

/** A tenth of the calls: how fast they were, and how each process was at its end. */
interface Step {
  readonly done: number;
  readonly perSecond: number;
  readonly each: readonly number[];
  readonly failed: number;
  readonly processes: Readonly<Record<string, readonly Sample[]>>;
}

/** Thousands of identifications, each of another photo, on an api and a worker: whether their memory stays flat. */
export async function benchSoak(calls: number, products: number): Promise<Measurement> {
  const folder = await mkdtemp(join(tmpdir(), 'loupe-soak-'));
  try {
    const photos = await Promise.all(
      (await drawPhotos(products, PHOTO_SIDE)).map((photo) => loadImage(photo)),
    );
    const options = { mode: 'PostgreSQL and Redis', products, folder, settings: SETTINGS } as const;
    const steps = await onVisionInstallation(options, (installation) => soak(installation, photos, calls));
    const roles = Object.keys(steps[0]?.processes ?? {});
    return {
      title: `soak: ${calls} identifications of different photos, ${CONCURRENCY} clients, ${machine()}`,
      head: [
        ...['calls', 'photos/s', 'p50 ms', 'p99 ms', 'not 200'],
        ...roles.flatMap((role) => [`${role} MiB`, `${role} loop p99 ms`, `${role} loop max ms`]),
      ],
      rows: steps.map(rowOf),
      notes: [
        ...roles.map(
          (role) =>
            `${role}: ${growth(steps, role).toFixed(2)} MiB per thousand calls from the second row on`,
        ),
        'Loop: delay of the event loop; the median of the 99th percentiles of all seconds, and the longest of all.',
      ],
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function soak(
  installation: VisionInstallation,
  photos: readonly Image[],
  calls: number,
): Promise<Step[]> {
  const client = new JsonClient(installation.url);
  const key = await installation.makeKey({ credits: CREDITS });
  const watches = Object.entries(installation.processes).map(([role, each]) => new ProcessWatch(role, each));
  const count = Math.ceil(calls / STEPS);
  const steps: Step[] = [];
  for (let from = 0; from < calls; from += count) {
    let failed = 0;
    const load = runConcurrently(count, CONCURRENCY, async (index) => {
      const body = await bodyOf(photos[index % photos.length], from + index);
      const { status } = await client.post('/v3/vision/identify', key, body);
      if (status === 200) return;
      failed += 1;
      await delay(REFUSED_MS);
    });
    const watched = await Promise.all(
      watches.map(async (watch) => [watch.name, await watch.during(load)] as const),
    );
    const { each, totalMs } = await load;
    const processes = Object.fromEntries(watched);
    steps.push({ done: from + count, perSecond: (1000 * count) / totalMs, each, failed, processes });
    process.stderr.write(`${steps.map(rowOf).at(-1)?.join(' ')}\n`);
  }
  await client.close();
  return steps;
}

function rowOf({ done, perSecond, each, failed, processes }: Step): (string | number)[] {
  return [
    done,
    perSecond.toFixed(1),
    percentile(each, 0.5).toFixed(0),
    percentile(each, 0.99).toFixed(0),
    failed,
    ...Object.values(processes).flatMap((samples) => [
      Math.round(residentAtEnd(samples)),
      percentile(
        samples.map(({ loopP99Ms }) => loopP99Ms),
        0.5,
      ).toFixed(0),
      Math.max(...samples.map(({ loopMaxMs }) => loopMaxMs)).toFixed(0),
    ]),
  ];
}

const residentAtEnd = (samples: readonly Sample[]): number => samples.at(-1)?.residentMib ?? 0;

/** The photo with the number of the call in its corner, so that it is like no other. */
async function bodyOf(photo: Image | undefined, call: number): Promise<Buffer> {
  const canvas = createCanvas(PHOTO_SIDE, PHOTO_SIDE);
  const context = canvas.getContext('2d');
  if (photo) context.drawImage(photo, 0, 0);
  for (let bit = 0; bit < STAMP_BITS; bit += 1) {
    context.fillStyle = (call >> bit) & 1 ? '#fff' : '#000';
    context.fillRect(bit * STAMP_SIDE, 0, STAMP_SIDE, STAMP_SIDE);
  }
  const jpeg = await canvas.encode('jpeg', 85);
  return Buffer.from(JSON.stringify({ base64: jpeg.toString('base64') }));
}

/** How the memory of a process grows after the first step, by least squares: MiB per thousand calls. */
function growth(steps: readonly Step[], role: string): number {
  const points = steps
    .slice(1)
    .map(({ done, processes }) => ({ done, mib: residentAtEnd(processes[role] ?? []) }));
  const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const done = meanOf(points.map((point) => point.done));
  const mib = meanOf(points.map((point) => point.mib));
  const above = points.reduce((sum, point) => sum + (point.done - done) * (point.mib - mib), 0);
  const below = points.reduce((sum, point) => sum + (point.done - done) ** 2, 0);
  return (1000 * above) / below;
}
