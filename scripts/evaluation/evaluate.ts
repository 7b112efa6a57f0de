import { comparisonOf, type PairedAnswer } from '../../models/indexing/compare-versions';
import type { VersionRecord } from '../../models/indexing/embedding-version';
import type { Comparison, Evaluation } from '../../models/indexing/evaluation';
import { fitCalibration, type LabelledSignals } from '../../models/indexing/fit-calibration';
import {
  type CatalogRepository,
  type ExactNeighbours,
  type ImagePreparer,
  type ImageSamples,
  type ImageSource,
  type ImageStore,
  type NeighbourIndex,
  PORTS,
} from '../../models/ports';
import type { Calibration } from '../../models/vision/embedding-model';
import { hash, Random } from '../catalog/generate/random';
import type { ImportProgress } from '../catalog/import/import-progress';
import { findVersion } from '../reindex/find-version';
import type { Reindex } from '../reindex/with-reindex';
import { annRecall } from './ann-recall';
import { askVersion, isRight, type VersionAnswer } from './ask-version';
import { labelledQueries } from './labelled-photos';
import { generatedQueries, type Query, type QueryPorts } from './queries';
import { type MeasuredVersion, versionFigures } from './version-figures';

export interface EvaluateOptions {
  /** `id` or `id@version`. */
  readonly model: string;
  /** Catalog pictures that queries are made of, or labelled photos at most. */
  readonly queries: number;
  readonly seed: number;
  /** A folder of labelled photos to ask instead; null makes queries. */
  readonly photos: string | null;
  /** Fits a calibration although the version has one. */
  readonly recalibrate: boolean;
}

/** Queries whose latency and neighbours are measured one by one. */
const MEASURED_ALONE = 40;

/**
 * `loupe embeddings evaluate`: a version against the live one on the same queries. A version without a calibration gets
 * one, fitted on the queries of half of the items and judged on the others. What was found is kept with the version.
 *
 * @throws AppError 404 for a model without embeddings, or when there is nothing to ask
 */
export async function evaluate(
  reindex: Reindex,
  options: EvaluateOptions,
  progress: ImportProgress,
): Promise<Evaluation> {
  const { embeddings, clock } = reindex;
  const versions = await embeddings.versions();
  const version = findVersion(versions, options.model);
  const live = versions.find(({ state, id }) => state === 'live' && id !== version.id) ?? null;
  const queries = await queriesFor(reindex, options, live ? [version.id, live.id] : [version.id], progress);

  const answers = await ask(reindex, version, queries, progress);
  const isFitted = version.manifest.calibration === null || options.recalibrate;
  const fitted = isFitted ? fitCalibration(answers.filter(isForFitting).flatMap(labelled)) : null;
  if (isFitted && !fitted)
    progress.note('too few right or wrong answers to fit a calibration; ask more queries');
  const judgedOn = (each: readonly VersionAnswer[]) =>
    fitted ? each.filter((answer) => !isForFitting(answer)) : each;
  const candidate = await measured(reindex, version, answers, {
    unseen: judgedOn(answers),
    calibration: fitted ?? version.manifest.calibration,
  });
  const liveAnswers = live ? await ask(reindex, live, queries, progress) : [];
  const standing = live
    ? await measured(reindex, live, liveAnswers, {
        unseen: judgedOn(liveAnswers),
        calibration: live.manifest.calibration,
      })
    : null;
  const evaluation: Evaluation = {
    at: clock.now().toISOString(),
    seed: options.seed,
    source: sourceOf(options, queries),
    images: (await embeddings.coverage(version.id)).done,
    candidate: versionFigures(candidate),
    live: standing ? versionFigures(standing) : null,
    comparison: live ? compared(answers, liveAnswers, options.seed) : null,
  };
  await embeddings.keepEvaluation(version.id, evaluation, fitted);
  return evaluation;
}

function sourceOf({ photos, queries: count }: EvaluateOptions, queries: readonly Query[]): string {
  return photos === null
    ? `${queries.length} queries made of at most ${count} catalog pictures`
    : `${queries.length} labelled photos`;
}

async function queriesFor(
  { loupe: { container } }: Reindex,
  options: EvaluateOptions,
  versionIds: readonly number[],
  progress: ImportProgress,
): Promise<Query[]> {
  const ports: QueryPorts = {
    samples: container.resolve<ImageSamples>(PORTS.ImageSamples),
    catalog: container.resolve<CatalogRepository>(PORTS.CatalogRepository),
    store: container.resolve<ImageStore>(PORTS.ImageStore),
    source: container.resolve<ImageSource>(PORTS.ImageSource),
    preparer: container.resolve<ImagePreparer>(PORTS.ImagePreparer),
  };
  const { photos, queries: count, seed } = options;
  if (photos !== null) return labelledQueries(ports, photos, count);
  progress.begin('queries', count);
  const queries = await generatedQueries(ports, { versionIds, count, seed }, (done) => progress.reach(done));
  progress.end();
  return queries;
}

async function ask(
  { loupe: { container }, embedders }: Reindex,
  version: VersionRecord,
  queries: readonly Query[],
  progress: ImportProgress,
): Promise<VersionAnswer[]> {
  const embedder = await embedders.forVersion(version);
  const index = container.resolve<NeighbourIndex>(PORTS.NeighbourIndex);
  const catalog = container.resolve<CatalogRepository>(PORTS.CatalogRepository);
  progress.begin(version.model, queries.length);
  const answers = await askVersion(version, queries, { embedder, index, catalog }, (done) =>
    progress.reach(done),
  );
  progress.end();
  return answers;
}

/** With what is measured one query after the other: the time of the model, and the recall of the index. */
async function measured(
  { loupe: { container }, embedders }: Reindex,
  version: VersionRecord,
  answers: readonly VersionAnswer[],
  judged: { unseen: readonly VersionAnswer[]; calibration: Calibration | null },
): Promise<MeasuredVersion> {
  const embedder = await embedders.forVersion(version);
  const embedMs: number[] = [];
  const vectors: (readonly Float32Array[])[] = [];
  for (const { query } of answers.filter(({ isUnknown }) => !isUnknown).slice(0, MEASURED_ALONE)) {
    const from = performance.now();
    const [computed = []] = await embedder.embed([query.jpeg], 'query');
    embedMs.push(performance.now() - from);
    vectors.push(computed);
  }
  const ann = await annRecall(version, vectors, {
    exact: container.resolve<ExactNeighbours>(PORTS.ExactNeighbours),
    index: container.resolve<NeighbourIndex>(PORTS.NeighbourIndex),
    samples: container.resolve<ImageSamples>(PORTS.ImageSamples),
  });
  return { version, answers, embedMs, ann, ...judged };
}

/** Half of the items, whatever the seed: a fit never sees an item that it is judged by. */
const isForFitting = ({ query }: VersionAnswer): boolean => hash(query.products[0] ?? '', 'half') % 2 === 0;

const labelled = (answer: VersionAnswer): LabelledSignals[] =>
  answer.signals ? [{ signals: answer.signals, right: isRight(answer) }] : [];

/** Both versions were asked the same queries in the same order. */
function compared(
  candidate: readonly VersionAnswer[],
  live: readonly VersionAnswer[],
  seed: number,
): Comparison | null {
  const pairs = candidate.flatMap((answer, index): PairedAnswer[] => {
    const other = live[index];
    if (!other || answer.isUnknown) return [];
    return [
      {
        product: answer.query.products[0] ?? '',
        candidateRight: isRight(answer),
        liveRight: isRight(other),
        same: answer.first === other.first,
      },
    ];
  });
  const random = new Random('bootstrap', seed);
  return comparisonOf(pairs, () => random.next());
}
