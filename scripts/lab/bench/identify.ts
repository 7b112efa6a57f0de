import { migrations } from '../../../db/migrations';
import { migrate } from '../../../db/migrations/migrate';
import { percentileOf } from '../../../models/indexing/figures';
import { loadVectors } from './clustered-vectors';
import { drawPhotos, fill, PHOTO_SIDE, PICTURE_SIDE, photoBodies } from './generated';
import { type BenchOptions, type Installation, MODES, onInstallations, UNLIMITED } from './installation';
import { Client, type HttpAnswer, runConcurrently } from './load';
import { memoryOf } from './process-stats';
import { byTurns, type Cell, type Measurement, machine } from './table';
import { INDEX_MEMORY_MIB } from './vectors';

interface IdentifyBenchOptions extends BenchOptions {
  readonly vectors: readonly number[];
  readonly pictures?: boolean;
  readonly mode?: string;
}

const STAGES = ['intake', 'queue', 'embed', 'neighbours', 'rows'] as const;
const CLIENTS = 16;

/** One photo in a call by one client and by sixteen, three and five by one; with `vectors` in a catalog of drawn ones. */
export async function benchIdentify({
  calls,
  products,
  vectors,
  pictures = vectors.length === 0,
  mode: only = '',
  against,
}: IdentifyBenchOptions): Promise<Measurement> {
  const photos = await drawPhotos(products, PHOTO_SIDE);
  const rows: Cell[][] = [];
  const imported: string[] = [];
  const settings = { ...UNLIMITED, INDEX_MEMORY_MIB: String(INDEX_MEMORY_MIB) };
  for (const mode of MODES.filter((name) => name.toLowerCase().startsWith(only))) {
    for (const size of vectors.length > 0 ? vectors : [null]) {
      const measured = await onInstallations({ mode, settings, against }, async (all, folder) => {
        if (size !== null) for (const each of all) await fillWithVectors(each, size);
        for (const each of all) await each.start();
        if (pictures) imported.push(...(await fill(all, folder, { products, pictures: PICTURE_SIDE })));
        return byTurns(all, (each) => measure(each, photos, calls));
      });
      rows.push(...measured.map((row) => [mode, size ?? 'of the pictures', ...row]));
    }
  }
  return {
    title: `identify over HTTP: ${products} products, ${PHOTO_SIDE} x ${PHOTO_SIDE} JPEG photos, ${machine()}`,
    head: [
      ...['mode', 'vectors', 'version', 'photos', 'clients', 'p50 ms', 'p99 ms', 'photos/s'],
      ...STAGES.map((stage) => `${stage} ms`),
      ...['rest ms', 'MiB'],
    ],
    rows,
    notes: [
      'Stages are medians of Server-Timing; "rest" is the median of the whole call less intake, embed and neighbours; MiB of the process with the network.',
      ...imported,
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
    const quantile = (share: number, of: (answer: HttpAnswer) => number) =>
      percentileOf(answers.map(of), share);
    return [
      ...[each, clients, quantile(0.5, ({ ms }) => ms), quantile(0.99, ({ ms }) => ms)],
      (1000 * count * each) / totalMs,
      ...STAGES.map((name) => quantile(0.5, (answer) => stage(name, answer))),
      ...[quantile(0.5, rest), Math.round(await memoryOf(installation.pids.at(-1) ?? 0))],
    ];
  };
  await identify(1, CLIENTS * 2, CLIENTS);
  const [few, many] = [Math.ceil(calls / 2), calls * 4];
  return [
    ...[await identify(1, calls, 1), await identify(1, many, CLIENTS)],
    ...[await identify(3, few, 1), await identify(5, few, 1)],
  ];
}
