import { percentile } from '../measure';
import type { TimedCall } from '../open-loop';
import type { DisturbedBuild } from './disturbed-build';
import type { LoadedCall, LoadedPhase } from './steady-load';

/** A part of the measurement, with what was asked meanwhile. */
export interface Phase {
  readonly name: string;
  readonly seconds: number;
  /** Images embedded meanwhile. */
  readonly images: number;
  readonly photos: readonly TimedCall[];
  readonly queries: readonly TimedCall[];
}

/** Two times of nothing but the load, before and after: what the machine did in between is compared with both. */
export const together = (name: string, parts: readonly LoadedPhase<unknown>[]): Phase => ({
  name,
  images: 0,
  seconds: parts.reduce((sum, { seconds }) => sum + seconds, 0),
  photos: parts.flatMap(({ photos }) => photos),
  queries: parts.flatMap(({ queries }) => queries),
});

/** The part of a build that was left alone, and the one in which things were killed. */
export function splitAtFirstKill({
  seconds: took,
  photos,
  queries,
  result,
}: LoadedPhase<DisturbedBuild>): [Phase, Phase] {
  const { firstKillAt, imagesBefore, images } = result;
  const before = ({ at }: LoadedCall) => at < firstKillAt;
  const after = (call: LoadedCall) => !before(call);
  const from = Math.min(...photos.map(({ at }) => at));
  const secondsBefore = Math.min(took, (firstKillAt - from) / 1000);
  return [
    {
      name: 'building',
      seconds: secondsBefore,
      images: imagesBefore,
      photos: photos.filter(before),
      queries: queries.filter(before),
    },
    {
      name: 'building, killed and resumed',
      seconds: took - secondsBefore,
      images: images - imagesBefore,
      photos: photos.filter(after),
      queries: queries.filter(after),
    },
  ];
}

export const headOfPhases = [
  ...['phase', 'seconds', 'images/s'],
  ...['photos', 'not 200', 'p50 ms', 'p99 ms'],
  ...['queries', 'not 200', 'p50 ms', 'p99 ms'],
];

export const rowOfPhase = ({ name, seconds, images, photos, queries }: Phase): (string | number)[] => [
  name,
  seconds.toFixed(0),
  images === 0 ? '' : (images / seconds).toFixed(1),
  ...cellsOf(photos),
  ...cellsOf(queries),
];

/** How many times as long the slowest hundredth takes. */
export const p99Ratio = (slower: readonly TimedCall[], calm: readonly TimedCall[]): string =>
  (p(slower, 0.99) / p(calm, 0.99)).toFixed(2);

const cellsOf = (calls: readonly TimedCall[]): (string | number)[] => [
  calls.length,
  calls.filter(({ status }) => status !== 200).length,
  p(calls, 0.5).toFixed(0),
  p(calls, 0.99).toFixed(0),
];

const p = (calls: readonly TimedCall[], share: number): number =>
  percentile(
    calls.map(({ ms }) => ms),
    share,
  );
