import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { type Measurement, percentile, runConcurrently } from './measure';
import { JsonClient } from './open-loop';
import { ProcessWatch } from './process-watch';
import { drawPhotos, machine, onVisionInstallation } from './vision-installation';

/** Small enough that the client's own work on a photo does not count. */
const PHOTO_SIDE = 640;
const CONCURRENCY = 16;
const STEPS = 10;
const STAMP = 8;

/** A memory for photos that is full after the first thousand, so that it does not pass for a leak. */
const SETTINGS = {
  CONFIDENCE_FLOOR: '0',
  PHOTO_MEMORY_MIB: '4',
  RATE_PER_SECOND: '0',
  VISION_CONCURRENCY: '0',
};

/** Thousands of identifications, each of another photo, on an api and a worker: whether their memory stays flat. */
export async function benchSoak(calls: number, products: number): Promise<Measurement> {
  const folder = await mkdtemp(join(tmpdir(), 'loupe-soak-'));
  try {
    const photos = await Promise.all((await drawPhotos(products, PHOTO_SIDE)).map(pixelsOf));
    const mode = 'PostgreSQL and Redis';
    return await onVisionInstallation(
      { mode, products, folder, settings: SETTINGS },
      async (installation) => {
        const client = new JsonClient(installation.url);
        const key = await installation.makeKey();
        const watches = Object.entries(installation.processes).map(
          ([role, each]) => new ProcessWatch(role, each),
        );
        const rows: (string | number)[][] = [];
        const resident: Record<string, [done: number, mib: number][]> = {};
        let done = 0;
        for (let step = 0; step < STEPS; step += 1) {
          const count = Math.ceil(calls / STEPS);
          const from = done;
          const wrong: number[] = [];
          const load = runConcurrently(count, CONCURRENCY, async (index) => {
            const body = await bodyOf(photos[index % photos.length] ?? Buffer.alloc(0), from + index);
            const { status } = await client.post('/v3/vision/identify', key, body);
            if (status !== 200) wrong.push(status);
            done += 1;
          });
          const watched = await Promise.all(
            watches.map(async (watch) => [watch.name, await watch.during(load)] as const),
          );
          const { each, totalMs } = await load;
          for (const [role, samples] of watched) {
            const last = samples.at(-1)?.residentMib ?? 0;
            resident[role] = [...(resident[role] ?? []), [done, last]];
          }
          const roles = watched.flatMap(([, samples]) => [
            Math.round(samples.at(-1)?.residentMib ?? 0),
            percentile(
              samples.map(({ loopP99Ms }) => loopP99Ms),
              0.5,
            ).toFixed(0),
            Math.max(...samples.map(({ loopMaxMs }) => loopMaxMs)).toFixed(0),
          ]);
          rows.push([
            done,
            ((1000 * count) / totalMs).toFixed(1),
            percentile(each, 0.5).toFixed(0),
            percentile(each, 0.99).toFixed(0),
            wrong.length,
            ...roles,
          ]);
          process.stderr.write(`${rows.at(-1)?.join(' ')}\n`);
        }
        await client.close();
        const columns = watches.flatMap(({ name }) => [
          `${name} MiB`,
          `${name} loop p99`,
          `${name} loop max`,
        ]);
        return {
          title: `soak: ${calls} identifications of different photos, ${CONCURRENCY} clients, ${machine()}`,
          head: ['calls', 'photos/s', 'p50 ms', 'p99 ms', 'not 200', ...columns],
          rows,
          notes: [
            ...Object.entries(resident).map(
              ([role, points]) =>
                `${role}: ${slope(points.slice(1)).toFixed(2)} MiB for each further thousand calls after the first step`,
            ),
            'Loop: delay of the event loop in ms; the median of the 99th percentiles of all seconds, and the longest of all.',
          ],
        };
      },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const pixelsOf = (jpeg: Buffer): Promise<Buffer> => sharp(jpeg).removeAlpha().raw().toBuffer();

/** The photo with the number of the call in its corner, so that it is like no other. */
async function bodyOf(pixels: Buffer, call: number): Promise<Buffer> {
  const own = Buffer.from(pixels);
  for (let bit = 0; bit < 16; bit += 1) {
    const value = (call >> bit) & 1 ? 255 : 0;
    for (let row = 0; row < STAMP; row += 1) {
      const offset = (row * PHOTO_SIDE + bit * STAMP) * 3;
      own.fill(value, offset, offset + STAMP * 3);
    }
  }
  const raw = { width: PHOTO_SIDE, height: PHOTO_SIDE, channels: 3 as const };
  const jpeg = await sharp(own, { raw }).jpeg({ quality: 85 }).toBuffer();
  return Buffer.from(JSON.stringify({ base64: jpeg.toString('base64') }));
}

/** Of the line through the points by least squares: MiB per thousand calls. */
function slope(points: readonly [done: number, mib: number][]): number {
  const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = meanOf(points.map(([done]) => done));
  const y = meanOf(points.map(([, mib]) => mib));
  const above = points.reduce((sum, [done, mib]) => sum + (done - x) * (mib - y), 0);
  const below = points.reduce((sum, [done]) => sum + (done - x) ** 2, 0);
  return (1000 * above) / below;
}
