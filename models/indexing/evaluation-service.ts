import { inject, injectable } from 'tsyringe';
import { EVERYTHING } from '../catalog/catalog-query';
import { badRequest } from '../errors';
import {
  type AuditedWork,
  type CatalogRepository,
  type Clock,
  type EmbedderRegistry,
  type EmbeddingRepository,
  type ExactNeighbours,
  type ImageSamples,
  type NeighbourIndex,
  PORTS,
  type Progress,
} from '../ports';
import { Random } from '../random';
import { calibrationOf, UNCALIBRATED } from '../vision/confidence';
import type { Calibration, EmbeddingVersion } from '../vision/embedding-model';
import { findVersion, type VersionRecord } from './embedding-version';
import type { AnnFigures, Comparison, Evaluation } from './evaluation';
import { type MeasuredVersion, versionFigures } from './figures';
import { fitChoiceModel, floorFor, isForFitting, isUnknown, judged } from './fit-calibration';
import { comparisonOf, type PairedAnswer } from './promotion-gates';
import { askVersion, type Query, QueryMaker, type VersionAnswer } from './query-maker';

export interface EvaluateOptions {
  /** `id` or `id@version`. */
  readonly model: string;
  /** Catalog pictures that queries are made of, or labelled photos or answers with feedback at most. */
  readonly queries: number;
  readonly seed: number;
  /** A folder of labelled photos to ask instead; null makes queries. */
  readonly photos: string | null;
  /** Asks the photos of callers that are kept with their feedback instead. */
  readonly feedback: boolean;
  /** Fits a calibration although the version has one. */
  readonly recalibrate: boolean;
}

/** Queries whose latency and neighbours are measured one by one. */
const MEASURED_ALONE = 40;

/** Judges a version against the live one on the same queries. */
@injectable()
export class EvaluationService {
  constructor(
    @inject(PORTS.EmbeddingRepository) private readonly embeddings: EmbeddingRepository,
    @inject(PORTS.EmbedderRegistry) private readonly embedders: EmbedderRegistry,
    @inject(PORTS.NeighbourIndex) private readonly index: NeighbourIndex,
    @inject(PORTS.ExactNeighbours) private readonly exact: ExactNeighbours,
    @inject(PORTS.ImageSamples) private readonly samples: ImageSamples,
    @inject(PORTS.CatalogRepository) private readonly catalog: CatalogRepository,
    @inject(QueryMaker) private readonly queryMaker: QueryMaker,
    @inject(PORTS.AuditedWork) private readonly audited: AuditedWork,
    @inject(PORTS.Clock) private readonly clock: Clock,
  ) {}

  /**
   * A version without a calibration gets one, fitted on the queries of half of the items and judged on the others; the live one
   * only if that is asked for. What was found is kept with the version.
   *
   * @throws AppError for a model without embeddings, or when there is nothing to ask
   */
  async evaluate(options: EvaluateOptions, progress: Progress): Promise<Evaluation> {
    const versions = await this.embeddings.versions();
    const version = findVersion(versions, options.model);
    const live = versions.find(({ state, id }) => state === 'live' && id !== version.id) ?? null;
    const queries = await this.queriesFor(options, live ? [version.id, live.id] : [version.id], progress);

    const answers = await this.ask(version, queries, progress);
    const isLive = version.state === 'live';
    const isFitted = options.recalibrate || (version.manifest.calibration === null && !isLive);
    const fitting = answers.filter(({ item }) => isForFitting(item));
    const fitted = isFitted ? fittedTo(fitting, calibrationOf(version.manifest).floor) : null;
    if (isFitted && !fitted)
      progress.note(
        'too few right or wrong answers to fit a calibration: ask again with more --queries, or with --photos',
      );
    const judgedOn = (each: readonly VersionAnswer[]) =>
      fitted ? each.filter(({ item }) => !isForFitting(item)) : each;
    const candidate = await this.measured(version, answers, {
      unseen: judgedOn(answers),
      calibration: fitted ?? version.manifest.calibration,
    });
    const liveAnswers = live ? await this.ask(live, queries, progress) : [];
    const standing = live
      ? await this.measured(live, liveAnswers, {
          unseen: judgedOn(liveAnswers),
          calibration: live.manifest.calibration,
        })
      : null;
    const evaluation: Evaluation = {
      at: this.clock.now().toISOString(),
      seed: options.seed,
      source: sourceOf(options, queries),
      images: (await this.embeddings.coverage(version.id)).done,
      candidate: versionFigures(candidate),
      live: standing ? versionFigures(standing) : null,
      comparison: standing ? compared(candidate, standing, options.seed) : null,
    };
    if (!fitted || !isLive) {
      await this.embeddings.keepEvaluation(version.id, evaluation, fitted);
      return evaluation;
    }
    await this.audited.run('embeddings evaluate', async ({ embeddings }) => ({
      result: await embeddings.keepEvaluation(version.id, evaluation, fitted),
      subject: version.model,
      details: { version: version.id, recalibrated: true },
    }));
    const before = version.manifest.calibration;
    const undo = before ? ` instead of ${before.floor}; loupe embeddings rollback undoes it` : '';
    progress.note(
      `${version.model} is live and answers with the new calibration: floor ${fitted.floor}${undo}`,
    );
    return evaluation;
  }

  private async queriesFor(
    { photos, feedback, queries: count, seed }: EvaluateOptions,
    versionIds: readonly number[],
    progress: Progress,
  ): Promise<Query[]> {
    if (feedback || photos !== null) {
      const known = feedback
        ? await this.queryMaker.fromFeedback(count)
        : await this.queryMaker.fromPhotos(photos ?? '', count);
      return this.#unfitted(known, versionIds);
    }
    progress.begin('queries', count);
    const onQuery = (done: number) => progress.reach(done);
    const queries = await this.queryMaker.fromCatalog({ versionIds, count, seed }, onQuery);
    progress.end();
    return queries;
  }

  /** Those of products that no map was fitted on; catalog pictures are drawn so (contract 14.20). */
  async #unfitted(queries: readonly Query[], versionIds: readonly number[]): Promise<Query[]> {
    const fitted = await this.embeddings.fittedProducts(versionIds);
    const left = queries.filter(({ products }) => !products.some((id) => fitted.has(id)));
    if (left.length > 0) return left;
    throw badRequest(
      'Each of the photos shows a product that the map of the version was fitted on; photos of others can judge it.',
    );
  }

  private async ask(
    version: VersionRecord,
    queries: readonly Query[],
    progress: Progress,
  ): Promise<VersionAnswer[]> {
    const { index, catalog } = this;
    const embedder = await this.embedders.forVersion(version);
    progress.begin(version.model, queries.length);
    const onQuery = (done: number) => progress.reach(done);
    const answers = await askVersion(version, queries, { embedder, index, catalog }, onQuery);
    progress.end();
    return answers;
  }

  /** With what is measured one query after the other: the time of the model, and the recall of the index. */
  private async measured(
    version: VersionRecord,
    answers: readonly VersionAnswer[],
    judged: { unseen: readonly VersionAnswer[]; calibration: Calibration | null },
  ): Promise<MeasuredVersion> {
    const embedder = await this.embedders.forVersion(version);
    const embedMs: number[] = [];
    const vectors: (readonly Float32Array[])[] = [];
    for (const { query } of answers.filter((answer) => !isUnknown(answer)).slice(0, MEASURED_ALONE)) {
      const from = this.clock.now().getTime();
      const [computed = []] = await embedder.embed(query.jpegs.slice(0, 1), 'query');
      embedMs.push(this.clock.now().getTime() - from);
      vectors.push(computed);
    }
    const { exact, index, samples } = this;
    const ann = await annRecall(version, vectors, { exact, index, samples });
    return { version, answers, embedMs, ann, ...judged };
  }
}

function sourceOf({ photos, feedback, queries: count }: EvaluateOptions, queries: readonly Query[]): string {
  if (feedback) return `${queries.length} answers with feedback`;
  return photos === null
    ? `${queries.length} queries made of at most ${count} catalog pictures`
    : `${queries.length} labelled photos`;
}

/** @param floor stays where no item was asked that the catalog does not have */
function fittedTo(answers: readonly VersionAnswer[], floor: number): Calibration | null {
  const confidence = fitChoiceModel(answers, UNCALIBRATED.confidence);
  if (!confidence) return null;
  return { confidence, floor: answers.some(isUnknown) ? floorFor(answers, confidence) : floor };
}

/** Both versions were asked the same queries in the same order. */
function compared(candidate: MeasuredVersion, live: MeasuredVersion, seed: number): Comparison | null {
  const judgedBy = ({ answers, calibration }: MeasuredVersion) => {
    const { confidence } = calibrationOf({ calibration });
    return answers.map((answer) => judged(answer, confidence));
  };
  const others = judgedBy(live);
  const pairs = judgedBy(candidate).flatMap((answer, index): PairedAnswer[] => {
    const [other, asked] = [others[index], candidate.answers[index]];
    if (!other || !asked || isUnknown(asked)) return [];
    return [
      {
        product: asked.products[0] ?? '',
        candidateRight: answer.place === 1,
        liveRight: other.place === 1,
        same: answer.products[0]?.id === other.products[0]?.id,
      },
    ];
  });
  const random = new Random('bootstrap', seed);
  return comparisonOf(pairs, () => random.next());
}

/** Nearest images that count. */
const LOOKED_AT = 10;

/**
 * Recall@10 of the approximate search against the exact one, without a filter and for each category; nothing for a
 * version that is searched exactly.
 *
 * @param queries vectors of so many photos
 */
async function annRecall(
  version: EmbeddingVersion,
  queries: readonly (readonly Float32Array[])[],
  ports: { exact: ExactNeighbours; index: NeighbourIndex; samples: ImageSamples },
): Promise<AnnFigures[]> {
  if (!(await ports.exact.isApproximate(version))) return [];
  const shares = [...(await ports.samples.categoryShares())];
  const filters = [
    ['none', 1, EVERYTHING] as const,
    ...shares.map(([id, share]) => [id, share, { ...EVERYTHING, category: id }] as const),
  ];
  const figures: AnnFigures[] = [];
  for (const [filter, selectivity, scope] of filters) {
    let wanted = 0;
    let found = 0;
    for (const vectors of queries) {
      const nearest = await ports.exact.nearest(version, vectors, LOOKED_AT, scope);
      const near = await ports.index.nearest(version, [vectors], LOOKED_AT, scope);
      const known = new Set(near.map(({ imageId }) => imageId));
      wanted += nearest.length;
      found += nearest.filter((imageId) => known.has(imageId)).length;
    }
    figures.push({ filter, selectivity, recall: wanted === 0 ? 1 : found / wanted });
  }
  return figures;
}
