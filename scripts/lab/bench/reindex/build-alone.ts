import { join } from 'node:path';
import { LocalImageStore } from '../../../../db/files/local-image-store';
import type { BuildResult } from '../../../../models/indexing/build-service';
import { FolderModelLibrary } from '../../../../workers/library/model-library';
import { runLoupe } from '../../service-processes';
import { inferencePerSecond } from '../inference-alone';
import { percentile } from '../measure';
import type { Knex, Settings } from '../set-up';

/** Images a second, by turns. */
export interface Throughput {
  readonly pool: readonly number[];
  readonly build: readonly number[];
}

/** A build of all images without a load, and how many it did in a second. */
export async function buildAlone(settings: Settings, model: string): Promise<number> {
  const built = await runLoupe(settings, 'embeddings', 'build', '--model', model);
  const { embedded, seconds } = built as BuildResult;
  return embedded / seconds;
}

/**
 * The inference pool alone and builds without a load by turns, over the same images with the same weights, so that a machine
 * that is busy for a while is so for both. What was built is dropped again.
 */
export async function compareWithPool(
  { settings, knex }: { settings: Settings & { DATA_DIR: string }; knex: Knex },
  { rounds, model, install }: { rounds: number; model: string; install: (id: string) => Promise<void> },
): Promise<Throughput> {
  const store = new LocalImageStore(join(settings.DATA_DIR, 'images'));
  const addresses: string[] = await knex('images').orderBy('id').pluck('address');
  const installed = await new FolderModelLibrary(settings.DATA_DIR).find(model);
  const photoAt = (index: number) => store.get(addresses[index % addresses.length] ?? '');
  const pool: number[] = [];
  const build: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    pool.push(await inferencePerSecond(installed, 'catalog', addresses.length, photoAt));
    const again = `${model}-again-${round}`;
    await install(again);
    build.push(await buildAlone(settings, again));
    await runLoupe(settings, 'embeddings', 'prune', '--building');
    process.stderr.write(`images/s: the pool alone ${last(pool)}, a build ${last(build)}\n`);
  }
  return { pool, build };
}

/** In words, with the share that a build reaches: of the medians. */
export function describeThroughput({ pool, build }: Throughput): string {
  const share = percentile(build, 0.5) / percentile(pool, 0.5);
  return `Images a second, by turns: inference pool alone with the pictures' intake ${listed(pool)}; a build without a load ${listed(build)}: ${Math.round(100 * share)} % of it (medians).`;
}

const listed = (values: readonly number[]): string => values.map((value) => value.toFixed(1)).join(', ');

const last = (values: readonly number[]): string => values.at(-1)?.toFixed(1) ?? '';
