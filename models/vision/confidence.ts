import { type Candidate, mean, nearestByPhoto } from './candidates';
import {
  CANDIDATE_SIGNALS,
  type Calibration,
  type ChoiceModel,
  type ModelManifest,
  NONE_SIGNALS,
} from './embedding-model';

export interface JudgedCandidate {
  readonly candidate: Candidate;
  readonly confidence: number;
}

/** Nothing is certain: this much always remains for "none of them". */
const DOUBT = 1e-6;

/** Ranks from here on show how near the catalog is to the photo in general. */
const OTHERS_FROM = 5;

/**
 * The signals of each photo:
 * - of a candidate `nearest`: closeness of its nearest view; `views`: closeness of that and the mean of the views together
 * - of none of them, by the candidates nearest to the photo: `similarity` and `nearest` of the nearest one; `views`: mean
 *   closeness of what each view has nearest; `others`: mean similarity from the sixth on; `spread` of the similarities
 * @param candidates at least one
 */
export function choicesOf(candidates: readonly Candidate[]) {
  return nearestByPhoto(candidates).map((near, photo) => {
    const viewsOf = ({ byPhoto }: Candidate): readonly number[] => byPhoto[photo] ?? [];
    const similarities = near.map((each) => Math.max(...viewsOf(each)));
    const similarity = Math.max(...similarities);
    const views = (near[0] ? viewsOf(near[0]) : []).map((_, view) =>
      Math.max(...near.map((each) => viewsOf(each)[view] ?? -1)),
    );
    const others =
      similarities.length > OTHERS_FROM ? similarities.slice(OTHERS_FROM) : similarities.slice(-1);
    const usual = mean(similarities);
    return {
      candidates: candidates.map((candidate) => {
        const own = viewsOf(candidate);
        const nearest = Math.max(...own);
        return { nearest: closeness(1 - nearest), views: closeness(2 - nearest - mean(own), 0.05) };
      }),
      none: {
        constant: 1,
        similarity,
        nearest: closeness(1 - similarity),
        views: mean(views.map((each) => closeness(1 - each))),
        others: mean(others),
        spread: Math.sqrt(mean(similarities.map((each) => (each - usual) ** 2))),
      },
    };
  });
}

/**
 * How likely it is that the photos show each candidate, best first; what is left of 1 is "none of them"
 * (docs/model-card.md). Photos strengthen each other as far as they agree; otherwise each has its share.
 * @param candidates at least one
 */
export function judge(candidates: readonly Candidate[], model: ChoiceModel): JudgedCandidate[] {
  // Of each photo the probability of none of the candidates, then of each.
  const photos = choicesOf(candidates).map((choice) =>
    softmax([
      NONE_SIGNALS.reduce((sum, signal) => sum + model.none[signal] * choice.none[signal], 0),
      ...choice.candidates.map((each) =>
        CANDIDATE_SIGNALS.reduce((sum, signal) => sum + model.candidate[signal] * each[signal], 0),
      ),
    ]),
  );
  const [, ...confidences] = photos.length === 1 ? (photos[0] ?? []) : combine(photos);
  const judged = candidates.map((candidate, at) => ({
    candidate,
    confidence: (1 - DOUBT) * (confidences[at] ?? 0),
  }));
  // Candidates come sorted by similarity and id, which decides between equal ones.
  return judged.sort((left, right) => right.confidence - left.confidence);
}

/**
 * The probability of a taxonomy row: that of all products below it, plus the same share of the part of "none of them" that
 * goes to products like the candidates.
 * @param below the sum of the confidence of the candidates below the row
 * @param found that of all candidates
 */
export const taxonomyConfidence = (
  below: number,
  found: number,
  { kin }: Pick<ChoiceModel, 'kin'>,
): number => (below > 0 ? Math.min(1, below / found) * found ** kin : 0);

/** Stands in for a missing calibration, so that a model can be tried: not a probability, on the low side, and with a floor of 0. */
export const UNCALIBRATED: Calibration = {
  confidence: {
    kind: 'choice',
    candidate: { nearest: 2, views: 2 },
    none: { constant: -3.5, similarity: 0, nearest: 0, views: 0, others: 18, spread: 0 },
    kin: 0.5,
  },
  floor: 0,
};

/** The calibration for answers under a model: its own, else the substitute. */
export const calibrationOf = (manifest: Pick<ModelManifest, 'calibration'>): Calibration =>
  manifest.calibration ?? UNCALIBRATED;

/** @param least what remains of a distance even for a perfect match, so that the ratio of two small ones means little */
const closeness = (distance: number, least = 0.02): number => -Math.log(least + distance);

/** Partial agreement of photos counts little, so that two items in one call don't strengthen each other. */
const AGREEMENT_POWER = 2;

/**
 * Several photos together. The geometric mean of their probabilities sums to their agreement: 1 if they agree fully, 0 if
 * they exclude each other. The power and the strength were measured (docs/model-card.md).
 */
function combine(photos: readonly (readonly number[])[]): number[] {
  const options = photos[0] ?? [];
  const means = options.map((_, option) =>
    Math.exp(mean(photos.map((each) => Math.log(each[option] || Number.MIN_VALUE)))),
  );
  const sum = means.reduce((all, share) => all + share, 0);
  const agreement = Math.min(1, sum) ** AGREEMENT_POWER;
  const strength = Math.sqrt(photos.length);
  const agreed = softmax(
    means.map((share, option) => {
      return strength * Math.log(share || Number.MIN_VALUE) + (option === 0 ? 0 : Math.log(strength));
    }),
  );
  return options.map((_, option) => {
    const disagreed = mean(photos.map((each) => each[option] ?? 0));
    return agreement * (agreed[option] ?? 0) + (1 - agreement) * disagreed;
  });
}

/** Shares of 1, proportional to the exponentials of the weights. */
export function softmax(weights: readonly number[]): number[] {
  const most = Math.max(...weights);
  const shares = weights.map((weight) => Math.exp(weight - most));
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => share / total);
}
