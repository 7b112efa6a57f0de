import { inject, injectable } from 'tsyringe';
import type { Owner } from '../access/api-key';
import { isProduct } from '../catalog/item';
import { badRequest, notFound } from '../errors';
import { calibrationFiguresOf, shareOf } from '../indexing/figures';
import { addTo } from '../multimap';
import type * as ports from '../ports';
import { PORTS } from '../ports';

export const RELIABILITY_BY = ['model', 'month', 'category', 'photos'] as const;
export type ReliabilityBy = (typeof RELIABILITY_BY)[number];

/** The reliability of a group of answers that have `of` in common; null for unknown. */
export type Reliability = ReturnType<typeof reliabilityBy>[number];

@injectable()
export class FeedbackService {
  constructor(
    @inject(PORTS.PredictionRepository) private readonly predictions: ports.PredictionRepository,
    @inject(PORTS.CatalogRepository) private readonly catalog: ports.CatalogRepository,
    @inject(PORTS.Clock) private readonly clock: ports.Clock,
  ) {}

  /** Stores what photos showed, replacing earlier feedback (contract 7.18). @throws AppError 404, 400 for an unknown product */
  async correct(
    owner: Owner,
    predictionId: string,
    correction: Pick<ports.Feedback, 'correctId' | 'comment'>,
  ): Promise<ports.Feedback> {
    const prediction = await this.predictions.find(predictionId);
    if (prediction?.accountId !== owner.accountId || prediction.test !== owner.test) {
      throw unknownPrediction(predictionId);
    }
    const { correctId, comment } = correction;
    const right = await this.#isRight(prediction, correctId);
    const feedback = { correctId, comment, right, at: this.clock.now().toISOString() };
    if (!(await this.predictions.saveFeedback(predictionId, feedback))) throw unknownPrediction(predictionId);
    return feedback;
  }

  /** The reliability of answers with feedback, in groups by each of `groupings`, ordered by their names. */
  async reliability(groupings: readonly ReliabilityBy[], since: Date | null, model: string | null = null) {
    const judged = await this.predictions.judged(since);
    const answers = judged.filter((each) => model === null || `${each.model}@`.startsWith(`${model}@`));
    return groupings.flatMap((by) => reliabilityBy(by, answers));
  }

  /** An answer is right if its first row is the product itself, or a taxonomy row above it. */
  async #isRight({ rows: [first] }: ports.Prediction, correctId: string | null): Promise<boolean> {
    if (correctId === null) return first === undefined;
    const [product] = await this.catalog.itemsById([correctId]);
    if (!product || !isProduct(product)) {
      throw badRequest(`There is no product "${correctId}".`, { field: 'correct_id' });
    }
    return first?.id === product.id || product.attributes.some(({ id }) => id === first?.id);
  }
}

function reliabilityBy(by: ReliabilityBy, answers: readonly ports.JudgedPrediction[]) {
  const groups = new Map<string | null, ports.JudgedPrediction[]>();
  for (const each of answers) addTo(groups, each[by] === null ? null : String(each[by]), each);
  return [...groups]
    .sort(([left], [right]) => String(left).localeCompare(String(right), 'en'))
    .map(([of, group]) => ({ by, of, ...figuresOf(group) }));
}

/** Those with rows, by their first rows; those without were right if the catalog did not have the item. */
function figuresOf(answers: readonly ports.JudgedPrediction[]) {
  const claims = answers.flatMap(({ confidence, right }) =>
    confidence === null ? [] : { confidence, right },
  );
  const rightOf = (judged: readonly { readonly right: boolean }[]) =>
    shareOf(judged.filter(({ right }) => right).length, judged.length);
  const sum = claims.reduce((all, { confidence }) => all + confidence, 0);
  return {
    right: rightOf(claims),
    claimed: claims.length === 0 ? null : sum / claims.length,
    calibration: calibrationFiguresOf(claims),
    empty: rightOf(answers.filter(({ confidence }) => confidence === null)),
  };
}

const unknownPrediction = (id: string) =>
  notFound(`There is no prediction "${id}" of this account; it may have been deleted.`);
