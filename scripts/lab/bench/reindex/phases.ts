import { type Cell, percentile, percentiles } from '../measure';
import { msOf, type TimedCall } from '../open-loop';
import type { LoadedPhase } from './steady-load';

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
export const together = (name: string, parts: readonly LoadedPhase[]): Phase => ({
  name,
  images: 0,
  seconds: parts.reduce((sum, { seconds }) => sum + seconds, 0),
  photos: parts.flatMap(({ photos }) => photos),
  queries: parts.flatMap(({ queries }) => queries),
});

export const headOfPhases = [
  ...['phase', 'seconds', 'images/s'],
  ...['photos', 'not 200', 'p50 ms', 'p99 ms'],
  ...['queries', 'not 200', 'p50 ms', 'p99 ms'],
];

export const rowOfPhase = ({ name, seconds, images, photos, queries }: Phase): Cell[] => [
  name,
  seconds.toFixed(0),
  images === 0 ? '' : (images / seconds).toFixed(1),
  ...cellsOf(photos),
  ...cellsOf(queries),
];

/** How many times as long the slowest hundredth takes. */
export const p99Ratio = (slower: readonly TimedCall[], calm: readonly TimedCall[]): string =>
  (percentile(msOf(slower), 0.99) / percentile(msOf(calm), 0.99)).toFixed(2);

const cellsOf = (calls: readonly TimedCall[]): Cell[] => [
  calls.length,
  calls.filter(({ status }) => status !== 200).length,
  ...percentiles(msOf(calls), 0, 0.5, 0.99),
];
