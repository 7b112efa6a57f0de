import { cpus } from 'node:os';
import { request } from 'undici';
import { FolderModelLibrary } from '../../../workers/library/model-library';
import { inferencePerSecond } from './inference-alone';
import { type Cell, type Measurement, percentile, percentiles, runConcurrently } from './measure';
import { residentMib } from './process-watch';
import { inFolder } from './set-up';
import { drawPhotos, MODES, onVisionInstallation, type VisionInstallation } from './vision-installation';

/** A 2-megapixel photo, as telephones send it after their own shrinking. */
const PHOTO_SIDE = 1440;
const STAGES = ['intake', 'queue', 'embed', 'neighbours', 'rows'] as const;
const CONCURRENCY = 16;

/** The same photos come again and again, and each time they shall be computed. */
const SETTINGS = {
  RATE_PER_SECOND: '0',
  VISION_CONCURRENCY: '0',
  CONFIDENCE_FLOOR: '0',
  PHOTO_MEMORY_MIB: '0',
};

type Stage = (typeof STAGES)[number];

interface Run {
  readonly model: string;
  readonly name: string;
  /** Of each call. */
  readonly photos: number;
  readonly concurrency: number;
  readonly each: readonly number[];
  readonly perSecond: number;
  readonly stages: Readonly<Record<Stage, number>>;
  /** Everything but intake, embedding and neighbours, in ms at the median. */
  readonly restMs: number;
  /** Resident memory of the process with the network in it, in MiB, after the calls. */
  readonly workerMib: number;
}

/**
 * Identify over HTTP, embedded and on PostgreSQL with Redis (one api, one worker process), beside what intake and
 * inference alone reach in one process on the same cores; for each of the models. One client also sends three and five photos
 * in a call.
 */
export async function benchIdentify({
  calls,
  products,
  models,
}: {
  calls: number;
  products: number;
  models: readonly string[];
}): Promise<Measurement> {
  const photos = await drawPhotos(products, PHOTO_SIDE);
  const rows: Cell[][] = [];
  for (const name of models) {
    await inFolder(async (folder) => {
      const model = await new FolderModelLibrary(folder).find(name);
      const photoAt = async (index: number) => photos[index % photos.length] ?? null;
      const pool = await inferencePerSecond(model, 'query', calls * 2, photoAt);
      const settings = { ...SETTINGS, MODEL: name };
      for (const mode of MODES) {
        const options = { mode, products, folder, settings };
        const runs = await onVisionInstallation(options, (each) => measureMode(name, each, photos, calls));
        rows.push(...runs.map((run) => rowOf(run, pool)));
      }
      const alone = [name, 'intake and inference alone', 1, CONCURRENCY, '', '', pool.toFixed(1), '100 %'];
      rows.push([...alone, ...STAGES.map(() => ''), '', '']);
    });
  }
  return {
    title: `identify over HTTP: ${products} products, ${PHOTO_SIDE} x ${PHOTO_SIDE} JPEG photos, ${cpus().length} cores`,
    head: [
      ...['model', 'mode', 'photos', 'clients', 'p50 ms', 'p99 ms', 'images/s', 'of pool'],
      ...STAGES.map((stage) => `${stage} ms`),
      ...['rest ms', 'MiB'],
    ],
    rows,
    notes: [
      'Stages are medians of Server-Timing; "rest" is the median of the whole call less intake, embed and neighbours; MiB of the process with the network.',
    ],
  };
}

function rowOf(run: Run, pool: number): Cell[] {
  return [
    run.model,
    run.name,
    run.photos,
    run.concurrency,
    ...percentiles(run.each, 0, 0.5, 0.99),
    (run.perSecond * run.photos).toFixed(1),
    `${((100 * run.perSecond * run.photos) / pool).toFixed(0)} %`,
    ...STAGES.map((stage) => run.stages[stage].toFixed(1)),
    run.restMs.toFixed(1),
    Math.round(run.workerMib),
  ];
}

async function measureMode(
  model: string,
  { mode, url, processes, makeKey }: VisionInstallation,
  photos: readonly Buffer[],
  calls: number,
): Promise<Run[]> {
  const key = await makeKey();
  await measure(url, key, bodiesOf(photos, 1), CONCURRENCY * 2, CONCURRENCY);
  const worker = processes['worker'] ?? processes['all'];
  const runs: Run[] = [];
  for (const [each, count, concurrency] of [
    [1, calls, 1],
    [1, calls * 4, CONCURRENCY],
    [3, Math.ceil(calls / 2), 1],
    [5, Math.ceil(calls / 2), 1],
  ] as const) {
    const figures = await measure(url, key, bodiesOf(photos, each), count, concurrency);
    const workerMib = await residentMib(worker?.process.pid ?? 0);
    runs.push({ model, name: mode, photos: each, concurrency, workerMib, ...figures });
  }
  return runs;
}

/** Calls with so many photos each, beginning with each of the photos. */
function bodiesOf(photos: readonly Buffer[], each: number): Buffer[] {
  const images = photos.map((photo) => ({ base64: photo.toString('base64') }));
  return images.map((image, from) => {
    const chosen = Array.from({ length: each }, (_, next) => images[(from + next) % images.length]);
    return Buffer.from(JSON.stringify(each === 1 ? image : { images: chosen }));
  });
}

async function measure(
  url: string,
  key: string,
  bodies: readonly Buffer[],
  count: number,
  concurrency: number,
): Promise<Pick<Run, 'each' | 'perSecond' | 'stages' | 'restMs'>> {
  const timings: Readonly<Record<Stage, number>>[] = [];
  const rest: number[] = [];
  const { each, totalMs } = await runConcurrently(count, concurrency, async (index) => {
    const from = performance.now();
    // As in the other tables the answer is not compressed; `fetch` takes twice the processor time for the same.
    const answer = await request(`${url}/v3/vision/identify`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: bodies[index % bodies.length] ?? Buffer.alloc(0),
    });
    await answer.body.dump({ limit: 1 << 24 });
    if (answer.statusCode !== 200) throw new Error(`identify answered with ${answer.statusCode}`);
    const stages = stagesOf(String(answer.headers['server-timing']));
    timings.push(stages);
    rest.push(performance.now() - from - stages.intake - stages.embed - stages.neighbours);
  });
  const median = (stage: Stage) =>
    percentile(
      timings.map((each) => each[stage]),
      0.5,
    );
  return {
    each,
    perSecond: (1000 * count) / totalMs,
    stages: ofStages(median),
    restMs: percentile(rest, 0.5),
  };
}

/** Milliseconds of each stage out of a Server-Timing header. */
function stagesOf(header: string): Record<Stage, number> {
  return ofStages((stage) => Number(new RegExp(`\\b${stage};dur=([\\d.]+)`).exec(header)?.[1] ?? 0));
}

const ofStages = (figureOf: (stage: Stage) => number) =>
  Object.fromEntries(STAGES.map((stage) => [stage, figureOf(stage)])) as Record<Stage, number>;
