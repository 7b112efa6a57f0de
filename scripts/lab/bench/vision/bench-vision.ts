import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { InstalledModel } from '../../../../models/ports';
import { modelReference } from '../../../../models/vision/embedding-model';
import { onInstallation } from '../installation';
import { Client, runConcurrently, successful } from '../load';
import type { Measurement } from '../table';
import {
  everyNth,
  OTHER_PHOTO,
  onPhotoSet,
  type PhotoSet,
  type Query,
  type VisionBenchOptions,
  writeRecords,
} from './photo-set';
import { type Answer, type Asked, answeredRows, recallRow, sortsOf, trustNotes } from './vision-figures';

const CONCURRENCY = 3;
/** One item in so many is taken out of the catalog, so that its photos show what the catalog does not have. */
const UNKNOWN_EVERY = 5;

/**
 * Recall of a model on real photos over HTTP, through the whole service as it is started: every photo of the set in the
 * catalog, every query sent to `/v3/vision/identify` with `min_confidence: 0` and with the floor of the model. Then the same
 * queries of items that were taken out of the catalog.
 */
export const benchVision = (options: VisionBenchOptions): Promise<Measurement> =>
  onPhotoSet(options, async (set, model) => {
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

/** A service whose catalog is a set of photos. */
interface PhotoService {
  /**
   * @param files photos of one item
   * @param asked further parameters of the call
   */
  identify(files: readonly string[], asked?: object): Promise<Answer>;
  /** Takes one in five of these products out of the catalog; which those were. */
  removeSome(products: readonly string[]): Promise<ReadonlySet<string>>;
}

const identified = z.object({ data: z.array(z.object({ id: z.string(), confidence: z.number() })) });

/** Runs `work` with a service as it is started, with the model, and with the photos of the set as its catalog. */
export const withPhotoService = <Result>(
  set: PhotoSet,
  model: InstalledModel,
  work: (service: PhotoService) => Promise<Result>,
): Promise<Result> => {
  const settings = { RATE_PER_SECOND: '0', VISION_CONCURRENCY: '0', MODEL: modelReference(model.manifest) };
  return onInstallation({ mode: 'embedded', settings }, async (installation, folder) => {
    const { loupe } = installation;
    if (!model.bundled) await loupe('models', 'add', model.folder);
    await installation.start();
    await loupe('catalog', 'import', set.bundle);
    const client = new Client(installation.url, await installation.key());
    return await work({
      async identify(files, asked = {}) {
        const images = await Promise.all(
          files.map(async (file) => ({ base64: (await readFile(file)).toString('base64') })),
        );
        const body = { ...(images.length === 1 ? images[0] : { images }), ...asked };
        const { text } = await successful(client.post('/v3/vision/identify', body));
        const { data } = identified.parse(JSON.parse(text));
        return { first: data[0] ?? null, products: data.filter(({ id }) => id.startsWith('product_')) };
      },
      async removeSome(products) {
        const removed = everyNth([...new Set(products)], UNKNOWN_EVERY);
        const bundle = join(folder, 'removal');
        await writeRecords(bundle, { products: removed.map((id) => ({ id, deleted: true })) });
        await loupe('catalog', 'import', bundle);
        return new Set(removed);
      },
    });
  });
};
