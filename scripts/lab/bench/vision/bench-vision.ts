import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstalledModel } from '../../../../models/ports';
import { multiplyAddsOf } from '../../../../workers/embedder/multiply-adds';
import { FolderModelLibrary } from '../../../../workers/library/model-library';
import { readConfig } from '../../../config';
import { type Measurement, percentiles, runConcurrently } from '../measure';
import { inFolder } from '../set-up';
import { identify } from './answer';
import { BASELINES, ranked } from './baselines';
import { withPhotoService } from './photo-service';
import { everyNth, type PhotoSet, type PhotoSetSource, type Query, readPhotoSet } from './photo-set';
import { type Asked, answeredRows, recallRow, sortsOf, trustNotes } from './vision-figures';

export interface VisionBenchOptions extends PhotoSetSource {
  /** `id` or `id@version` of an installed model; without it the bundled one. */
  readonly model?: string;
  /** Every n-th query of each level. */
  readonly sample: number;
}

const CONCURRENCY = 3;
const TIMED_CALLS = 60;

/**
 * Recall of a model on real photos over HTTP, through the whole service as it is started: every photo of the set in the
 * catalog, every query sent to `/v3/vision/identify` with `min_confidence: 0` and with the floor of the model. Then the same
 * queries of items that were taken out of the catalog. Beside it, what a thumbnail and a histogram find on the same photos.
 */
export async function benchVision(options: VisionBenchOptions): Promise<Measurement> {
  return inFolder(async (folder) => {
    const model = await new FolderModelLibrary(readConfig().DATA_DIR).find(options.model);
    const whole = await readPhotoSet(options, join(folder, 'bundle'));
    const set = { ...whole, queries: sampled(whole.queries, options.sample) };
    const { known, unknown, callMs } = await askService(set, model, folder);
    const sorts = sortsOf(set.queries);
    const rows = [
      recallRow(`${model.manifest.id} ${model.manifest.version}`, sorts, known),
      ...answeredRows(sorts, known),
    ];
    for (const baseline of BASELINES) {
      rows.push(recallRow(baseline.name, sorts, await askBaseline(set, baseline)));
    }
    const { views, input, calibration } = model.manifest;
    const multiplyAdds = await multiplyAddsOf(model);
    return {
      title: `recall@1 / @3 / @5 in % on real photos over HTTP: ${set.photos.length} catalog photos, ${set.queries.length} queries, product rows only`,
      head: ['', ...sorts.map(({ name, count }) => `${name} (${count})`)],
      rows,
      notes: [
        'In brackets the 95 % limits of recall@1 (Wilson).',
        `${views.catalog.length} views of a catalog photo, ${views.query.length} of a query, ${input.width} x ${input.height}; ${
          multiplyAdds === null
            ? 'multiply-adds unknown'
            : `${Math.round(multiplyAdds / 1e6)} million multiply-adds`
        } a view.`,
        `A whole call, one client: p50 and p95 ${percentiles(callMs, 0, 0.5, 0.95).join(' and ')} ms.`,
        ...trustNotes(known, unknown, calibration?.floor ?? 0),
      ],
    };
  });
}

async function askService(
  set: PhotoSet,
  model: InstalledModel,
  folder: string,
): Promise<{ known: Asked[]; unknown: Asked[]; callMs: readonly number[] }> {
  return withPhotoService({ set, model, folder }, async (service) => {
    const ask = async (query: Query) => ({
      answer: await identify(service, [query.file], { min_confidence: 0 }),
      floored: await identify(service, [query.file]),
    });
    const timed = await runConcurrently(Math.min(TIMED_CALLS, set.queries.length), 1, async (index) => {
      const query = set.queries[index];
      if (query) await identify(service, [query.file]);
    });
    const known = await askAll(set.queries, ask);
    const removed = await service.removeSome(set.queries.map(({ product }) => product));
    const unknown = await askAll(
      set.queries.filter(({ product }) => removed.has(product)),
      ask,
    );
    return { known, unknown, callMs: timed.each };
  });
}

async function askAll(
  queries: readonly Query[],
  ask: (query: Query) => Promise<Omit<Asked, 'query'>>,
): Promise<Asked[]> {
  const asked: Asked[] = [];
  await runConcurrently(queries.length, CONCURRENCY, async (index) => {
    const query = queries[index];
    if (query) asked.push({ query, ...(await ask(query)) });
  });
  return asked;
}

async function askBaseline(
  { photos, queries }: PhotoSet,
  { describe }: (typeof BASELINES)[number],
): Promise<Asked[]> {
  const known = await Promise.all(photos.map(async ({ file }) => describe(await readFile(file))));
  const asked: Asked[] = [];
  for (const query of queries) {
    const order = ranked(await describe(await readFile(query.file)), known);
    const products = [...new Set(order.slice(0, 20).map((place) => photos[place]?.product ?? ''))];
    const answer = { first: null, brand: null, products: products.map((id) => ({ id, confidence: 0 })) };
    asked.push({ query, answer, floored: answer });
  }
  return asked;
}

/** Every n-th of each level, so that all levels have their share. */
function sampled(queries: readonly Query[], every: number): Query[] {
  const levels = new Set(queries.map(({ level }) => level));
  return [...levels].flatMap((level) =>
    level === 4
      ? queries.filter((query) => query.level === 4)
      : everyNth(
          queries.filter((query) => query.level === level),
          every,
        ),
  );
}
