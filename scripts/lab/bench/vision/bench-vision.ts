import { join } from 'node:path';
import { FolderModelLibrary } from '../../../../workers/library/model-library';
import { readConfig } from '../../../config';
import { inFolder } from '../installation';
import { runConcurrently } from '../load';
import type { Measurement } from '../table';
import { withPhotoService } from './photo-service';
import { everyNth, OTHER_PHOTO, type PhotoSetSource, type Query, readPhotoSet } from './photo-set';
import { type Asked, answeredRows, recallRow, sortsOf, trustNotes } from './vision-figures';

export interface VisionBenchOptions extends PhotoSetSource {
  /** `id` or `id@version` of an installed model; without it the bundled one. */
  readonly model?: string;
  /** Every n-th query of levels 1 to 3. */
  readonly sample: number;
}

const CONCURRENCY = 3;

/**
 * Recall of a model on real photos over HTTP, through the whole service as it is started: every photo of the set in the
 * catalog, every query sent to `/v3/vision/identify` with `min_confidence: 0` and with the floor of the model. Then the same
 * queries of items that were taken out of the catalog.
 */
export async function benchVision(options: VisionBenchOptions): Promise<Measurement> {
  return inFolder(async (folder) => {
    const model = await new FolderModelLibrary(readConfig().DATA_DIR).find(options.model);
    const set = await readPhotoSet(options, join(folder, 'bundle'));
    const queries = sampled(set.queries, options.sample);
    const { known, unknown } = await withPhotoService(set, model, async ({ identify, removeSome }) => {
      const askAll = async (own: readonly Query[]): Promise<Asked[]> => {
        const asked: Asked[] = [];
        await runConcurrently(own.length, CONCURRENCY, async (index) => {
          const query = own[index];
          if (!query) return;
          const answer = await identify([query.file], { min_confidence: 0 });
          asked.push({ query, answer, floored: await identify([query.file]) });
        });
        return asked;
      };
      const found = await askAll(queries);
      const removed = await removeSome(queries.map(({ product }) => product));
      return { known: found, unknown: await askAll(queries.filter(({ product }) => removed.has(product))) };
    });
    const sorts = sortsOf(queries);
    const name = `${model.manifest.id} ${model.manifest.version}`;
    return {
      title: `recall@1 / @3 / @5 in % on real photos over HTTP: ${set.photos.length} catalog photos, ${queries.length} queries, product rows only`,
      head: ['', ...sorts.map((sort) => `${sort.name} (${sort.count})`)],
      rows: [recallRow(name, sorts, known), ...answeredRows(sorts, known)],
      notes: [
        'In brackets the 95 % limits of recall@1 (Wilson).',
        ...trustNotes(known, unknown, model.manifest.calibration?.floor ?? 0),
      ],
    };
  });
}

/** Every n-th of each level, so that all levels have their share. */
function sampled(queries: readonly Query[], every: number): Query[] {
  const levels = new Set(queries.map(({ level }) => level));
  return [...levels].flatMap((level) =>
    everyNth(
      queries.filter((query) => query.level === level),
      level === OTHER_PHOTO ? 1 : every,
    ),
  );
}
