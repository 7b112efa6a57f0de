import { inject, injectable } from 'tsyringe';
import { NO_FILTER } from '../catalog/catalog-query';
import { badRequest } from '../errors';
import type * as ports from '../ports';
import { PORTS } from '../ports';
import { calibrationOf, UNCALIBRATED } from '../vision/confidence';
import type { Calibration, EmbeddingVersion } from '../vision/embedding-model';
import { findVersion, type VersionRecord } from './embedding-version';
import * as figures from './figures';
import { fitChoiceModel, floorFor, isForFitting, isUnknown, judged } from './fit-calibration';
import { evaluateVersion, type Query, QueryMaker, type VersionAnswer } from './query-maker';

export interface EvaluateOptions {
  readonly model: string;
  /** Catalog pictures to make queries of, or most labelled photos or answers with feedback. */
  readonly queries: number;
  readonly seed: number;
  /** A folder of labelled photos, or the photos that callers gave feedback on, to use instead; null and false make queries. */
  readonly photos: string | null;
  readonly feedback: boolean;
  readonly recalibrate: boolean;
}

/** Queries whose latency and neighbours are measured one by one, and how many nearest images count. */
const MEASURED_ALONE = 40;
const LOOKED_AT = 10;

@injectable()
export class EvaluationService {
  constructor(
    @inject(PORTS.EmbeddingRepository) private readonly embeddings: ports.EmbeddingRepository,
    @inject(PORTS.EmbedderRegistry) private readonly embedders: ports.EmbedderRegistry,
    @inject(PORTS.NeighbourIndex) private readonly index: ports.NeighbourIndex,
    @inject(PORTS.ImageSamples) private readonly samples: ports.ImageSamples,
    @inject(PORTS.CatalogRepository) private readonly catalog: ports.CatalogRepository,
    @inject(QueryMaker) private readonly queryMaker: QueryMaker,
    @inject(PORTS.AuditedTransaction) private readonly audited: ports.AuditedTransaction,
    @inject(PORTS.Clock) private readonly clock: ports.Clock,
  ) {}

  /**
   * Fits a calibration if the version has none and is not live, or on demand: on half of the items, judged on the others.
   * @throws AppError for a model without embeddings, or when there are no queries
   */
  async evaluate(options: EvaluateOptions, progress: ports.Progress): Promise<figures.Evaluation> {
    const versions = await this.embeddings.versions();
    const version = findVersion(versions, options.model);
    const live = versions.find(({ state, id }) => state === 'live' && id !== version.id) ?? null;
    const queries = await this.#queries(options, live ? [version.id, live.id] : [version.id], progress);

    const answers = await this.#ask(version, queries, progress);
    const liveAnswers = live ? await this.#ask(live, queries, progress) : [];
    const isLive = version.state === 'live';
    const isFitted = options.recalibrate || (version.manifest.calibration === null && !isLive);
    const fitted = isFitted ? fittedTo(answers, calibrationOf(version.manifest).floor) : null;
    if (isFitted && !fitted)
      progress.note(
        'too few right or wrong answers to fit a calibration: ask again with more --queries, or with --photos',
      );
    const isUnseen = ({ item }: VersionAnswer) => !fitted || !isForFitting(item);
    const candidate = { version, answers, calibration: fitted ?? version.manifest.calibration };
    const other = live && { version: live, answers: liveAnswers, calibration: live.manifest.calibration };
    const evaluation: figures.Evaluation = {
      at: this.clock.now().toISOString(),
      seed: options.seed,
      source: sourceOf(options, queries),
      images: (await this.embeddings.coverage(version.id)).done,
      candidate: await this.#figures(candidate, isUnseen),
      live: other && (await this.#figures(other, isUnseen)),
      comparison: other && compared(candidate, other),
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

  async #queries(
    { photos, feedback, queries: count, seed }: EvaluateOptions,
    versionIds: readonly number[],
    progress: ports.Progress,
  ): Promise<readonly Query[]> {
    if (!feedback && photos === null) return this.queryMaker.fromCatalog(versionIds, count, seed, progress);
    const known = feedback
      ? await this.queryMaker.fromFeedback(count)
      : await this.queryMaker.fromPhotos(photos ?? '', count);
    // Catalog pictures of products that a map was fitted on are not drawn (contract 14.20).
    const fitted = await this.embeddings.fittedProducts(versionIds);
    const left = known.filter(({ products }) => !products.some((id) => fitted.has(id)));
    if (left.length > 0) return left;
    throw badRequest(
      'Each of the photos shows a product that the map of the version was fitted on; photos of others can judge it.',
    );
  }

  async #ask(version: VersionRecord, queries: readonly Query[], progress: ports.Progress) {
    const { index, catalog } = this;
    const embedder = await this.embedders.forVersion(version);
    return evaluateVersion(version, queries, { embedder, index, catalog }, progress);
  }

  /** Measured one query after the other. @param isUnseen whether an answer was in no fit: confidence is judged by these */
  async #figures({ version, answers, calibration }: Judged, isUnseen: (answer: VersionAnswer) => boolean) {
    const embedder = await this.embedders.forVersion(version);
    const embedMs: number[] = [];
    const vectors: (readonly Float32Array[])[] = [];
    const known = answers.filter((answer) => !isUnknown(answer));
    for (const { query } of known.slice(0, MEASURED_ALONE)) {
      const [jpeg] = query.jpegs;
      if (!jpeg) continue;
      const from = this.clock.now().getTime();
      vectors.push(await embedder.embed(jpeg, 'query'));
      embedMs.push(this.clock.now().getTime() - from);
    }
    const model = calibrationOf({ calibration }).confidence;
    const firsts = answers.filter(isUnseen).map((answer) => {
      const [{ confidence, right } = { confidence: 0, right: false }] = judged(answer, model).products;
      return { answer, confidence, right };
    });
    return {
      model: version.model,
      versionId: version.id,
      recall: figures.recallFiguresOf(
        known.map((answer) => ({ name: answer.query.name, rank: judged(answer, model).rank })),
      ),
      calibration: calibration && figures.calibrationFiguresOf(firsts),
      falseAcceptsAt95: figures.falseAcceptsAt95(
        firsts.flatMap(({ right, confidence }) => (right ? confidence : [])),
        firsts.flatMap(({ answer, confidence }) => (isUnknown(answer) ? confidence : [])),
      ),
      embedMs: { p50: figures.percentileOf(embedMs, 0.5), p95: figures.percentileOf(embedMs, 0.95) },
      ann: await this.#annRecall(version, vectors),
    };
  }

  /** Without a filter and for each category; nothing for a version that is searched exactly. */
  async #annRecall(version: EmbeddingVersion, queries: readonly (readonly Float32Array[])[]) {
    if (!(await this.index.isApproximate(version))) return [];
    const byFilter: figures.AnnFigures[] = [];
    for (const [category, selectivity] of [[null, 1] as const, ...(await this.samples.categoryShares())]) {
      const scope = { ...NO_FILTER, category };
      let [wanted, found] = [0, 0];
      for (const vectors of queries) {
        const nearest = await this.index.exact(version, vectors, LOOKED_AT, scope);
        const near = await this.index.nearest(version, [vectors], LOOKED_AT, scope);
        const known = new Set(near.map(({ imageId }) => imageId));
        wanted += nearest.length;
        found += nearest.filter((imageId) => known.has(imageId)).length;
      }
      byFilter.push({ filter: category ?? 'none', selectivity, recall: wanted === 0 ? 1 : found / wanted });
    }
    return byFilter;
  }
}

function sourceOf({ photos, feedback, queries: count }: EvaluateOptions, queries: readonly Query[]): string {
  if (feedback) return `${queries.length} answers with feedback`;
  return photos === null
    ? `${queries.length} queries made of at most ${count} catalog pictures`
    : `${queries.length} labelled photos`;
}

/** @param floor stays if no query was for an item that the catalog does not have */
function fittedTo(all: readonly VersionAnswer[], floor: number): Calibration | null {
  const answers = all.filter(({ item }) => isForFitting(item));
  const confidence = fitChoiceModel(answers, UNCALIBRATED.confidence);
  if (!confidence) return null;
  return { confidence, floor: answers.some(isUnknown) ? floorFor(answers, confidence) : floor };
}

interface Judged {
  readonly version: VersionRecord;
  readonly answers: readonly VersionAnswer[];
  readonly calibration: Calibration | null;
}

/** Both versions were asked the same queries in the same order. */
function compared(candidate: Judged, live: Judged): figures.Comparison | null {
  const judgedBy = ({ answers, calibration }: Judged) =>
    answers.map((answer) => judged(answer, calibrationOf({ calibration }).confidence));
  const others = judgedBy(live);
  const pairs = judgedBy(candidate).flatMap((answer, index) => {
    const [other, asked] = [others[index], candidate.answers[index]];
    if (!other || !asked || isUnknown(asked)) return [];
    return {
      product: asked.products[0] ?? '',
      candidateRight: answer.rank === 1,
      liveRight: other.rank === 1,
      same: answer.products[0]?.id === other.products[0]?.id,
    };
  });
  return figures.comparisonOf(pairs);
}
