import type { Sort } from '../../../../models/catalog/catalog-query';
import { compareKeys, type OrderKey } from '../order-key';
import type { Bitset } from './bitset';
import type { SnapshotReader } from './snapshot-reader';

/** Some rows of an answer that follow each other: those of a set, in the order of a listing. */
export interface Slice {
  readonly set: Bitset;
  /** How many of them are passed over, or the row behind which those begin that are wanted. */
  readonly start: number | OrderKey;
  readonly limit: number;
}

/** Rows that are looked at together when a place is looked for. */
const PROBES = 16;

/**
 * The rows of slices, one slice after the other. Products of the snapshot lie in order, and so do those that changed
 * since; which of the two comes next, their keys tell.
 */
export async function rowsOfSlices(
  snapshot: SnapshotReader,
  slices: readonly Slice[],
  sort: Sort,
): Promise<OrderKey[]> {
  const order = await snapshot.order(sort);
  const parts: { readonly unchanged: readonly number[]; readonly changed: readonly OrderKey[] }[] = [];
  for (const { set, start, limit } of slices) {
    const changed = snapshot.changes.membersInOrder(set, sort);
    const unchanged = new UnchangedMembers(set, order, set.count() - changed.length);
    const place = { snapshot, unchanged, changed, sort };
    const skipped = await (typeof start === 'number' ? afterRows(place, start) : afterKey(place, start));
    parts.push({
      unchanged: unchanged.at(skipped.unchanged, limit),
      changed: changed
        .slice(skipped.changed, skipped.changed + limit)
        .flatMap((ordinal) => snapshot.changes.rowAt(ordinal) ?? []),
    });
  }
  const keys = await snapshot.keysAt(parts.flatMap(({ unchanged }) => unchanged));
  return parts.flatMap(({ unchanged, changed }, at) =>
    [...unchanged.flatMap((ordinal) => keys.get(ordinal) ?? []), ...changed]
      .sort(compareKeys[sort])
      .slice(0, slices[at]?.limit),
  );
}

/** Both kinds of rows of a slice, each in order; of the changed ones the ordinals. */
interface Place {
  readonly snapshot: SnapshotReader;
  readonly unchanged: UnchangedMembers;
  readonly changed: readonly number[];
  readonly sort: Sort;
}

/** How many of both kinds come before a place. */
interface Skipped {
  readonly unchanged: number;
  readonly changed: number;
}

/** Before the row after so many. */
async function afterRows({ snapshot, unchanged, changed, sort }: Place, offset: number): Promise<Skipped> {
  const most = Math.min(offset, changed.length);
  const skipped = await firstWhere(Math.max(0, offset - unchanged.count), most, async (counts) => {
    const others = await keysOf(
      snapshot,
      counts.map((count) => unchanged.at(offset - count - 1, 1)[0]),
    );
    return counts.map((count, at) => {
      const [own, other] = [snapshot.changes.rowAt(changed[count] ?? 0), others[at]];
      return own !== undefined && other !== undefined && compareKeys[sort](own, other) > 0;
    });
  });
  return { unchanged: offset - skipped, changed: skipped };
}

/** Up to a key. */
async function afterKey({ snapshot, unchanged, changed, sort }: Place, key: OrderKey): Promise<Skipped> {
  const isAfter = (row: OrderKey | undefined) => row !== undefined && compareKeys[sort](row, key) > 0;
  const first = changed.findIndex((ordinal) => isAfter(snapshot.changes.rowAt(ordinal)));
  return {
    unchanged: await firstWhere(0, unchanged.count, async (positions) => {
      const rows = await keysOf(
        snapshot,
        positions.map((position) => unchanged.at(position, 1)[0]),
      );
      return rows.map(isAfter);
    }),
    changed: first === -1 ? changed.length : first,
  };
}

async function keysOf(
  snapshot: SnapshotReader,
  ordinals: readonly (number | undefined)[],
): Promise<readonly (OrderKey | undefined)[]> {
  const keys = await snapshot.keysAt(ordinals.flatMap((ordinal) => ordinal ?? []));
  return ordinals.map((ordinal) => (ordinal === undefined ? undefined : keys.get(ordinal)));
}

/**
 * The first whole number from `low` on for which something holds, as it does for all above; `high` if there is none.
 *
 * @param holdsFor asked for a few numbers at a time
 */
async function firstWhere(
  low: number,
  high: number,
  holdsFor: (numbers: readonly number[]) => Promise<readonly boolean[]>,
): Promise<number> {
  let [from, to] = [low, high];
  while (from < to) {
    const step = Math.ceil((to - from) / PROBES);
    const numbers: number[] = [];
    for (let number = from + step - 1; number < to; number += step) numbers.push(number);
    const first = (await holdsFor(numbers)).indexOf(true);
    to = numbers[first] ?? to;
    from = (first === -1 ? numbers.at(-1) : numbers[first - 1]) ?? from - 1;
    from += 1;
  }
  return from;
}

/** The members of a set that a snapshot has, in one of its orders. */
class UnchangedMembers {
  readonly #found: number[] = [];
  #walked = 0;

  /** @param order all ordinals of the snapshot; null for their own order */
  constructor(
    private readonly set: Bitset,
    private readonly order: Uint32Array | null,
    readonly count: number,
  ) {}

  at(offset: number, limit: number): readonly number[] {
    const end = Math.min(offset + limit, this.count);
    if (!this.order) return this.set.ordinals(offset, Math.max(0, end - offset));
    for (; this.#found.length < end && this.#walked < this.order.length; this.#walked++) {
      const ordinal = this.order[this.#walked] ?? 0;
      if (this.set.has(ordinal)) this.#found.push(ordinal);
    }
    return this.#found.slice(offset, end);
  }
}
