import { runConcurrently } from '../../../scripts/lab/bench/measure';
import { outcomeOf, type Target } from '../outcome';
import { mutationOf } from './mutation';

export interface FuzzOptions {
  readonly target: Target;
  readonly pictures: readonly (readonly [name: string, bytes: Buffer])[];
  readonly seed: number;
  /** Mutations `from` to `from + count`, so that one that failed can be run alone. */
  readonly from: number;
  readonly count: number;
  readonly concurrency: number;
  readonly onProgress?: (done: number) => void;
}

export interface FuzzReport {
  /** How often each verdict was given. */
  readonly verdicts: ReadonlyMap<string, number>;
  /** What broke a promise, with all that is needed to run it again. */
  readonly faults: readonly string[];
  readonly creditsUsed: number;
  readonly perSecond: number;
}

const PATHS = ['/v3/vision/identify', '/v2/vision'] as const;

/** Sends mutations to a service and counts what it says. */
export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { target, pictures, seed, from, count, concurrency } = options;
  const verdicts = new Map<string, number>();
  const faults: string[] = [];
  let creditsUsed = 0;
  let done = 0;
  const { totalMs } = await runConcurrently(count, concurrency, async (offset) => {
    const { index, story, body } = mutationOf(seed, from + offset, pictures);
    const path = PATHS[index % PATHS.length] ?? PATHS[0];
    const fault = (what: string) => faults.push(`seed ${seed}, index ${index} (${story}): ${what}`);
    try {
      const outcome = await outcomeOf(target, { path, body });
      verdicts.set(outcome.verdict, (verdicts.get(outcome.verdict) ?? 0) + 1);
      creditsUsed += outcome.creditsUsed;
      for (const broken of outcome.faults) fault(broken);
    } catch (failure) {
      fault(`no answer: ${String(failure)}`);
    }
    done += 1;
    options.onProgress?.(done);
  });
  return { verdicts, faults, creditsUsed, perSecond: (1000 * count) / totalMs };
}
