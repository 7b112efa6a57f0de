import { percentile } from '../measure';
import type { TimedCall } from '../open-loop';

type Calls = ReadonlyMap<string, readonly TimedCall[]>;

/** A part of the measurement, with what was called meanwhile. */
export interface LivingPhase {
  readonly calls: Calls;
  readonly seconds: number;
}

/** Sorts of calls that do not read the catalog. */
const OTHERS = ['photo', 'write', 'delete'];

export const headOfReads = ['calls', 'alone', 'p50 ms', 'p99 ms', 'at once', 'p50 ms', 'p99 ms', 'p99 ratio'];

export function readsTogether(phases: readonly LivingPhase[]): Calls {
  const sorts = new Set(phases.flatMap(({ calls }) => [...calls.keys()]));
  return new Map(
    Array.from(sorts, (sort) => [sort, phases.flatMap(({ calls }) => calls.get(sort) ?? [])] as const),
  );
}

/** A row for each sort of call, and one for all that read the catalog. */
export function rowsOfReads(alone: Calls, atOnce: Calls): (string | number)[][] {
  const reads = (calls: Calls) =>
    [...calls].filter(([sort]) => !OTHERS.includes(sort)).flatMap(([, each]) => each);
  const sorts = [...new Set([...alone.keys(), ...atOnce.keys()])].sort();
  return [
    rowOf('all reads of the catalog', reads(alone), reads(atOnce)),
    ...sorts.map((sort) => rowOf(sort, alone.get(sort) ?? [], atOnce.get(sort) ?? [])),
  ];
}

function rowOf(name: string, alone: readonly TimedCall[], atOnce: readonly TimedCall[]): (string | number)[] {
  const ratio = p(atOnce, 0.99) / p(alone, 0.99);
  return [name, ...cellsOf(alone), ...cellsOf(atOnce), Number.isNaN(ratio) ? '' : ratio.toFixed(2)];
}

const cellsOf = (calls: readonly TimedCall[]): (string | number)[] =>
  calls.length === 0 ? [0, '', ''] : [calls.length, p(calls, 0.5).toFixed(1), p(calls, 0.99).toFixed(1)];

const p = (calls: readonly TimedCall[], share: number): number =>
  percentile(
    calls.map(({ ms }) => ms),
    share,
  );

/** How many calls had each status. */
export function statusesOf(calls: Calls): string {
  const counts = new Map<number, number>();
  for (const { status } of [...calls.values()].flat()) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts]
    .sort(([left], [right]) => left - right)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ');
}
