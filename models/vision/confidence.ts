import { type Candidate, mean } from './candidates';
import {
  type Calibration,
  type LogisticCalibration,
  type ModelManifest,
  SIGNALS,
  type Signal,
} from './embedding-model';

/** What speaks for a group of candidates (one product, or all of a brand) being what the photo shows. */
export type Signals = Readonly<Record<Signal, number>>;

/** A lead over a rival that matches perfectly is a share of this, not of nothing. */
const LEAST_TO_GAIN = 0.02;

/** Rivals are taken to scatter by this much, as sure of it as of so many rivals that were seen. */
const PRIOR_DEVIATION = 0.1;
const PRIOR_RIVALS = 5;

/** No rival in sight stands out no further than this many deviations. */
const PROMINENCE_MAX = 8;

/**
 * The signals of a group among the candidates:
 * - `similarity`: of its nearest pair of views, of several photos the mean; `whole`: of the first view, which is the
 *   whole photo
 * - `margin`: how far its similarity is above the best rival's; `lead`: that as a share of what the rival left to
 *   gain; `viewLead`: the lead within the view, of all photos, where it is greatest
 * - `consensus`: share of the views in which nothing is nearer
 * - `prominence`: deviations by which its similarity is above the mean of the rivals'
 *
 * @param candidates all that were looked at
 * @param inside whether a candidate belongs to the group
 * @param unseen similarity that products beyond the candidates may have at most
 */
export function signalsOf(
  candidates: readonly Candidate[],
  inside: (candidate: Candidate) => boolean,
  unseen: number,
): Signals {
  const own = candidates.filter(inside);
  const rivals = candidates.filter((candidate) => !inside(candidate));
  const similarity = highest(own, (candidate) => candidate.similarity);
  const photos = (own[0]?.byPhoto ?? []).map((photo, position) =>
    photo.map((_, view) => {
      const nearest = (candidate: Candidate) => candidate.byPhoto[position]?.[view] ?? -1;
      return { own: highest(own, nearest), rival: rivals.length === 0 ? unseen : highest(rivals, nearest) };
    }),
  );
  const views = photos.flat();
  const rival = rivals.length === 0 ? unseen : highest(rivals, (candidate) => candidate.similarity);
  return {
    similarity,
    whole: mean(photos.map(([whole]) => whole?.own ?? similarity)),
    margin: similarity - rival,
    lead: leadOf(similarity, rival),
    viewLead: Math.max(...views.map((view) => leadOf(view.own, view.rival))),
    consensus: views.filter((view) => view.own >= view.rival).length / views.length,
    prominence: prominenceOf(
      similarity,
      rivals.map((each) => each.similarity),
      unseen,
    ),
  };
}

/** The probability that a calibration gives to signals, 0 to 1. */
export function confidenceOf({ bias, weights }: LogisticCalibration, signals: Signals): number {
  const logit = SIGNALS.reduce((sum, signal) => sum + (weights[signal] ?? 0) * signals[signal], bias);
  return 1 / (1 + Math.exp(-logit));
}

/**
 * What stands in for the calibration of a model for which nobody has fitted one, so that it can be tried at all. It is
 * no probability: other models have other similarities. It is meant to err on the low side: a perfect similarity
 * alone is a quarter, and only one that also stands well above the next product is more likely right than wrong.
 * Nothing is held back for a number that means so little: the floor is 0. `embeddings evaluate` fits the real one,
 * and `embeddings promote` refuses a version without it.
 */
export const UNCALIBRATED: Calibration = {
  confidence: { kind: 'logistic', bias: -9, weights: { similarity: 8, margin: 6 } },
  floor: 0,
};

/** The calibration that answers under a model are made with: its own, else the stand-in. */
export const calibrationOf = (manifest: Pick<ModelManifest, 'calibration'>): Calibration =>
  manifest.calibration ?? UNCALIBRATED;

const leadOf = (own: number, rival: number): number => (own - rival) / (1 - rival + LEAST_TO_GAIN);

function prominenceOf(similarity: number, rivals: readonly number[], unseen: number): number {
  const usual = rivals.length === 0 ? unseen : mean(rivals);
  const scatter = rivals.reduce(
    (sum, each) => sum + (each - usual) ** 2,
    PRIOR_RIVALS * PRIOR_DEVIATION ** 2,
  );
  const deviation = Math.sqrt(scatter / (rivals.length + PRIOR_RIVALS));
  return Math.min(PROMINENCE_MAX, (similarity - usual) / deviation);
}

const highest = (candidates: readonly Candidate[], of: (candidate: Candidate) => number): number =>
  candidates.reduce((best, candidate) => Math.max(best, of(candidate)), -1);
