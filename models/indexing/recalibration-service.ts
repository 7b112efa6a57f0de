import { inject, injectable } from 'tsyringe';
import { isProduct } from '../catalog/item';
import { notFound } from '../errors';
import {
  type AuditedWork,
  type CatalogRepository,
  type CorrectedSignals,
  type EmbeddingRepository,
  PORTS,
  type PredictionRepository,
} from '../ports';
import { calibrationOf, confidenceOf } from '../vision/confidence';
import type { LogisticCalibration } from '../vision/embedding-model';
import type { VersionRecord } from './embedding-version';
import type { CalibrationFigures } from './evaluation';
import { calibrationFiguresOf } from './figures';
import { fitLogistic, isForFitting, type LabelledSignals } from './fit-calibration';
import { coverageFaults, refused } from './promotion-gates';

/** A calibration that was fitted anew beside the one that stood, on answers that it was not fitted on. */
export interface Refit {
  readonly fittedOn: number;
  readonly judgedOn: number;
  /** Null when there were too few right or too few wrong answers. */
  readonly fitted: LogisticCalibration | null;
  readonly before: CalibrationFigures;
  readonly after: CalibrationFigures | null;
  /** Whether it is nearer to the truth, by its Brier score. */
  readonly better: boolean;
}

/** What feedback made of the calibration of the live version. */
export interface Recalibration {
  readonly model: string;
  readonly version: number;
  /** Of products, and of the taxonomy rows above them. */
  readonly products: Refit;
  readonly taxonomy: Refit;
  /** What spoke against it and was overruled. */
  readonly overruled: readonly string[];
}

/** Answers that are looked at, the newest first: enough to fit a few weights, little enough to hold. */
const ANSWERS_MAX = 20_000;

/** Fewer answers than this say too little of which calibration is the better one. */
const ANSWERS_MIN = 100;

/** Fits the confidence of the live version anew, on what callers said of its answers. */
@injectable()
export class RecalibrationService {
  constructor(
    @inject(PORTS.EmbeddingRepository) private readonly embeddings: EmbeddingRepository,
    @inject(PORTS.PredictionRepository) private readonly predictions: PredictionRepository,
    @inject(PORTS.CatalogRepository) private readonly catalog: CatalogRepository,
    @inject(PORTS.AuditedWork) private readonly audited: AuditedWork,
  ) {}

  /**
   * Fits on the answers about half of the items and judges by those about the others. What is nearer to the truth there
   * (by its Brier score) takes the place of what was; `rollback` undoes it.
   *
   * @param since answers from then on; null for all that are kept
   * @param force takes what was fitted although something speaks against it; where nothing was, it changes nothing
   * @throws AppError with everything that speaks against it
   */
  async recalibrate(since: Date | null, force: boolean): Promise<Recalibration> {
    const live = (await this.embeddings.versions()).find(({ state }) => state === 'live');
    if (!live) throw notFound('No version is live yet: loupe catalog import makes one.');
    const answers = await this.predictions.correctedSignals(live.id, since, ANSWERS_MAX);
    const labelled = await this.#labelled(answers);
    const standing = calibrationOf(live.manifest);
    const products = refit(labelled.products, standing.confidence);
    const taxonomy = refit(labelled.taxonomy, standing.taxonomy ?? standing.confidence);
    const faults = await this.#faults(live, answers.length, [products, taxonomy]);
    const isNothing = !products.fitted && !taxonomy.fitted;
    if (faults.length > 0 && (!force || isNothing))
      throw refused(`${live.model} is not recalibrated`, faults);
    const taken = (each: Refit) => (each.better || faults.length > 0 ? each.fitted : null);
    const calibration = {
      ...standing,
      confidence: taken(products) ?? standing.confidence,
      taxonomy: taken(taxonomy) ?? standing.taxonomy ?? standing.confidence,
    };
    await this.audited.run('embeddings recalibrate', async ({ embeddings }) => ({
      result: await embeddings.recalibrate(live.id, calibration),
      subject: live.model,
      details: { version: live.id, answers: answers.length },
    }));
    return { model: live.model, version: live.id, products, taxonomy, overruled: faults };
  }

  async #faults(version: VersionRecord, answers: number, refits: readonly Refit[]): Promise<string[]> {
    const [coverage, isIndexed] = await Promise.all([
      this.embeddings.coverage(version.id),
      this.embeddings.isIndexed(version.id),
    ]);
    return [
      ...coverageFaults({ version, coverage, isIndexed }),
      ...(answers < ANSWERS_MIN
        ? [`${answers} answers under it have feedback, at least ${ANSWERS_MIN} are needed`]
        : []),
      ...(refits.some(({ fitted }) => fitted) ? [] : ['too few answers were right, or too few wrong']),
      ...(refits.some(({ better }) => better) ? [] : ['nothing that was fitted is nearer to the truth']),
    ];
  }

  /** What spoke for the nearest product of each answer and for the rows above it, and whether they were right. */
  async #labelled(
    answers: readonly CorrectedSignals[],
  ): Promise<Record<'products' | 'taxonomy', Labelled[]>> {
    const ids = [...new Set(answers.flatMap(({ correctId }) => correctId ?? []))];
    const products = (await this.catalog.itemsById(ids)).filter(isProduct);
    const above = new Map(
      products.map(({ id, attributes }) => [id, new Set(attributes.map((each) => each.id))]),
    );
    return {
      products: answers.map(({ id, best, correctId }) => ({
        item: correctId ?? id,
        signals: best.signals,
        right: best.id === correctId,
      })),
      // Nothing is known of the rows above a product that is gone.
      taxonomy: answers
        .filter(({ correctId }) => correctId === null || above.has(correctId))
        .flatMap(({ id, best, correctId }) =>
          best.levels.map((level) => ({
            item: correctId ?? id,
            signals: level.signals,
            right: correctId !== null && above.get(correctId)?.has(level.id) === true,
          })),
        ),
    };
  }
}

interface Labelled extends LabelledSignals {
  readonly item: string;
}

function refit(answers: readonly Labelled[], standing: LogisticCalibration): Refit {
  const fitting = answers.filter(({ item }) => isForFitting(item));
  const judging = answers.filter(({ item }) => !isForFitting(item));
  const figuresOf = (calibration: LogisticCalibration) =>
    calibrationFiguresOf(
      judging.map(({ signals, right }) => ({ confidence: confidenceOf(calibration, signals), right })),
    );
  const fitted = fitLogistic(fitting);
  const before = figuresOf(standing);
  const after = fitted && figuresOf(fitted);
  const better = after !== null && after.brier < before.brier;
  return { fittedOn: fitting.length, judgedOn: judging.length, fitted, before, after, better };
}
