import { drawPhotos, fill, PHOTO_SIDE, photoBodies } from './generated';
import { type Installation, MODES, type Mode, onInstallations, UNLIMITED } from './installation';
import { Client, runConcurrently, successful } from './load';
import { memoryOf } from './process-watch';
import { byTurns, type Cell, type Measurement, machine, percentile, percentiles } from './table';

interface IdentifyBenchOptions {
  readonly calls: number;
  readonly products: number;
  readonly models: readonly string[];
  readonly only: readonly Mode[];
  readonly against?: string;
}

const STAGES = ['intake', 'queue', 'embed', 'neighbours', 'rows'] as const;
const CLIENTS = 16;
const PICTURE_SIDE = 640;

/**
 * Identify over HTTP, embedded and on PostgreSQL with Redis, for each of the models, by turns with another version if one is given.
 * One client also sends three and five photos in a call.
 */
export async function benchIdentify(options: IdentifyBenchOptions): Promise<Measurement> {
  const { calls, products, models, against, only = MODES } = options;
  const photos = await drawPhotos(products, PHOTO_SIDE);
  const rows: Cell[][] = [];
  for (const MODEL of models) {
    for (const mode of only) {
      // A machine that is busy with other work refuses no call for want of time.
      const settings = { ...UNLIMITED, MODEL, VISION_DEADLINE_MS: '60000' };
      const measured = await onInstallations(
        { mode, settings, ...(against && { against }) },
        async (all, folder) => {
          for (const each of all) await each.start();
          await fill(all, folder, { products, pictures: PICTURE_SIDE, complete: true });
          return await byTurns(all, (each) => measure(each, photos, calls));
        },
      );
      rows.push(...measured.map((row) => [MODEL, mode, ...row]));
    }
  }
  return {
    title: `identify over HTTP: ${products} products, ${PHOTO_SIDE} x ${PHOTO_SIDE} JPEG photos, ${machine()}`,
    head: [
      ...['model', 'mode', 'version', 'photos', 'clients', 'p50 ms', 'p99 ms', 'photos/s'],
      ...STAGES.map((stage) => `${stage} ms`),
      ...['rest ms', 'MiB'],
    ],
    rows,
    notes: [
      'Stages are medians of Server-Timing; "rest" is the median of the whole call less intake, embed and neighbours; MiB of the process with the network.',
    ],
  };
}

async function measure(
  installation: Installation,
  photos: readonly Buffer[],
  calls: number,
): Promise<Cell[][]> {
  const client = new Client(installation.url, await installation.key());
  const identify = async (each: number, count: number, clients: number): Promise<Cell[]> => {
    const bodies = photoBodies(photos, each);
    const stages: number[][] = [];
    const rest: number[] = [];
    const { each: ms, totalMs } = await runConcurrently(count, clients, async (index) => {
      const answer = await successful(
        client.post('/v3/vision/identify', bodies[index % bodies.length] ?? {}),
      );
      const own = STAGES.map((stage) =>
        Number(new RegExp(`\\b${stage};dur=([\\d.]+)`).exec(answer.timing)?.[1] ?? 0),
      );
      stages.push(own);
      const [intake = 0, , embed = 0, neighbours = 0] = own;
      rest.push(answer.ms - intake - embed - neighbours);
    });
    return [
      ...[each, clients, ...percentiles(ms, 0.5, 0.99), (1000 * count * each) / totalMs],
      ...STAGES.map((_, at) =>
        percentile(
          stages.map((own) => own[at] ?? 0),
          0.5,
        ),
      ),
      ...percentiles(rest, 0.5),
      Math.round(await memoryOf(installation.computing?.process.pid ?? 0)),
    ];
  };
  await identify(1, CLIENTS * 2, CLIENTS);
  const few = Math.ceil(calls / 2);
  return [
    await identify(1, calls, 1),
    await identify(1, calls * 4, CLIENTS),
    await identify(3, few, 1),
    await identify(5, few, 1),
  ];
}
