import pMap from 'p-map';
import { inject, injectable } from 'tsyringe';
import type * as ports from '../ports';
import { PORTS } from '../ports';
import { calibrationOf } from '../vision/confidence';
import type { ChoiceModel } from '../vision/embedding-model';
import { liveOf, type VersionRecord } from './embedding-version';
import { calibrationFiguresOf } from './figures';
import { fitChoiceModel, isForFitting, judged, type LabelledExample } from './fit-calibration';
import { coverageFaults, refused } from './promotion-gates';
import { labelledExample } from './query-maker';

export type Recalibration = Awaited<ReturnType<RecalibrationService['recalibrate']>>;

/** Answers used, the newest first: enough to fit a few weights, few enough to keep in memory with their neighbours. */
const ANSWERS_MAX = 2_000;

/** Fewer answers than this are too little evidence for which calibration is better. */
const ANSWERS_MIN = 100;

@injectable()
export class RecalibrationService {
  constructor(
    @inject(PORTS.EmbeddingRepository) private readonly embeddings: ports.EmbeddingRepository,
    @inject(PORTS.PredictionRepository) private readonly predictions: ports.PredictionRepository,
    @inject(PORTS.CatalogRepository) private readonly catalog: ports.CatalogRepository,
    @inject(PORTS.AuditedTransaction) private readonly audited: ports.AuditedTransaction,
  ) {}

  /** Keeps the fit to half of the items if its Brier score is better on the others (contract 14.10). @throws AppError listing all objections, without `force` */
  async recalibrate(since: Date | null, force: boolean) {
    const live = liveOf(await this.embeddings.versions());
    const answers = await this.#corrected(live, since);
    const current = calibrationOf(live.manifest);
    const refitted = refit(answers, current.confidence);
    const { fitted } = refitted;
    const faults = await this.#faults(live, refitted);
    const what = `${live.model} is not recalibrated`;
    const advice = 'Nothing can be fitted before more answers have feedback, right ones and wrong ones.';
    if (fitted === null) throw refused(what, faults, advice);
    if (faults.length > 0 && !force) throw refused(what, faults);
    await this.audited.run('embeddings recalibrate', async ({ embeddings }) => ({
      result: await embeddings.recalibrate(live.id, { ...current, confidence: fitted }),
      subject: live.model,
      details: { version: live.id, answers: answers.length },
    }));
    return { ...refitted, model: live.model, version: live.id, overruled: faults };
  }

  async #faults(version: VersionRecord, { fittedOn, judgedOn, fitted, better }: ReturnType<typeof refit>) {
    const coverage = await this.embeddings.coverage(version.id);
    const isIndexed = await this.embeddings.isIndexed(version.id);
    const answers = fittedOn + judgedOn;
    const faults = coverageFaults({ version, coverage, isIndexed });
    if (answers < ANSWERS_MIN)
      faults.push(`${answers} answers under it have feedback, at least ${ANSWERS_MIN} are needed`);
    if (!fitted) faults.push('too few answers were right, or too few wrong');
    if (!better) faults.push('what was fitted is no nearer to the truth');
    return faults;
  }

  /** The neighbours of the photos of each answer, judged by the products that show those pictures now. */
  async #corrected(version: VersionRecord, since: Date | null): Promise<LabelledExample[]> {
    const answers = await this.predictions.correctedNeighbours(version.id, since, ANSWERS_MAX);
    const taxonomy = await this.catalog.taxonomy();
    const exampleOf = async ({ id, correctId, neighbours: near, photos }: ports.CorrectedNeighbours) => {
      const products = correctId === null ? [] : [correctId];
      const showing = await this.catalog.productsShowing(near.map(({ imageId }) => imageId));
      const neighbours = near.map((each) => ({ ...each, products: showing.get(each.imageId) ?? [] }));
      const shown = { item: correctId ?? id, neighbours, photos, products, shows: products };
      return labelledExample(shown, this.catalog, taxonomy);
    };
    return pMap(answers, exampleOf, { concurrency: 4 });
  }
}

/** A new fit beside the current calibration; null with too few right or wrong answers. `better`: by its Brier score. */
function refit(answers: readonly LabelledExample[], current: ChoiceModel) {
  const fitting = answers.filter(({ item }) => isForFitting(item));
  const judging = answers.filter(({ item }) => !isForFitting(item));
  const figuresOf = (model: ChoiceModel) =>
    calibrationFiguresOf(judging.flatMap((answer) => judged(answer, model).products.slice(0, 1)));
  const fitted = fitChoiceModel(fitting, current);
  const before = figuresOf(current);
  const after = fitted && figuresOf(fitted);
  const better = after !== null && after.brier < before.brier;
  return { fittedOn: fitting.length, judgedOn: judging.length, fitted, before, after, better };
}
