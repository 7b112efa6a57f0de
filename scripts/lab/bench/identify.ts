import { migrations } from '../../../db/migrations';
import { migrate } from '../../../db/migrations/migrate';
import { loadVectors } from './clustered-vectors';
import { drawPhotos, fill, PHOTO_SIDE, PICTURE_SIDE, photoBodies } from './generated';
import { type Installation, type Mode, onInstallations, UNLIMITED } from './installation';
import { Client, type HttpAnswer, runConcurrently } from './load';
import { memoryOf } from './process-watch';
import { byTurns, type Cell, type Measurement, machine, percentile } from './table';

interface IdentifyBenchOptions {
  readonly calls: number;
  readonly products: number;
  readonly models: readonly string[];
  readonly vectors: readonly number[];
  readonly only: readonly Mode[];
  readonly against?: string;
}

const STAGES = ['intake', 'queue', 'embed', 'neighbours', 'rows'] as const;
const CLIENTS = 16;

/**
 * Identify over HTTP, embedded and on PostgreSQL with Redis, for each model, by turns with another version if one is given: one photo
 * in a call by one client and by sixteen, three and five by one. With `vectors` the catalog has so many vectors instead, which are drawn,
 * and there is one photo in a call.
 */
export async function benchIdentify(options: IdentifyBenchOptions): Promise<Measurement> {
  const { calls, products, models, vectors, against, only } = options;
  const photos = await drawPhotos(products, PHOTO_SIDE);
  const rows: Cell[][] = [];
  const sizes = vectors.length > 0 ? vectors : [null];
  for (const MODEL of models) {
    for (const mode of only) {
      for (const size of sizes) {
        const installed = { mode, settings: { ...UNLIMITED, MODEL }, against };
        const measured = await onInstallations(installed, async (all, folder) => {
          if (size !== null) for (const each of all) await fillWithVectors(each, size);
          for (const each of all) await each.start();
          if (size === null) await fill(all, folder, { products, pictures: PICTURE_SIDE });
          return await byTurns(all, (each) => measure(each, photos, calls, size === null ? [3, 5] : []));
        });
        rows.push(...measured.map((row) => [MODEL, mode, size ?? 'of the pictures', ...row]));
      }
    }
  }
  return {
    title: `identify over HTTP: ${products} products, ${PHOTO_SIDE} x ${PHOTO_SIDE} JPEG photos, ${machine()}`,
    head: [
      ...['model', 'mode', 'vectors', 'version', 'photos', 'clients', 'p50 ms', 'p99 ms', 'photos/s'],
      ...STAGES.map((stage) => `${stage} ms`),
      ...['rest ms', 'MiB'],
    ],
    rows,
    notes: [
      'Stages are medians of Server-Timing; "rest" is the median of the whole call less intake, embed and neighbours; MiB of the process with the network.',
    ],
  };
}

/** Drawn vectors of the bundled model become the live ones, with an index where the service would make one. */
async function fillWithVectors({ onDatabase, loupe }: Installation, size: number): Promise<void> {
  const { manifest } = await onDatabase(async (knex) => {
    await migrate(knex, migrations);
    return loadVectors(knex, size);
  });
  await loupe('embeddings', 'build', '--model', manifest.id, '--resume');
  await loupe('embeddings', 'promote', '--model', manifest.id, '--force');
}

async function measure(
  installation: Installation,
  photos: readonly Buffer[],
  calls: number,
  several: readonly number[],
): Promise<Cell[][]> {
  const client = new Client(installation.url, await installation.key());
  const identify = async (each: number, count: number, clients: number): Promise<Cell[]> => {
    const bodies = photoBodies(photos, each);
    const answers: HttpAnswer[] = [];
    const { totalMs } = await runConcurrently(count, clients, async (index) => {
      answers.push(await client.post('/v3/vision/identify', bodies[index % bodies.length] ?? {}));
    });
    const stage = (name: string, { timing }: HttpAnswer) =>
      Number(new RegExp(`\\b${name};dur=([\\d.]+)`).exec(timing)?.[1] ?? 0);
    const rest = (answer: HttpAnswer) =>
      ['intake', 'embed', 'neighbours'].reduce((ms, name) => ms - stage(name, answer), answer.ms);
    const median = (of: (answer: HttpAnswer) => number) => percentile(answers.map(of), 0.5);
    return [
      ...[
        each,
        clients,
        median(({ ms }) => ms),
        percentile(
          answers.map(({ ms }) => ms),
          0.99,
        ),
      ],
      ...[(1000 * count * each) / totalMs, ...STAGES.map((name) => median((answer) => stage(name, answer)))],
      ...[median(rest), Math.round(await memoryOf(installation.pids.at(-1) ?? 0))],
    ];
  };
  await identify(1, CLIENTS * 2, CLIENTS);
  const rows = [await identify(1, calls, 1), await identify(1, calls * 4, CLIENTS)];
  for (const each of several) rows.push(await identify(each, Math.ceil(calls / 2), 1));
  return rows;
}
