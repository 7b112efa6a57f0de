import { type AppError, badRequest } from '../errors';
import { type Coverage, type VersionRecord, type WorkerReadiness, workerFaults } from './embedding-version';
import type { Comparison } from './evaluation';

/** What is looked at before a version becomes the live one. */
export interface PromotionState {
  readonly version: VersionRecord;
  readonly coverage: Coverage;
  /** False while a search of the version would read all its vectors although it has come to need an index. */
  readonly isIndexed: boolean;
  /** The version that is live now; null when none is. */
  readonly liveId: number | null;
  /** Of every worker that is alive; where none is, what the promoting process found itself. */
  readonly readiness: readonly WorkerReadiness[];
}

/** Below this the approximate search loses more than one neighbour in twenty. */
export const ANN_RECALL_MIN = 0.95;

/** An evaluation over a catalog that has changed by more than this share since is out of date. */
const CHANGED_MAX = 0.1;

/** Why a version should not be promoted, in sentences; empty when nothing speaks against it. */
export function promotionFaults(state: PromotionState): string[] {
  return [...coverageFaults(state), ...readinessFaults(state), ...evaluationFaults(state)];
}

/** What speaks against a version whose vectors are not all there. */
export function coverageFaults({
  version,
  coverage,
  isIndexed,
}: Pick<PromotionState, 'version' | 'coverage' | 'isIndexed'>): string[] {
  const { pending, done, failed } = coverage;
  const faults: string[] = [];
  if (pending > 0) faults.push(`${pending} of ${pending + done + failed} images are not embedded yet`);
  if (pending === 0 && !version.builtAt)
    faults.push('its build was not finished: the coverage was never proven');
  if (done === 0 && failed > 0) faults.push(`none of its ${failed} images could be embedded`);
  if (!isIndexed) faults.push('its vectors have no index yet');
  return faults;
}

function readinessFaults({ readiness }: PromotionState): string[] {
  if (readiness.length === 0) return ['nobody has tried whether its model loads'];
  return workerFaults(readiness);
}

function evaluationFaults({ version, coverage, liveId }: PromotionState): string[] {
  const { evaluation, manifest } = version;
  const uncalibrated =
    manifest.calibration === null
      ? [
          'its confidence is not calibrated: loupe embeddings evaluate with more --queries, or with --photos, fits it',
        ]
      : [];
  if (!evaluation) return ['it was not evaluated', ...uncalibrated];
  const faults: string[] = [...uncalibrated];
  if (liveId !== null && evaluation.live && evaluation.live.versionId !== liveId)
    faults.push(`it was evaluated against version ${evaluation.live.versionId}, which is not live any more`);
  if (version.builtAt && Date.parse(evaluation.at) < version.builtAt.getTime())
    faults.push('it was evaluated before its build was complete');
  if (Math.abs(coverage.done - evaluation.images) > CHANGED_MAX * evaluation.images)
    faults.push(`it was evaluated with ${evaluation.images} images and has ${coverage.done} now`);
  const difference = evaluation.comparison?.difference;
  if (difference && difference.high < 0)
    faults.push(
      `it finds the item first less often than the live version: ${points(difference.mean)} (${points(difference.low)} to ${points(difference.high)})`,
    );
  for (const { filter, recall } of evaluation.candidate.ann) {
    if (recall < ANN_RECALL_MIN)
      faults.push(`its index finds ${(100 * recall).toFixed(1)} % of what an exact search finds (${filter})`);
  }
  return faults;
}

const points = (share: number): string => `${share < 0 ? '' : '+'}${(100 * share).toFixed(1)} points`;

/**
 * Says all that speaks against a change, and what to do about it.
 *
 * @param advice default: how to make it nevertheless
 */
export const refused = (
  what: string,
  faults: readonly string[],
  advice = '--force does it nevertheless.',
): AppError => badRequest(`${what}:\n${faults.map((fault) => `  - ${fault}`).join('\n')}\n${advice}`);

/** What two versions made of one query of a known item. */
export interface PairedAnswer {
  /** The item; queries of one item stand or fall together. */
  readonly product: string;
  readonly candidateRight: boolean;
  readonly liveRight: boolean;
  /** Whether both have the same item first. */
  readonly same: boolean;
}

const RESAMPLES = 1_000;

/**
 * The candidate against the live version, query by query. The limits of the difference are those of a bootstrap over
 * items.
 *
 * @param random numbers from 0 to 1
 */
export function comparisonOf(answers: readonly PairedAnswer[], random: () => number): Comparison | null {
  if (answers.length === 0) return null;
  const items = [...groupedByProduct(answers).values()];
  const drawn = Array.from({ length: RESAMPLES }, () => {
    let gain = 0;
    let queries = 0;
    for (let draw = 0; draw < items.length; draw += 1) {
      const item = items[Math.floor(random() * items.length)];
      gain += item?.gain ?? 0;
      queries += item?.queries ?? 0;
    }
    return gain / Math.max(1, queries);
  }).sort((left, right) => left - right);
  const count = (which: (answer: PairedAnswer) => boolean) => answers.filter(which).length;
  const wins = count(({ candidateRight, liveRight }) => candidateRight && !liveRight);
  const losses = count(({ candidateRight, liveRight }) => !candidateRight && liveRight);
  return {
    wins,
    losses,
    agreement: count(({ same }) => same) / answers.length,
    difference: {
      mean: (wins - losses) / answers.length,
      low: drawn[Math.floor(0.025 * RESAMPLES)] ?? 0,
      high: drawn[Math.ceil(0.975 * RESAMPLES) - 1] ?? 0,
    },
  };
}

function groupedByProduct(
  answers: readonly PairedAnswer[],
): ReadonlyMap<string, { gain: number; queries: number }> {
  const items = new Map<string, { gain: number; queries: number }>();
  for (const { product, candidateRight, liveRight } of answers) {
    const item = items.get(product) ?? { gain: 0, queries: 0 };
    item.gain += Number(candidateRight) - Number(liveRight);
    item.queries += 1;
    items.set(product, item);
  }
  return items;
}
