import { type AppError, badRequest } from '../errors';
import { type Coverage, type VersionRecord, type WorkerReadiness, workerFaults } from './embedding-version';

export interface PromotionState {
  readonly version: VersionRecord;
  readonly coverage: Coverage;
  readonly isIndexed: boolean;
  readonly liveId: number | null;
  readonly readiness: readonly WorkerReadiness[];
}

/** Below this the approximate search loses more than one neighbour in twenty. */
const ANN_RECALL_MIN = 0.95;

/** An evaluation over a catalog that has changed by more than this share since is out of date. */
const CHANGED_MAX = 0.1;

/** The objections to promoting a version, in sentences; empty when there are none. */
export const promotionFaults = (state: PromotionState): string[] => [
  ...coverageFaults(state),
  ...workerFaults(state.readiness),
  ...evaluationFaults(state),
];

const sentences = (faults: readonly (string | false | null | undefined)[]): string[] =>
  faults.flatMap((fault) => fault || []);

export function coverageFaults({
  version: { builtAt },
  coverage: { pending, done, failed },
  isIndexed,
}: Pick<PromotionState, 'version' | 'coverage' | 'isIndexed'>): string[] {
  return sentences([
    pending > 0 && `${pending} of ${pending + done + failed} images are not embedded yet`,
    pending === 0 && !builtAt && 'its build was not finished: the coverage was never proven',
    done === 0 && failed > 0 && `none of its ${failed} images could be embedded`,
    !isIndexed && 'its vectors have no index yet',
  ]);
}

function evaluationFaults({ version, coverage: { done }, liveId }: PromotionState): string[] {
  const { evaluation, manifest, builtAt } = version;
  const isUncalibrated =
    manifest.calibration === null &&
    'its confidence is not calibrated: loupe embeddings evaluate with more --queries, or with --photos, fits it';
  if (!evaluation) return sentences(['it was not evaluated', isUncalibrated]);
  const { live, images, candidate, comparison } = evaluation;
  const difference = comparison?.difference;
  return sentences([
    isUncalibrated,
    liveId !== null &&
      live &&
      live.versionId !== liveId &&
      `it was evaluated against version ${live.versionId}, which is not live any more`,
    builtAt &&
      Date.parse(evaluation.at) < builtAt.getTime() &&
      'it was evaluated before its build was complete',
    Math.abs(done - images) > CHANGED_MAX * images &&
      `it was evaluated with ${images} images and has ${done} now`,
    difference &&
      difference.high < 0 &&
      `it finds the item first less often than the live version: ${points(difference.mean)} (${points(difference.low)} to ${points(difference.high)})`,
    ...candidate.ann
      .filter(({ recall }) => recall < ANN_RECALL_MIN)
      .map(
        ({ filter, recall }) =>
          `its index finds ${(100 * recall).toFixed(1)} % of what an exact search finds (${filter})`,
      ),
  ]);
}

const points = (share: number): string => `${share < 0 ? '' : '+'}${(100 * share).toFixed(1)} points`;

/** Lists all objections to a change. @param advice default: how to make it nevertheless */
export const refused = (
  what: string,
  faults: readonly string[],
  advice = '--force does it nevertheless.',
): AppError => badRequest(`${what}:\n${faults.map((fault) => `  - ${fault}`).join('\n')}\n${advice}`);
