import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { decodeSvg } from '../generator/decode-svg';
import { drawPhotos, fill, productIds } from './generated';
import { type Installation, onInstallation, UNLIMITED } from './installation';
import { Client, runConcurrently } from './load';
import { watched } from './process-watch';
import { type Cell, type Measurement, machine, percentile, percentiles } from './table';

export interface SoakOptions {
  /** Identifications, each of another photo. */
  readonly calls: number;
  /** Lookups of items, spread over the identifications. */
  readonly lookups: number;
  readonly products: number;
}

/** Small enough that the client's own work on a photo does not count. */
const PHOTO_SIDE = 640;
const CLIENTS = 16;
const STEPS = 10;
/** As `Retry-After` says at least: a client that draws the next photo at once takes the processors that would answer it. */
const REFUSED_MS = 1_000;
const CREDITS = 10_000_000;
const STAMP_SIDE = 8;
const STAMP_BITS = 16;

/** MiB of a process at the end of a tenth of the calls. */
interface Memory {
  readonly role: string;
  readonly done: number;
  readonly resident: number;
}

/** Thousands of calls on an api and a worker: whether their memory stays flat, tenth by tenth. */
export const benchSoak = (options: SoakOptions): Promise<Measurement> =>
  // A memory for photos that is full after the first thousand, so that it does not pass for a leak.
  onInstallation(
    { mode: 'PostgreSQL and Redis', settings: { ...UNLIMITED, PHOTO_MEMORY_MIB: '4' } },
    async (installation, folder) => {
      const { calls, lookups, products } = options;
      const photos = await drawPhotos(products, PHOTO_SIDE);
      await installation.start();
      await fill([installation], folder, { products, pictures: PHOTO_SIDE });
      const { rows, memory } = await soak(installation, photos, options);
      return {
        title: `soak: ${calls} identifications of different photos and ${lookups} lookups, ${CLIENTS} clients, ${machine()}`,
        head: [
          ...['calls', 'photos/s', 'photo p50 ms', 'p99 ms', 'lookup p50 ms', 'p99 ms', 'not 200'],
          ...['api MiB', 'heap', 'loop max ms', 'worker MiB', 'heap', 'loop max ms'],
        ],
        rows,
        notes: ['api', 'worker'].map((role) =>
          growthOf(memory.filter((each) => each.role === role).slice(1), role),
        ),
      };
    },
  );

async function soak(
  installation: Installation,
  photos: readonly Buffer[],
  { calls, lookups, products }: SoakOptions,
): Promise<{ rows: Cell[][]; memory: Memory[] }> {
  const client = new Client(installation.url, await installation.key({ credits: CREDITS }));
  const ids = productIds(products);
  const count = Math.ceil(calls / STEPS);
  const rows: Cell[][] = [];
  const memory: Memory[] = [];
  for (let from = 0; from < calls; from += count) {
    const times = { photo: [] as number[], lookup: [] as number[] };
    let failed = 0;
    const load = runConcurrently(count, CLIENTS, async (index) => {
      const body = await bodyOf(photos[index % photos.length], from + index);
      const { status, ms } = await client.post('/v3/vision/identify', body);
      times.photo.push(ms);
      if (status !== 200) {
        failed += 1;
        await delay(REFUSED_MS);
      }
      for (let at = 0; at < lookups / calls; at += 1) {
        const found = await client.get(`/v3/catalog/items/${ids[(from + index + at) % ids.length]}`);
        times.lookup.push(found.ms);
        if (found.status !== 200) failed += 1;
      }
    });
    const states = [...installation.processes].map(async ([role, each]) => {
      const samples = await watched(each, load);
      const { residentMib: resident = 0, heapMib: heap = 0 } = samples.at(-1) ?? {};
      memory.push({ role, done: from + count, resident });
      return [resident, heap, Math.max(...samples.map(({ loopMaxMs }) => loopMaxMs))];
    });
    const cells = (await Promise.all(states)).flat();
    const perSecond = (1000 * count) / (await load).totalMs;
    rows.push([
      ...[from + count, perSecond, ...percentiles(times.photo, 0.5, 0.99)],
      ...[...percentiles(times.lookup, 0.5, 0.99), failed, ...cells],
    ]);
    process.stderr.write(`${rows.at(-1)?.join(' | ')}\n`);
  }
  return { rows, memory };
}

/** The photo with the number of the call in its corner, so that it is like no other. */
async function bodyOf(photo: Buffer | undefined, call: number): Promise<Buffer> {
  const bits = Array.from(
    { length: STAMP_BITS },
    (_, bit) =>
      `<rect x="${bit * STAMP_SIDE}" width="${STAMP_SIDE}" height="${STAMP_SIDE}" fill="${(call >> bit) & 1 ? '#fff' : '#000'}"/>`,
  );
  const stamp = `<svg xmlns="http://www.w3.org/2000/svg" width="${STAMP_BITS * STAMP_SIDE}" height="${STAMP_SIDE}">${bits.join('')}</svg>`;
  const jpeg = await sharp(photo)
    .composite([{ input: await decodeSvg(stamp).png().toBuffer(), left: 0, top: 0 }])
    .jpeg({ quality: 85 })
    .toBuffer();
  return Buffer.from(JSON.stringify({ base64: jpeg.toString('base64') }));
}

/** In words: the median of the slopes between all pairs of tenths (Theil and Sen), which one outlier does not move. */
function growthOf(memory: readonly Memory[], role: string): string {
  const slopes = memory.flatMap((early, at) =>
    memory.slice(at + 1).map((late) => (1000 * (late.resident - early.resident)) / (late.done - early.done)),
  );
  return `${role}: ${percentile(slopes, 0.5).toFixed(2)} MiB for each thousand identifications, from the second tenth on`;
}
