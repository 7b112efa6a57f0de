import { type Cell, percentile, percentiles } from '../measure';
import { msOf, type TimedCall } from '../open-loop';

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
export function rowsOfReads(alone: Calls, atOnce: Calls): Cell[][] {
  const reads = (calls: Calls) =>
    [...calls].filter(([sort]) => !OTHERS.includes(sort)).flatMap(([, each]) => each);
  const sorts = [...new Set([...alone.keys(), ...atOnce.keys()])].sort();
  return [
    rowOf('all reads of the catalog', reads(alone), reads(atOnce)),
    ...sorts.map((sort) => rowOf(sort, alone.get(sort) ?? [], atOnce.get(sort) ?? [])),
  ];
}

function rowOf(name: string, alone: readonly TimedCall[], atOnce: readonly TimedCall[]): Cell[] {
  const cells = [alone, atOnce].flatMap((calls) => [calls.length, ...percentiles(msOf(calls), 1, 0.5, 0.99)]);
  const ratio = percentile(msOf(atOnce), 0.99) / percentile(msOf(alone), 0.99);
  return [name, ...cells, Number.isNaN(ratio) ? '' : ratio.toFixed(2)];
}

/** How many calls had each status. */
export function statusesOf(calls: Calls): string {
  const counts = new Map<number, number>();
  for (const { status } of [...calls.values()].flat()) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts]
    .sort(([left], [right]) => left - right)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ');
}
